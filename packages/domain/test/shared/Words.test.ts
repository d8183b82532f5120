import { Timestamp, TimeZone, Words } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"

const zone = (name: string) => Option.getOrThrow(TimeZone.find(name))
const minute = fc.integer({ min: Date.UTC(1999, 11, 31) / 60_000, max: Date.UTC(2100, 0, 1) / 60_000 })

describe("moments in a text [accounts-19]", () => {
  it.prop(
    "are found again to the minute, with the text between them as it was",
    [fc.array(fc.tuple(fc.string(), minute), { maxLength: 4 }), fc.string()],
    ([parts, rest]) => {
      const text = parts.map(([before, at]) => `${before} ${Words.moment(Timestamp.make(at * 60_000))}`).join("") + rest
      const found = Words.pieces(text)
      expect(found.filter((piece) => typeof piece !== "string")).toEqual(parts.map(([, at]) => at * 60_000))
      expect(found.map((piece) => (typeof piece === "string" ? piece : Words.moment(piece))).join("")).toBe(text)
    }
  )

  it("are put into a zone, which they name, also over the end of a day", () => {
    const text = "On 31 March 2026 at 22:05 UTC you did it. It ends on 1 July 2026."
    expect(Words.inZone(text, zone("Europe/Amsterdam"))).toBe(
      "On 1 April 2026 at 00:05 (Europe/Amsterdam) you did it. It ends on 1 July 2026."
    )
    expect(Words.inZone("31 Marchember 2026 at 22:05 UTC", zone("Europe/Amsterdam"))).toBe(
      "31 Marchember 2026 at 22:05 UTC"
    )
  })
})
