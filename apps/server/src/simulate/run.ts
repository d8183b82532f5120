import { Simulation } from "@place-access/domain/testing"
import { CannotStart } from "@place-access/worker"
import { Clock, Config, Console, Effect, Either, Random, type Scope } from "effect"
import { access, constants, readFile, stat, writeFile } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import { openEmbedded, postgres } from "./Backends.js"
import { type Guide, guided, unguided } from "./guide.js"
import { DEFAULT_STEPS, type SimulateOptions } from "./options.js"
import { type RunTally, type StepWatch, tally, watchSteps } from "./progress.js"
import { type Compared, comparisonOf } from "./timeline/comparison.js"
import { timelineOf } from "./timeline/timeline.js"
import * as Twin from "./Twin.js"

/** The longest time that shrinking one failing run may take. */
const SHRINK_MILLIS = 120_000
/** Milliseconds between two lines of progress while a run is shrunk. */
const SHRINK_SAYS_MILLIS = 2_000

/** How a plan is run, and how the second process of `--twice` is started. Tests replace them. */
export interface Running {
  readonly runPlan: typeof Simulation.runPlan
  readonly startTwin: typeof Twin.start
  /** Milliseconds after which a step of the search that goes on is printed. */
  readonly sayMillis?: number
}

const RUNNING: Running = { runPlan: Simulation.runPlan, startTwin: Twin.start }

/**
 * Runs the plans that the options choose, prints the results and saves files. Fails when
 * - a run breaks a rule or throws;
 * - the second process of `--twice` gives another trace or ends early;
 * - a file cannot be read or written.
 */
export const simulate = (options: SimulateOptions, running: Running = RUNNING): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    const other = options.compareWithTrace === undefined ? undefined : yield* readTrace(options.compareWithTrace)
    yield* checkOutputs(options)
    const plans = yield* guideOf(options)
    const steps = yield* watchSteps(running.sayMillis)
    // The second process of `--twice` writes to the same standard error as the search, so it names no steps.
    if (options.backend === "embedded" && !options.isHashOnly) yield* steps.begin("The embedded database opens")
    const config = { backend: yield* backendOf(options), driver: yield* driverOf(options) }
    const startedAt = yield* Clock.currentTimeMillis
    const until = options.timeMillis === undefined ? Infinity : startedAt + options.timeMillis
    const runOne = run(running.runPlan, config)
    if (options.isHashOnly) return yield* hashes(plans, options, runOne)

    const twin = options.checksRepeat ? yield* running.startTwin(options, plans.first) : undefined
    const count = yield* tally(plans.reached)
    // The search has a separate scope. When this scope closes, the search's handler of Control-C is removed, and the
    // shrinking below can install another handler.
    const { differing, last, worst } = yield* Effect.scoped(
      search(plans, options, { count, runOne, steps, twin, until })
    )
    yield* steps.begin("")
    yield* Console.log(yield* count.summary)
    const finished = yield* Effect.either(plans.finish)
    const kept = worst === undefined ? last : yield* explained(worst, options, config)
    const saved = yield* Effect.either(kept === undefined ? Effect.void : save(kept, options, other))
    // Reports all findings in one failure, so that a file that cannot be written does not hide the other findings.
    const unwritten = [finished, saved].filter(Either.isLeft).map(({ left }) => left.message)
    const broken = worst === undefined ? [] : [`${count.broken()} of the runs broke a rule or could not be run.`]
    const findings = [...unwritten, ...differing, ...broken]
    if (findings.length > 0) return yield* new CannotStart({ message: findings.join("\n") })
  }).pipe(Effect.scoped)

interface Searching {
  readonly count: RunTally
  readonly runOne: RunOne
  readonly steps: StepWatch
  readonly twin: Twin.Twin | undefined
  readonly until: number
}

/**
 * Runs one plan after the other. Ends when the runs are done, the time is over, a run throws, the second process of
 * `--twice` has ended, or somebody presses Control-C.
 */
