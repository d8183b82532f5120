import { Effect, Option } from "effect"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import { body } from "../events/Event.js"
import { report } from "../figures/FiguresRecorder.js"
import { Entropy, fn, program, retryTransient, Telemetry, Timestamp } from "../shared/index.js"
import * as Authorisation from "./Authorisation.js"
import { authorisationOf, notSigned, record, recordUnsent, REPEATS } from "./beforeSending.js"
import * as Delivery from "./Delivery.js"
import { LEASE } from "./Delivery.js"
import * as DeliveryFigures from "./DeliveryFigures.js"
import { type ClaimedDelivery, type ClaimRequest, DeliveryStore } from "./DeliveryStore.js"
import * as Disclosure from "./Disclosure.js"
import { ownHeaders, signedPost } from "./signedPost.js"

/** Leases up to `limit` due deliveries to this worker, with at most `perEndpoint` of one endpoint in flight at once. */
export const claimDue = program(
  "claimDue",
  function* (limit: number, perEndpoint: number, slow: NonNullable<ClaimRequest["slow"]> = { ids: [], limit: 0 }) {
    const store = yield* DeliveryStore
    const lease = yield* Entropy.id("lse")
    const now = yield* Timestamp.now
    const leaseUntil = Timestamp.plus(now, LEASE)
    const claimed = yield* store.claim({ limit, perEndpoint, lease, now, leaseUntil, slow })
    return { ...claimed, now, leaseUntil }
  }
)

/** The stored result of an attempt. */
export interface StoredAttempt {
  readonly how: Delivery.DeliveryFinish
  /**
   * How long the attempt took, in milliseconds, even if a fault of the service prevented the sending. 0 when the check
   * before the attempt decided the result.
   */
  readonly tookMillis: number
}

/**
 * Makes one attempt at a claimed delivery, if the user allows the event at this moment (Spec §6.3.5), the event is not
 * too old, and the endpoint has the address that the event's rule names, if any. No database connection is held while
 * the receiver answers. Returns the stored result. Returns undefined when the lease was lost, or when it would run out
 * before the result could be stored. In these two cases another claim makes the same attempt, unless the delivery has
 * ended.
 */
export const deliver = program("deliver", function* (claim: ClaimedDelivery, leaseUntil: Timestamp.Timestamp) {
  const { delivery, headers, lease, secrets, url } = claim
  const claimed = { appId: delivery.appId, id: delivery.id, lease }
  const authorisation = yield* authorisationOf(delivery)
  const result = yield* attempt(delivery, authorisation, { headers, secrets, url }, leaseUntil)
  if (result === undefined) return undefined
  const finishing = (yield* DeliveryStore).finish(claimed, result.how, result.row)
  return yield* noted(delivery, result, yield* retryTransient(REPEATS)(finishing))
})

/** A delivery that is not stored yet, and what its first attempt needs. */
export interface FirstAttempt {
  readonly row: Delivery.NewDelivery
  /** The endpoint as the worker read it from the store. */
  readonly endpoint: WebhookEndpoint
  /** The endpoint is not used after this time, because it may have changed since it was read. */
  readonly until: Timestamp.Timestamp
  /** The authorisation that was read ahead, and when that read began. Null: the attempt reads the authorisation. */
  readonly ahead: { readonly authorisation: Authorisation.Authorisation; readonly readAt: Timestamp.Timestamp } | null
  /** Whether the event has no other delivery. */
  readonly isOnly: boolean
}

interface FirstResult {
  /**
   * The stored result. Undefined when nothing was sent before `until`, or when the delivery was stored already, for
   * example by another worker. In these two cases later claims attempt the stored delivery, unless it has ended.
   */
  readonly stored: StoredAttempt | undefined
  /** Whether the event is marked as fanned out. */
  readonly isFannedOut: boolean
}

/**
 * Makes the first attempt at a delivery, as `deliver` does, and then stores the delivery with the result. The attempt
 * uses the authorisation that was read ahead, if that read was recent (`Authorisation.isRecent`).
 */
export const deliverFirst = program("deliverFirst", function* ({ ahead, endpoint, isOnly, row, until }: FirstAttempt) {
  const store = yield* DeliveryStore
  const delivery = Delivery.begin(row)
  const isRead = ahead !== null && Authorisation.isRecent(ahead.readAt, yield* Timestamp.now)
  const authorisation = isRead ? Option.some(ahead.authorisation) : yield* authorisationOf(delivery)
  const result = yield* attempt(delivery, authorisation, endpoint, until)
  if (result === undefined) {
    yield* retryTransient(REPEATS)(store.insert([row]))
    return { stored: undefined, isFannedOut: false } satisfies FirstResult
  }
  const inserted = yield* retryTransient(REPEATS)(store.insertAttempted(row, result.how, result.row, isOnly))
  const stored = yield* noted(delivery, result, inserted.isStored)
  return { stored, isFannedOut: inserted.isFannedOut } satisfies FirstResult
})

