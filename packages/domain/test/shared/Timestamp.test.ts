import { Timestamp } from "@place-access/domain/shared"
import { Either, FastCheck as fc, Schema } from "effect"
import { describe, expect, it } from "vitest"

const decode = Schema.decodeUnknownEither(Timestamp.FromIso)

describe("a time that comes from outside [M11]", () => {
  it.each([
    ["2015-10-01T08:00:00-0700", "2015-10-01T15:00:00.000Z"],
    ["2026-01-31T09:30:00+02:00", "2026-01-31T07:30:00.000Z"],
    ["2026-01-31T09:30:00+0200", "2026-01-31T07:30:00.000Z"],
    ["2026-01-31T09:30:00+02", "2026-01-31T07:30:00.000Z"],
    ["2026-01-31T09:30:00+05:45", "2026-01-31T03:45:00.000Z"],
    ["2026-01-31T09:30Z", "2026-01-31T09:30:00.000Z"],
    ["2026-01-31T09:30+0200", "2026-01-31T07:30:00.000Z"],
    ["2026-01-31T09:30:00.5Z", "2026-01-31T09:30:00.500Z"],
    ["2026-01-31T09:30:00,123456789Z", "2026-01-31T09:30:00.123Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["0000-01-01T01:00:00+01:00", "0000-01-01T00:00:00.000Z"],
    ["9999-12-31T22:59:59.999-01:00", "9999-12-31T23:59:59.999Z"]
  ])("%s is read", (text, expected) => {
    expect(Either.map(decode(text), Timestamp.toIso)).toEqual(Either.right(expected))
  })

  it.each([
    "2026",
    "2026-01-31",
    "2026-01-31T09:30:00",
    "2026-01-31T09:30",
    "2026-01-31T09Z",
    "2026-01-31 09:30:00Z",
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T09:60:00Z",
    "2026-01-31T09:30:60Z",
    "2026-01-31T09:30:00.Z",
    "2026-01-31T09:30.5Z",
    "2026-01-31T09:30:00+2",
    "2026-01-31T09:30:00+020",
    "2026-01-31T09:30:00+24:00",
    "2026-01-31T09:30:00+02:60",
    "2026-01-31T09:30:00 02:00",
    "2026-01-31T09:30:00Z\n",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59.999-00:01",
    "١٩٩٩-01-31T09:30:00Z",
    1_769_851_800_000,
    null
  ])("%j is not", (text) => {
    expect(Either.isLeft(decode(text))).toBe(true)
  })

  it("is the moment that the platform reads, of every date, time and zone, and is read back from its own text", () => {
    const two = (value: number) => String(value).padStart(2, "0")
    const moment = fc.record({
      at: fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
      sign: fc.constantFrom("+", "-"),
      hours: fc.nat(23),
      minutes: fc.nat(59),
      form: fc.constantFrom("colon", "plain", "hours", "Z")
    })
    fc.assert(
      fc.property(moment, ({ at, form, hours, minutes, sign }) => {
        const local = new Date(at).toISOString().slice(0, -1)
        const zone = `${sign}${two(hours)}:${form === "hours" ? "00" : two(minutes)}`
        const written = { colon: zone, plain: zone.replace(":", ""), hours: zone.slice(0, 3), Z: "Z" }[form]
        const expected = Date.parse(local + (form === "Z" ? "Z" : zone))
        const read = Timestamp.parseIso(local + written)
        // The offset may move the time into a year that does not have four digits. `parseIso` refuses such a time.
        expect(read).toBe(new Date(expected).toISOString().length === 24 ? expected : undefined)
        expect(read === undefined ? undefined : Timestamp.parseIso(Timestamp.toIso(read))).toBe(read)
      })
    )
  })
})
