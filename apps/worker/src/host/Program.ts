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
 * How long a program may take to stop. Sends under way take 8 s at most and requests 10 s; more than that takes whoever waits for a
 * database that stands still. Nothing that was acknowledged is lost by an end at any moment.
 */
const STOP_MILLIS = 20_000

/** Said by the program once its settings are read: for how long it goes on before it begins to stop. */
let drainMillis = 0
export const drainsFor = (seconds: number): void => {
  drainMillis = 1_000 * seconds
}

/** The first signal that told this program to stop. */
let signal: "SIGTERM" | "SIGINT" | undefined

/** By Control-C at a terminal, not by a supervisor. */
export const wasInterruptedByPerson = (): boolean => signal === "SIGINT"

const watchSignals = (): void => {
  const note = (received: "SIGTERM" | "SIGINT") => () => {
    signal = received
    // The second signal is left to Node, which ends the process.
    for (const [name, listener] of listeners) process.off(name, listener)
    // @effect-diagnostics-next-line globalTimers:off -- no fibre may run while the program hangs
    setTimeout(giveUp, (wasInterruptedByPerson() ? 0 : drainMillis) + STOP_MILLIS).unref()
  }
  const listeners = (["SIGTERM", "SIGINT"] as const).map((name) => [name, note(name)] as const)
  for (const [name, listener] of listeners) process.on(name, listener)
}

const giveUp = (): void => {
  process.stderr.write(
    `The program did not stop within ${STOP_MILLIS / 1_000} s, perhaps because its database does not answer. It ends now.\n`
  )
  process.exit(1)
}

/**
 * Runs a program until it is done or told to stop. SIGTERM or SIGINT interrupts it and waits for what its finalizers finish;
 * at most `STOP_MILLIS`; a second one ends it at once. Ends with 0, also when it was told to stop; 78 when its settings are at fault, 64
 * for a wrong command line, 1 for any other failure.
 */
export const run = (main: Effect.Effect<unknown, unknown>): void => {
  StackTraces.install()
  watchSignals()
  NodeRuntime.runMain(main, {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, end) => {
      const cause = failureOf(exit)
      end(cause === undefined ? 0 : report(cause))
    }
  })
}
