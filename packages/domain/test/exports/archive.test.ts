import { Export, exportNext, requestExport } from "@place-access/domain/exports"
import { FixHistory, ingestFixes } from "@place-access/domain/fixes"
import { everything } from "@place-access/domain/leases"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { Timestamp } from "@place-access/domain/shared"
import { pauseConnection, resumeConnection } from "@place-access/domain/steering"
import { MemoryArchiveMaker, RuleSamples } from "@place-access/domain/testing"
import { Effect, FastCheck as fc } from "effect"
import { expect, it } from "vitest"
import { decoded, fetched, hasNoSecret, holdsAll, makePerson, personDraft } from "../support/archivedPerson.js"
import { inVirtualTime } from "../support/archiveStores.js"
import { holdsAnywhere } from "../support/holdsAnywhere.js"
import { INSIDE, OUTSIDE } from "../support/rules.js"

it("every file of an archive decodes by its schema and has what the stores hold, and no secret of any kind [exports-5, exports-6]", () => {
  holdsAnywhere(
    fc.property(personDraft, (draft) =>
      inVirtualTime(
        Effect.gen(function* () {
          const { secrets, user } = yield* makePerson(draft)
          yield* makePerson({ places: [], fixes: [], connections: [] })
          const requested = yield* requestExport(user.id)
          expect(yield* exportNext(everything.people)).toBe(true)
          const files = MemoryArchiveMaker.read(yield* fetched(requested))
          const archive = decoded(files)
          yield* holdsAll(user, archive)
          hasNoSecret(files, secrets)
          const entries = new Map(archive.manifest.files.map((file) => [file.name, file.entries]))
          expect([entries.get("fixes.jsonl"), entries.get("fixes.gpx")]).toEqual([
            archive.fixes.length,
            archive.fixes.length
          ])
          expect([...entries.keys(), "manifest.json"]).toEqual(files.map(({ name }) => name))
          expect(requested.state).toBe("requested")
          expect(Export.percent(requested)).toBe(0)
        })
      )
    ),
    60
  )
})

it("visits.json has every visit, also when more stays are due than one answer derives [exports-5, visits-8]", () => {
  inVirtualTime(
    Effect.gen(function* () {
      const now = yield* Timestamp.now
      const place = yield* RuleSamples.place((yield* RuleSamples.sharing()).user.id)
      const phone = yield* RuleSamples.device(place.userId)
      // A reading every 10 s. One call derives the stays of only 20,000 readings, and the visit begins after the first
      // 20,000.
      const readings = Array.from({ length: 21_000 }, (_, index) => ({
        capturedAt: Timestamp.plus(now, (index - 30_000) * 10_000),
        ...(index > 20_300 && index < 20_700 ? INSIDE : OUTSIDE),
        accuracyM: 10
      }))
      yield* ingestFixes(phone, readings, [])
      const requested = yield* requestExport(place.userId)
      const history = yield* FixHistory
      // Writing the fixes into the archive would take most of the test's time, so the store returns no fixes for the
      // archive.
      const range = () => Effect.succeed({ items: [], next: undefined })
      yield* exportNext(everything.people).pipe(Effect.provideService(FixHistory, { ...history, range }))
      const { visits } = decoded(MemoryArchiveMaker.read(yield* fetched(requested))).visits
      expect(visits.map(({ arrival }) => arrival)).toEqual([readings[20_301]?.capturedAt])
    })
  )
})

