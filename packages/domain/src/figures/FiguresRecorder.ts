// The recorder to which programs report their calls, firings and attempts. Decision figures-1.
import { Effect, FiberRef, GlobalValue } from "effect"
import type { FiguresRecorder } from "./Tally.js"

/**
 * The recorder to which programs report numbers for developers; null when there is none. It is a `FiberRef` and not a
 * port (`Context.Tag`), because programs must also work without a recorder, such as in a test or in a service that
 * embeds this package.
 */
export const recorder: FiberRef.FiberRef<FiguresRecorder | null> = GlobalValue.globalValue(
  "@place-access/domain/figures/recorder",
  () => FiberRef.unsafeMake<FiguresRecorder | null>(null)
)

/** Calls `how` with the recorder, if there is one. */
export const report = (how: (to: FiguresRecorder) => void): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const to = fiber.getFiberRef(recorder)
    if (to !== null) how(to)
    return Effect.void
  })
