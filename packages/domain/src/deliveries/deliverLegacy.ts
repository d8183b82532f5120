import { Effect, Option } from "effect"
import { LegacyStore } from "../legacy/LegacyStore.js"
import * as Receiver from "../legacy/Receiver.js"
import { retryTransient } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { authorisationOf, notSigned, record, recordUnsent, REPEATS } from "./beforeSending.js"
import * as Delivery from "./Delivery.js"
import * as Disclosure from "./Disclosure.js"
import * as LegacyDelivery from "./LegacyDelivery.js"
import { signedPost } from "./signedPost.js"

/**
 * One attempt, like those at endpoints: what may be sent is asked now, the user's log comes first, five seconds for the answer.
 * Answers how it goes on; undefined when it has ended. A store that fails is a fault of our own and spends nothing.
 */
export const deliverLegacy = Effect.fn("deliverLegacy")(
  function* (delivery: LegacyDelivery.LegacyDelivery) {
    const authorisation = (yield* isThere(delivery)) ? yield* authorisationOf(delivery) : Option.none()
    const now = yield* Timestamp.now
    switch (Delivery.verdict(delivery, authorisation, now)) {
      case "not_authorised":
        yield* recordUnsent(Disclosure.notAllowed(delivery, now))
        return undefined
      case "too_old":
        yield* recordUnsent(Disclosure.withheld(delivery))
        return undefined
      case "send": {
        yield* record(Disclosure.sent(delivery))
        const { receiver, userId } = delivery
        const { answer, endedAt } = yield* signedPost({
          url: receiver.url,
          secrets: [{ sealed: receiver.sealed, createdAt: delivery.createdAt, expiresAt: null }],
          sealContext: Receiver.sealContext(userId, receiver.id),
          body: LegacyDelivery.body(delivery)
        }).pipe(Effect.catchTag("VaultError", notSigned))
        return LegacyDelivery.afterAttempt(delivery, answer, endedAt)
      }
    }
  },
  (attempt, delivery) =>
    Effect.catchTag(attempt, "StoreError", (error) =>
      Effect.gen(function* () {
        yield* Effect.logWarning("A legacy delivery waits for the store", error)
        const answer = { _tag: "NotSent", detail: "the store failed" } as const
        return LegacyDelivery.afterAttempt(delivery, answer, yield* Timestamp.now)
      })
    )
)

/** A subscription that was removed gets nothing that waited for it. A rule is looked at with the rest of the authorisation. */
const isThere = ({ envelope, receiver, userId }: LegacyDelivery.LegacyDelivery) =>
  Effect.gen(function* () {
    if (receiver._tag === "Rule") return true
    if (envelope.grantId === null) return false
    const store = yield* LegacyStore
    return yield* retryTransient(REPEATS)(store.isSubscribed(userId, envelope.grantId, receiver.id))
  })
