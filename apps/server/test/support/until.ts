import { setTimeout as pause } from "node:timers/promises"

/**
 * How long a test waits for a condition. The time is long because a machine may be slow. No test depends on this time.
 */
const PATIENCE_MS = 180_000

/**
 * Calls `probe` repeatedly until it returns a value, and returns that value. When `probe` throws, it is called again;
 * if the time ends, its last error is reported. `what` completes the message "gave up waiting for …".
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
