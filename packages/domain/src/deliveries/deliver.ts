import { Effect, Option } from "effect"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import { body } from "../events/Event.js"
import { report } from "../figures/FiguresRecorder.js"
import { Entropy, fn, program, retryTransient, type StoreError, Telemetry, Timestamp } from "../shared/index.js"
import { authorisationOf, notSigned, record, recordUnsent, REPEATS } from "./beforeSending.js"
import * as Delivery from "./Delivery.js"
import { LEASE } from "./Delivery.js"
import * as DeliveryFigures from "./DeliveryFigures.js"
import { type Claim, type ClaimRequest, DeliveryStore } from "./DeliveryStore.js"
import * as Disclosure from "./Disclosure.js"
import { ownHeaders, signedPost } from "./signedPost.js"

/** Leases up to `limit` due deliveries to this worker, with at most `perEndpoint` of one endpoint in flight at once. */
export const claimDue = program(
  "claimDue",
  function* (
    limit: number,
    perEndpoint: number,
    failing: NonNullable<ClaimRequest["failing"]> = { ids: [], limit: 0 }
  ) {
    const store = yield* DeliveryStore
    const lease = yield* Entropy.id("lse")
    const now = yield* Timestamp.now
    const leaseUntil = Timestamp.plus(now, LEASE)
    const claimed = yield* store.claim({ limit, perEndpoint, lease, now, leaseUntil, failing })
    return { ...claimed, now, leaseUntil }
  }
)

/**
 * Makes one attempt at a claimed delivery, if the user allows the event at this moment (Spec §6.3.5). No database
 * connection is held while the receiver answers. Returns the stored result. Undefined when the lease was lost, or would
 * run out before a result could be stored: then another worker makes the same attempt.
 */
export const deliver = program("deliver", function* (claim: Claim, leaseUntil: Timestamp.Timestamp) {
  const { delivery, headers, lease, secrets, url } = claim
  const held = { appId: delivery.appId, id: delivery.id, lease }
  const result = yield* attempt(delivery, { headers, secrets, url }, leaseUntil)
  if (result === undefined) return undefined
  return yield* finish(delivery, result.how, (yield* DeliveryStore).finish(held, result.how, result.row))
})

/**
 * Makes the first attempt at a delivery that is not stored yet, as `deliver` does, and stores delivery and result.
 * `endpoint` was read from the store, and is not used after `until`. Returns the stored result. Undefined when nothing
 * was sent before `until`, or when another worker has stored the delivery already. In both cases the delivery is stored
 * without this result, and a later claim goes on with it.
 */
export const deliverFirst = program(
  "deliverFirst",
  function* (row: Delivery.NewDelivery, endpoint: Receiver, until: Timestamp.Timestamp) {
    const store = yield* DeliveryStore
    const delivery = Delivery.begin(row)
    const result = yield* attempt(delivery, endpoint, until)
    if (result === undefined) {
      yield* retryTransient(REPEATS)(store.insert([row]))
      return undefined
    }
    return yield* finish(delivery, result.how, store.insertAttempted(row, result.how, result.row))
  }
)

type Receiver = Pick<Claim, "url" | "secrets" | "headers">

/** The result of an attempt, and its row in the log. */
interface AttemptResult {
  readonly how: Delivery.DeliveryFinish
  readonly row: Delivery.Attempt | null
}

/** Attempts the delivery. Undefined: `until` is too near, so nothing was sent. */
const attempt = fn(function* (delivery: Delivery.Delivery, receiver: Receiver, until: Timestamp.Timestamp) {
  const authorisation = yield* authorisationOf(delivery)
  const now = yield* Timestamp.now
  yield* Telemetry.annotate({ "place_access.attempt": delivery.attempt })
  if (runsOut(now, until)) return undefined
  switch (Delivery.verdict(delivery, authorisation, now)) {
    case "not_authorised":
      // If the connection does not exist, its user was deleted, and so was the access log.
      if (Option.isSome(authorisation)) yield* recordUnsent(Disclosure.notAllowed(delivery, now))
      return ended({ _tag: "Failed", at: now, reason: "not_authorised" })
    case "too_old":
      yield* recordUnsent(Disclosure.withheld(delivery))
      return ended({ _tag: "TooOld", at: now })
    case "send":
      yield* record(Disclosure.sent(delivery))
      return yield* send(delivery, receiver, until, now)
  }
})

const ended = (how: Delivery.DeliveryFinish): AttemptResult => ({ how, row: null })

const send = fn(function* (
  delivery: Delivery.Delivery,
  { headers, secrets, url }: Receiver,
  until: Timestamp.Timestamp,
  askedAt: Timestamp.Timestamp
) {
  // The permission and the secrets were read for this time and are not used after it.
  if (runsOut(yield* Timestamp.now, until)) return undefined
  const { appId, endpointId, envelope } = delivery
  const sealContext = SigningSecret.sealContext(appId, endpointId)
  yield* Telemetry.measure(() => DeliveryFigures.began(delivery, askedAt))
  const { answer, endedAt, exchange, startedAt } = yield* signedPost({
    url,
    secrets,
    headers: ownHeaders(appId, endpointId, headers),
    sealContext,
    body: body(envelope, endpointId)
  }).pipe(Effect.catchTag("VaultError", notSigned))
  const row = Delivery.attemptOf(delivery.attempt, answer, startedAt, endedAt, exchange)
  if (row !== null) {
    const tookMillis = row.endedAt - row.startedAt
    yield* report((to) => to.attempted({ appId, endpointId, endedAt: row.endedAt, tookMillis, error: row.error }))
  }
  const result: AttemptResult = { how: Delivery.afterAttempt(delivery, answer, endedAt), row }
  return result
})

/** Stores the result. Undefined when another worker has taken the delivery over. */
const finish = fn(function* (
  delivery: Delivery.Delivery,
  how: Delivery.DeliveryFinish,
  storing: Effect.Effect<boolean, StoreError>
) {
  const written = (yield* retryTransient(REPEATS)(storing)) ? how : undefined
  yield* Telemetry.measure(() => DeliveryFigures.attempted(delivery, written))
  yield* Telemetry.annotate({ "place_access.outcome": DeliveryFigures.outcomeOf(written) })
  return written
})

/** Whether a request that is sent now could end after `until`, so that its result could not be stored in time. */
const runsOut = (now: Timestamp.Timestamp, until: Timestamp.Timestamp): boolean =>
  now + Delivery.ANSWER_DEADLINE >= until
