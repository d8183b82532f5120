import { Simulation } from "@place-access/domain/testing"
import { CannotStart } from "@place-access/worker"
import { Clock, Config, Console, Effect, Random, type Scope } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { basename } from "node:path"
import { openEmbedded, postgres } from "./Backends.js"
import { type Guide, guided, unguided } from "./guide.js"
import type { SimulateOptions } from "./options.js"
import { tally } from "./progress.js"
import { type Compared, comparisonOf } from "./timeline/comparison.js"
import { timelineOf } from "./timeline/timeline.js"
import * as Twin from "./Twin.js"

/** The longest time that shrinking one failing run may take. */
const SHRINK_MILLIS = 120_000
/** How often shrinking prints its progress. */
const SHRINK_SAYS_MILLIS = 2_000

/** Runs the plans that the options choose, prints the results and saves files. Fails when a run breaks a rule. */
export const simulate = (options: SimulateOptions): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    const other = options.compare === undefined ? undefined : yield* readTrace(options.compare)
    const plans = yield* guideOf(options)
    const config = { backend: yield* backendOf(options), driver: yield* driverOf(options) }
    const startedAt = yield* Clock.currentTimeMillis
    const until = options.timeMillis === undefined ? Infinity : startedAt + options.timeMillis
    if (options.isHashOnly) return yield* hashes(plans, options, config)

    const twin = options.isTwice ? yield* Twin.start(options, plans.first) : undefined
    const count = yield* tally(plans.reached)
    const differing: Array<string> = []
    let worst: Simulation.PlanResult | undefined
    let last: Simulation.PlanResult | undefined
    const isStopped = yield* stopping
    for (let n = 0; n < options.runs && (n === 0 || (yield* Clock.currentTimeMillis) < until) && !isStopped(); n++) {
      const result = yield* runOne(plans.plan(n), config)
      last = result
      plans.learn(result)
      yield* count.add(result)
      if (result.violations.length > 0) {
        yield* Console.error(violationsOf(result))
        worst ??= result
      }
      const hash = yield* twin === undefined ? Effect.succeed(result.traceHash) : twin.hash(n)
      if (hash !== result.traceHash) {
        differing.push(`Seed ${result.seed} gave another trace in another process: ${hash}, not ${result.traceHash}.`)
      }
    }
    yield* Console.log(yield* count.summary)
    yield* plans.finish
    const kept = worst === undefined ? last : yield* explained(worst, options, config)
    if (kept !== undefined) yield* save(kept, options, other)
    if (differing.length > 0) return yield* new CannotStart({ message: differing.join("\n") })
    if (worst !== undefined) return yield* new CannotStart({ message: `${count.broken()} of the runs broke a rule.` })
  }).pipe(Effect.scoped)

/**
 * Whether somebody pressed Control-C. After the first time, the search ends with the current run, so that its findings
 * are printed and saved. The second time, the process ends at once, as without this handler.
 */
const stopping: Effect.Effect<() => boolean, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    let isStopped = false
    const stop = () => {
      isStopped = true
      for (const listener of others) process.on("SIGINT", listener)
      process.off("SIGINT", stop)
    }
    const others = process.listeners("SIGINT")
    process.removeAllListeners("SIGINT")
    process.on("SIGINT", stop)
    return { isStopped: () => isStopped, stop }
  }),
  ({ stop }) => Effect.sync(() => process.off("SIGINT", stop))
).pipe(Effect.map(({ isStopped }) => isStopped))

