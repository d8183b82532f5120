import { Isolation, readable, translate } from "@place-access/domain/languages"
import { type Language, Timestamp } from "@place-access/domain/shared"
import { Mail } from "@place-access/domain/mail"
import { describe, expect, it } from "@effect/vitest"
import { facts, type Facts, MAILS, textsOf } from "./mailSamples.js"
import { TEXTS } from "./textSamples.js"

const { FIRST_STRONG_ISOLATE: FSI, POP_DIRECTIONAL_ISOLATE: PDI } = Isolation
const LANGUAGES: ReadonlyArray<Language.Language> = ["en", "de"]

/** Arabic for "Office 24". A number that follows the name in a sentence must not join the 24. */
const OFFICE = "مكتب 24"
const GIVEN: Facts = {
  name: OFFICE,
  email: "ada@example.org",
  note: "«a note»",
  at: Timestamp.make(Date.UTC(2026, 10, 30)),
  number: 7
}

const times = (text: string, part: string): number => text.split(part).length - 1
const plain = (text: string): string => text.replaceAll(FSI, "").replaceAll(PDI, "")

/** The samples of lists put a digit before the name, so that the names of a list differ. */
const ISOLATED = new RegExp(`${FSI}(\\d )?${OFFICE}${PDI}`, "g")

/** The lines in which the name is not enclosed by the two isolation characters of Unicode (FSI and PDI). */
const bare = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.replaceAll(ISOLATED, "").includes(OFFICE))

const SAMPLES: ReadonlyArray<readonly [string, (given: Facts) => ReadonlyArray<string>]> = [
  ...Object.entries(MAILS).map(([file, make]) => [file, (given: Facts) => make(given).flatMap(textsOf)] as const),
  ...Object.entries(TEXTS)
]

describe("a name that is written from right to left, in a text that people read [languages-5]", () => {
  it.each(SAMPLES)("%s: every text isolates the name, in every language", (_, make) => {
    const texts = make(GIVEN)
    for (const language of LANGUAGES) {
      expect(texts.flatMap((text) => bare(readable(text, language)))).toEqual([])
    }
  })

  it.prop(
    "isolates are all that is added, whatever the names are",
    [facts],
    ([given]) => {
      for (const [, make] of SAMPLES) {
        for (const text of make(given)) {
          for (const language of LANGUAGES) expect(plain(readable(text, language))).toBe(translate(text, language))
        }
      }
    },
    { fastCheck: { numRuns: 30 } }
  )

  it("a mail isolates the name in its subject and in its body", () => {
    const [mail] = MAILS["consent/Receipt.ts"]?.(GIVEN) ?? []
    if (mail === undefined) throw new Error("no sample of a receipt")
    for (const language of LANGUAGES) {
      const { body, subject } = Mail.forReader(mail, language, null)
      expect([times(subject, OFFICE), bare(subject), bare(body)]).toEqual([1, [], []])
    }
  })

  it("a mail that is stored in its reader's language gets no second isolates when it is sent", () => {
    for (const [, make] of Object.entries(MAILS)) {
      for (const mail of make(GIVEN)) {
        const stored = Mail.forReader(mail, "de", null)
        const sent = Mail.forReader(stored, "de", null)
        expect([sent.subject, sent.body]).toEqual([stored.subject, stored.body])
      }
    }
  })

  it("other names get no isolates, and a text of an app cannot end its isolate", () => {
    for (const name of ["Home", "Café 24", "Жизнь", "家", "W (24)"]) expect(Isolation.isolate(name)).toBe(name)
    for (const name of ["משרד", "مكتب", "ܐܒܓ", "𞤀𞤣"]) expect(Isolation.isolate(name)).toBe(FSI + name + PDI)
    expect(Isolation.isolate(`a${PDI}\u202eb`)).toBe(`${FSI}ab${PDI}`)
  })

  it("a list isolates each of its names", () => {
    const isolated = FSI + OFFICE + PDI
    expect(readable(`2 visits to “${OFFICE}” and “${OFFICE}”`, "de")).toBe(`2 Besuche: „${isolated}“ und „${isolated}“`)
  })
})