const search = (plans: Guide, options: SimulateOptions, { count, runOne, steps, twin, until }: Searching) =>
  Effect.gen(function* () {
    const differing: Array<string> = []
    let worst: Simulation.PlanResult | undefined
    let last: Simulation.PlanResult | undefined
    const isStopped = yield* stopping
    for (let n = 0; n < options.runs && (n === 0 || (yield* Clock.currentTimeMillis) < until) && !isStopped(); n++) {
      const plan = plans.plan(n)
      yield* steps.begin(`Run ${n + 1}, of seed ${plan.seed}, goes on`)
      const result = yield* runOne(plan)
      last = result
      plans.learn(result)
      yield* count.add(result)
      if (result.violations.length > 0) {
        yield* Console.error(`${violationsOf(result, options)}\n${repetitionOf(result, options)}`)
        worst ??= result
      }
      // After a run that throws, the search ends, because the next run would probably throw too. The results so far are
      // printed and saved. If an earlier plan broke a rule, only the plan that throws is saved: the seed of the earlier
      // plan was printed with the rule.
      if (result.entries.length === 0) {
        worst = result
        break
      }
      yield* steps.begin("The other process of --twice is not as far yet")
      const hash = yield* Effect.either(twin === undefined ? Effect.succeed(result.traceHash) : twin.hash(n))
      if (Either.isLeft(hash)) {
        differing.push(hash.left.message)
        break
      }
      if (hash.right !== result.traceHash) {
        differing.push(
          `Seed ${result.seed} gave another trace in another process: ${hash.right}, not ${result.traceHash}.\n` +
            `${repetitionOf(result, options)} --twice`
        )
      }
    }
    return { differing, last, worst }
  })

/**
 * Whether somebody pressed Control-C during the scope. After the first Control-C, the search or the shrinking ends with
 * the current run, so that its findings are printed and saved. A second Control-C ends the process immediately, as
 * without this handler.
 */
const stopping: Effect.Effect<() => boolean, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    let isStopped = false
    const putBack = () => {
      process.off("SIGINT", stop)
      for (const listener of others) process.on("SIGINT", listener)
    }
    const stop = () => {
      isStopped = true
      putBack()
    }
    const others = process.listeners("SIGINT")
    process.removeAllListeners("SIGINT")
    process.on("SIGINT", stop)
    return { isStopped: () => isStopped, release: () => (isStopped ? undefined : putBack()) }
  }),
  ({ release }) => Effect.sync(release)
).pipe(Effect.map(({ isStopped }) => isStopped))

const guideOf = (options: SimulateOptions): Effect.Effect<Guide, CannotStart, Scope.Scope> =>
  Effect.gen(function* () {
    const { isGuided, isHashOnly, isSwarm, planFile, seed, steps } = options
    if (planFile !== undefined) {
      const read = yield* readPlan(planFile)
      return unguided(read.seed, () => read)
    }
    const first = seed ?? (yield* Random.nextIntBetween(1, 2 ** 31))
    if (seed === undefined) yield* Console.log(`--seed ${first}`)
    else if (!isHashOnly) yield* Console.log(`From seed ${first} on.`)
    if (isGuided) return yield* guided(first, options)
    const draw = isSwarm ? Simulation.Swarm.plan : Simulation.Swarm.planOfAll
    return unguided(first, (n) => draw(first + n, steps), isSwarm)
  })

const readPlan = (path: string): Effect.Effect<Simulation.Plan, CannotStart> =>
  Effect.tryPromise({
    try: async () => Simulation.readPlan(parse(await readFile(path, "utf8"))),
    catch: (error) =>
      new CannotStart({
        fault: "usage",
        message: `--plan ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`
      })
  })

/** Parses JSON. The error does not contain the parser's message, which repeats parts of the file. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new TypeError("it is not JSON")
  }
}

const SERVER_URL = Config.string("SIMULATE_DATABASE_URL").pipe(
  Config.validate({ message: "is not an address", validation: (text) => URL.canParse(text) })
)
const noServer = () =>
  new CannotStart({
    fault: "settings",
    message: "--backend postgres needs SIMULATE_DATABASE_URL, such as postgres://postgres@127.0.0.1:5432/postgres."
  })

const backendOf = ({ backend }: SimulateOptions): Effect.Effect<Simulation.Backend, CannotStart, Scope.Scope> => {
  switch (backend) {
    case "memory":
      return Effect.succeed(Simulation.memory)
    case "embedded":
      return Effect.mapError(
        openEmbedded,
        (error) => new CannotStart({ message: `--backend embedded: ${String(error)}` })
      )
    case "postgres":
      return Effect.map(Effect.mapError(SERVER_URL, noServer), postgres)
  }
}

/** Loads the HTTP driver on demand, because it is larger than all other code of the simulation. */
const driverOf = ({ driver }: SimulateOptions): Effect.Effect<Simulation.Driver | undefined> =>
  driver === "http"
    ? Effect.promise(async () => (await import("./http/driver.js")).overHttp)
    : Effect.succeed(undefined)

