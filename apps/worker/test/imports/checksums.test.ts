import { FastCheck as fc } from "effect"
import { gzipSync, strToU8, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { read } from "./support.js"

/**
 * A table whose positions hardly repeat, so that it compresses badly. A wrong bit nearly anywhere in the compressed
 * file changes what is read.
 */
const table = strToU8(
  `lat,lon,time\n${Array.from(
    { length: 150 },
    (_, row) => `${(47 + ((row * 7919) % 9973) / 1e4).toFixed(5)},8.${(row * 104_729) % 99_991},${1.6e9 + row * 61}`
  ).join("\n")}\n`
)
const half = table.indexOf(10, table.length / 2) + 1
const whole = read(table)

describe.each([
  ["gzip", gzipSync(table)],
  ["gzip, hardly packed", gzipSync(table, { level: 1 })],
  ["gzip of two members", Buffer.concat([gzipSync(table.subarray(0, half)), gzipSync(table.subarray(half))])],
  ["zip", zipSync({ "a.csv": table })],
  ["zip, not packed", zipSync({ "a.csv": table }, { level: 0 })]
])("a table in %s", (_, bytes) => {
  it("is read as it was packed", () => {
    expect(whole.entries).toHaveLength(150)
    expect(read(bytes)).toEqual(whole)
    expect(read(bytes, [1])).toEqual(whole)
  })

  it("with a wrong bit anywhere is read as it was packed, or is said to be damaged [imports-7]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), (bit) => {
        const broken = Buffer.from(bytes)
        broken[bit >> 3]! ^= 1 << (bit & 7)
        const found = read(broken)
        expect(found.fault === null ? found.entries : whole.entries).toEqual(whole.entries)
      }),
      { numRuns: 400 }
    )
  })

  it("that is cut off anywhere is said to be damaged or incomplete [imports-7]", () => {
    // A file that is cut off where a member begins is a whole gzip file, so these lengths are left out.
    const isMember = (length: number) => bytes[length] === 0x1f && bytes[length + 1] === 0x8b
    const lengths = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1).filter((one) => !isMember(one))
    expect(lengths.filter((length) => read(bytes.subarray(0, length)).fault === null)).toEqual([])
  })
})

describe("zeros behind a gzip file", () => {
  it.each([1, 3, 4, 8, 500, 10_000])("are ignored, as gzip ignores them: %d bytes", (zeros) => {
    const padded = Buffer.concat([gzipSync(table), Buffer.alloc(zeros)])
    expect(read(padded)).toEqual(whole)
    expect(read(padded, [1_000, 1])).toEqual(whole)
  })

  it("hide nothing: with other bytes behind them the file is damaged", () => {
    expect(read(Buffer.concat([gzipSync(table), Buffer.alloc(500), Buffer.from([1])])).fault).toBe("damaged")
    expect(read(Buffer.concat([gzipSync(table), Buffer.from([1, 2, 3, 4])])).fault).toBe("damaged")
  })
})

describe("the fault of a gzip file", () => {
  it("is that it is cut off when its end is missing, and that it is damaged when its checksum is wrong", () => {
    const bytes = gzipSync(table)
    for (const missing of [1, 4, 8, 9, 1_000]) {
      expect(read(bytes.subarray(0, bytes.length - missing)).fault).toBe("cut_off")
    }
    const broken = Buffer.from(bytes)
    broken[bytes.length - 8]! ^= 1
    expect(read(broken).fault).toBe("damaged")
  })
})
