import { setTimeout as pause } from "node:timers/promises"

/** How long a condition may take on a slow machine before the test gives up on it. Nothing is proved by how long it took. */
const PATIENCE_MS = 60_000

/**
 * Asks again and again until `probe` gives something, and gives that. A probe that throws is asked again; its last error tells
 * why in the end. `what` completes "gave up waiting for …".
 */
export const until = async <A>(
  what: string,
  probe: () => Promise<A | undefined> | A | undefined,
  patienceMs = PATIENCE_MS
): Promise<A> => {
  const deadline = Date.now() + patienceMs
  let reason: unknown
  do {
    try {
      const found = await probe()
      if (found !== undefined) return found
      reason = undefined
    } catch (error) {
      reason = error
    }
    await pause(25)
  } while (Date.now() < deadline)
  throw new Error(`gave up waiting for ${what}`, { cause: reason })
}
