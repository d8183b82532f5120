import { exportNext, requestExport } from "@place-access/domain/exports"
import { ingestFixes } from "@place-access/domain/fixes"
import { startImport } from "@place-access/domain/imports"
import { everything } from "@place-access/domain/leases"
import { PlaceStore } from "@place-access/domain/places"
import { Place } from "@place-access/domain/places"
import { eraseHistory } from "@place-access/domain/retention-choice"
import { ConnectionId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Fixtures, RuleSamples, importNext } from "@place-access/domain/testing"
import { listVisits } from "@place-access/domain/visits"
import { Clock, Effect, FastCheck as fc, Stream, Struct } from "effect"
import { strFromU8, strToU8, unzipSync } from "fflate"
import { expect, it } from "vitest"
import { withStores } from "../../../../packages/adapters-pg/test/support/contracts.js"
import { migratedEmbedded } from "../../../../packages/adapters-pg/test/support/embedded.js"
import {
  decoded,
  type DecodedArchive,
  fetched,
  hasNoSecret,
  holdsAll,
  makePerson,
  type PersonDraft,
  personDraft
} from "../../../../packages/domain/test/support/archivedPerson.js"
import { brought, ports } from "./support.js"

const run = withStores(migratedEmbedded, ports)

/**
 * Runs on the real clock, because the worker sleeps between pages, and would never wake up on a clock that stands
 * still.
 */
const inRealTime = Effect.withClock(Clock.make())

/** Makes an archive of the person, and returns its bytes, its files and its decoded content. */
const taken = (userId: UserId) =>
  Effect.gen(function* () {
    const requestedExport = yield* requestExport(userId)
    expect(yield* exportNext(everything.people)).toBe(true)
    const bytes = yield* fetched(requestedExport)
    const files = Object.entries(unzipSync(bytes)).map(([name, content]) => ({ name, text: strFromU8(content) }))
    return { bytes, files, archive: decoded(files) }
  })

/**
 * The parts of an archive that an import restores. They contain fixes without phone and arrival time, and places
 * without ids. Equal fixes and equal places appear once.
 */
const comparable = ({ fixes, places }: DecodedArchive) => ({
  fixes: [
    ...new Set(fixes.map((fix) => JSON.stringify(Struct.omit(fix, "device_id", "received_at", "also_from"))))
  ].sort(),
  places: [...new Set(places.map((place) => JSON.stringify(Struct.omit(place, "id"))))].sort()
})

/**
 * The distinct pairs of capture time and position. Other fields are ignored: of readings with the same time and
 * position, the import stores only the first.
 */
const distinctReadings = (fixes: DecodedArchive["fixes"]): ReadonlyArray<string> => [
  ...new Set(fixes.map(({ captured_at, lat, lon }) => `${captured_at} ${lat} ${lon}`))
]

it(
  "an archive of anybody unpacks with a usual program, has what the database holds, and comes back in another account, once [exports-5, exports-6, exports-7]",
  () =>
    fc.assert(
      fc.asyncProperty(personDraft, (draft) =>
        run(
          Effect.gen(function* () {
            const { secrets, user } = yield* makePerson(draft)
            const first = yield* taken(user.id)
            yield* holdsAll(user, first.archive)
            hasNoSecret(first.files, secrets)

            const other = yield* Fixtures.user
            const done = yield* brought(other.id, first.bytes)
            expect([done?.state, done?.format]).toEqual(["done", "own_archive"])
            expect(done?.counts.quarantined).toBe(0)
            const second = yield* taken(other.id)
            expect(comparable(second.archive).places).toEqual(comparable(first.archive).places)
            expect(distinctReadings(second.archive.fixes)).toEqual(distinctReadings(first.archive.fixes))
            expect(second.archive.fixes.length).toBe(distinctReadings(first.archive.fixes).length)
            const before = comparable(first.archive).fixes
            for (const one of comparable(second.archive).fixes) expect(before).toContain(one)
            // The import restores no connection, because consent is not transferable, and no phone, because a file must
            // not give anybody a phone's token.
            expect([second.archive.connections, second.archive.rules]).toEqual([[], []])
            expect(new Set(second.archive.devices.map(({ format }) => format))).toEqual(new Set(["import"]))

            const again = yield* brought(other.id, first.bytes)
            expect(again?.counts.stored).toBe(0)
            const own = yield* brought(user.id, first.bytes)
            expect(own?.counts.stored).toBe(0)
          }).pipe(inRealTime)
        )
      ),
      { numRuns: 8, examples: [[EDGES]] }
    ),
  60_000
)

