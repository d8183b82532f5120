import { Either } from "effect"
import { parseArgs } from "node:util"
import { argumentsProblem } from "../cli/argumentsProblem.js"

const BACKENDS = ["memory", "embedded", "postgres"] as const
type BackendName = (typeof BACKENDS)[number]
const DRIVERS = ["programs", "http"] as const
type DriverName = (typeof DRIVERS)[number]

export const DEFAULT_STEPS = 60

export const USAGE = `npm run simulate -- --swarm --runs 200

Runs random scenarios of phones, apps, receivers and faults against the real programs of the service, on a virtual
clock, and checks the rules of the specification. The same seed gives the same run, in every process.

  --seed N              the first seed (default: random; it is printed)
  --runs N              how many seeds, one after another (default 1; with --swarm 100)
  --for 10m             run until this time has passed: 90s, 10m, 2h. Instead of --runs
  --steps N             the approximate length of a plan (default 60)
  --swarm               choose features and faults for each seed; without it every run has nearly all of them
  --guided              a swarm that keeps each run which reached something new, and runs changed forms of it
  --corpus FOLDER       with --guided: begin with the plans of this folder, and write the kept ones there at the end
  --plan FILE           run a plan that --save wrote, instead of seeds
  --lines               with --guided: a run that reached a new line of the programs is kept, too, and what never ran
                        is printed. V8 counts the lines, so a second search with the same seed may differ
  --twice               repeat each run in another process; the two traces must be equal, byte for byte
  --shrink              shrink the first run that breaks a rule, to a test that can be pasted
  --save FILE           write the plan of the first run that breaks a rule (after --shrink), or else of the last run
  --trace FILE          write the trace of that run: one JSON object a line
  --html FILE           write that run as a page for a browser
  --compare FILE        with --html: a trace that --trace wrote; the page shows it and that run side by side
  --backend NAME        memory (default), embedded or postgres. postgres: the server that SIMULATE_DATABASE_URL names
  --over NAME           programs (default): call the programs. http: send requests, so that the decoding, the guards
                        and the encoding of the HTTP contract run, too, in this process and without a socket

Control-C ends the search, or --shrink after it: what was reached until then is printed, and the files are written.

Exit code: 0 when no rule was broken; 1 when a rule was broken, two traces differ, or a run or a file failed; 64 or 78
when the arguments or settings cannot be used.`

export interface SimulateOptions {
  /** The seed of the first run; undefined: a random seed. */
  readonly seed: number | undefined
  readonly runs: number
  /** The time limit in milliseconds. At this time the search ends, even with runs left. */
  readonly timeMillis: number | undefined
  readonly steps: number
  readonly isSwarm: boolean
  readonly isGuided: boolean
  /** The folder for the plans that a guided search keeps. */
  readonly corpus: string | undefined
  /** Whether a guided search also counts the source lines that a run reaches for the first time. */
  readonly countsLines: boolean
  /** The file of the plan to run. Undefined: plans are drawn from seeds. */
  readonly planFile: string | undefined
  /** Whether each seed also runs in a second process, and the hashes of both traces are compared. */
  readonly checksRepeat: boolean
  /** Whether the steps of a failing run are reduced to those that the failure needs. */
  readonly shrinks: boolean
  readonly savePlanTo: string | undefined
  /** The file to which the trace is written. */
  readonly traceFile: string | undefined
  /** The file to which the page of the run is written. */
  readonly timelineFile: string | undefined
  /** The file with the trace of an earlier run. The page of the run compares both runs. */
  readonly compareWithTrace: string | undefined
  readonly backend: BackendName
  readonly driver: DriverName
  /** Whether this is the second process of `--twice`, which prints only the hash of each run. */
  readonly isHashOnly: boolean
}

export type SimulateCommand =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Simulate"; readonly options: SimulateOptions }

