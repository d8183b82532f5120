import { Effect } from "effect"
import type { ImportStore } from "../../../src/imports/ImportStore.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import type { DeviceId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { VisitStore } from "../../../src/visits/VisitStore.js"
import type { Contract } from "../../Contract.js"
import * as Check from "../../Check.js"
import * as Imports from "../fixes/importSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import { ground } from "./ground.js"
import * as Visits from "./visitSamples.js"

interface OfDevice {
  readonly deviceId: DeviceId
}

/**
 * A user with a place, and six readings that are not stored. The cases import files that have some of these readings.
 */
const sharedReadings = Effect.gen(function* () {
  const { home: placeId, now, userId } = yield* ground
  const first = Timestamp.plus(now, -9 * Timestamp.DAY)
  const t = (index: number) => Timestamp.plus(first, index)
  /** Stores stays as if a worker had derived them from the file. */
  const store = ({ deviceId: id }: OfDevice, spans: Parameters<typeof Visits.stays>[2]) =>
    Visits.stays({ userId, id }, placeId, spans)
  const staysOf = ({ deviceId }: OfDevice) =>
    Effect.gen(function* () {
      const span = { deviceId, placeId, from: Timestamp.make(0), to: now }
      const all = yield* (yield* VisitStore).staysWithin(userId, [span])
      return all.map(({ arrival, departure }) => [arrival, departure])
    })
  return { fixes: Uploads.fixes(6, first), now, placeId, staysOf, store, t, userId }
})

/**
 * What every `VisitStore` and `ImportStore` must guarantee about the stays of an import, after another import with the
 * same readings is undone.
 */
