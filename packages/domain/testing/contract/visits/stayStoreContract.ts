import { Effect, Struct } from "effect"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import * as Place from "../../../src/places/Place.js"
import * as Fix from "../../../src/fixes/Fix.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as StayProgress from "../../../src/visits/StayProgress.js"
import { StayStore } from "../../../src/visits/StayStore.js"
import { bucketOf } from "../../memory/leases/buckets.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import * as Visits from "./visitSamples.js"

const dueOf = (of: Visits.Phone) => Effect.flatMap(StayStore, (store) => store.due(of.userId))

/**
 * The devices of people in these buckets whose stays must be derived, either from fixes before `until` or at a new
 * place. Reads the list of these devices in pages of two.
 */
const behind = (until: Timestamp.Timestamp, buckets: ReadonlyArray<number> = Bucket.ALL) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    const all: Array<Visits.Phone> = []
    for (let page = yield* store.behind({ buckets, until, limit: 2, after: undefined }); page.length > 0;) {
      for (const { deviceId, userId } of page) all.push({ userId, id: deviceId })
      page = yield* store.behind({ buckets, until, limit: 2, after: page.at(-1) })
    }
    return all
  })

/** What every `StayStore` must guarantee: which stays are due for derivation, and when derived stays are committed. */
export const stayStoreContract: Contract<Visits.VisitSamplePorts> = [
  {
    name: "view: a device owes nothing until it uploads, and then from the earliest fix that was not derived",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const now = yield* Timestamp.now
      Check.equal(yield* Visits.progress(phone), StayProgress.DONE, "at first")
      for (const [at, due] of [
        [-5_000, -5_000],
        [-1_000, -5_000],
        [-9_000, -9_000]
      ] as const) {
        yield* Uploads.commit(phone, { fixes: Uploads.fixes(2, Timestamp.plus(now, at)) })
        Check.equal((yield* Visits.progress(phone)).dueFrom, now + due, `after a fix at ${at}`)
      }
      Check.equal((yield* Visits.view(phone)).version, 3, "version")
      yield* Uploads.commit(phone, { quarantined: [] })
      Check.equal((yield* Visits.progress(phone)).dueFrom, now - 9_000, "after an upload without fixes")
      Check.equal(yield* Visits.progress(yield* Samples.device(phone.userId)), StayProgress.DONE, "the other phone")
    })
  },
  {
    name: "view: what a phone tells makes nothing due and takes nothing away: its stays are derived from its fixes all the same",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const home = yield* Samples.place(phone.userId)
      const now = yield* Timestamp.now
      yield* Visits.stays(phone, home.id, [[now, null]])
      yield* Uploads.commit(phone, { visits: [Uploads.visit(now, null)] })
      Check.equal(yield* Visits.progress(phone), StayProgress.DONE, "nothing is due")
      Check.equal((yield* Visits.openAt(phone, Timestamp.plus(now, 1))).length, 1, "the stay is there")
      yield* Uploads.commit(phone, { fixes: Uploads.fixes(1, now) })
      Check.equal(yield* Visits.progress(phone), { dueFrom: now, backfills: [] }, "its fixes are due")
    })
  },
  {
    name: "view: a new place is behind from the beginning on every phone of its user, and on no phone that comes later",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const before = (yield* Visits.view(phone)).version
      const places = [yield* Samples.place(phone.userId), yield* Samples.place(phone.userId)]
      const ids = places.map((place) => place.id).sort()
      const seen = yield* Visits.view(phone)
      Check.equal(
        seen.progress.backfills,
        ids.map((placeId) => ({ placeId, dueFrom: Timestamp.make(Fix.EARLIEST) })),
        "backfills"
      )
      Check.isTrue(seen.version > before, "what was read before cannot be committed any more")
      Check.equal((yield* Visits.progress(yield* Samples.device(phone.userId))).backfills, [], "a later phone")
    })
  },
  {
    name: "view: a place moved or archived makes every phone of the user owe from that moment; renamed nothing",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const { id, userId } = yield* Samples.place(phone.userId)
      const places = yield* PlaceStore
      const now = yield* Timestamp.now
      yield* Visits.stays(phone, id, [[now, null]])
      const before = (yield* Visits.view(phone)).version
      yield* places.update(userId, id, (place) => ({ ...place, label: Place.Label.make("Den") }))
      Check.equal(yield* Visits.view(phone), { version: before, progress: StayProgress.DONE, erasures: [] }, "renamed")
      for (const change of [
        (place: Place.Place, at: Timestamp.Timestamp) => ({ ...place, archivedAt: at }),
        (place: Place.Place) => ({ ...place, geometryVersion: place.geometryVersion + 1 })
      ]) {
        yield* Visits.commit(phone, id, now)
        const { version } = yield* Visits.view(phone)
        yield* places.update(userId, id, change)
        const seen = yield* Visits.view(phone)
        Check.isTrue(seen.version > version, "what was read before cannot be committed any more")
        Check.isTrue(seen.progress.dueFrom !== null && seen.progress.dueFrom >= now, "due")
      }
    })
  },
  {
    name: "due and behind: devices that owe something, each once; `behind` those from before a moment or with a new place and of the buckets that are asked for",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const [idle, early, late] = [yield* Visits.phone, yield* Visits.phone, yield* Visits.phone]
      const filling = yield* Visits.phone
      yield* Uploads.commit(early, { fixes: Uploads.fixes(1, Timestamp.plus(now, -1)) })
      yield* Uploads.commit(late, { fixes: Uploads.fixes(1, now) })
      yield* Samples.place(filling.userId)
      yield* Uploads.commit(filling, { fixes: Uploads.fixes(1, now) })
      for (const [phone, owes] of [
        [idle, []],
        [early, [early.id]],
        [late, [late.id]],
        [filling, [filling.id]]
      ] as const) {
        Check.equal(yield* dueOf(phone), owes, "due")
      }
      const mine = new Set([idle, early, late, filling].map((phone) => phone.id))
      const listed = (yield* behind(now)).filter((one) => mine.has(one.id))
      Check.equal(
        listed.map((one) => `${one.userId} ${one.id}`),
        [early, filling].map((one) => `${one.userId} ${one.id}`).sort(),
        "behind"
      )
      const bucket = bucketOf(early.userId)
      const isListed = (buckets: ReadonlyArray<number>) =>
        Effect.map(behind(now, buckets), (all) => all.some(({ id }) => id === early.id))
      Check.isTrue(yield* isListed([bucket]), "of the bucket")
      Check.isTrue(!(yield* isListed(Bucket.ALL.filter((other) => other !== bucket))), "of all the others")
    })
  },
  {
    name: "fixes: what a device sent that was left behind is marked, and keeps its position [M14]",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const now = yield* Timestamp.now
      const later = Timestamp.plus(now, 1)
      const fixes = Uploads.fixes(2, now, { lat: 52, lon: 4, accuracyM: 7 })
      // The person carried the phone at the upload's first fix, and had left the phone behind at the second fix.
      yield* Uploads.commit(phone, { fixes, leftBehind: new Set(fixes.slice(1)) })
      Check.equal(
        yield* (yield* StayStore).fixes(phone.userId, phone.id, now, 9),
        [
          { capturedAt: now, lat: 52, lon: 4, accuracyM: 7 },
          { capturedAt: later, lat: 52, lon: 4, accuracyM: 7, isLeftBehind: true }
        ],
        "fixes"
      )
    })
  },
  {
    name: "fixes: the device's own from a moment on, by capture, of one instant the more accurate first, then by place",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const other = yield* Samples.device(phone.userId)
      const now = yield* Timestamp.now
      const at = (offset: number, parts: Partial<Fix.Fix>) => Uploads.fixes(1, Timestamp.plus(now, offset), parts)
      const sorted = [
        ...at(0, { accuracyM: 5, lat: 9 }),
        ...at(0, { accuracyM: 20, lat: -9 }),
        ...at(0, { accuracyM: null, lat: -10, lon: -1 }),
        ...at(0, { accuracyM: null, lat: -10, lon: 1 }),
        ...at(1, {})
      ]
      const before = at(-1, {})
      yield* Uploads.commit(phone, { fixes: [...sorted.toReversed(), ...before] })
      yield* Uploads.commit(other, { fixes: at(0, { lat: 3 }) })
      const store = yield* StayStore
      const seen = [...before, ...sorted].map(Struct.pick("capturedAt", "lat", "lon", "accuracyM"))
      Check.equal(yield* store.fixes(phone.userId, phone.id, now, 100), seen.slice(1), "fixes")
      Check.equal(yield* store.fixes(phone.userId, phone.id, Timestamp.plus(now, -1), 2), seen.slice(0, 2), "two")
    })
  },
  {
    name: "heardBefore: the device's last fix before the moment, also one from when the device was left behind [visits-11]",
    run: Effect.gen(function* () {
      const [phone, stranger] = [yield* Visits.phone, yield* Visits.phone]
      const other = yield* Samples.device(phone.userId)
      const now = yield* Timestamp.now
      const t = (offset: number) => Timestamp.plus(now, offset)
      const lastFixBefore = (offset: number) =>
        Effect.flatMap(StayStore, (store) => store.heardBefore(phone.userId, phone.id, t(offset)))
      Check.equal(yield* lastFixBefore(100), null, "of a device that sent nothing")
      yield* Uploads.commit(other, { fixes: Uploads.fixes(1, t(5)) })
      yield* Uploads.commit(stranger, { fixes: Uploads.fixes(1, t(5)) })
      Check.equal(yield* lastFixBefore(100), null, "of other devices")
      const [first, second, third] = [0, 10, 20].flatMap((offset) => Uploads.fixes(1, t(offset)))
      if (first === undefined || second === undefined || third === undefined) return Check.fail("three fixes")
      yield* Uploads.commit(phone, { fixes: [second, third], leftBehind: new Set([second]) })
      yield* Uploads.commit(phone, { fixes: [first] })
      const cases: ReadonlyArray<readonly [number, number | null]> = [
        [0, null],
        [1, 0],
        [10, 0],
        [11, 10],
        [20, 10],
        [21, 20],
        [1_000_000, 20]
      ]
      for (const [offset, expected] of cases) {
        Check.equal(yield* lastFixBefore(offset), expected === null ? null : t(expected), `before ${offset}`)
      }
    })
  },
  {
    name: "commit: replaces the stays that began in the span at the places, and leaves the others",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const other = yield* Samples.device(phone.userId)
      const [home, gym] = [yield* Samples.place(phone.userId), yield* Samples.place(phone.userId)]
      const now = yield* Timestamp.now
      const t = (offset: number) => Timestamp.plus(now, offset)
      const spans = [0, 10, 20, 30].map((offset) => [t(offset), t(offset + 9)] as const)
      for (const place of [home, gym]) yield* Visits.stays(phone, place.id, spans)
      yield* Visits.stays(other, home.id, spans)
      const written = yield* Visits.commit(phone, home.id, t(10), {
        to: t(20),
        stays: [
          { placeId: home.id, arrival: t(0), departure: null, heardUntil: null },
          { placeId: home.id, arrival: t(11), departure: t(12), heardUntil: null }
        ]
      })
      Check.isTrue(written, "written")
      const begun = (of: Visits.Phone, placeId: Place.Place["id"]) =>
        Effect.forEach([1, 11, 12, 21, 31], (offset) =>
          Effect.map(Visits.openAt(of, t(offset)), (open) =>
            open.flatMap((one) => (one.placeId === placeId ? [one.arrival - now] : []))
          )
        )
      Check.equal(yield* begun(phone, home.id), [[0], [0], [11], [], [30]], "at home")
      Check.equal(yield* begun(phone, gym.id), [[0], [10], [10], [20], [30]], "at the gym")
      Check.equal(yield* begun(other, home.id), [[0], [10], [10], [20], [30]], "the other phone's")
    })
  },
  {
    name: "openAt: what began before the moment and did not end before it",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const [home, gym] = [yield* Samples.place(phone.userId), yield* Samples.place(phone.userId)]
      const now = yield* Timestamp.now
      const t = (offset: number) => Timestamp.plus(now, offset)
      yield* Visits.stays(phone, home.id, [
        [t(0), t(10)],
        [t(20), null]
      ])
      yield* Visits.stays(phone, gym.id, [[t(5), t(15)]])
      const open = (offset: number) =>
        Effect.map(Visits.openAt(phone, t(offset)), (all) => all.map((one) => one.arrival - now).sort((a, b) => a - b))
      const cases: ReadonlyArray<readonly [number, Array<number>]> = [
        [0, []],
        [1, [0]],
        [5, [0]],
        [10, [0, 5]],
        [11, [5]],
        [16, []],
        [20, []],
        [21, [20]],
        [1_000_000, [20]]
      ]
      for (const [offset, arrivals] of cases) {
        Check.equal(yield* open(offset), arrivals, `at ${offset}`)
      }
    })
  },
  {
    name: "commit: stores how far it came, place by place",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const [home, gym] = [yield* Samples.place(phone.userId), yield* Samples.place(phone.userId)]
      const now = yield* Timestamp.now
      const after = {
        dueFrom: now,
        backfills: [{ placeId: gym.id, dueFrom: Timestamp.plus(now, -7) }]
      }
      Check.isTrue(yield* Visits.commit(phone, home.id, now, { progress: after }), "written")
      Check.equal(yield* Visits.progress(phone), after, "progress")
    })
  },
  {
    name: "commit: false and nothing written when an upload, a place or another derivation came between [visits-7]",
    run: Effect.gen(function* () {
      const phone = yield* Visits.phone
      const home = yield* Samples.place(phone.userId)
      const now = yield* Timestamp.now
      for (const meanwhile of [
        Uploads.commit(phone, { fixes: Uploads.fixes(1, now) }),
        Samples.place(phone.userId),
        Visits.commit(phone, home.id, now)
      ]) {
        const view = yield* Visits.view(phone)
        yield* meanwhile
        const seen = yield* Visits.view(phone)
        const stays = [{ placeId: home.id, arrival: now, departure: null, heardUntil: null }]
        Check.isTrue(!(yield* Visits.commit(phone, home.id, now, { view, stays })), "not written")
        Check.equal(yield* Visits.view(phone), seen, "progress")
        Check.equal(yield* Visits.openAt(phone, Timestamp.plus(now, 1)), [], "stays")
      }
    })
  }
]
