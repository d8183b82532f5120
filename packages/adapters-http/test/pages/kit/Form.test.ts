import * as Form from "@place-access/adapters-http/pages/kit/Form"
import { Coordinates } from "@place-access/domain/places"
import { Purpose } from "@place-access/domain/purposes"
import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"

const { expectedDailyVolume } = Purpose.PurposeTerms.fields
const Whole = Schema.Struct({ volume: Form.WholeNumber(expectedDailyVolume) })

/** The number that a form reads, or what is wrong with the text. */
const read = (volume: string) =>
  Either.match(Form.decode(Whole, { volume }), {
    onLeft: (problems) => problems.map(({ message }) => message).join(),
    onRight: ({ volume }) => volume
  })

describe("a whole number in a form", () => {
  it.each([",", ".", " ", "\u00a0", "\u2009", "\u202f", "'", "’"])(
    "may have groups of three digits: 10%s000",
    (sign) => {
      expect([`1${sign}000`, `10${sign}000`].map(read)).toEqual([1_000, 10_000])
    }
  )

  it.each(["24", " 24 ", "+24", "0024"])("may be typed as “%s”", (text) => {
    expect(read(text)).toBe(24)
  })

  it.each(["10,00", "1,5", "0.001", "1,0000", "10,000.5", "1 000,000", "1,000 000", "1;000", "1_000", "ten", ""])(
    "is never guessed from “%s”",
    (text) => {
      expect(read(text)).toBe("must be a whole number")
    }
  )

  it.each(["10,001", "100.000", "1,000,000", "0", "-5"])("keeps its limits: %s", (text) => {
    expect(read(text)).toBe("must be a whole number from 1 to 10000")
  })
})

describe("a radius in a form", () => {
  const Circle = Schema.Struct({ radius: Form.NumberFrom100(Coordinates.RadiusM) })
  const radius = (text: string) => Either.getOrNull(Form.decode(Circle, { radius: text }))?.radius

  it.each(["1,000", "1.000", "1 000", "10,000"])("of %s metres is thousands, because it cannot be smaller", (text) => {
    expect(radius(text)).toBe(Number(text.replace(/\D/g, "")))
  })

  it("keeps the fraction with which the form of a stored place begins", () => {
    expect(["150.125", "150,5", "1500.125"].map(radius)).toEqual([150.125, 150.5, 1_500.125])
  })

  it.each(["10,001", "1.00", "99", "1;000"])("of %s metres is refused", (text) => {
    expect(radius(text)).toBeUndefined()
  })
})
