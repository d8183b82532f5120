import { Array, Effect, Option } from "effect"
import type { PeopleLeases } from "../leases/WorkLeases.js"
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
  /**
   * The number of fixes that a step reads. When all of these fixes are older than the fixes that are due, the step
   * doubles the number and reads again.
   */
  readonly fixesAStep: number
  /**
   * The share of the time that the derivation may take (`StayPace.share`). Left out: all of the time, without pauses.
   */
  readonly share?: number | undefined
  /**
   * The new places whose stays are derived; left out: all new places. An answer to an app must not wait for places that
   * the answer does not show.
   */
  readonly newPlaces?: ReadonlySet<PlaceId> | undefined
}

/**
 * Derives the due stays of a device, as far as the bounds allow, and returns the number of steps. Each step is an
 * optimistic commit: the step reads a view with a version and computes without a lock, and the store commits the step
 * only if the version and the progress are still the same. Otherwise, for example after an upload between the read and
 * the commit, the next step does the same work again.
 */
export const deriveStays = program("deriveStays", function* (userId: UserId, deviceId: DeviceId, bounds: StayBounds) {
  const pause = yield* Pacing.pausing({ share: bounds.share ?? 1 })
  for (let taken = 0; taken < bounds.stepsMax; taken++) {
    if (!(yield* step(userId, deviceId, bounds))) return taken
    yield* pause
  }
  return bounds.stepsMax
})

interface StepFixes {
  readonly fixes: ReadonlyArray<Stay.StayFix>
  /** The last fix that the step read; undefined when the step reached the device's last fix, or has no places. */
  readonly last: Stay.StayFix | undefined
}

const NONE: StepFixes = { fixes: [], last: undefined }

/**
 * Reads the fixes of one step, at most `limit`. When all `limit` fixes are before `due`, the step would derive nothing
 * new, and the next step would read the same fixes. In this case the function doubles the limit and reads again.
 */
const readStep = (
  userId: UserId,
  deviceId: DeviceId,
  from: Timestamp.Timestamp,
  due: Timestamp.Timestamp,
  limit: number
): Effect.Effect<StepFixes, StoreError, StayStore> =>
  Effect.gen(function* () {
    const fixes = yield* (yield* StayStore).fixes(userId, deviceId, from, limit)
    const last = fixes.length < limit ? undefined : fixes.at(-1)
    return last !== undefined && last.capturedAt < due
      ? yield* readStep(userId, deviceId, from, due, 2 * limit)
      : { fixes, last }
  })

/** Makes one step of the derivation. False when nothing was due. */
const step = (userId: UserId, deviceId: DeviceId, { fixesAStep, newPlaces }: StayBounds) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    // The view is read first. So when data changes after this read, the commit fails.
    const view = yield* store.view(userId, deviceId)
    const places = yield* (yield* PlaceStore).list(userId)
    const next = StayProgress.next(
      view.progress,
      places.map((place) => place.id),
      newPlaces
    )
    if (next === undefined) return false
    // The step also reads the fixes shortly before the due fixes, because a stay that ended with these fixes may go on
    // with the due fixes.
    const earliest = Timestamp.plus(next.from, -Stay.FINAL_AFTER)
    const heardAt = yield* store.heardBefore(userId, deviceId, earliest)
    const from = Stay.beginOf(earliest, heardAt, view.erasures)
    const { fixes, last } =
      next.placeIds.size === 0 ? NONE : yield* readStep(userId, deviceId, from, next.from, fixesAStep)
    // Retention deletes old fixes, but keeps a stay until its end is old too. A stay that began before the first stored
    // fix cannot be derived again, so it remains as it is.
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
      // Of several fixes of one instant only the first counts, and this step has processed the first fix of the last
      // instant that it read. So the next step begins one millisecond after this instant.
      progress: next.done(last === undefined ? null : Timestamp.plus(last.capturedAt, 1)),
      isAnew: false
    })
    return true
  })

/** The most devices that one query returns. */
const BATCH = 100

/** The most steps for one device in one run of the worker. The next run continues after the last step. */
export const STEPS_MAX = 500

/**
 * A worker derives the stays of a device when due fixes are older than this, in milliseconds. A device with only
 * younger due fixes waits until somebody reads visits, because otherwise a phone that uploads all day would keep the
 * worker busy.
 */
const MAY_WAIT = Timestamp.DAY

/**
 * Derives stays before an app asks, for devices that are more than a day behind and for new places. So answers need not
 * wait, and stays are stored before their fixes are deleted. Returns the number of steps. The program may be
 * interrupted and repeated. When the derivation of a device fails, the failure is logged, and the next run tries again.
 */
export const deriveBehind = program(
  "deriveBehind",
  function* (now: Timestamp.Timestamp, people: PeopleLeases, pace: StayPace.StayPace = StayPace.QUICK) {
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