/** The part of the configuration that all runs share. */
type Common = Pick<Simulation.Config, "backend" | "driver">

/**
 * Runs one plan. Yields first, so that the process can handle signals between two runs. When the run throws, the result
 * is a failure without a trace, so that a search keeps what it found before.
 */
const run =
  (runPlan: Running["runPlan"], config: Common) =>
  (plan: Simulation.Plan): Effect.Effect<Simulation.PlanResult> =>
    Effect.zipRight(
      Effect.sleep(0),
      Effect.promise(() => runPlan(plan, config).catch((error) => Simulation.failedRun(plan, error)))
    )

type RunOne = ReturnType<typeof run>

const hashes = (plans: Guide, options: SimulateOptions, runOne: RunOne) =>
  Effect.gen(function* () {
    for (let n = 0; n < options.runs; n++) {
      const result = yield* runOne(plans.plan(n))
      if (result.entries.length === 0) return yield* new CannotStart({ message: violationsOf(result, options) })
      yield* Console.log(result.traceHash)
    }
  })

const violationsOf = (
  { entries, seed, stopped, violations }: Simulation.PlanResult,
  { planFile }: SimulateOptions
): string => {
  const run = planFile === undefined ? `Seed ${seed}` : "The plan"
  if (entries.length === 0) return `${run} could not be run: ${stopped}`
  const first = new Map(violations.toReversed().map((one) => [one.invariant, one]))
  return [...first.values()]
    .map(({ at, detail, invariant }) => `${run} breaks ${invariant} at entry ${at}: ${detail}`)
    .join("\n")
}

/**
 * The line that says how to repeat a run. It has every option that decides the plan, because the same seed with other
 * options gives another plan. The seed of a guided search does not decide a plan that the search has changed.
 */
