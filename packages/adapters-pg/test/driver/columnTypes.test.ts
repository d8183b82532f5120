import { columnTypes } from "@place-access/adapters-pg/driver/ColumnTypes"
import { FastCheck as fc } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"

const TIMESTAMPTZ = 1184
const TEXTS = 1009 as never

const two = (n: number): string => String(n).padStart(2, "0")

const timestamp = fc
  .record({
    date: fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true
    }),
    fraction: fc.oneof(
      fc.constantFrom("", ".5", ".05", ".678", ".678901", ".000001", ".999999"),
      fc.nat(999_999).map((n) => `.${n}`)
    ),
    zone: fc.constantFrom("+00", "+00", "+00", "+01", "-05", "+05:30", "-00:25:21", ""),
    era: fc.constantFrom("", "", "", " BC")
  })
  .map(({ date, era, fraction, zone }) => {
    const day = `${String(date.getUTCFullYear()).padStart(4, "0")}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
    return `${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}${fraction}${zone}${era}`
  })

const element = fc.constantFrom(
  "a",
  "location.place.current",
  "NULL",
  '""',
  '"NULL"',
  '"a b"',
  '"a,b"',
  '"\\""',
  '"\\\\"',
  "é",
  "{x,y}",
  '"{"'
)
const list = fc.oneof(
  fc.array(element, { maxLength: 4 }).map((elements) => `{${elements.join(",")}}`),
  fc.constantFrom("{}", "{{}}", "[0:1]={a,b}", "{NULL}", "{a,NULL,b}")
)

/**
 * Whether `pg` reads the right millisecond. `pg` multiplies the fraction by 1000 in floating point, which can lose one
 * millisecond.
 */
const withoutRounding = (text: string): boolean => {
  const digits = /\.(\d+)/.exec(text)?.[1] ?? ""
  const millis = 1_000 * Number.parseFloat(`.${digits || "0"}`)
  return Math.trunc(millis) === Number(digits.padEnd(3, "0").slice(0, 3))
}

describe("columns", () => {
  it("with a timestamp are read as pg reads them, in every zone that the server may write", () => {
    const [ours, theirs] = [columnTypes.getTypeParser(TIMESTAMPTZ), pg.types.getTypeParser(TIMESTAMPTZ)]
    fc.assert(
      fc.property(timestamp.filter(withoutRounding), (text) => {
        expect(ours(text)).toStrictEqual(theirs(text))
      }),
      { numRuns: 2_000 }
    )
    for (const text of ["infinity", "-infinity", "10000-01-01 00:00:00+00", "0099-12-31 23:59:59+00", "2026-01-02"]) {
      expect(ours(text)).toStrictEqual(theirs(text))
    }
  })

  it("with a timestamp keep every millisecond", () => {
    const ours = columnTypes.getTypeParser(TIMESTAMPTZ)
    for (let millis = 0; millis < 1_000; millis++) {
      const at = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, millis))
      // PostgreSQL writes a fraction without zeros at its end, so the test does the same.
      const fraction = `.${String(millis).padStart(3, "0")}`.replace(/\.?0+$/, "")
      expect(ours(`2026-01-02 03:04:05${fraction}+00`)).toEqual(at)
    }
  })

  it("with a list of texts are read as pg reads them: quoted, nested, empty and null", () => {
    const [ours, theirs] = [columnTypes.getTypeParser(TEXTS), pg.types.getTypeParser(TEXTS)]
    fc.assert(
      fc.property(list, (text) => {
        expect(ours(text)).toStrictEqual(theirs(text))
      }),
      { numRuns: 500 }
    )
  })

  it("of every other type, and in binary, are left to pg", () => {
    for (const oid of [16, 20, 23, 701, 1185, 3802, 25] as unknown as ReadonlyArray<never>) {
      expect(columnTypes.getTypeParser(oid)).toBe(pg.types.getTypeParser(oid))
    }
    expect(columnTypes.getTypeParser(TIMESTAMPTZ, "binary")).toBe(pg.types.getTypeParser(TIMESTAMPTZ, "binary"))
  })
})
