import { Array, Effect, Option } from "effect"
import type { PeopleLeases } from "../leases/WorkLeases.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { Pacing, type PlaceId, program, Timestamp } from "../shared/index.js"
import { deriveStays, STEPS_MAX } from "./deriveStays.js"
import * as Stay from "./Stay.js"
import * as StayPace from "./StayPace.js"
import { type PhoneKey, StayStore } from "./StayStore.js"

/**
 * When an upgrade has changed the rules of stays, a worker derives the stays of each phone anew (decision visits-12).
 * Until all stays of a phone are derived anew, its old stays remain stored, and an answer that contains them counts as
 * complete. `deriveBehind` is different: stays that it has not derived yet are missing in answers.
 */

/** The most devices that one query returns. */
const BATCH = 100

/**
 * How many attempts one run makes for a phone (`attempt`), until one succeeds. If all fail, the next run tries again.
 */
const TRIES = 3

/**
 * Derives the stays of outdated phones anew, and returns the number of phones. The program may be interrupted and
 * repeated.
 */
export const deriveAnew = program(
  "deriveAnew",
  function* (people: PeopleLeases, pace: StayPace.StayPace = StayPace.QUICK) {
    const store = yield* StayStore
    const next = (after: PhoneKey | undefined) =>
      Effect.flatMap(people.buckets, (buckets) => store.outdated({ buckets, limit: BATCH, after }))
    let phones = 0
    for (let batch = yield* next(undefined); batch.length > 0; batch = yield* next(batch.at(-1))) {
      for (const phone of batch) {
        const isDone = yield* people.using(phone.userId, ofOne(phone, pace))
        if (Option.contains(isDone, true)) phones++
      }
    }
    return phones
  }
)

const ofOne = (phone: PhoneKey, pace: StayPace.StayPace) =>
  attempt(phone, pace).pipe(
    Effect.repeat({ until: (isDone) => isDone, times: TRIES - 1 }),
    Effect.catchAll((error) =>
      Effect.as(
        Effect.logWarning("The stays of a phone could not be derived anew, later again", phone.deviceId, error),
        false
      )
    )
  )

/**
 * Derives the stays of one phone anew. False, and the phone remains outdated, when stays are still due, or when the
 * version or the progress changed meanwhile (`StayStore.commit`), for example because a phone of the person sent
 * readings or a place changed.
 */
const attempt = ({ deviceId, userId }: PhoneKey, pace: StayPace.StayPace) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    // Due stays are derived first, because this attempt gives up when stays are still due.
    yield* deriveStays(userId, deviceId, { ...pace, stepsMax: STEPS_MAX })
    const view = yield* store.view(userId, deviceId)
    const { backfills, dueFrom } = view.progress
    if (dueFrom !== null || backfills.length > 0) return false
    const places = yield* (yield* PlaceStore).list(userId)
    // Retention deletes old fixes, but keeps a stay until its end is old too. A stay that began before the first stored
    // fix cannot be derived again, so it remains as it is.
    const [first] = yield* store.fixes(userId, deviceId, Timestamp.make(0), 1)
    const begin = first?.capturedAt
    const stays = begin === undefined ? [] : yield* all({ userId, deviceId }, begin, view.erasures, pace)
    return yield* store.commit({
      userId,
      deviceId,
      view,
      placeIds: begin === undefined ? [] : places.map(({ id }) => id),
      from: begin ?? Timestamp.make(0),
      to: null,
      stays,
      progress: view.progress,
      isAnew: true
    })
  })

/**
 * The stays from all fixes of a phone; `begin` is the time of the first fix. The fixes are read in parts, and only one
 * part is in memory at a time.
 */
const all = (
  { deviceId, userId }: PhoneKey,
  begin: Timestamp.Timestamp,
  erasures: Parameters<typeof Stay.derive>[3],
  pace: StayPace.StayPace
) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    const places = yield* (yield* PlaceStore).list(userId)
    const shapes = Array.groupBy(yield* (yield* PlaceStore).shapes(userId), (shape) => shape.placeId)
    const open = yield* store.openAt(userId, deviceId, begin)
    const derived = new Map<PlaceId, ReadonlyArray<Stay.Stay>>(
      open.map((stay) => [stay.placeId, [{ ...stay, departure: null }]])
    )
    const pause = yield* Pacing.pausing(pace)
    for (let from: Timestamp.Timestamp | null = begin, limit = pace.fixesAStep; from !== null;) {
      const fixes: ReadonlyArray<Stay.StayFix> = yield* store.fixes(userId, deviceId, from, limit)
      const heardAt = yield* store.heardBefore(userId, deviceId, from)
      const part = { from, heardAt }
      for (const { archivedAt, id } of places) {
        const ground = { placeId: id, archivedAt, shapes: shapes[id] ?? [] }
        derived.set(id, Stay.goOn(ground, derived.get(id) ?? [], part, fixes, erasures))
      }
      const last: Stay.StayFix | undefined = fixes.length < limit ? undefined : fixes.at(-1)
      const reached: Timestamp.Timestamp | null =
        last === undefined ? null : Timestamp.plus(last.capturedAt, 1 - Stay.FINAL_AFTER)
      // If all fixes of the part lie within `FINAL_AFTER`, the next part is larger. Otherwise the loop would read the
      // same part endlessly.
      if (reached !== null && reached <= from) limit *= 2
      else from = reached
      yield* pause
    }
    return [...derived.values()].flat()
  })
