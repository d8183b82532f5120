import { everything } from "@place-access/domain/leases"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { Import, ImportStore } from "@place-access/domain/imports"
import { DeviceId, ImportId, Timestamp, UserId } from "@place-access/domain/shared"
import {
  MemoryDatabase,
  MemoryEntropy,
  MemoryHistoryStore,
  MemoryVault,
  importNext
} from "@place-access/domain/testing"
import { Imports } from "@place-access/worker"
import { Effect, Layer, Option } from "effect"
import { expect, it } from "vitest"

/**
 * The number of points in the file. In a trial with a million points, the import took a few seconds more and no more
 * memory.
 */
const POINTS = 100_000
const START = Date.UTC(2025, 11, 1)

const point = (index: number): string =>
  `<trkpt lat="${52 + index / 1e6}" lon="4.5"><time>${new Date(START + index * 1_000).toISOString()}</time></trkpt>\n`

/** Makes the file while it is read, so that only the reader could keep all of it in memory. */
function* pieces(): Generator<Uint8Array> {
  yield Buffer.from("<gpx><trk><trkseg>")
  for (let index = 0; index < POINTS; index += 1_000) {
    yield Buffer.from(Array.from({ length: 1_000 }, (_, offset) => point(index + offset)).join(""))
  }
  yield Buffer.from("</trkseg></trk></gpx>")
}

it("a long file is read step by step, and nothing of it piles up [imports-5]", async () => {
  const file = pieces()
  const made: Import.Import = {
    userId: UserId.make("usr_1"),
    id: ImportId.make("imp_1"),
    deviceId: DeviceId.make("dev_1"),
    fileName: "decade.gpx",
    format: null,
    state: "running",
    counts: Import.NOTHING_READ,
    leftOut: [],
    bytesTotal: 1,
    bytesDone: 0,
    error: null,
    columns: null,
    months: [],
    startedAt: null,
    uploadedAt: Timestamp.make(Date.UTC(2026, 0, 1)),
    finishedAt: null
  }
  let read = 0
  let stored = 0
  let largestStep = 0
  let bytesAhead = 0
  let largestPiece = 0
  let error: string | null | undefined
  let taken = 0
  const store = ImportStore.of({
    begin: () => Effect.die("not here"),
    append: () => Effect.die("not here"),
    complete: () => Effect.die("not here"),
    list: () => Effect.die("not here"),
    remove: () => Effect.die("not here"),
    dropBrokenOff: () => Effect.die("not here"),
    confirm: () => Effect.die("not here"),
    beginUndo: () => Effect.die("not here"),
    undo: () => Effect.die("not here"),
    find: () => Effect.succeed(Option.some(made)),
    due: () => Effect.succeed(Option.some({ userId: made.userId, id: made.id })),
    claim: () => Effect.succeed(Option.some({ import: made, attempt: 1 })),
    renew: () => Effect.succeed(true),
    handBack: () => Effect.die("not here"),
    piece: () =>
      Effect.sync(() => {
        const next = file.next()
        taken += next.done === true ? 0 : next.value.length
        largestPiece = Math.max(largestPiece, next.done === true ? 0 : next.value.length)
        return next.done === true ? Option.none() : Option.some(next.value)
      }),
    advance: (step) =>
      Effect.sync(() => {
        read += step.read
        stored += step.fixes.length
        largestStep = Math.max(largestStep, step.fixes.length)
        bytesAhead = Math.max(bytesAhead, taken - step.bytesDone)
        return true
      }),
    finish: (_, how) =>
      Effect.sync(() => {
        error = how
        return true
      })
  })
  await Effect.runPromise(
    Effect.flatMap(HistoryStore, (history) => history.choose(made.userId, null, made.uploadedAt)).pipe(
      Effect.zipRight(importNext(everything.people)),
      Effect.provideService(ImportStore, store),
      Effect.provide(Imports.layer),
      Effect.provide(Layer.provide(MemoryHistoryStore.layer, MemoryDatabase.layer)),
      Effect.provide(Layer.merge(MemoryEntropy.layer, MemoryVault.layer))
    )
  )
  expect({ read, stored, error }).toEqual({ read: POINTS, stored: POINTS, error: null })
  expect(largestStep).toBeLessThanOrEqual(1_000)
  // The import fetches the next piece while it reads a piece, so it may have fetched almost two pieces too many.
  expect(bytesAhead).toBeLessThan(2 * largestPiece)
})
