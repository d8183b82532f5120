import { Effect, Option } from "effect"
import * as SigningSecret from "../endpoints/SigningSecret.js"
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
 */
export const deliver = Effect.fnUntraced(function* (claim: Claim, leaseUntil: Timestamp.Timestamp) {
  const { delivery } = claim
  const { appId, id, attempt } = delivery
  const store = yield* DeliveryStore
  const finish = (how: Delivery.Finish, row: Delivery.Attempt | null) =>
    retryTransient(REPEATS)(store.finish({ appId, id, lease: claim.lease }, how, row)).pipe(
      Effect.map((written) => (written ? how : undefined)),
      Effect.tap((outcome) => told(delivery, outcome))
    )

  const authorisation = yield* authorisationOf(delivery)
  const now = yield* Timestamp.now
  yield* Telemetry.annotate({ "place_access.attempt": attempt })
  if (runsOut(now, leaseUntil)) return undefined
  switch (Delivery.verdict(delivery, authorisation, now)) {
    case "not_authorised":
      // Of a connection that is gone altogether nothing is kept.
      if (Option.isSome(authorisation)) yield* recordUnsent(Disclosure.notAllowed(delivery))
      return yield* finish({ _tag: "Failed", at: now, reason: "not_authorised" }, null)
    case "too_old":
      yield* recordUnsent(Disclosure.withheld(delivery))
      return yield* finish({ _tag: "TooOld", at: now }, null)
    case "send": {
      yield* record(Disclosure.sent(delivery))
      // However long that took: what was asked, and the secrets that came with the claim, are good for its lease.
      if (runsOut(yield* Timestamp.now, leaseUntil)) return undefined
      yield* Telemetry.measure(() => DeliveryFigures.began(delivery, now))
      const { endpointId } = delivery
      const sealContext = SigningSecret.sealContext(appId, endpointId)
      const outgoing = { ...claim, sealContext, body: body(delivery.envelope, endpointId) }
      const sent = yield* Effect.catchTag(signedPost(outgoing), "VaultError", notSigned)
      const row = Delivery.attemptOf(attempt, sent.answer, sent.startedAt, sent.endedAt)
      return yield* finish(Delivery.afterAttempt(delivery, sent.answer, sent.endedAt), row)
    }
  }
}, Telemetry.span("deliver"))

/** No answer could be stored any more by a POST that is made now. */
const runsOut = (now: Timestamp.Timestamp, leaseUntil: Timestamp.Timestamp): boolean =>
  now + Delivery.ANSWER_DEADLINE >= leaseUntil

const told = (delivery: Delivery.Delivery, how: Delivery.Finish | undefined) =>
  Effect.zipRight(
    Telemetry.measure(() => DeliveryFigures.attempted(delivery, how)),
    Telemetry.annotate({ "place_access.outcome": DeliveryFigures.outcomeOf(how) })
  )