it("visits.json has a reported stop without a departure for as long as the service shows it [exports-5, retention-choice-2]", () => {
  inVirtualTime(
    Effect.gen(function* () {
      const { user } = yield* RuleSamples.sharing()
      const [silent, moved, resting] = [
        yield* RuleSamples.device(user.id),
        yield* RuleSamples.device(user.id),
        yield* RuleSamples.device(user.id)
      ]
      const now = Timestamp.plus(yield* Timestamp.now, 40 * Timestamp.DAY)
      const ago = (days: number) => Timestamp.plus(now, -days * Timestamp.DAY)
      const stop = (arrival: Timestamp.Timestamp) => ({ arrival, departure: null, ...INSIDE, accuracyM: 10 })
      yield* ingestFixes(silent, [], [stop(ago(41))])
      yield* Effect.sleep("40 days")
      yield* (yield* HistoryStore).choose(user.id, 30, now)
      yield* ingestFixes(moved, [], [stop(ago(60)), stop(ago(50)), stop(ago(10))])
      yield* ingestFixes(resting, [], [stop(ago(40))])
      const requested = yield* requestExport(user.id)
      yield* exportNext(everything.people)
      const { reported } = decoded(MemoryArchiveMaker.read(yield* fetched(requested))).visits
      expect(reported.map((one) => [one.device_id, one.arrival])).toEqual([
        [moved.id, ago(10)],
        [resting.id, ago(40)],
        [moved.id, ago(50)]
      ])
    })
  )
})

it("a fix has the mark that its device was left behind, and other fixes have none [exports-5, M14]", () => {
  inVirtualTime(
    Effect.gen(function* () {
      const { user } = yield* RuleSamples.sharing()
      const phone = yield* RuleSamples.device(user.id)
      const now = yield* Timestamp.now
      const reading = (ago: number) => ({ capturedAt: Timestamp.plus(now, -ago), ...INSIDE, accuracyM: 10 })
      yield* ingestFixes(phone, [reading(20), reading(10)], [])
      const history = yield* FixHistory
      const requested = yield* requestExport(user.id)
      yield* exportNext(everything.people).pipe(
        Effect.provideService(FixHistory, {
          ...history,
          range: (...of) =>
            Effect.map(history.range(...of), ({ items, next }) => ({
              items: items.map((one, index) => (index === 0 ? { ...one, isLeftBehind: true as const } : one)),
              next
            }))
        })
      )
      const { fixes } = decoded(MemoryArchiveMaker.read(yield* fetched(requested)))
      expect(fixes.map((one) => one.left_behind)).toEqual([true, undefined])
    })
  )
})

it("connections.json has every change of each connection, also when a page of the portal shows fewer [connection-7]", () => {
  inVirtualTime(
    Effect.gen(function* () {
      const { connection, user } = yield* RuleSamples.sharing()
      for (let pauses = 0; pauses < 300; pauses++) {
        yield* pauseConnection(user.id, connection.id, "day")
        yield* resumeConnection(user.id, connection.id)
      }
      const requested = yield* requestExport(user.id)
      yield* exportNext(everything.people)
      const files = MemoryArchiveMaker.read(yield* fetched(requested))
      const [first] = decoded(files).connections
      expect(first?.agreements?.length).toBe(600)
      expect(first?.pause).toBeNull()
      expect(first?.agreements?.slice(0, 3).map(({ change }) => change)).toEqual(["paused", "resumed", "paused"])
    })
  )
})

it("connections.json says since when and until when an app is paused, also when the pause has no end [exports-6]", () => {
  inVirtualTime(
    Effect.gen(function* () {
      const { connection, user } = yield* RuleSamples.sharing()
      const at = yield* Timestamp.now
      yield* pauseConnection(user.id, connection.id, "until_resumed")
      yield* Effect.sleep(1_000)
      yield* pauseConnection(user.id, connection.id, "hour")
      yield* Effect.sleep(1_000)
      yield* resumeConnection(user.id, connection.id)
      yield* pauseConnection(user.id, connection.id, "until_resumed")
      const requested = yield* requestExport(user.id)
      yield* exportNext(everything.people)
      const [first] = decoded(MemoryArchiveMaker.read(yield* fetched(requested))).connections
      const unending = { since: Timestamp.plus(at, 2_000), until: null }
      expect(first?.pause).toEqual(unending)
      expect(first?.agreements?.map(({ change, pause }) => [change, pause])).toEqual([
        ["paused", { since: at, until: null }],
        ["paused", { since: at, until: Timestamp.plus(at, 1_000 + Timestamp.HOUR) }],
        ["resumed", null],
        ["paused", unending]
      ])
    })
  )
})