/** Edge cases: two phones with the same reading, a place that was moved and archived, an app that was disconnected. */
const EDGES: PersonDraft = {
  places: [
    {
      label: "Home",
      kind: "home",
      circle: { lat: 52.37, lon: 4.89, radiusM: 150 },
      moves: [
        { lat: 52.38, lon: 4.89, radiusM: 100 },
        { lat: 52.38, lon: 4.9, radiusM: 100 }
      ],
      isArchived: true
    }
  ],
  fixes: [0, 1].map((phone) => ({
    phone,
    agoMs: 3 * Timestamp.DAY,
    lat: 52.37,
    lon: 4.89,
    accuracyM: 10,
    altitudeM: null,
    speedMps: 0.1,
    courseDeg: 0
  })),
  connections: [{ isEnded: true, rules: 2, entries: ["webhook place.enter", "GET /v1/me"] }]
}

it("an imported place that was renamed is not brought again, and one that the person made alike is no second one [exports-7]", () =>
  run(
    Effect.gen(function* () {
      const { user } = yield* makePerson(EDGES)
      const { bytes } = yield* taken(user.id)
      const other = yield* Fixtures.user
      const places = yield* PlaceStore
      yield* brought(other.id, bytes)
      const [came] = yield* places.list(other.id)
      yield* places.update(other.id, came!.id, (before) => ({ ...before, label: Place.Label.make("Old home") }))
      yield* brought(other.id, bytes)
      expect((yield* places.list(other.id)).map(({ label }) => label)).toEqual(["Old home"])
      expect(came?.id).not.toBe((yield* places.list(user.id))[0]?.id)
      expect(yield* places.shapes(other.id)).toHaveLength(3)
    }).pipe(inRealTime)
  ))

it("the visits of a phone come back, also when the archive has a tablet that was left at home [M14, L10, exports-7]", () =>
  run(
    Effect.gen(function* () {
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const home = { lat: 52.37, lon: 4.89 }
      const work = { lat: 52.45, lon: 4.89 }
      const now = yield* Timestamp.now
      const t = (minutes: number) => Timestamp.plus(now, -3 * Timestamp.DAY + minutes * Timestamp.MINUTE)
      yield* RuleSamples.place(user.id, { label: Place.Label.make("Work"), circle: { ...work, radiusM: 150 } })
      const [phone, tablet] = [yield* RuleSamples.device(user.id), yield* RuleSamples.device(user.id)]
      const send = (device: typeof phone, at: typeof home, minutes: ReadonlyArray<number>) =>
        ingestFixes(
          device,
          minutes.map((minute) => ({ capturedAt: t(minute), ...at, accuracyM: 10 })),
          []
        )
      const every = (step: number, from: number, until: number) =>
        Array.from({ length: (until - from) / step }, (_, index) => from + index * step)
      yield* send(phone, home, [0, 5])
      yield* send(tablet, home, [1])
      yield* send(phone, work, every(5, 30, 510))
      yield* send(phone, home, [530, 535])
      yield* send(tablet, home, every(2, 31, 511))
      const visitsOf = (userId: UserId) =>
        Effect.gen(function* () {
          const places = (yield* (yield* PlaceStore).list(userId)).map(({ id }) => ({
            placeId: id,
            sharedAt: now,
            includeEarlierVisits: true
          }))
          const connection = { userId, id: ConnectionId.make("con_reader"), places, pause: null }
          const page = yield* listVisits(connection, now, { from: null, to: null, limit: 10, cursor: undefined })
          return page.visits.map(({ arrival, departure, place }) => [place.label, arrival, departure])
        })
      const before = yield* visitsOf(user.id)
      expect(before).toEqual([["Work", t(30), t(530)]])
      const { bytes } = yield* taken(user.id)
      expect((yield* brought(other.id, bytes))?.state).toBe("done")
      expect(yield* visitsOf(other.id)).toEqual(before)
    }).pipe(inRealTime)
  ))

