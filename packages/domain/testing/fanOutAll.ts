import { Effect } from "effect"
import { fanOut } from "../src/dispatch/fanOut.js"
import type { FirstAttempts } from "../src/dispatch/firstAttempts.js"
import { Bucket } from "../src/leases/index.js"

/** Never sends an event directly: every delivery is stored, and waits for a claim. */
const NO_FIRST_ATTEMPTS: FirstAttempts = {
  inHand: () => [],
  launch: () => Effect.succeed(false),
  hasFewInLine: () => true,
  releaseStuck: Effect.void,
  close: Effect.void
}

/**
 * One fan-out of at most `limit` events of all people, for tests that need no loop. Every delivery is stored and waits
 * for a claim (`deliverDue`).
 */
export const fanOutAll = (limit: number) => fanOut(limit, Bucket.ALL, Effect.void, NO_FIRST_ATTEMPTS)
