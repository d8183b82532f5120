import { Effect, Option } from "effect"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import type { Authorisation } from "../events/Authorisation.js"
import { body } from "../events/Event.js"
import { retryTransient } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import { authorisationOf, notSigned, record, recordUnsent, REPEATS } from "./beforeSending.js"
import * as Delivery from "./Delivery.js"
import * as DeliveryFigures from "./DeliveryFigures.js"
import { type Claim, DeliveryStore } from "./DeliveryStore.js"
import * as Disclosure from "./Disclosure.js"
import { signedPost } from "./signedPost.js"

/**
 * One attempt at a claimed delivery: what it may do is asked now, not when it was queued (Spec §6.3.5). No database
 * connection is held while the receiver is waited for. Answers how the delivery goes on; undefined when the lease was lost,
 * or would have run out before an answer could be stored: then somebody else makes the same attempt.
 *
 * Neither this nor what it calls is a generator: it is what a busy worker does most, and each step leaves garbage behind.
 */
export const deliver = (claim: Claim, leaseUntil: Timestamp.Timestamp) =>
  Effect.flatMap(authorisationOf(claim.delivery), (authorisation) =>
    Effect.flatMap(Timestamp.now, (now) =>
      Effect.zipRight(
        Telemetry.annotate({ "place_access.attempt": claim.delivery.attempt }),
        decided(claim, leaseUntil, authorisation, now)
      )
    )
  ).pipe(Telemetry.span("deliver"))

const decided = (
  claim: Claim,
  leaseUntil: Timestamp.Timestamp,
  authorisation: Option.Option<Authorisation>,
  now: Timestamp.Timestamp
) => {
  const { delivery } = claim
  if (runsOut(now, leaseUntil)) return LEFT
  switch (Delivery.verdict(delivery, authorisation, now)) {
    case "not_authorised":
      return Effect.zipRight(
        // Of a connection that is gone altogether nothing is kept.
        recordUnsent(Option.isSome(authorisation) ? Disclosure.notAllowed(delivery, now) : undefined),
        finish(claim, { _tag: "Failed", at: now, reason: "not_authorised" }, null)
      )
    case "too_old":
      return Effect.zipRight(
        recordUnsent(Disclosure.withheld(delivery)),
        finish(claim, { _tag: "TooOld", at: now }, null)
      )
    case "send":
      return Effect.zipRight(record(Disclosure.sent(delivery)), send(claim, leaseUntil, now))
  }
}

const send = (claim: Claim, leaseUntil: Timestamp.Timestamp, askedAt: Timestamp.Timestamp) =>
  Effect.flatMap(Timestamp.now, (now) => {
    // However long it took until here: what was asked, and the secrets that came with the claim, are good for its lease.
    if (runsOut(now, leaseUntil)) return LEFT
    const { delivery, secrets, url } = claim
    const { appId, endpointId, envelope } = delivery
    const sealContext = SigningSecret.sealContext(appId, endpointId)
    const post = signedPost({ url, secrets, sealContext, body: body(envelope, endpointId) })
    return Effect.zipRight(
      Telemetry.measure(() => DeliveryFigures.began(delivery, askedAt)),
      Effect.flatMap(Effect.catchTag(post, "VaultError", notSigned), ({ answer, endedAt, startedAt }) =>
        finish(
          claim,
          Delivery.afterAttempt(delivery, answer, endedAt),
          Delivery.attemptOf(delivery.attempt, answer, startedAt, endedAt)
        )
      )
    )
  })

const finish = ({ delivery, lease }: Claim, how: Delivery.Finish, row: Delivery.Attempt | null) =>
  Effect.flatMap(DeliveryStore, (store) =>
    Effect.flatMap(
      retryTransient(REPEATS)(store.finish({ appId: delivery.appId, id: delivery.id, lease }, how, row)),
      (written) => told(delivery, written ? how : undefined)
    )
  )

// @effect-diagnostics-next-line effectSucceedWithVoid:off -- a value beside others: with void their union would be unknown
const LEFT = Effect.succeed(undefined)

/** No answer could be stored any more by a POST that is made now. */
const runsOut = (now: Timestamp.Timestamp, leaseUntil: Timestamp.Timestamp): boolean =>
  now + Delivery.ANSWER_DEADLINE >= leaseUntil

const told = (delivery: Delivery.Delivery, how: Delivery.Finish | undefined) =>
  Telemetry.measure(() => DeliveryFigures.attempted(delivery, how)).pipe(
    Effect.zipRight(Telemetry.annotate({ "place_access.outcome": DeliveryFigures.outcomeOf(how) })),
    Effect.as(how)
  )
