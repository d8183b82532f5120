import { translate, untranslated } from "@place-access/domain/languages"
import type { Mail } from "@place-access/domain/mail"
import { describe, expect, it } from "@effect/vitest"
import { facts, type Facts, MAILS, textsOf } from "./mailSamples.js"
import { TEXTS } from "./textSamples.js"

/**
 * Whether the service wrote the line. Other lines are the note of a reviewer, which the samples contain, or the address
 * of an endpoint, which a stranger chose.
 */
const isOurs = (line: string, { note }: Facts): boolean =>
  line !== note && line !== `"${note}"` && !line.startsWith("https://a.example")

const times = (text: string, part: string): number => text.split(part).length - 1

/** A few runs are enough: each run makes every form of every mail that a source file can write. */
const RUNS = { fastCheck: { numRuns: 30 } }

const isSaid = (text: string, given: Facts): void => {
  expect(untranslated(text, "de").filter((line) => isOurs(line, given))).toEqual([])
  const german = translate(text, "de")
  for (const name of [given.name, given.email, given.note]) {
    expect(times(german, name)).toBeGreaterThanOrEqual(times(text, name))
  }
}

describe("the German of every mail [languages-2]", () => {
  for (const [file, make] of Object.entries(MAILS)) {
    it.prop(
      `${file}: every text is known, and names stay as they are`,
      [facts],
      ([given]) => {
        for (const text of make(given).flatMap(textsOf)) isSaid(text, given)
      },
      RUNS
    )
  }
})

describe("a mail for an owner whose account somebody else may use [accounts-10]", () => {
  const WARNS = "somebody else can use your account"
  const warnings = (make: (given: Facts) => ReadonlyArray<Mail.MailMessage>, given: Facts) =>
    make(given)
      .flatMap(textsOf)
      .filter((text) => text.includes(WARNS))

  it.prop(
    "tells the owner to set a new password, in both languages: only that ends the stranger's session",
    [facts],
    ([given]) => {
      const all = Object.values(MAILS).flatMap((make) => warnings(make, given))
      expect(all.filter((text) => !/set a new password/i.test(text))).toEqual([])
      expect(all.filter((text) => !translate(text, "de").includes("neues Passwort"))).toEqual([])
    },
    RUNS
  )

  it.prop(
    "tells the owner to disconnect the app too, if the mail is about apps",
    [facts],
    ([given]) => {
      for (const file of ["consent/Receipt.ts", "mail/NamedMail.ts"]) {
        const texts = warnings(MAILS[file] ?? (() => []), given)
        expect(texts.filter((text) => !text.includes("Disconnect the app"))).toEqual([])
        expect(texts).not.toEqual([])
      }
    },
    RUNS
  )
})

describe("the German of the access log and of what is put together from parts [languages-2]", () => {
  for (const [file, make] of Object.entries(TEXTS)) {
    it.prop(
      `${file}: every text is known, and names stay as they are`,
      [facts],
      ([given]) => {
        const texts = make(given)
        expect(texts.length).toBeGreaterThan(0)
        for (const text of texts) isSaid(text, given)
      },
      RUNS
    )
  }
})
