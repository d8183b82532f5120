import { Effect, Either, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { getAppToChange } from "../apps/readApps.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import { isEnabled } from "../endpoints/WebhookEndpoint.js"
import { Conflict, Entropy, NotFound, program, Timestamp } from "../shared/index.js"
import { type AppId, DeliveryId, type EndpointId } from "../shared/Ids.js"
import * as Delivery from "./Delivery.js"
import { DeliveryStore } from "./DeliveryStore.js"
import * as Replay from "./Replay.js"
import { WorkSignal } from "../events/WorkSignal.js"

/**
 * Programs with which a developer asks for deliveries (Spec §4.7). Replays, and attempts that a developer makes due
 * earlier, do not change the endpoint's strikes. Before each attempt, the worker checks the user's permission. Every
 * program fails with:
 * - `NotFound` when the account is not in the app's team, or the app has no such delivery or endpoint
 * - `Forbidden` when the account's role only allows reading
 * - `Conflict` when the app was revoked
 */

const newId = Effect.map(Entropy.id("dlv"), (id) => DeliveryId.make(id))

const REFUSALS: Readonly<Record<Replay.ReplayRefusal, string>> = {
  pending: "It is still being attempted",
  too_old: "The event is older than its rule allows",
  endpoint_removed: "The endpoint was removed",
  endpoint_disabled: "The endpoint is disabled: enable it first"
}

/**
 * Replays a delivery: queues its event for the same endpoint once more, as a new delivery. Fails with `Conflict`, which
 * contains the reason, when the event cannot be sent again.
 */
export const redeliver = program("redeliver", function* (account: Account, appId: AppId, id: DeliveryId) {
  yield* getAppToChange(account, appId)
  const replayId = yield* newId
  const decided = yield* (yield* DeliveryStore).replay(appId, id, (state, now) => Replay.decide(state, replayId, now))
  const outcome = yield* Effect.mapError(decided, () => new NotFound({ what: "delivery" }))
  if (Either.isLeft(outcome)) return yield* new Conflict({ reason: REFUSALS[outcome.left] })
  yield* (yield* WorkSignal).raise
  return Delivery.begin(outcome.right)
})

/**
 * Makes the next attempt of a delivery due now. The delivery gets no additional attempt. Fails with `Conflict`, which
 * contains the reason, when the delivery has ended, because then it has no next attempt.
 */
export const retryNow = program("retryNow", function* (account: Account, appId: AppId, id: DeliveryId) {
  yield* getAppToChange(account, appId)
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

/** Explains to the developer why a finished delivery has no next attempt, and what to do instead. */
const whyNotRetried = program(
  "whyNotRetried",
  function* ({ delivery, isReplayed }: Pick<Delivery.Logged, "delivery" | "isReplayed">, now: Timestamp.Timestamp) {
    const endpoint = Option.getOrNull(yield* (yield* EndpointStore).find(delivery.appId, delivery.endpointId))
    const refused = Replay.refusal({ delivery, endpoint, isPending: false }, now)
    if (isReplayed) return `${ENDED}. It was sent again, as a row of its own`
    return refused === undefined ? `${ENDED}: redeliver it` : `${ENDED}. ${REFUSALS[refused]}`
  }
)

const ENDED = "It is not being attempted any more"

const BATCH = 500

/**
 * Replays the failed deliveries of an endpoint that were created at `since` or later and before this call, in the order
 * of creation. Deliveries created during the call are left out, so a replay that fails immediately is not replayed by
 * the same call. Also left out are tests, deliveries that were replayed before, deliveries whose event is too old,
 * deliveries that failed as `not_authorised`, and replays that failed as `address_changed`: further replays would fail
 * in the same way. Replays at most `Replay.RECOVERED_MAX` deliveries, and returns the number of replays. Fails with
 * `Conflict` when the endpoint is disabled.
 */
export const recover = program(
  "recover",
  function* (account: Account, appId: AppId, endpointId: EndpointId, since: Timestamp.Timestamp) {
    yield* getAppToChange(account, appId)
    const endpoint = yield* (yield* EndpointStore).find(appId, endpointId)
    const found = yield* Effect.mapError(endpoint, () => new NotFound({ what: "endpoint" }))
    if (!isEnabled(found)) return yield* new Conflict({ reason: REFUSALS.endpoint_disabled })
    const store = yield* DeliveryStore
    const begun = yield* Timestamp.now
    let queued = 0
    while (queued < Replay.RECOVERED_MAX) {
      const ids = yield* Effect.replicateEffect(newId, Math.min(BATCH, Replay.RECOVERED_MAX - queued))
      const now = yield* Timestamp.now
      const dueFrom = Replay.recoveredDueAt(begun, queued)
      const count = yield* store.recover({ appId, endpointId, since, before: begun, ids, now, dueFrom })
      queued += count
      // A batch with fewer deliveries than `BATCH` does not end the loop. It need not be the last one, because the
      // developer may replay some of the deliveries at the same time.
      if (count === 0) break
    }
    if (queued > 0) yield* (yield* WorkSignal).raise
    return queued
  }
)
