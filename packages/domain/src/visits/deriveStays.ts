import { Array, Effect, Option } from "effect"
import { everything, type PeopleLeases } from "../leases/WorkLeases.js"
import { PlaceStore } from "../places/PlaceStore.js"
import {
  type DeviceId,
  Pacing,
  type PlaceId,
  program,
  type StoreError,
  Timestamp,
  type UserId
} from "../shared/index.js"
import * as Stay from "./Stay.js"
import * as StayPace from "./StayPace.js"
import * as StayProgress from "./StayProgress.js"
import { type PhoneKey, StayStore } from "./StayStore.js"

export interface StayBounds {
  readonly stepsMax: number
  /** The most fixes that a step reads at first. */
  readonly fixesAStep: number
  /** The share of the time that the derivation may take (`StayPace`); left out: all of the time, without pauses. */
  readonly share?: number | undefined
  /** The new places to derive; left out: all. An answer to an app must not wait for places that it does not show. */
  readonly newPlaces?: ReadonlySet<PlaceId> | undefined
}

/**
 * Derives the due stays of a device, as far as the bounds allow, and returns the number of steps. Each step is an
 * optimistic commit: it reads a view with a version, computes without a lock, and is stored only if the version is
 * still the same. An upload between the read and the commit makes the step run again.
 */
export const deriveStays = program("deriveStays", function* (userId: UserId, deviceId: DeviceId, bounds: StayBounds) {
  const pause = yield* Pacing.pausing({ share: bounds.share ?? 1 })
  for (let taken = 0; taken < bounds.stepsMax; taken++) {
    if (!(yield* step(userId, deviceId, bounds))) return taken
    yield* pause
  }
  return bounds.stepsMax
})

interface Read {
  readonly fixes: ReadonlyArray<Stay.StayFix>
  /** The last fix of the step; undefined when the step reached the device's last fix. */
  readonly last: Stay.StayFix | undefined
}

const NONE: Read = { fixes: [], last: undefined }

/**
 * Reads the fixes of one step, `limit` of them. When all of these lie before `due`, the step would derive nothing new
 * and the next step would read the same fixes, so it reads again with twice the limit.
 */
const readStep = (
  userId: UserId,
  deviceId: DeviceId,
  from: Timestamp.Timestamp,
  due: Timestamp.Timestamp,
  limit: number
): Effect.Effect<Read, StoreError, StayStore> =>
  Effect.gen(function* () {
    const fixes = yield* (yield* StayStore).fixes(userId, deviceId, from, limit)
    const last = fixes.length < limit ? undefined : fixes.at(-1)
    return last !== undefined && last.capturedAt < due
      ? yield* readStep(userId, deviceId, from, due, 2 * limit)
      : { fixes, last }
  })

/** Makes one step. Returns false when nothing was due. */
const step = (userId: UserId, deviceId: DeviceId, { fixesAStep, newPlaces }: StayBounds) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    // The view is read first, so that anything stored after it makes the commit fail.
    const view = yield* store.view(userId, deviceId)
    const places = yield* (yield* PlaceStore).list(userId)
    const next = StayProgress.next(
      view.progress,
      places.map((place) => place.id),
      newPlaces
    )
    if (next === undefined) return false
    // The step reads fixes from before the due fixes too, because a stay that ended shortly before may go on with the
    // new fixes.
    const earliest = Timestamp.plus(next.from, -Stay.FINAL_AFTER)
    const heardAt = yield* store.heardBefore(userId, deviceId, earliest)
    const from = Stay.beginOf(earliest, heardAt, view.erasures)
    const { fixes, last } =
      next.placeIds.size === 0 ? NONE : yield* readStep(userId, deviceId, from, next.from, fixesAStep)
    // Retention deletes old fixes, but keeps a stay whole while its end is young enough. So stays from before the first
    // fix that is left remain as they are.
    const begin = heardAt === null ? fixes[0]?.capturedAt : from
    const open = new Map(
      (begin === undefined ? [] : yield* store.openAt(userId, deviceId, begin)).map((one) => [one.placeId, one])
    )
    const shapes = Array.groupBy(yield* (yield* PlaceStore).shapes(userId), (shape) => shape.placeId)
    const stays = places
      .filter((place) => next.placeIds.has(place.id))
      .flatMap(({ archivedAt, id }) => {
        const before = Stay.beforeOf(open.get(id), heardAt)
        return Stay.derive({ placeId: id, archivedAt, shapes: shapes[id] ?? [] }, before, fixes, view.erasures)
      })
    yield* store.commit({
      userId,
      deviceId,
      view,
      placeIds: begin === undefined ? [] : [...next.placeIds],
      from: begin ?? from,
      to: last?.capturedAt ?? null,
      stays,
      // Of several fixes of one instant only the first counts, and this step has processed it. So the next step begins
      // one millisecond later.
      progress: next.done(last === undefined ? null : Timestamp.plus(last.capturedAt, 1)),
      isAnew: false
    })
    return true
  })

/** The number of devices that one query returns. */
const BATCH = 100

/** The most steps for one device in one run. The next run continues with the step after them. */
export const STEPS_MAX = 500

/**
 * Milliseconds. Younger fixes wait until an app asks. Otherwise a phone that uploads all day would keep the worker
 * busy.
 */
const MAY_WAIT = Timestamp.DAY

/**
 * Derives stays before an app asks, for devices that are more than a day behind and for new places. So answers need not
 * wait, and visits are stored before their fixes are deleted. Returns the number of steps. It may be interrupted and
 * repeated. A failed derivation of a device is logged, and the next run tries again.
 */
export const deriveBehind = program(
  "deriveBehind",
  function* (
    now: Timestamp.Timestamp,
    people: PeopleLeases = everything.people,
    pace: StayPace.StayPace = StayPace.QUICK
  ) {
    const store = yield* StayStore
    const until = Timestamp.plus(now, -MAY_WAIT)
    const next = (after: PhoneKey | undefined) =>
      Effect.flatMap(people.buckets, (buckets) => store.behind({ buckets, until, limit: BATCH, after }))
    let steps = 0
    for (let batch = yield* next(undefined); batch.length > 0; batch = yield* next(batch.at(-1))) {
      for (const phone of batch) {
        steps += Option.getOrElse(yield* people.using(phone.userId, deriveOne(phone, pace)), () => 0)
      }
    }
    return steps
  }
)

const deriveOne = ({ deviceId, userId }: PhoneKey, pace: StayPace.StayPace) =>
  deriveStays(userId, deviceId, { ...pace, stepsMax: STEPS_MAX }).pipe(
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning("The stays of a phone could not be derived, later again", deviceId, error), 0)
    )
  )
