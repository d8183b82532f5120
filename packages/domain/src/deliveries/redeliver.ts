import { Effect, Either, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import { isEnabled } from "../endpoints/WebhookEndpoint.js"
import * as Entropy from "../shared/Entropy.js"
import { type AppId, DeliveryId, type EndpointId } from "../shared/Ids.js"
import { Conflict, NotFound } from "../shared/Invalid.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Delivery from "./Delivery.js"
import { DeliveryStore } from "./DeliveryStore.js"
import * as Replay from "./Replay.js"
import { WorkSignal } from "./WorkSignal.js"

/** Sending again by hand (Spec §4.7). None of it counts for or against the endpoint, and what may be sent is asked anew. */

const newId = Effect.map(Entropy.id("dlv"), (id) => DeliveryId.make(id))

const REFUSALS: Readonly<Record<Replay.Refusal, string>> = {
  pending: "It is still being attempted",
  too_old: "The event is older than its rule allows",
  endpoint_removed: "The endpoint was removed",
  endpoint_disabled: "The endpoint is disabled: enable it first"
}

/** Queues a fresh attempt of the same event at the same endpoint, as a row of its own. `Conflict` says what stands in the way. */
export const redeliver = Effect.fn("redeliver")(function* (account: Account, appId: AppId, id: DeliveryId) {
  yield* getOwnedApp(account, appId)
  const replayId = yield* newId
  const decided = yield* (yield* DeliveryStore).replay(appId, id, (state, now) => Replay.decide(state, replayId, now))
  const outcome = yield* Effect.mapError(decided, () => new NotFound({ what: "delivery" }))
  if (Either.isLeft(outcome)) return yield* new Conflict({ reason: REFUSALS[outcome.left] })
  yield* (yield* WorkSignal).raise
  return Delivery.begin(outcome.right)
})

/** Brings the next attempt forward to now: none more than before, and no second copy. `Conflict` when there is none to come. */
export const retryNow = Effect.fn("retryNow")(function* (account: Account, appId: AppId, id: DeliveryId) {
  yield* getOwnedApp(account, appId)
  const store = yield* DeliveryStore
  const now = yield* Timestamp.now
  const hurried = yield* store.hurry(appId, id, now)
  const outcome = yield* Effect.mapError(hurried, () => new NotFound({ what: "delivery" }))
  if (outcome === "hurried") yield* (yield* WorkSignal).raise
  const found = yield* Effect.mapError(Effect.flatten(store.find(appId, id)), (error) =>
    error._tag === "NoSuchElementException" ? new NotFound({ what: "delivery" }) : error
  )
  return outcome === "ended" ? yield* new Conflict({ reason: yield* whyNotRetried(found, now) }) : found
})

/** What can be done about a row that has ended, if anything. */
const whyNotRetried = Effect.fn("whyNotRetried")(function* (
  { delivery, isReplayed }: Pick<Delivery.Logged, "delivery" | "isReplayed">,
  now: Timestamp.Timestamp
) {
  const endpoint = Option.getOrNull(yield* (yield* EndpointStore).find(delivery.appId, delivery.endpointId))
  const refused = Replay.refusal({ delivery, endpoint, isPending: false }, now)
  if (isReplayed) return `${ENDED}. It was sent again, as a row of its own`
  return refused === undefined ? `${ENDED}: redeliver it` : `${ENDED}. ${REFUSALS[refused]}`
})

const ENDED = "It is not being attempted any more"

const BATCH = 500
/** Whoever lost more asks again. */
const BATCHES = 20

/** Replays everything of an endpoint that failed since `since` and was not replayed, in the order in which it was made. */
export const recover = Effect.fn("recover")(function* (
  account: Account,
  appId: AppId,
  endpointId: EndpointId,
  since: Timestamp.Timestamp
) {
  yield* getOwnedApp(account, appId)
  const endpoint = yield* (yield* EndpointStore).find(appId, endpointId)
  const found = yield* Effect.mapError(endpoint, () => new NotFound({ what: "endpoint" }))
  if (!isEnabled(found)) return yield* new Conflict({ reason: REFUSALS.endpoint_disabled })
  const store = yield* DeliveryStore
  const begun = yield* Timestamp.now
  let queued = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const ids = yield* Effect.replicateEffect(newId, BATCH)
    const now = yield* Timestamp.now
    const dueFrom = Replay.recoveredDueAt(begun, queued)
    const count = yield* store.recover({ appId, endpointId, since, ids, now, dueFrom })
    queued += count
    if (count < BATCH) break
  }
  if (queued > 0) yield* (yield* WorkSignal).raise
  return queued
})
