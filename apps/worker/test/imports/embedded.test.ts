import { SqlAccountStore, SqlFixStore, SqlHistoryStore, SqlImportStore } from "@place-access/adapters-pg"
import { FixStore } from "@place-access/domain/fixes"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { ImportStore, Pace, startImport } from "@place-access/domain/imports"
import { everything } from "@place-access/domain/leases"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures, importNext } from "@place-access/domain/testing"
import { Imports } from "@place-access/worker"
import { Clock, Effect, Layer, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { withStores } from "../../../../packages/adapters-pg/test/support/contracts.js"
import { migratedEmbedded } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { file } from "./support.js"

const POINTS = 10_000
const point = (start: number, index: number): string =>
  `<trkpt lat="52.5" lon="${4 + index / 1e5}"><time>${Timestamp.toIso(Timestamp.make(start + index * 1_000))}</time></trkpt>`

describe("imports on an embedded database", () => {
  const stores = Layer.mergeAll(SqlAccountStore.layer, SqlFixStore.layer, SqlHistoryStore.layer, SqlImportStore.layer)
  const run = withStores(migratedEmbedded, Layer.merge(stores, Imports.layer))

  /**
   * Runs on the real clock. The import sleeps between its steps, so that a server can do other work; on a clock that
   * stands still, it would never wake up.
   */
  const inRealTime = Effect.withClock(Clock.make())

  it("a file goes into the history, and other requests get their turn between any two steps [imports-5, imports-8]", () =>
    run(
      Effect.gen(function* () {
        const user = yield* Fixtures.user
        const start = (yield* Timestamp.now) - 30 * Timestamp.DAY
        const points = Array.from({ length: POINTS }, (_, index) => point(start, index)).join("\n")
        const bytes = Buffer.from(`<gpx><trk><trkseg>${points}</trkseg></trk></gpx>`)
        const made = yield* startImport(user.id, "walk.gpx", Stream.make(bytes))
        let turns = 0
        let immediate = setImmediate(function next() {
          turns++
          immediate = setImmediate(next)
        })
        yield* importNext(everything.people, Pace.POLITE)
        clearImmediate(immediate)
        const [done] = (yield* (yield* ImportStore).list(user.id, 1)).items
        expect(done).toMatchObject({
          id: made.id,
          state: "done",
          counts: { read: POINTS, stored: POINTS },
          bytesDone: bytes.length
        })
        expect(turns).toBeGreaterThan(POINTS / Pace.POLITE.stepEntries)
        const [newest] = yield* (yield* FixStore).latest(user.id, 1)
        expect(newest).toMatchObject({
          deviceId: made.deviceId,
          capturedAt: start + (POINTS - 1) * 1_000,
          accuracyM: null
        })
      }).pipe(inRealTime)
    ))

  it("each kind of file leaves what is not older than the user keeps", () =>
    run(
      Effect.gen(function* () {
        const user = yield* Fixtures.user
        yield* (yield* HistoryStore).choose(user.id, null, yield* Timestamp.now)
        const kept: Array<unknown> = []
        for (const name of ["track-1.1.gpx", "timeline-android.json", "timeline-ios.json", "Records.json"]) {
          yield* startImport(user.id, name, Stream.make(file(name)))
          yield* importNext(everything.people)
          const [done] = (yield* (yield* ImportStore).list(user.id, 1)).items
          kept.push([done?.state, done?.format, done?.counts.read, done?.counts.stored, done?.counts.quarantined])
        }
        expect(kept).toEqual([
          ["done", "gpx", 5, 3, 2],
          ["done", "google_android", 8, 6, 2],
          ["done", "google_ios", 6, 5, 1],
          ["done", "google_takeout", 4, 3, 1]
        ])
      }).pipe(inRealTime)
    ))
})