export const sharedImports: Contract<Visits.VisitSamplePorts | HistoryStore | ImportStore> = [
  {
    name: "a moved place and a deleted stretch: the stays of a file that ended before are not due; those of a file that ends at that moment are [visits-7]",
    run: Effect.gen(function* () {
      const { fixes, now, placeId, store, t, userId } = yield* sharedReadings
      const earlier = yield* Imports.done(userId, now, { fixes: fixes.slice(0, 2) })
      const later = yield* Imports.done(userId, now, { fixes: fixes.slice(2) })
      const due = Effect.forEach([earlier, later], ({ deviceId: id }) =>
        Effect.map(Visits.progress({ userId, id }), ({ dueFrom }) => dueFrom)
      )
      for (const one of [earlier, later]) yield* store(one, [[t(0), null]])
      yield* (yield* PlaceStore).update(userId, placeId, (place) => ({
        ...place,
        geometryVersion: place.geometryVersion + 1
      }))
      Check.equal(yield* due, [null, null], "both files ended before the place was moved")
      yield* (yield* HistoryStore).erase(userId, { from: t(5), until: t(6) }, now)
      Check.equal(yield* due, [null, t(5)], "the stretch begins with the last entry of the later file")
    })
  },
  {
    name: "undo: of the stays of a removed import, those that began with a reading that goes are deleted [imports-13, visits-7]",
    run: Effect.gen(function* () {
      const { fixes, now, staysOf, store, t, userId } = yield* sharedReadings
      const wrong = yield* Imports.done(userId, now, { fixes: fixes.slice(1, 4) })
      const removed = yield* Imports.done(userId, now, { fixes })
      yield* Imports.forget(removed)
      const own = [0, 4].map((index): [Timestamp.Timestamp, Timestamp.Timestamp] => [t(index), t(index + 1)])
      yield* store(removed, [...own, [t(1), t(2)], [t(3), t(4)]])
      yield* Imports.undone(wrong, now)
      Check.equal(yield* staysOf(removed), own, "the stays that began with its own readings")
    })
  },
  {
    name: "undo: an open stay of a removed import goes on only to the newest entry that this import still has [imports-13, visits-6]",
    run: Effect.gen(function* () {
      const { fixes, now, staysOf, store, t, userId } = yield* sharedReadings
      const ended = Timestamp.plus(t(0), -Timestamp.MINUTE)
      const wrong = yield* Imports.done(userId, now, { fixes: fixes.slice(2) })
      const removed = yield* Imports.done(userId, now, { fixes })
      const visits = [Uploads.visit(Timestamp.plus(ended, -Timestamp.HOUR), ended)]
      const alsoRemoved = yield* Imports.done(userId, now, { fixes: fixes.slice(2), visits })
      yield* Imports.forget(removed, alsoRemoved)
      const arrival = Timestamp.plus(ended, -Timestamp.MINUTE)
      for (const one of [removed, alsoRemoved]) {
        yield* store(one, [[arrival, null]])
        Check.equal(yield* staysOf(one), [[arrival, t(5)]], "to the end of the file")
      }
      yield* Imports.undone(wrong, now)
      Check.equal(yield* staysOf(removed), [[arrival, t(1)]], "to its newest reading")
      Check.equal(yield* staysOf(alsoRemoved), [[arrival, ended]], "to its visit")
    })
  },
  {
    name: "undo: the stays of a removed import are due from the first reading that goes and that this import had too [imports-13, visits-7]",
    run: Effect.gen(function* () {
      const { fixes, now, store, t, userId } = yield* sharedReadings
      const wrong = yield* Imports.done(userId, now, { fixes: fixes.slice(0, 4) })
      const removed = yield* Imports.done(userId, now, { fixes: fixes.slice(2) })
      yield* Imports.forget(removed)
      yield* store(removed, [[t(4), t(5)]])
      yield* Imports.undone(wrong, now)
      Check.equal((yield* Visits.progress({ userId, id: removed.deviceId })).dueFrom, t(2), "due")
    })
  },
  {
    name: "undo: the stays of the import that takes readings over are due from the first of these readings, and from its beginning when it had no stays [imports-2, imports-13]",
    run: Effect.gen(function* () {
      const { fixes, now, store, t, userId } = yield* sharedReadings
      yield* Uploads.commit(yield* Samples.device(userId), { fixes: fixes.slice(0, 2) })
      const wrong = yield* Imports.done(userId, now, { fixes: fixes.slice(2, 4) })
      const heir = yield* Imports.done(userId, now, { fixes })
      const known = yield* Imports.done(userId, now, { fixes: fixes.slice(1, 3) })
      const dueFrom = ({ deviceId: id }: OfDevice) =>
        Effect.map(Visits.progress({ userId, id }), (progress) => progress.dueFrom)
      yield* store(heir, [[t(0), t(5)]])
      Check.equal([yield* dueFrom(heir), yield* dueFrom(known)], [null, null], "before")
      yield* Imports.undone(wrong, now)
      Check.equal([yield* dueFrom(heir), yield* dueFrom(known)], [t(2), null], "the first import takes over")
      yield* Imports.undone(heir, now)
      Check.equal(yield* dueFrom(known), t(1), "then the other one, which had no stays")
      yield* Imports.forget(known)
    })
  },
  {
    name: "undo: an import that takes over only a visit gets its stays too, and ends with its newest entry [imports-2, imports-13, visits-6]",
    run: Effect.gen(function* () {
      const { fixes, now, staysOf, store, t, userId } = yield* sharedReadings
      yield* Uploads.commit(yield* Samples.device(userId), { fixes })
      const visits = [Uploads.visit(Timestamp.plus(t(0), -Timestamp.MINUTE), null)]
      const wrong = yield* Imports.done(userId, now, { fixes, visits })
      const heir = yield* Imports.done(userId, now, { fixes: fixes.slice(1), visits })
      yield* Imports.undone(wrong, now)
      const { dueFrom } = yield* Visits.progress({ userId, id: heir.deviceId })
      Check.equal(dueFrom, t(1), "due")
      yield* store(heir, [[t(1), null]])
      Check.equal(yield* staysOf(heir), [[t(1), t(5)]], "the end of the file")
      yield* Imports.forget(heir)
    })
  }
]
