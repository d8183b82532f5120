import { Effect } from "effect"
import type { Device } from "../../devices/Device.js"
import { UserId, type PlaceId } from "../../shared/Ids.js"
import * as Entropy from "../../shared/Entropy.js"
import type { Timestamp } from "../../shared/Timestamp.js"
import type { Stay } from "../../visits/Stay.js"
import * as StayProgress from "../../visits/StayProgress.js"
import { StayStore, type StayCommit } from "../../visits/StayStore.js"
import type { VisitStore } from "../../visits/VisitStore.js"
import * as Check from "../Check.js"
import * as Samples from "./ruleSamples.js"
import type * as Uploads from "./uploadSamples.js"

/** What the cases about stays and visits are made of. */
export type Needs = StayStore | VisitStore | Uploads.Needs

export type Phone = Pick<Device, "userId" | "id">

export const aUser = Effect.map(Entropy.id("usr"), (id) => UserId.make(id))

/** Of a new user without places. */
export const phone = Effect.flatMap(aUser, (user) => Samples.device(user))

/** What there is to derive the phone's stays from. */
export const view = ({ id, userId }: Phone) => Effect.flatMap(StayStore, (store) => store.view(userId, id))

/** How far stays were derived. */
export const progress = (of: Phone) => Effect.map(view(of), (seen) => seen.progress)

/** On what is there now, leaving nothing due. */
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
      ...parts
    })
  })

/** Stays at one place, in place of whatever was there. */
export const stays = (of: Phone, placeId: PlaceId, spans: ReadonlyArray<readonly [Timestamp, Timestamp | null]>) =>
  Effect.gen(function* () {
    const made = spans.map(([arrival, departure]): Stay => ({ placeId, arrival, departure }))
    const from = made.reduce(
      (least, { arrival }) => (arrival < least ? arrival : least),
      made[0]?.arrival ?? Check.fail("a stay")
    )
    Check.isTrue(yield* commit(of, placeId, from, { stays: made }), "the stays are stored")
  })

/** The stay that was open then. */
export const openAt = ({ id, userId }: Phone, at: Timestamp) =>
  Effect.flatMap(StayStore, (store) => store.openAt(userId, id, at))
