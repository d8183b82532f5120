import { Language } from "@place-access/domain/shared"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { negotiate } from "@place-access/adapters-http/html/AcceptLanguage"

describe("the language that a browser asks for [accounts-20]", () => {
  it.each([
    // Headers as real browsers send them.
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["en-US,en;q=0.5", "en"],
    ["de", "de"],
    ["fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "en"],
    // The language with the highest weight is chosen, and of languages with equal weights the first. The order of the
    // other entries does not matter, nor does upper or lower case.
    ["en;q=0.8, DE-ch-1996 ; Q=0.81", "de"],
    ["de;q=0.500,en;q=0.5", "de"],
    ["en;q=0.2, de;q=0.4, en-GB", "en"],
    // A weight of 0 excludes the language.
    ["de;q=0, en;q=0.001", "en"],
    ["de;q=0.000", null],
    // `*` stands for the languages that the header does not name, if the header names one of our languages.
    ["*", null],
    ["fr, *;q=0.5", null],
    ["de;q=0.3, *", "en"],
    ["en;q=0, *;q=0.1", "de"],
    // Malformed entries must be ignored, and the other entries must count.
    ["de;q=2, en;q=0.1", "en"],
    ["de;q=-1, de;q=, de;q=1.001, de;q=0.1234, de_DE, de-, -de, de de, d\u00e9, ;q=1, en", "en"],
    [",, ,de,", "de"],
    // Headers with languages that we do not have. Some of their names begin like the names of our languages.
    ["den, deu, eng, english;q=0.9", null],
    ["", null],
    [undefined, null]
  ] as const)("%s: %s", (header, language) => {
    expect(negotiate(header)).toBe(language)
  })

  it("reads 1,000 characters: what stands behind them, and the entry at the cut, does not count", () => {
    const filled = (length: number) => `${"x,".repeat(length / 2)}`
    expect(negotiate(`${filled(998)}de`)).toBe("de")
    expect(negotiate(`${filled(998)}de;q=0.1`)).toBeNull()
    expect(negotiate(`${filled(1_000)}de`)).toBeNull()
  })

  const padding = fc.constantFrom("", " ", "\t", "  ")
  const range = fc.record({
    tag: fc.constantFrom("en", "de", "EN", "De", "fr", "nl", "*"),
    region: fc.constantFrom("", "-AT", "-CH-1996", "-Latn"),
    /** The weight of the entry, in thousandths: 1,000 means the weight 1. */
    weight: fc.oneof(fc.constantFrom(0, 1_000), fc.integer({ min: 0, max: 1_000 }))
  })
  const entries = fc.array(range, { maxLength: 12 })
  const written = ({ region, tag, weight }: typeof range extends fc.Arbitrary<infer A> ? A : never): string =>
    `${tag}${tag === "*" ? "" : region};q=${(weight / 1_000).toFixed(3)}`

  it("is never a language that another one outweighs, nor a refused one", () => {
    fc.assert(
      fc.property(entries, fc.array(padding, { minLength: 24, maxLength: 24 }), (list, pads) => {
        const header = list.map((one, at) => pads[2 * at]! + written(one) + pads[2 * at + 1]!).join(",")
        const chosen = negotiate(header)
        /**
         * The highest weight among the entries for a language. If the header does not name the language, the entries
         * for `*` count.
         */
        const weightOf = (language: string): number => {
          const own = list.filter(({ tag }) => tag.toLowerCase() === language)
          const counted = own.length > 0 ? own : list.filter(({ tag }) => tag === "*")
          return Math.max(0, ...counted.map(({ weight }) => weight))
        }
        const isNamed = list.some(({ tag }) => Language.all.some((language) => language === tag.toLowerCase()))
        const highest = Math.max(...Language.all.map(weightOf))
        const rightOnes = Language.all.filter((language) => weightOf(language) === highest)
        expect(isNamed && highest > 0 ? rightOnes : [null]).toContain(chosen)
      }),
      { numRuns: 1_000 }
    )
  })

  it("of equal weights, the first language counts", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(["en", "de", "fr", "nl"], { minLength: 1 }), (order) => {
        const first = order.find((tag) => tag === "en" || tag === "de")
        expect(negotiate(order.join(", "))).toBe(first ?? null)
      })
    )
  })

  it("any text is answered: with one of ours, or null; noise between commas changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 1_500 }), (header) => {
        expect([null, ...Language.all]).toContain(negotiate(header))
      })
    )
    fc.assert(
      fc.property(
        fc.constantFrom("de", "en"),
        // An entry that is malformed, because it contains a character that no language range may have.
        fc.stringMatching(/^[a-z;=. ]{0,20}[!_@/"][a-z;=. ]{0,20}$/),
        (language, noise) => {
          expect(negotiate(`${noise},${language},${noise}`)).toBe(language)
        }
      )
    )
  })
})
