import { Effect } from "effect"
import { claimDue } from "./claimDue.js"
import { deliver } from "./deliver.js"

export interface Round {
  readonly limit: number
  /** How many deliveries of one endpoint may be under way at once, other workers' included. */
  readonly perEndpoint: number
}

/** One round: claims what is due and attempts all of it at the same time. Answers how many were claimed. */
export const deliverDue = Effect.fn("deliverDue")(function* ({ limit, perEndpoint }: Round) {
  const { claims, leaseUntil } = yield* claimDue(limit, perEndpoint)
  yield* Effect.forEach(
    claims,
    (claim) =>
      Effect.catchAllCause(deliver(claim, leaseUntil), (cause) =>
        Effect.logWarning("A delivery is left to its lease", claim.delivery.id, cause)
      ),
    { concurrency: "unbounded", discard: true }
  )
  return claims.length
})
