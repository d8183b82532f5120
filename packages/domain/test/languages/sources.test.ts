import { untranslated } from "@place-access/domain/languages"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { fileURLToPath } from "node:url"
import { facts, MAILS, textsOf } from "./mailSamples.js"
import { filesWith, type SourceText, textsOfSources, variants } from "./sources.js"
import { TEXTS } from "./textSamples.js"

const DOMAIN = fileURLToPath(new URL("../../src", import.meta.url))

/**
 * Files that set `dedupeKey` and write no mail. `changeAddress.ts` sets it because the link in the mail of
 * `AddressChange` is encrypted for this key.
 */
const PASSES_ON = ["credentials/changeAddress.ts"]

/**
 * Texts that are on no page and in no mail. Each entry names a file or folder, a pattern for its texts, and the reason.
 */
const UNREAD: ReadonlyArray<readonly [file: string, which: RegExp, why: string]> = [
  ["consent/AuthorizeRequest.ts", /^(\{\} must|response_type|code_challenge|external_user_id|scope )/, "for apps"],
  ["consent/ConsentDecision.ts", /^the user did not allow/, "for apps"],
  ["endpoints/EndpointHeader.ts", /^endpoint header /, "the context of an encrypted value"],
  ["exports/Entries.ts", /^</, "XML"],
  ["imports/CsvColumns.ts", /./, "names of columns, which are values"],
  ["legacy/RuleImport.ts", /./, "for operators"],
  ["legacy/importRules.ts", /./, "for operators"],
  ["listeners/manageListeners.ts", /^A listener that is gone/, "for operators"],
  ["mail/MailSending.ts", /./, "for operators"],
  ["mail/sendMail.ts", /./, "for operators"],
  ["purposes/PurposeGate.ts", /./, "errors of the API"],
  ["quotas/AccountLimits.ts", /./, "a table of the documentation; its refusals are samples"],
  ["test-people/manageTestPeople.ts", /^A test person is not/, "for operators"],
  ["test-people/", /^(Simulated phone|Test person|Home|Work|Robin)$/, "names of made-up things, which are values"],
  ["shared/Words.ts", /./, "moments, which are written last"]
]

const textOf = ({ parts }: SourceText): string => parts.join("{}")
const isRead = (text: SourceText): boolean =>
  !UNREAD.some(
    ([file, which]) =>
      (file.endsWith("/") ? text.file.startsWith(file) : file === text.file) && which.test(textOf(text))
  )

describe("the texts in the sources of the domain [languages-2]", () => {
  it("every file that writes a mail has samples", () => {
    expect(filesWith(DOMAIN, "dedupeKey").filter((file) => !PASSES_ON.includes(file))).toEqual(
      Object.keys(MAILS).sort()
    )
  })

  it("every text with words is known in German, or is a part of a sample, which is known", () => {
    const given = fc.sample(facts, 20)
    const samples = new Map<string, string>([
      ...Object.entries(MAILS).map(
        ([file, make]) => [file, given.flatMap(make).flatMap(textsOf).join("\n\n")] as const
      ),
      ...Object.entries(TEXTS).map(([file, make]) => [file, given.flatMap(make).join("\n\n")] as const)
    ])
    const isInSample = ({ file, parts }: SourceText) =>
      parts.every((part) => (samples.get(file) ?? "").includes(part.trim()))
    const isKnown = (text: SourceText) => variants(text).some((one) => untranslated(one.trim(), "de").length === 0)
    const texts = textsOfSources(DOMAIN, (file) => !file.startsWith("languages/")).filter(isRead)
    expect(texts.length).toBeGreaterThan(250)
    expect(
      texts
        .filter((text) => !isInSample(text) && !isKnown(text))
        .map((text) => `${text.file}:${text.line} ${textOf(text)}`)
    ).toEqual([])
  })
})
