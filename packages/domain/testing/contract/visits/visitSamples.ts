import { Effect } from "effect"
import type { Device } from "../../../src/devices/Device.js"
import { UserId, type PlaceId } from "../../../src/shared/Ids.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import type { Timestamp } from "../../../src/shared/Timestamp.js"
import type { Stay } from "../../../src/visits/Stay.js"
import * as StayProgress from "../../../src/visits/StayProgress.js"
import { StayStore, type StayCommit } from "../../../src/visits/StayStore.js"
import type { VisitStore } from "../../../src/visits/VisitStore.js"
import * as Check from "../../Check.js"
import * as Samples from "../rules/ruleSamples.js"
import type * as Uploads from "../fixes/uploadSamples.js"

/** The ports that the cases about stays and visits need. */
export type VisitSamplePorts = StayStore | VisitStore | Uploads.UploadSamplePorts

export type Phone = Pick<Device, "userId" | "id">

export const aUser = Effect.map(Entropy.id("usr"), (id) => UserId.make(id))

/** Stores a phone of a user who has no places. */
export const phone = Effect.flatMap(aUser, (user) => Samples.device(user))

/** The data that a worker reads before it derives the phone's stays. */
export const view = ({ id, userId }: Phone) => Effect.flatMap(StayStore, (store) => store.view(userId, id))

/** How far a worker has derived the stays of the phone. */
export const progress = (of: Phone) => Effect.map(view(of), (seen) => seen.progress)

/**
 * Commits the stays `parts.stays`, by default none, as if a worker had derived them from the present result of `view`.
 * Afterwards no stay of the phone is due for derivation, unless `parts` has another `progress`.
 */
export const commit = (of: Phone, placeId: PlaceId, from: Timestamp, parts: Partial<StayCommit> = {}) =>
  Effect.gen(function* () {
    return yield* (yield* StayStore).commit({
      userId: of.userId,
      deviceId: of.id,
      view: yield* view(of),
      placeIds: [placeId],
      from,
      to: null,
      stays: [],
      progress: StayProgress.DONE,
      isAnew: false,
      ...parts
    })
  })

/**
 * Stores stays at one place, one for each pair of arrival and departure. The new stays replace the phone's stays at
 * this place that began at the earliest of these arrivals or later.
 */
export const stays = (
  of: Phone,
  placeId: PlaceId,
  spans: ReadonlyArray<readonly [arrival: Timestamp, departure: Timestamp | null, heardUntil?: Timestamp]>
) =>
  Effect.gen(function* () {
    const made = spans.map(([arrival, departure, heardUntil = null]): Stay => ({
      placeId,
      arrival,
      departure,
      heardUntil
    }))
    const from = made.reduce(
      (least, { arrival }) => (arrival < least ? arrival : least),
      made[0]?.arrival ?? Check.fail("a stay")
    )
    Check.isTrue(yield* commit(of, placeId, from, { stays: made }), "the stays are stored")
  })

/** The stays of the phone that were open at the time `at`. */
export const openAt = ({ id, userId }: Phone, at: Timestamp) =>
  Effect.flatMap(StayStore, (store) => store.openAt(userId, id, at))
