import { Rule } from "@place-access/domain/rules"
import { Either } from "effect"
import { parseArgs } from "node:util"
import { argumentsProblem } from "../cli/argumentsProblem.js"

export const USAGE = `npm run replay -- FILE...

Runs recorded location logs through the real programs of the service, in memory and on the time of the log, and prints
what the rules would have sent, which visits would be found, and why readings fired nothing. The same files give the
same output, so two builds of the service can be compared with diff.

A log is a file that the import page reads, or a CSV file with the columns capture_ts, write_ts, latitude, longitude
and accuracy_m (seconds, degrees, metres; write_ts: when the phone stored the reading, which counts as its arrival).

  --places FILE    a JSON list of at most 99 {"lat", "lon", "radius_m"}. Default: the spots where the log stays, as
                   circles; of more than 99, those with the longest stays
  --radius N       the radius of the circles that are found, 100 to 10000 metres (default 150)
  --dwell N        the minutes of the dwell rules, 5 to 720 (default 10)
  --settle N       the settle_s of the arrival and departure rules, 0 to 300 seconds (default: none)
  --silence N      the silence_s of the dwell rules, 300 to 1800 seconds (default: none)
  --json           one JSON object a line: rules that fired, visits, outcomes
  --digest         one line a log: counts, and a SHA-256 of the JSON lines
  --figures        how true the output is, over all logs: crossings, dwells, visits

The output has no coordinates: places are numbered, and named by their number.
Exit code: 0; 1 when a file cannot be read; 64 when the arguments cannot be used.`

type ReplayOutput = "text" | "json" | "digest" | "figures"

export interface ReplayOptions {
  readonly files: ReadonlyArray<string>
  /** The path of a file of places; undefined: the replay finds places in each log. */
  readonly places: string | undefined
  readonly radiusM: number
  readonly dwellMinutes: number
  /**
   * How many seconds a rule waits after an arrival or a departure, in case a later reading contradicts it (`settle_s`);
   * null: the rule does not wait.
   */
  readonly settleS: number | null
  /** The time of silence in seconds; null: only readings fire dwell rules. */
  readonly silenceS: number | null
  readonly output: ReplayOutput
}

export type ReplayCommand = { readonly _tag: "Help" } | { readonly _tag: "Replay"; readonly options: ReplayOptions }

/** Parses the arguments; a Left says in one sentence what is wrong. */
export const parse = (argv: ReadonlyArray<string>): Either.Either<ReplayCommand, string> =>
  Either.gen(function* () {
    const { positionals: files, values } = yield* read(argv)
    if (values.help) return { _tag: "Help" } as const
    if (files.length === 0) return yield* Either.left("Name at least one log.")
    const outputs = (["json", "digest", "figures"] as const).filter((one) => values[one])
    if (outputs.length > 1) return yield* Either.left("--json, --digest and --figures exclude each other.")
    const options: ReplayOptions = {
      files,
      places: values.places,
      radiusM: yield* whole("radius", values.radius, 100, 10_000),
      dwellMinutes: yield* whole("dwell", values.dwell, 5, 720),
      settleS: values.settle === undefined ? null : yield* whole("settle", values.settle, 0, 300),
      silenceS:
        values.silence === undefined
          ? null
          : yield* whole("silence", values.silence, Rule.MIN_SILENCE_S, Rule.MAX_SILENCE_S),
      output: outputs[0] ?? "text"
    }
    return { _tag: "Replay", options } as const
  })

const read = (argv: ReadonlyArray<string>) =>
  Either.try({
    try: () =>
      parseArgs({
        args: [...argv],
        strict: true,
        allowPositionals: true,
        options: {
          places: { type: "string" },
          radius: { type: "string", default: "150" },
          dwell: { type: "string", default: "10" },
          settle: { type: "string" },
          silence: { type: "string" },
          json: { type: "boolean", default: false },
          digest: { type: "boolean", default: false },
          figures: { type: "boolean", default: false },
          help: { type: "boolean", short: "h", default: false }
        }
      }),
    catch: argumentsProblem
  })

const whole = (name: string, text: string, min: number, max: number): Either.Either<number, string> => {
  const value = Number(text)
  return /^\d{1,5}$/.test(text) && value >= min && value <= max
    ? Either.right(value)
    : Either.left(`--${name} must be a whole number from ${min} to ${max}.`)
}
