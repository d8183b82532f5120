import { describe, expect, it } from "vitest"
import type { ImportRow } from "../../../testing/simulation/Operations.js"
import { imports } from "../../../testing/simulation/oracles/imports.js"
import { ok, seen, START, Story } from "./handwritten.js"

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const OLD = START - 1_000 * DAY

/** A trace of a user who imports files. Most readings of the files are from one walk, years ago. */
class Importer extends Story {
  readonly userId = this.user()

  file(from: number, count: number, over: { readonly recent?: number; readonly wrong?: number } = {}): string {
    const { recent = 0, wrong = 0 } = over
    const importId = this.fresh("import")
    const readings = [
      ...Array.from({ length: count }, (_, n) => ({ capturedAt: OLD + (from + n) * MINUTE, lat: 1, lon: 1 })),
      ...Array.from({ length: recent }, (_, n) => ({ capturedAt: this.t - n * MINUTE, lat: 1, lon: 1 }))
    ]
    this.op("importFile", { userId: this.userId, readings, wrong }, ok({ importId }))
    return importId
  }

  undo(importId: string): void {
    this.op("undoImport", { userId: this.userId, importId }, ok(null))
  }

  shows(
    ...rows: ReadonlyArray<readonly [importId: string, state: ImportRow["state"], over: Partial<ImportRow["counts"]>]>
  ) {
    const nothing = { read: 0, stored: 0, duplicates: 0, tooRecent: 0, tooOld: 0, overLimit: 0, quarantined: 0 }
    const imports = rows.map(([importId, state, over]) => ({ importId, state, counts: { ...nothing, ...over } }))
    this.op("readImports", { userId: this.userId }, ok({ imports }))
    return this
  }

  /**
   * The user reads their own history. The answer has the readings at these minutes of the walk, and readings at the
   * times `others`.
   */
  reads(minutes: ReadonlyArray<number>, others: ReadonlyArray<number> = []) {
    const readings = [...minutes.map((minute) => OLD + minute * MINUTE), ...others]
    this.op("readOwnHistory", { userId: this.userId }, ok({ visits: [], readings }))
    return this
  }

  wrong(quiesced = false): ReadonlyArray<string> {
    return Object.keys(seen(imports, this.run(quiesced)))
  }
}

describe("I1: counts", () => {
  const counted = (counts: Partial<ImportRow["counts"]>, state: ImportRow["state"] = "done") => {
    const ana = new Importer()
    const id = ana.file(0, 4, { recent: 2, wrong: 1 })
    return ana.shows([id, state, counts]).wrong()
  }

  it("the counts name each entry of the file once", () => {
    expect(counted({ read: 7, stored: 3, duplicates: 1, tooRecent: 2, quarantined: 1 })).toEqual([])
    expect(counted({ read: 4, stored: 4 }, "running")).toEqual([])
  })

  it.each([
    ["an entry without a name", { read: 7, stored: 4, tooRecent: 2 }],
    ["more entries than the file has", { read: 8, stored: 5, tooRecent: 2, quarantined: 1 }],
    ["an end before the file's", { read: 6, stored: 4, tooRecent: 2 }],
    ["a recent reading that was stored", { read: 7, stored: 5, tooRecent: 1, quarantined: 1 }],
    ["a line that could not be used and was stored", { read: 7, stored: 4, tooRecent: 3 }]
  ])("show %s", (_, counts) => {
    expect(counted(counts)).toEqual(["I1"])
  })
})

describe("I2: the owner's history", () => {
  const DONE = (count: number) => ({ read: count, stored: count })

  it("has each reading of the files once", () => {
    const reads = (minutes: ReadonlyArray<number>) => {
      const ana = new Importer()
      const [one, other] = [ana.file(0, 3), ana.file(2, 2)]
      ana.shows([one, "done", DONE(3)], [other, "done", { read: 2, stored: 1, duplicates: 1 }])
      return ana.reads(minutes).wrong()
    }
    expect(reads([0, 1, 2, 3])).toEqual([])
    expect(reads([0, 1, 3])).toEqual(["I2"])
    expect(reads([0, 1, 2, 2, 3])).toEqual(["I2"])
  })

  it("has nothing of the last day before the upload, unless a phone sent it", () => {
    const ana = new Importer()
    const at = ana.t
    ana.file(0, 1, { recent: 1 })
    expect(ana.reads([0], [at]).wrong()).toEqual(["I2"])
    const fixes = [{ capturedAt: at, lat: 1, lon: 1, accuracyM: 10 }]
    const value = { accepted: 1, duplicates: 0, quarantined: 0 }
    const other = new Importer()
    other.file(0, 1, { recent: 1 })
    other.op("upload", { userId: other.userId, deviceId: "phone", fixes, visits: [] }, ok(value))
    expect(other.reads([0], [at]).wrong()).toEqual([])
  })

  it("has nothing of a file that is undone and gone, and all of what another file brought too", () => {
    const undone = (minutes: ReadonlyArray<number>) => {
      const ana = new Importer()
      const [one, other] = [ana.file(0, 3), ana.file(2, 2)]
      ana.shows([one, "done", DONE(3)], [other, "done", { read: 2, stored: 1, duplicates: 1 }])
      ana.undo(one)
      ana.shows([other, "done", { read: 2, stored: 1, duplicates: 1 }])
      return ana.reads(minutes).wrong()
    }
    expect(undone([2, 3])).toEqual([])
    expect(undone([1, 2, 3])).toEqual(["I2"])
    expect(undone([3])).toEqual(["I2"])
  })
})

describe("I3: the end of an import", () => {
  it.each([
    ["done", 2, []],
    ["waiting", 2, ["I3"]],
    ["running", 2, ["I3"]],
    ["undoing", 2, ["I3"]],
    ["failed", 2, ["I3"]],
    ["failed", 0, []]
  ] as const)("a world at rest that shows it %s, of %i readings", (state, count, broken) => {
    const ana = new Importer()
    const id = ana.file(0, count)
    expect(ana.shows([id, state, state === "done" ? { read: 2, stored: 2 } : {}]).wrong(true)).toEqual(broken)
  })
})