const repetitionOf = ({ seed }: Simulation.PlanResult, options: SimulateOptions): string => {
  const { isGuided, isSwarm, planFile, steps } = options
  const saved = planFile ?? (isGuided ? "FILE" : undefined)
  const words = [
    "npm run simulate --",
    ...(saved === undefined
      ? [
          isSwarm ? "--swarm" : "",
          `--seed ${seed}`,
          isSwarm ? "--runs 1" : "",
          steps === DEFAULT_STEPS ? "" : `--steps ${steps}`
        ]
      : [`--plan ${/^[\w./-]+$/.test(saved) ? saved : `'${saved.replaceAll("'", String.raw`'\''`)}'`}`]),
    wayOf(options)
  ].filter((word) => word !== "")
  const before = isGuided ? "write its plan with --save FILE, then " : ""
  return `To repeat: ${before}${words.join(" ")}`
}

/**
 * The command-line options with which a run can be repeated over HTTP or on a database; "" for a run of the programs in
 * memory.
 */
const wayOf = ({ backend, driver }: SimulateOptions): string =>
  [driver === "programs" ? "" : `--over ${driver}`, backend === "memory" ? "" : `--backend ${backend}`]
    .filter((option) => option !== "")
    .join(" ")

/** Prints a test that repeats the failing run, and returns the run. With `shrinks`, shrinks the run first. */
const explained = (result: Simulation.PlanResult, options: SimulateOptions, config: Common) =>
  Effect.gen(function* () {
    const way = wayOf(options)
    if (way !== "") {
      yield* Console.error(
        `\nThe run was made with ${way}. The test below calls the programs in memory, so it may pass.`
      )
    }
    // Shrinking looks for a shorter run that breaks the same rule. A run that threw broke no rule, so it cannot be
    // shrunk.
    const canShrink = result.entries.length > 0
    if (!options.shrinks || !canShrink) {
      const further = canShrink && options.backend === "memory" ? "\n--shrink would shorten this run." : ""
      yield* Console.error(`\n${Simulation.failureOf(result)}${further}`)
      return result
    }
    const shrunk = yield* Effect.scoped(shrink(result, config))
    yield* Console.error(`After ${shrunk.attempts} runs:\n\n${Simulation.failureOf(shrunk.result)}`)
    return shrunk.result
  })

/** Shrinks a failing run until it cannot become shorter, the time is over, or somebody presses Control-C. */
export const shrink = (result: Simulation.PlanResult, config: Common) =>
  Effect.gen(function* () {
    yield* Console.error(`\nShrinking seed ${result.seed}, for at most ${SHRINK_MILLIS / 1_000} s …`)
    const isStopped = yield* stopping
    const clock = yield* Effect.clock
    const until = clock.unsafeCurrentTimeMillis() + SHRINK_MILLIS
    const [first] = result.violations
    const startedAt = clock.unsafeCurrentTimeMillis()
    let saidAt = startedAt
    const steps = Simulation.shrinking(result.plan, {
      ...config,
      onRun: (attempts, steps) => {
        const now = clock.unsafeCurrentTimeMillis()
        if (now - saidAt < SHRINK_SAYS_MILLIS) return
        saidAt = now
        process.stderr.write(`${attempts} runs · ${steps} steps left · ${Math.round((now - startedAt) / 1_000)} s\n`)
      },
      ...(first === undefined ? {} : { invariants: [first.invariant] }),
      isEnough: () => isStopped() || clock.unsafeCurrentTimeMillis() > until
    })
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      // Yields between two runs, so that the process can handle signals.
      yield* Effect.sleep(0)
    }
  })

const readTrace = (path: string): Effect.Effect<Compared, CannotStart> =>
  Effect.tryPromise({
    try: async () => ({
      name: basename(path),
      entries: (await readFile(path, "utf8")).trim().split("\n").map(entryOf)
    }),
    catch: (error) =>
      new CannotStart({
        fault: "usage",
        message: `--compare ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`
      })
  })

const entryOf = (line: string): Simulation.Entry => {
  const entry = parse(line)
  if (typeof entry === "object" && entry !== null && "kind" in entry && "t" in entry) return entry as Simulation.Entry
  throw new TypeError("it is no trace that --trace wrote")
}

type Output = readonly [option: string, path: string]

const outputsOf = ({ savePlanTo, timelineFile, traceFile }: SimulateOptions): ReadonlyArray<Output> =>
  Object.entries({ save: savePlanTo, trace: traceFile, html: timelineFile }).flatMap(([option, path]) =>
    path === undefined ? [] : [[option, path] as const]
  )

const toOutput = ([option, path]: Output, work: () => Promise<void>): Effect.Effect<void, CannotStart> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new CannotStart({
        message: `--${option} ${path} cannot be written: ${error instanceof Error ? error.message : String(error)}.`
      })
  })

/**
 * Fails before the search when a file of the options cannot be written, so that a search of hours does not end with a
 * run that it cannot store.
 */
const checkOutputs = (options: SimulateOptions) =>
  Effect.forEach(outputsOf(options), (output) =>
    toOutput(output, async () => {
      const [, path] = output
      const found = await stat(path).catch(() => undefined)
      if (found?.isDirectory() === true) throw new TypeError("EISDIR: it is a folder")
      await access(found === undefined ? dirname(resolve(path)) : path, constants.W_OK)
    })
  )

const save = (result: Simulation.PlanResult, options: SimulateOptions, other: Compared | undefined) =>
  Effect.gen(function* () {
    const page = () =>
      other === undefined ? timelineOf(result) : comparisonOf(other, { name: `seed ${result.seed}`, ...result })
    const texts: Readonly<Record<string, () => string>> = {
      save: () => `${JSON.stringify(result.plan, null, 2)}\n`,
      trace: () => result.jsonl,
      html: page
    }
    for (const output of outputsOf(options)) {
      const [option, path] = output
      yield* toOutput(output, () => writeFile(path, texts[option]?.() ?? ""))
      yield* Console.log(`Wrote ${path}.`)
    }
  })
