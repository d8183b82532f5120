import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, type Effect, Exit, Option } from "effect"
import { CannotStart } from "./CannotStart.js"
import * as StackTraces from "./StackTraces.js"

/** sysexits.h: after these a supervisor need not try again. */
const EXIT_CODES = { usage: 64, settings: 78 } as const

const failureOf = (exit: Exit.Exit<unknown, unknown>): Cause.Cause<unknown> | undefined =>
  Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause) ? exit.cause : undefined

const report = (cause: Cause.Cause<unknown>): number => {
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  if (!(error instanceof CannotStart)) {
    process.stderr.write(`${StackTraces.written(Cause.pretty(cause, { renderErrorCause: true }))}\n`)
    return 1
  }
  process.stderr.write(`${error.message}\n`)
  return error.fault === undefined ? 1 : EXIT_CODES[error.fault]
}

/**
 * Runs a program until it is done or told to stop. SIGTERM or SIGINT interrupts it and waits for what its finalizers finish;
 * a second one ends it at once. Ends with 0, also when it was told to stop; 78 when its settings are at fault, 64
 * for a wrong command line, 1 for any other failure.
 */
export const run = (main: Effect.Effect<unknown, unknown>): void => {
  StackTraces.install()
  NodeRuntime.runMain(main, {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, end) => {
      const cause = failureOf(exit)
      end(cause === undefined ? 0 : report(cause))
    }
  })
}
