import { exportNext, requestExport } from "@place-access/domain/exports"
import { ingestFixes } from "@place-access/domain/fixes"
import { everything } from "@place-access/domain/leases"
import { Place } from "@place-access/domain/places"
import { ConnectionId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Fixtures, MemoryArchiveMaker, RuleSamples } from "@place-access/domain/testing"
import { listVisits } from "@place-access/domain/visits"
import { Clock, Effect, FastCheck as fc } from "effect"
import { strToU8, unzipSync } from "fflate"
import { expect, it } from "vitest"
import { withStores } from "../../../../packages/adapters-pg/test/support/contracts.js"
import { migratedEmbedded } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { decoded, fetched, makePerson, personDraft } from "../../../../packages/domain/test/support/archivedPerson.js"
import { inVirtualTime } from "../../../../packages/domain/test/support/archiveStores.js"
import { read } from "../imports/support.js"
import { brought, ports } from "./support.js"

const run = withStores(migratedEmbedded, ports)

it("every location of an archive's GPX file is read again, with the device that sent it [exports-8]", () => {
  fc.assert(
    fc.property(personDraft, (draft) =>
      inVirtualTime(
        Effect.gen(function* () {
          const { user } = yield* makePerson(draft)
          const requested = yield* requestExport(user.id)
          yield* exportNext(everything.people)
          const files = MemoryArchiveMaker.read(yield* fetched(requested))
          const gpx = files.find(({ name }) => name === "fixes.gpx")?.text ?? ""
          const { entries, fault } = read(Buffer.from(gpx))
          const found = entries.map((entry) =>
            entry._tag === "Reading" ? `${entry.origin} ${entry.reading.capturedAt} ${entry.reading.lat}` : entry._tag
          )
          const expected = decoded(files).fixes.map((fix) => `${fix.device_id} ${fix.captured_at} ${fix.lat}`)
          expect([fault, found.sort()]).toEqual([null, expected.sort()])
        })
      )
    ),
    { numRuns: 20 }
  )
})

it("a phone's visits are in the import of a file that a tablet at home is in too [imports-1, exports-8, L10]", () =>
  run(
    Effect.gen(function* () {
      const now = yield* Timestamp.now
      const t = (minutes: number) => Timestamp.plus(now, -3 * Timestamp.DAY + minutes * Timestamp.MINUTE)
      const home = { lat: 52.37, lon: 4.89 }
      const work = { lat: 52.45, lon: 4.89 }
      const every = (step: number, from: number, until: number) =>
        Array.from({ length: (until - from) / step }, (_, index) => from + index * step)
      const ofPhone = [
        ...[0, 5].map((minute) => ({ minute, at: home })),
        ...every(5, 30, 510).map((minute) => ({ minute, at: work })),
        ...[530, 535].map((minute) => ({ minute, at: home }))
      ]
      const ofTablet = [1, ...every(2, 31, 511)].map((minute) => ({ minute, at: home }))

      const visitsIn = (name: string, bytes: Uint8Array) =>
        Effect.gen(function* () {
          const { id: userId } = yield* Fixtures.user
          const circle = { ...work, radiusM: 150 }
          const { id } = yield* RuleSamples.place(userId, { label: Place.Label.make("Work"), circle })
          const done = yield* brought(userId, bytes, name)
          expect([done?.state, done?.counts.stored]).toEqual(["done", ofPhone.length + ofTablet.length])
          return yield* visitsOf(userId, id)
        })
      const visitsOf = (userId: UserId, placeId: Place.Place["id"]) =>
        Effect.gen(function* () {
          const places = [{ placeId, sharedAt: now, includeEarlierVisits: true }]
          const connection = { userId, id: ConnectionId.make("con_reader"), places, pause: null }
          const page = yield* listVisits(connection, now, { from: null, to: null, limit: 10, cursor: undefined })
          return page.visits.map(({ arrival, departure }) => [arrival, departure])
        })

      const record = (deviceTag: number) => (one: (typeof ofPhone)[number]) => ({
        latitudeE7: one.at.lat * 1e7,
        longitudeE7: one.at.lon * 1e7,
        accuracy: 10,
        timestamp: Timestamp.toIso(t(one.minute)),
        deviceTag
      })
      const locations = [...ofPhone.map(record(-97)), ...ofTablet.map(record(55))]
      const records = strToU8(JSON.stringify({ locations }))
      expect(yield* visitsIn("Records.json", records)).toEqual([[t(30), t(530)]])

      const user = yield* Fixtures.user
      for (const sent of [ofPhone, ofTablet]) {
        const readings = sent.map(({ at, minute }) => ({ capturedAt: t(minute), ...at, accuracyM: 10 }))
        yield* ingestFixes(yield* RuleSamples.device(user.id), readings, [])
      }
      const requested = yield* requestExport(user.id)
      yield* exportNext(everything.people)
      const gpx = unzipSync(yield* fetched(requested))["fixes.gpx"]
      expect(yield* visitsIn("fixes.gpx", gpx ?? new Uint8Array())).toEqual([[t(30), t(530)]])
    }).pipe(Effect.withClock(Clock.make()))
  ))
