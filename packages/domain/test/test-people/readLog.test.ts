import { ImportReader, type ReadResult } from "@place-access/domain/imports"
import { readLog, Trip } from "@place-access/domain/test-people"
import { MemoryImportReader } from "@place-access/domain/testing"
import { Effect, Either, Layer } from "effect"
import { describe, expect, it } from "vitest"

const { FIRST_LINE, line } = MemoryImportReader

/** The result of reading a file with these lines: the number of readings, or the problems. */
const outcome = (lines: ReadonlyArray<string>) => {
  const file = new TextEncoder().encode(`${[FIRST_LINE, ...lines].join("\n")}\n`)
  return Effect.runPromise(
    readLog(file).pipe(
      Effect.provide(MemoryImportReader.layer),
      Effect.either,
      Effect.map(Either.match({ onLeft: ({ problems }) => problems, onRight: (readings) => readings.length }))
    )
  )
}

/**
 * An `ImportReader` whose `push` returns its result in `steps` parts, one after the other, as a real reader does for a
 * compressed file.
 */
const packed = (steps: number, last: Partial<ReadResult> = {}) => {
  const limits: Array<number | undefined> = []
  const step = (left: number): ReadResult =>
    left === 1 ? { entries: [], fault: null, ...last } : { entries: [], fault: null, more: () => step(left - 1) }
  const layer = Layer.succeed(ImportReader, {
    open: (_, mostUnpacked) => {
      limits.push(mostUnpacked)
      return { format: () => null, push: () => step(steps), end: () => ({ entries: [], fault: null }) }
    }
  })
  return { layer, limits }
}

describe("a recorded log [test-people-4]", () => {
  const reading = line(1_588_327_200_000, 52.37, 4.89)

  it("has at most 10,000 entries, with those that are no readings", async () => {
    const unusable = (count: number) => Array.from({ length: count }, () => "x")
    expect(await outcome([reading, ...unusable(Trip.LOG_ENTRIES - 1)])).toBe(1)
    expect(await outcome([reading, ...unusable(Trip.LOG_ENTRIES)])).toEqual([
      { field: "file", message: "must have at most 10000 entries, with those that are no readings" }
    ])
    expect(await outcome(Array.from({ length: 1_001 }, () => reading))).toEqual([
      { field: "file", message: "must have at most 1000 readings" }
    ])
  })

  it("lets other work of the process run between the steps of a packed file", async () => {
    const { layer } = packed(50)
    let turns = 0
    let waiting = setTimeout(function count() {
      turns++
      waiting = setTimeout(count, 0)
    }, 0)
    await Effect.runPromise(Effect.either(Effect.provide(readLog(new Uint8Array(1)), layer)))
    clearTimeout(waiting)
    expect(turns).toBeGreaterThan(20)
  })

  it("unpacks to at most 4 MiB, and the answer says so", async () => {
    const { layer, limits } = packed(2, { fault: "unsafe_archive" })
    const refused = await Effect.runPromise(Effect.flip(Effect.provide(readLog(new Uint8Array(1)), layer)))
    expect(refused.problems).toEqual([
      {
        field: "file",
        message: "must unpack to at most 4 MiB, and must not be built like a packed file that does harm"
      }
    ])
    expect(limits).toEqual([4 * 1_048_576])
  })
})