type Receiver = Pick<ClaimedDelivery, "url" | "secrets" | "headers">

/** The result of an attempt, and its row in the log. */
interface AttemptResult extends StoredAttempt {
  readonly row: Delivery.Attempt | null
}

/** Attempts the delivery. Undefined when nothing was sent, because the answer might come after `until`. */
const attempt = fn(function* (
  delivery: Delivery.Delivery,
  authorisation: Option.Option<Authorisation.Authorisation>,
  receiver: Receiver,
  until: Timestamp.Timestamp
) {
  const now = yield* Timestamp.now
  yield* Telemetry.annotate({ "place_access.attempt": delivery.attempt })
  if (runsOut(now, until)) return undefined
  switch (Delivery.verdict(delivery, authorisation, now)) {
    case "not_authorised":
      // A connection that does not exist was deleted together with its user and the user's access log, so there is no
      // log to write to.
      if (Option.isSome(authorisation)) yield* recordUnsent(Disclosure.notAllowed(delivery, now))
      return unsent({ _tag: "Failed", at: now, reason: "not_authorised" })
    case "too_old":
      yield* recordUnsent(Disclosure.withheld(delivery))
      return unsent({ _tag: "TooOld", at: now })
    case "suspended": {
      const dueAt = Timestamp.plus(now, Delivery.suspendedWait(now - delivery.createdAt))
      const tooOldAt = Delivery.tooOldAt(delivery)
      return unsent({ _tag: "Postponed", dueAt: Timestamp.earlier(dueAt, tooOldAt), faultsSince: null })
    }
    case "send":
      if (Option.exists(authorisation, (found) => !Authorisation.mayGoTo(found, receiver.url)))
        return unsent({ _tag: "Failed", at: now, reason: "address_changed" })
      yield* record(Disclosure.sent(delivery))
      return yield* send(delivery, receiver, until, now)
  }
})

const unsent = (how: Delivery.DeliveryFinish): AttemptResult => ({ how, row: null, tookMillis: 0 })

const send = fn(function* (
  delivery: Delivery.Delivery,
  { headers, secrets, url }: Receiver,
  until: Timestamp.Timestamp,
  checkedAt: Timestamp.Timestamp
) {
  // Writing the access log may have taken long. After `until`, the permission and the secrets that were read may have
  // changed.
  if (runsOut(yield* Timestamp.now, until)) return undefined
  const { appId, endpointId, envelope } = delivery
  const sealContext = SigningSecret.sealContext(appId, endpointId)
  yield* Telemetry.measure(() => DeliveryFigures.began(delivery, checkedAt))
  const { answer, endedAt, exchange, startedAt } = yield* signedPost({
    url,
    secrets,
    headers: ownHeaders(appId, endpointId, headers),
    sealContext,
    body: body(envelope, endpointId)
  }).pipe(Effect.catchTag("VaultError", notSigned))
  const row = Delivery.attemptOf(delivery.attempt, answer, startedAt, endedAt, exchange)
  const tookMillis = Math.max(0, endedAt - startedAt)
  if (row !== null && !delivery.isTest)
    yield* report((to) => to.attempted({ appId, endpointId, endedAt: row.endedAt, tookMillis, error: row.error }))
  return { how: Delivery.afterAttempt(delivery, answer, endedAt), row, tookMillis } satisfies AttemptResult
})

/**
 * Counts the attempt in the service's metrics, and returns its stored result. Undefined when the result was not stored,
 * usually because another worker has taken the delivery over.
 */
const noted = fn(function* (delivery: Delivery.Delivery, { how, tookMillis }: AttemptResult, isStored: boolean) {
  const written = isStored ? how : undefined
  yield* Telemetry.measure(() => DeliveryFigures.attempted(delivery, written))
  yield* Telemetry.annotate({ "place_access.outcome": DeliveryFigures.outcomeOf(written) })
  return written === undefined ? undefined : ({ how: written, tookMillis } satisfies StoredAttempt)
})

/** Whether a request that is sent now could end after `until`. Then its result could not be stored in time. */
const runsOut = (now: Timestamp.Timestamp, until: Timestamp.Timestamp): boolean =>
  now + Delivery.ANSWER_DEADLINE >= until
