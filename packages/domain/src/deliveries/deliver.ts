import { Effect, Option } from "effect"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import { body } from "../events/Event.js"
import { Entropy, program, retryTransient, Telemetry, Timestamp } from "../shared/index.js"
import { authorisationOf, notSigned, record, recordUnsent, REPEATS } from "./beforeSending.js"
import * as Delivery from "./Delivery.js"
import { LEASE } from "./Delivery.js"
import * as DeliveryFigures from "./DeliveryFigures.js"
import { type Claim, type ClaimRequest, DeliveryStore } from "./DeliveryStore.js"
import * as Disclosure from "./Disclosure.js"
import { signedPost } from "./signedPost.js"

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
 * Makes one attempt at a claimed delivery, if the user allows it at this moment (Spec §6.3.5). No database connection
 * is held while the receiver answers. Returns the delivery's next state. Undefined when the lease was lost, or would
 * run out before a result could be stored: then another worker makes the same attempt.
 */
export const deliver = program("deliver", function* (claim: Claim, leaseUntil: Timestamp.Timestamp) {
  const { delivery } = claim
  const authorisation = yield* authorisationOf(delivery)
  const now = yield* Timestamp.now
  yield* Telemetry.annotate({ "place_access.attempt": delivery.attempt })
  if (runsOut(now, leaseUntil)) return undefined
  switch (Delivery.verdict(delivery, authorisation, now)) {
    case "not_authorised":
      // A connection that no longer exists has no access log.
      if (Option.isSome(authorisation)) yield* recordUnsent(Disclosure.notAllowed(delivery, now))
      return yield* finish(claim, { _tag: "Failed", at: now, reason: "not_authorised" }, null)
    case "too_old":
      yield* recordUnsent(Disclosure.withheld(delivery))
      return yield* finish(claim, { _tag: "TooOld", at: now }, null)
    case "send":
      yield* record(Disclosure.sent(delivery))
      return yield* send(claim, leaseUntil, now)
  }
})

const send = (
  { delivery, lease, secrets, url }: Claim,
  leaseUntil: Timestamp.Timestamp,
  askedAt: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    // The permission and the secrets were read for this lease and are not used after it.
    if (runsOut(yield* Timestamp.now, leaseUntil)) return undefined
    const { appId, endpointId, envelope } = delivery
    const sealContext = SigningSecret.sealContext(appId, endpointId)
    yield* Telemetry.measure(() => DeliveryFigures.began(delivery, askedAt))
    const { answer, endedAt, startedAt } = yield* signedPost({
      url,
      secrets,
      sealContext,
      body: body(envelope, endpointId)
    }).pipe(Effect.catchTag("VaultError", notSigned))
    return yield* finish(
      { delivery, lease },
      Delivery.afterAttempt(delivery, answer, endedAt),
      Delivery.attemptOf(delivery.attempt, answer, startedAt, endedAt)
    )
  })

/** Stores the result. Undefined when the lease was lost. */
const finish = (
  { delivery, lease }: Pick<Claim, "delivery" | "lease">,
  how: Delivery.DeliveryFinish,
  row: Delivery.Attempt | null
) =>
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const isWritten = yield* retryTransient(REPEATS)(
      store.finish({ appId: delivery.appId, id: delivery.id, lease }, how, row)
    )
    const written = isWritten ? how : undefined
    yield* Telemetry.measure(() => DeliveryFigures.attempted(delivery, written))
    yield* Telemetry.annotate({ "place_access.outcome": DeliveryFigures.outcomeOf(written) })
    return written
  })

/** Whether the lease would end before the result of a request that is sent now could be stored. */
const runsOut = (now: Timestamp.Timestamp, leaseUntil: Timestamp.Timestamp): boolean =>
  now + Delivery.ANSWER_DEADLINE >= leaseUntil
