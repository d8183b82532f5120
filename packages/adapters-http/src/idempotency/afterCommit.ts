import type { WorkSignal } from "@place-access/domain/events"
import { Effect } from "effect"

/**
 * Delays the wake-up of a worker until the transaction of `answerOnce` has committed. The endpoint's work raises
 * `inside` within this transaction. A worker that woke up at that moment would not find the rows yet, and would look
 * again only a second later. So `inside` only remembers that it was raised, and `pass` raises the real signal after the
 * commit.
 */
export const afterCommit = (signal: typeof WorkSignal.Service) => {
  let isRaised = false
  const inside: typeof WorkSignal.Service = { ...signal, raise: Effect.sync(() => void (isRaised = true)) }
  return { inside, pass: Effect.suspend(() => (isRaised ? signal.raise : Effect.void)) }
}
