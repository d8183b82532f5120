import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Option } from "effect"
import { CannotStart } from "../CannotStart.js"
import * as RootFibers from "./RootFibers.js"
import * as StackTraces from "./StackTraces.js"

/** Exit codes of sysexits.h after which a restart cannot help. */
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
 * How long a program may take to stop. It waits at most 8 s for deliveries and mails in flight, and 10 s for requests,
 * so it takes longer only when its database hangs. If the process is killed then, nothing that was acknowledged is
 * lost.
 */
const STOP_MILLIS = 20_000

/**
 * How long the program continues to serve after SIGTERM before it begins to stop. The program sets this time after it
 * has read its settings.
 */
let drainMillis = 0
export const drainsFor = (seconds: number): void => {
  drainMillis = 1_000 * seconds
}

/** The first signal that asked this program to stop. */
let signal: "SIGTERM" | "SIGINT" | undefined

/** Whether Control-C at a terminal stopped the program; a supervisor sends SIGTERM. */
export const wasInterruptedByPerson = (): boolean => signal === "SIGINT"

const watchSignals = (): void => {
  const note = (received: "SIGTERM" | "SIGINT") => () => {
    signal = received
    // Removes the listeners, so that Node handles a second signal and ends the process.
    for (const [name, listener] of listeners) process.off(name, listener)
    // @effect-diagnostics-next-line globalTimers:off -- a fiber would not run while the program hangs
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

interface ProgramOptions {
  /**
   * Whether the program is a command, whose caller relies on its work. When such a program is interrupted, nothing
   * tells whether it had done all its work, so it must not end with 0: a script would go on as after a success.
   */
  readonly mustFinish?: boolean
}

/**
 * The exit codes of a command that was interrupted, as shells give them. When the person cancels a question at the
 * terminal, no signal arrives, and the code of SIGINT is used.
 */
const UNFINISHED = { SIGINT: 130, SIGTERM: 143 } as const

const unfinished = (): number => {
  process.stderr.write("The command was stopped. It may not have done all its work.\n")
  return UNFINISHED[signal ?? "SIGINT"]
}

/**
 * Runs a program until it ends or is asked to stop. SIGTERM and SIGINT interrupt the program. Its finalizers may take
 * `STOP_MILLIS`, and after SIGTERM also the time that `drainsFor` set; then the process ends with code 1. A second
 * signal ends the process immediately. Exit codes:
 * - 0: the program ended or stopped in time;
 * - 130 or 143: a command was interrupted (`mustFinish`);
 * - 78: the settings are wrong;
 * - 64: the command line is wrong;
 * - 1: any other failure.
 */
export const run = (main: Effect.Effect<unknown, unknown>, { mustFinish = false }: ProgramOptions = {}): void => {
  StackTraces.install()
  RootFibers.install()
  watchSignals()
  // `runMain` adds its own listeners only after the first steps of the program. Without the yield, a program that
  // replaces all listeners in these steps, as a search of the simulation does, would not replace the listeners of
  // `runMain`.
  NodeRuntime.runMain(Effect.zipRight(Effect.yieldNow(), main), {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, end) => {
      const cause = failureOf(exit)
      end(cause !== undefined ? report(cause) : mustFinish && Exit.isFailure(exit) ? unfinished() : 0)
    }
  })
}