const guideOf = (options: SimulateOptions): Effect.Effect<Guide, CannotStart, Scope.Scope> =>
  Effect.gen(function* () {
    const { isGuided, isHashOnly, isSwarm, plan, seed, steps } = options
    if (plan !== undefined) {
      const read = yield* readPlan(plan)
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

/** Parses JSON. Its error leaves out the parser's message, which repeats parts of the file. */
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

/** Loads the HTTP side on demand, because it is larger than all other code of the simulation. */
const driverOf = ({ driver }: SimulateOptions): Effect.Effect<Simulation.Driver | undefined> =>
  driver === "http"
    ? Effect.promise(async () => (await import("./http/driver.js")).overHttp)
    : Effect.succeed(undefined)

/** The part of the configuration that all runs share. */
type Common = Pick<Simulation.Config, "backend" | "driver">

/** Runs one plan; yields first, so that the process can handle signals between two runs. */
const runOne = (plan: Simulation.Plan, config: Common) =>
  Effect.zipRight(
    Effect.sleep(0),
    Effect.tryPromise({
      try: () => Simulation.runPlan(plan, config),
      catch: (error) =>
        new CannotStart({
          message: `Seed ${plan.seed} could not be run: ${error instanceof Error ? error.message : String(error)}`
        })
    })
  )

const hashes = (plans: Guide, { runs }: SimulateOptions, config: Common) =>
  Effect.gen(function* () {
    for (let n = 0; n < runs; n++) yield* Console.log((yield* runOne(plans.plan(n), config)).traceHash)
  })

const violationsOf = ({ seed, violations }: Simulation.PlanResult): string => {
  const first = new Map(violations.toReversed().map((one) => [one.invariant, one]))
  return [...first.values()]
    .map(({ at, detail, invariant }) => `Seed ${seed} breaks ${invariant} at ${at}: ${detail}`)
    .join("\n")
}

/** Prints a test that repeats the failing run, and returns the run. Shrinks the run before if the options say so. */
const explained = (result: Simulation.PlanResult, { shrinks }: SimulateOptions, config: Common) =>
  Effect.gen(function* () {
    if (config.driver !== undefined) {
      yield* Console.error(
        "\nThe run went over HTTP. The test below calls the programs; --over http repeats the requests."
      )
    }
    if (!shrinks) {
      yield* Console.error(`\n${Simulation.failureOf(result)}\n--shrink would shorten this run.`)
      return result
    }
    yield* Console.error(`\nShrinking seed ${result.seed}, for at most ${SHRINK_MILLIS / 1_000} s …`)
    const clock = yield* Effect.clock
    const until = clock.unsafeCurrentTimeMillis() + SHRINK_MILLIS
    const [first] = result.violations
    const startedAt = clock.unsafeCurrentTimeMillis()
    let saidAt = startedAt
    const shrunk = Simulation.shrinkSync(result.plan, {
      ...config,
      onRun: (attempts, steps) => {
        const now = clock.unsafeCurrentTimeMillis()
        if (now - saidAt < SHRINK_SAYS_MILLIS) return
        saidAt = now
        process.stderr.write(`${attempts} runs · ${steps} steps left · ${Math.round((now - startedAt) / 1_000)} s\n`)
      },
      ...(first === undefined ? {} : { invariants: [first.invariant] }),
      isEnough: () => clock.unsafeCurrentTimeMillis() > until
    })
    yield* Console.error(`After ${shrunk.attempts} runs:\n\n${Simulation.failureOf(shrunk.result)}`)
    return shrunk.result
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

const save = (result: Simulation.PlanResult, { html, save, trace }: SimulateOptions, other: Compared | undefined) =>
  Effect.gen(function* () {
    const page = () =>
      other === undefined ? timelineOf(result) : comparisonOf(other, { name: `seed ${result.seed}`, ...result })
    const files: ReadonlyArray<readonly [name: string, path: string | undefined, text: () => string]> = [
      ["save", save, () => `${JSON.stringify(result.plan, null, 2)}\n`],
      ["trace", trace, () => result.jsonl],
      ["html", html, page]
    ]
    for (const [name, path, text] of files) {
      if (path === undefined) continue
      yield* Effect.tryPromise({
        try: () => writeFile(path, text()),
        catch: (error) =>
          new CannotStart({
            message: `--${name} ${path} cannot be written: ${error instanceof Error ? error.message : String(error)}.`
          })
      })
      yield* Console.log(`Wrote ${path}.`)
    }
  })
