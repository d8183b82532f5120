import { CannotStart } from "@place-access/worker"
import { Effect, Either } from "effect"
import { readFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { argumentsProblem } from "../cli/argumentsProblem.js"
import * as PhoneLog from "./PhoneLog.js"

export const USAGE = `npm run demo                          replay a recorded ride past a café
npm run demo -- --trace FILE.csv      replay another phone log with the columns of apps/server/demo/walk.csv
               --pace MILLISECONDS   the pause between two uploads (default 120)
               --exit                end after the tour instead of leaving the server running`

interface Options {
  readonly trace: string
  readonly paceMillis: number
  readonly exit: boolean
}

const refused = (problem: string): CannotStart =>
  new CannotStart({ fault: "usage", message: `${problem} Try: npm run demo -- --help` })

/**
 * Parses the arguments; "help" when they ask for the usage. `walk` is the path of the log to replay when the arguments
 * name none.
 */
export const parse = (argv: ReadonlyArray<string>, walk: string): Either.Either<Options | "help", CannotStart> =>
  Either.gen(function* () {
    if (argv.includes("--help") || argv.includes("-h")) return "help" as const
    const given = yield* Either.try({
      try: () =>
        parseArgs({
          args: [...argv],
          options: {
            trace: { type: "string", default: walk },
            pace: { type: "string", default: "120" },
            exit: { type: "boolean", default: false }
          }
        }).values,
      catch: (error) => refused(argumentsProblem(error))
    })
    if (!/^\d{1,5}$/.test(given.pace))
      return yield* Either.left(refused("--pace must be a number of milliseconds, from 0 to 99999."))
    return { trace: given.trace, paceMillis: Number(given.pace), exit: given.exit }
  })

/** Reads the log and moves its times so that its last reading is sent at `endsAt`. */
export const readLog = (
  path: string,
  endsAt: number
): Effect.Effect<ReadonlyArray<PhoneLog.RecordedFix>, CannotStart> =>
  Effect.gen(function* () {
    const cannot = (reason: string) =>
      new CannotStart({ message: `The phone log ${path} cannot be replayed: ${reason}.` })
    const text = yield* Effect.tryPromise({
      try: () => readFile(path, "utf8"),
      catch: (error) => cannot(error instanceof Error ? error.message : String(error))
    })
    const readings = yield* Either.mapLeft(PhoneLog.parse(text), ({ message }) => cannot(message))
    return PhoneLog.shift(readings, endsAt - PhoneLog.span(readings).to)
  })