/** Parses the arguments; a Left says in one sentence what is wrong. */
export const parse = (argv: ReadonlyArray<string>): Either.Either<SimulateCommand, string> =>
  Either.gen(function* () {
    const given = yield* read(argv)
    if (given.help) return { _tag: "Help" } as const
    const { compare, corpus, guided: isGuided, html, plan, save, trace } = given
    const isSwarm = given.swarm || isGuided
    const seed = yield* number("seed", given.seed, 0, Number.MAX_SAFE_INTEGER)
    const runs = yield* number("runs", given.runs, 1, 10_000_000)
    const steps = yield* number("steps", given.steps, 1, 100_000)
    const timeMillis = yield* duration(given.for)
    const backend = yield* Either.fromNullable(
      BACKENDS.find((name) => name === given.backend),
      () => `--backend must be one of ${BACKENDS.join(", ")}.`
    )
    const driver = yield* Either.fromNullable(
      DRIVERS.find((name) => name === given.over),
      () => `--over must be one of ${DRIVERS.join(", ")}.`
    )
    if (runs !== undefined && timeMillis !== undefined) {
      return yield* Either.left("--for and --runs both limit the number of runs: give only one of them.")
    }
    const isSearch = given.swarm || [seed, runs, timeMillis, given.steps].some((one) => one !== undefined)
    if (plan !== undefined && isSearch) {
      return yield* Either.left(
        "--plan is a single run: it cannot be used with --seed, --runs, --steps, --for or --swarm."
      )
    }
    if (corpus !== undefined && !isGuided) {
      return yield* Either.left("--corpus needs --guided: only a guided search keeps plans.")
    }
    if (given.lines && !isGuided) {
      return yield* Either.left("--lines needs --guided: only a guided search looks at what is new.")
    }
    if (isGuided && (given.twice || given["hash-only"] || plan !== undefined)) {
      return yield* Either.left("--guided chooses each plan by the runs before it: leave out --twice and --plan.")
    }
    if (given.shrink && backend !== "memory") {
      return yield* Either.left("--shrink needs --backend memory, because it repeats the run hundreds of times.")
    }
    if (compare !== undefined && html === undefined) {
      return yield* Either.left("--compare needs --html: it says which page shows the two runs.")
    }
    const options: SimulateOptions = {
      seed,
      runs: timeMillis === undefined ? (runs ?? (isSwarm ? 100 : 1)) : Infinity,
      timeMillis,
      steps: steps ?? DEFAULT_STEPS,
      isSwarm,
      isGuided,
      corpus,
      countsLines: given.lines,
      planFile: plan,
      checksRepeat: given.twice,
      shrinks: given.shrink,
      savePlanTo: save,
      traceFile: trace,
      timelineFile: html,
      compareWithTrace: compare,
      backend,
      driver,
      isHashOnly: given["hash-only"]
    }
    return { _tag: "Simulate", options } as const
  })

const read = (argv: ReadonlyArray<string>) =>
  Either.try({
    try: () =>
      parseArgs({
        args: [...argv],
        strict: true,
        options: {
          seed: { type: "string" },
          runs: { type: "string" },
          for: { type: "string" },
          guided: { type: "boolean", default: false },
          corpus: { type: "string" },
          lines: { type: "boolean", default: false },
          steps: { type: "string" },
          swarm: { type: "boolean", default: false },
          plan: { type: "string" },
          twice: { type: "boolean", default: false },
          shrink: { type: "boolean", default: false },
          save: { type: "string" },
          trace: { type: "string" },
          html: { type: "string" },
          compare: { type: "string" },
          backend: { type: "string", default: "memory" },
          over: { type: "string", default: "programs" },
          "hash-only": { type: "boolean", default: false },
          help: { type: "boolean", short: "h", default: false }
        }
      }).values,
    catch: argumentsProblem
  })

const number = (
  name: string,
  text: string | undefined,
  min: number,
  max: number
): Either.Either<number | undefined, string> => {
  if (text === undefined) return Either.right(undefined)
  const value = Number(text)
  return /^\d{1,16}$/.test(text) && value >= min && value <= max
    ? Either.right(value)
    : Either.left(`--${name} must be a whole number from ${min} to ${max}.`)
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const

const duration = (text: string | undefined): Either.Either<number | undefined, string> => {
  if (text === undefined) return Either.right(undefined)
  const [, count = "", unit = ""] = /^(\d{1,5})([smh])$/.exec(text) ?? []
  const millis = Number(count) * (UNITS[unit as keyof typeof UNITS] ?? 0)
  return millis > 0 ? Either.right(millis) : Either.left("--for must be a time such as 90s, 10m or 2h.")
}
