import { Text } from "@place-access/domain/shared"
import { Either, FastCheck as fc, Schema } from "effect"
import { describe, expect, it } from "vitest"

const Line = Text.line(1, 200)
const stored = (text: string) => Either.getOrUndefined(Schema.decodeEither(Line)(text))

/** Code points that a font shows as nothing, or as a blank. */
const NOTHING = [
  ["the soft hyphen", "\u00ad"],
  ["the combining grapheme joiner", "\u034f"],
  ["fillers of Hangul", "\u115f\u1160"],
  ["vowels of Khmer that are not written", "\u17b4\u17b5"],
  ["variation selectors of Mongolian", "\u180b\u180c\u180d\u180e\u180f"],
  ["zero-width space, joiners and marks of direction", "\u200b\u200c\u200d\u200e\u200f"],
  ["invisible operators, an unassigned code point and old format characters", "\u2060\u2061\u2064\u2065\u206a\u206f"],
  ["variation selectors", "\ufe00\ufe0e\ufe0f"],
  ["the byte order mark", "\ufeff"],
  ["unassigned code points without a shape", "\ufff0\ufff8"],
  ["annotations between lines", "\ufff9\ufffa\ufffb"],
  ["format characters of shorthand", "\u{1bca0}\u{1bca3}"],
  ["format characters of music, and the note head without a shape", "\u{1d173}\u{1d17a}\u{1d159}"],
  ["tags", "\u{e0001}\u{e0020}\u{e007f}"],
  ["further variation selectors, and unassigned code points beside them", "\u{e0080}\u{e0100}\u{e01ef}\u{e0fff}"]
] as const
const BLANK = "\u3164\uffa0\u2800\u00a0\u3000"

const FLAG_OF_SCOTLAND = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"

describe("a name", () => {
  it.each(NOTHING)("has no characters that show nothing: %s [accounts-3]", (_, unseen) => {
    for (const one of [...unseen, unseen]) {
      for (const text of [`Umbrella${one}`, `${one}Umbrella`, `Umb${one}rella`, `Umbrella ${one}`]) {
        expect([text, stored(text)]).toEqual([text, "Umbrella"])
      }
      expect(stored(`Ünal 1${one}2`)).toBe("Ünal 12")
      expect(stored(`${one} ${one}`)).toBe(undefined)
      expect(stored(`🦉${one}`)).toBe("🦉")
    }
  })

  it("has no fillers that look like blanks: inside it they become blanks, at its ends they are left out [accounts-3]", () => {
    for (const one of BLANK.slice(0, 3)) {
      expect(stored(`${one}Umbrella ${one}`)).toBe("Umbrella")
      expect(stored(`Um${one}brella`)).toBe("Um brella")
      expect(stored(one)).toBe(undefined)
    }
  })

  it.each([
    ["emoji that are joined", "👩‍👩‍👧 👨🏽‍🚀 🏴‍☠️ 🏳️‍🌈"],
    ["a sign that is shown as an emoji", "❤️ ☕ ✈️ 1️⃣ ©️"],
    ["a flag made of tags", FLAG_OF_SCOTLAND],
    ["Persian", "می‌خواهم کتاب‌ها"],
    ["Marathi and Nepali", "दुसऱ्या र्‍य श्रीमान्‌को क्‍ष"],
    ["Bengali", "র‍্যাব"],
    ["Malayalam with an old form of a letter at the end of a word", "അവന്‍"],
    ["Sinhala", "ශ්‍රී ලංකා"],
    ["Kannada", "ಲೈನ್‌ಗಳು ರ‍್ಯಾಂಕ್"]
  ])("keeps what a script or an emoji needs: %s [accounts-3]", (_, text) => {
    expect(stored(text)).toBe(text.normalize("NFC"))
  })

  it.each([
    ["a joiner between two emoji that make no emoji together", "🦉‍🦉", "🦉🦉"],
    ["an emoji style after a sign that is an emoji already", "🦉\ufe0f", "🦉"],
    ["tags that name no flag", "🏴\u{e0061}\u{e007f}", "🏴"],
    ["a non-joiner after a Persian letter that never joins the next letter", "کار\u200cها", "کارها"],
    ["a non-joiner at the end of a word", "کتاب\u200c", "کتاب"],
    ["a joiner between two Persian letters, which join anyway", "کت\u200dاب", "کتاب"],
    ["a second joiner", "ක්\u200d\u200dර", "ක්\u200dර"],
    ["a joiner after a letter of Devanagari without virama", "क\u200dष", "कष"],
    ["a joiner or non-joiner after the sign of Tamil, which is visible", "மக்\u200cகள்\u200d", "மக்கள்"]
  ])("loses a joiner that changes nothing: %s [accounts-3]", (_, text, expected) => {
    expect(stored(text)).toBe(expected)
  })

  it("with directions that are overridden is refused, not made plain [accounts-3]", () => {
    for (const one of "\u202a\u202e\u2066\u2069") expect(stored(`Um${one}brella`)).toBe(undefined)
  })
})

describe("any text with characters that show nothing", () => {
  const unseen = fc.constantFrom(...NOTHING.flatMap(([, text]) => [...text]), ...BLANK)
  const SEEN = "a Ü 1 # \u20e3 © \u0301 🦉 👩 👧 ❤ 🏽 🏴 🚀 🇩 🇪 ක ් ර ب ا \u0654 ی क ् র ্ ല ് ᄀ ᅡ ㋿ 葛 ᠠ 👩‍👧 می‌خ"
  const seen = fc.constantFrom(" ", FLAG_OF_SCOTLAND, ...SEEN.split(" "))
  const texts = fc.array(fc.oneof({ weight: 2, arbitrary: unseen }, { weight: 3, arbitrary: seen }), { maxLength: 20 })

  const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u
  const JOINERS = /[\u200c\u200d]/
  const EMOJI = new RegExp(String.raw`\p{RGI_Emoji}`, "gv")
  const JOINED =
    /[\p{Script=Arabic}\p{Script=Sinhala}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\u0301\u0654]/u

  it("keeps only joiners after a letter of a script that joins, and those inside an emoji [accounts-3]", () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const name = stored(parts.join("")) ?? ""
        const rest = name.replace(EMOJI, "☺")
        const ignorable = [...rest].filter((one) => IGNORABLE.test(one) || /[\u2800\u{1d159}]/u.test(one))
        const joiners = [...rest].filter((one, index, all) => JOINERS.test(one) && JOINED.test(all[index - 1] ?? ""))
        expect(ignorable).toEqual(joiners)
        expect(name).toBe(name.trim())
      }),
      { numRuns: 2_000 }
    )
  })

  it("stays as it is when it is stored a second time, and loses nothing that one sees [accounts-3]", () => {
    const visible = (text: string) =>
      [...text]
        .filter((one) => !IGNORABLE.test(one) && !/[\s\ufff9-\ufffb\u2800\u{1d159}]/u.test(one))
        .join("")
        .normalize("NFD")
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join("")
        const name = stored(text)
        expect(name === undefined).toBe(!/[\p{L}\p{N}\p{P}\p{S}]/u.test(visible(text)))
        if (name === undefined) return
        expect(stored(name)).toBe(name)
        expect(visible(name)).toBe(visible(text))
      }),
      { numRuns: 2_000 }
    )
  })

  it("is read in linear time: twenty thousand combining marks do not stop the server [accounts-3]", () => {
    for (const text of ["\u0301", "ب\u0301\u200c", "👩\u200d", "\u200c"]) {
      expect(stored(`ب${text.repeat(20_000)}`)).toBe(text === "\u200c" ? "ب" : undefined)
    }
  })
})