it("no visit goes on through a stretch that the owner deleted before the archive was made [exports-10]", () =>
  run(
    Effect.gen(function* () {
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const home = { lat: 52.37, lon: 4.89 }
      const now = yield* Timestamp.now
      const t = (hours: number) => Timestamp.plus(now, -3 * Timestamp.DAY + hours * Timestamp.HOUR)
      yield* RuleSamples.place(user.id, { label: Place.Label.make("Home"), circle: { ...home, radiusM: 150 } })
      const phone = yield* RuleSamples.device(user.id)
      const at = (hours: number) => ({ capturedAt: t(hours), ...home, accuracyM: 10 })
      yield* ingestFixes(phone, [at(8), at(11), at(12.5), at(13), at(15), at(20)], [])
      yield* eraseHistory(user.id, { from: t(12), until: t(14) })
      const { bytes } = yield* taken(user.id)
      expect((yield* brought(other.id, bytes))?.counts).toMatchObject({ stored: 6, quarantined: 0 })
      const places = (yield* (yield* PlaceStore).list(other.id)).map(({ id }) => ({
        placeId: id,
        sharedAt: now,
        includeEarlierVisits: true
      }))
      const connection = { userId: other.id, id: ConnectionId.make("con_reader"), places, pause: null }
      const page = yield* listVisits(connection, now, { from: null, to: null, limit: 10, cursor: undefined })
      expect(page.visits.map(({ arrival, departure }) => [arrival, departure])).toEqual([
        [t(15), t(20)],
        [t(8), t(12)]
      ])
      expect((yield* brought(other.id, bytes))?.counts.stored).toBe(0)
    }).pipe(inRealTime)
  ))

it("a visit of an imported file ends where a phone's location of the file says so, also in the other account [exports-7, imports-2]", () =>
  run(
    Effect.gen(function* () {
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const home = { lat: 52.37, lon: 4.89 }
      const work = { lat: 52.45, lon: 4.89 }
      const now = yield* Timestamp.now
      const t = (hours: number) => Timestamp.plus(now, -3 * Timestamp.DAY + hours * Timestamp.HOUR)
      yield* RuleSamples.place(user.id, { label: Place.Label.make("Home"), circle: { ...home, radiusM: 150 } })
      const phone = yield* RuleSamples.device(user.id)
      yield* ingestFixes(phone, [{ capturedAt: t(12), ...work, accuracyM: 10 }], [])
      const points = [
        [t(8), home],
        [t(9), home],
        [t(12), work],
        [t(15), home],
        [t(16), home],
        [t(17), work]
      ] as const
      const track = points.map(
        ([at, { lat, lon }]) => `<trkpt lat="${lat}" lon="${lon}"><time>${Timestamp.toIso(at)}</time></trkpt>`
      )
      const gpx = `<gpx version="1.1"><trk><trkseg>${track.join("")}</trkseg></trk></gpx>`
      yield* startImport(user.id, "walk.gpx", Stream.make(strToU8(gpx)))
      yield* importNext(everything.people)
      const visitsOf = (userId: UserId) =>
        Effect.gen(function* () {
          const places = (yield* (yield* PlaceStore).list(userId)).map(({ id }) => ({
            placeId: id,
            sharedAt: now,
            includeEarlierVisits: true
          }))
          const connection = { userId, id: ConnectionId.make("con_reader"), places, pause: null }
          const page = yield* listVisits(connection, now, { from: null, to: null, limit: 10, cursor: undefined })
          return page.visits.map(({ arrival, departure }) => [arrival, departure])
        })
      const before = yield* visitsOf(user.id)
      expect(before).toEqual([
        [t(15), t(17)],
        [t(8), t(12)]
      ])
      const { bytes } = yield* taken(user.id)
      const done = yield* brought(other.id, bytes)
      expect(done?.counts).toMatchObject({ quarantined: 0, duplicates: 0 })
      expect(yield* visitsOf(other.id)).toEqual(before)
      // A fix that several devices sent has the ids of the further devices in `also_from`. The archive must list each
      // of these devices.
      const { archive } = yield* taken(other.id)
      const listed = archive.devices.map(({ id }) => id)
      const shared = archive.fixes.flatMap((fix) => fix.also_from ?? [])
      expect([shared.length, shared.every((id) => listed.includes(id))]).toEqual([1, true])
    }).pipe(inRealTime)
  ))
