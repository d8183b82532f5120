import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { file, FILES, read } from "./support.js"

/** The lengths of the pieces into which a file is cut: often one to three bytes, otherwise up to 400. */
const lengths = fc.array(fc.oneof(fc.constantFrom(1, 2, 3), fc.integer({ min: 1, max: 400 })), {
  minLength: 1,
  maxLength: 200
})

const FEATURE = `{
  "type": "Feature", "id": 7, "bbox": [4, 52, 5, 53],
  "geometry": { "type": "LineString", "coordinates": [[4, 52], [5, 53]] },
  "properties": { "note": "\\"}, {", "coordTimes": ["2020-01-01T12:00:00Z", "2020-01-01T12:01:00Z"] }
}`

const samples = [
  ...FILES.map((name) => [name, file(name)] as const),
  ["one feature of GeoJSON", Buffer.from(FEATURE)] as const,
  ["track-1.1.gpx in UTF-16", Buffer.from(`\ufeff${file("track-1.1.gpx").toString()}`, "utf16le")] as const
]

describe.each(samples)("%s", (_, bytes) => {
  it("gives the same entries however it is cut into pieces [imports-5-cut]", () => {
    const whole = read(bytes)
    expect(whole.entries.length).toBeGreaterThan(0)
    fc.assert(
      fc.property(lengths, (cuts) => {
        expect(read(bytes, cuts)).toEqual(whole)
      }),
      { numRuns: 40 }
    )
  })

  it("cut off or damaged anywhere, it gives a beginning of its entries and says what is wrong [imports-7]", () => {
    const whole = read(bytes)
    const damaged = fc.record({
      at: fc.integer({ min: 0, max: bytes.length - 3 }),
      by: fc.option(fc.integer({ min: 0, max: 255 })),
      cuts: lengths
    })
    fc.assert(
      fc.property(damaged, ({ at, by, cuts }) => {
        const broken = by === null ? bytes.subarray(0, at) : Buffer.from(bytes)
        if (by !== null) broken[at] = by
        const found = read(broken, cuts)
        expect(found).toEqual(read(broken))
        if (by !== null) return
        expect(found.fault === "cut_off" || found.fault === "not_ours").toBe(true)
        expect(found.entries).toEqual(whole.entries.slice(0, found.entries.length))
      }),
      { numRuns: 80 }
    )
  })
})
