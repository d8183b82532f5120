import { Effect } from "effect"
import type { Timestamp, UserId } from "../shared/index.js"
import type { VisitCandidate } from "./OsVisit.js"
import * as PlacesInTime from "./PlacesInTime.js"
import * as Stay from "./Stay.js"
import * as Visit from "./Visit.js"
import { type DeviceSpan, type DeviceStay, type Unfinished, VisitStore } from "./VisitStore.js"

interface OverlapQuery {
  readonly userId: UserId
  readonly candidates: ReadonlyArray<VisitCandidate>
  readonly now: Timestamp.Timestamp
  readonly cutoff: Timestamp.Timestamp | null
  readonly unfinished: ReadonlyArray<Unfinished>
}

/**
 * Keeps one stay for each stop of a phone, even when the circles of several places contain the stop. Of stays that
 * overlap, the stay whose place lies nearest to the phone's median position remains (`PlacesInTime.isShownElsewhere`),
 * and the other stays are left out. A stay gets an earlier end when a stay at another place began before its end and
 * the phone stayed at the other place. Only stays whose circles overlapped when the stays began are compared. When no
 * circles overlap, no query runs.
 */
export const atOnePlace = (query: OverlapQuery, stays: ReadonlyArray<DeviceStay>) =>
  Effect.gen(function* () {
    const { candidates, cutoff, now, userId } = query
    const near = PlacesInTime.neighbours(stays, candidates)
    const spans = stays.flatMap(({ arrival, departure, deviceId }, index) =>
      (near[index] ?? []).map((placeId) => ({ deviceId, placeId, from: arrival, to: departure }))
    )
    if (spans.length === 0) return stays
    const store = yield* VisitStore
    const others = (yield* store.staysWithin(userId, spans)).filter((one) => isVisibleToApp(query, one))
    if (others.length === 0) return stays
    const located = yield* locate(query, [...stays, ...others])
    const rows = located.slice(0, stays.length)
    const partners = located.slice(stays.length)
    return rows.flatMap((stay): ReadonlyArray<DeviceStay> => {
      const all = partners.filter(
        (one) =>
          one.deviceId === stay.deviceId &&
          one.placeId !== stay.placeId &&
          PlacesInTime.isMet(one.circle, stay.circle) &&
          PlacesInTime.overlap(stay, one)
      )
      const departure = PlacesInTime.endOf(stay, all)
      // `PlacesInTime.endOf` corrects the ends of stays. Two derived stays that overlapped may no longer overlap after
      // the correction. If so, they are different stops.
      const same = all.filter(
        (one) => PlacesInTime.overlap({ ...stay, departure }, one) && PlacesInTime.endOf(one, [stay]) === one.departure
      )
      const isUncertain = stay.isUncertain && departure === stay.departure
      const { arrival, deviceId, placeId } = stay
      const shortened = { placeId, deviceId, arrival, departure, isUncertain }
      const isGone = departure !== stay.departure && Visit.isPast(shortened, null, cutoff)
      return PlacesInTime.isShownElsewhere(stay, same) || isGone || !Stay.isLongEnough(shortened, now)
        ? []
        : [shortened]
    })
  })

/** Whether the app may see this stay. A stay that an app may not see must not change the app's answers. */
const isVisibleToApp = ({ candidates, cutoff, now, unfinished }: OverlapQuery, stay: DeviceStay): boolean => {
  const candidate = candidates.find(({ placeId }) => placeId === stay.placeId)
  const due = unfinished.find((one) => one.deviceId === stay.deviceId && one.placeId === stay.placeId)
  const isFinal =
    due === undefined ||
    // For an uncertain stay, `departure` does not show whether the stay is final: the fix that ended the stay came
    // later, after the silence.
    (stay.departure !== null && !stay.isUncertain && stay.departure + Stay.FINAL_AFTER <= due.dueFrom)
  return (
    candidate !== undefined &&
    (candidate.since === null || stay.arrival >= candidate.since) &&
    isFinal &&
    Stay.isLongEnough(stay, now) &&
    (stay.departure === null || !Visit.isPast(stay, null, cutoff))
  )
}

/** A circle for the type checker. It is never used, because a place always has a circle. */
const NOWHERE = { lat: 0, lon: 0, radiusM: 0 }

const locate = ({ candidates, userId }: OverlapQuery, stays: ReadonlyArray<DeviceStay>) =>
  Effect.gen(function* () {
    const spans = stays.map(({ arrival, departure, deviceId }): DeviceSpan => ({
      deviceId,
      from: arrival,
      to: departure
    }))
    const medians = yield* (yield* VisitStore).medians(userId, spans)
    return stays.map((stay, index) => ({
      ...stay,
      circle: PlacesInTime.shapeOf(stay, candidates)?.circle ?? NOWHERE,
      median: medians[index] ?? null
    }))
  })
