import { Effect } from "effect"
import { claimDue, deliver } from "../src/deliveries/deliver.js"
import { program } from "../src/shared/index.js"

/**
 * One round of a delivery worker, for tests that need no loop. The round claims at most `limit` due deliveries, at most
 * `perEndpoint` of each endpoint, and attempts all claimed deliveries at the same time. Returns the number of claimed
 * deliveries.
 */
export const deliverDue = program(
  "deliverDue",
  function* (round: { readonly limit: number; readonly perEndpoint: number }) {
    const { claims, leaseUntil } = yield* claimDue(round.limit, round.perEndpoint)
    yield* Effect.forEach(
      claims,
      (claim) =>
        Effect.catchAllCause(deliver(claim, leaseUntil), (cause) =>
          Effect.logWarning("A delivery is left to its lease", claim.delivery.id, cause)
        ),
      { concurrency: "unbounded", discard: true }
    )
    return claims.length
  }
)
