import { Simulation } from "@place-access/domain/testing"
import { CannotStart } from "@place-access/worker"
import { Clock, Config, Console, Effect, Random, type Scope } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { openEmbedded, postgres } from "./Backends.js"
import type { SimulateOptions } from "./options.js"
import { tally } from "./progress.js"
import { timelineOf } from "./timeline/timeline.js"
import * as Twin from "./Twin.js"

/** The longest time that shrinking one failing run may take. */
const SHRINK_MILLIS = 120_000

/** Draws the seeds, runs them and reports the results. */
export const simulate = (options: SimulateOptions): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    const plans = yield* plansOf(options)
    const backend = yield* backendOf(options)
    const startedAt = yield* Clock.currentTimeMillis
    const until = options.timeMillis === undefined ? Infinity : startedAt + options.timeMillis
    if (options.isHashOnly) return yield* hashes(plans, options, backend)

    const twin = options.isTwice ? yield* Twin.start(options, plans.first) : undefined
    const count = yield* tally
    const differing: Array<string> = []
    let worst: Simulation.PlanResult | undefined
    let last: Simulation.PlanResult | undefined
    for (let n = 0; n < options.runs && (n === 0 || (yield* Clock.currentTimeMillis) < until); n++) {
      const result = yield* runOne(plans.at(n), backend)
      last = result
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
    const kept = worst === undefined ? last : yield* explained(worst, options)
    if (kept !== undefined) yield* save(kept, options)
    if (differing.length > 0) return yield* new CannotStart({ message: differing.join("\n") })
    if (worst !== undefined) return yield* new CannotStart({ message: `${count.broken()} of the runs broke a rule.` })
  }).pipe(Effect.scoped)

interface Plans {
  /** The seed of the first plan. */
  readonly first: number
  readonly at: (n: number) => Simulation.Plan
}

const plansOf = ({ isHashOnly, isSwarm, plan, seed, steps }: SimulateOptions): Effect.Effect<Plans, CannotStart> =>
  Effect.gen(function* () {
    if (plan !== undefined) {
      const read = yield* readPlan(plan)
      return { first: read.seed, at: () => read }
    }
    const first = seed ?? (yield* Random.nextIntBetween(1, 2 ** 31))
    if (seed === undefined) yield* Console.log(`--seed ${first}`)
    else if (!isHashOnly) yield* Console.log(`From seed ${first} on.`)
    const draw = isSwarm ? Simulation.Swarm.plan : Simulation.Swarm.planOfAll
    return { first, at: (n: number) => draw(first + n, steps) }
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

/** Without the parser's message, which repeats parts of the file. */
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

/** Runs one plan; yields first, so that the process can handle signals between two runs. */
const runOne = (plan: Simulation.Plan, backend: Simulation.Backend) =>
  Effect.zipRight(
    Effect.sleep(0),
    Effect.tryPromise({
      try: () => Simulation.runPlan(plan, { backend }),
      catch: (error) =>
        new CannotStart({
          message: `Seed ${plan.seed} could not be run: ${error instanceof Error ? error.message : String(error)}`
        })
    })
  )

const hashes = (plans: Plans, { runs }: SimulateOptions, backend: Simulation.Backend) =>
  Effect.gen(function* () {
    for (let n = 0; n < runs; n++) yield* Console.log((yield* runOne(plans.at(n), backend)).traceHash)
  })

const violationsOf = ({ seed, violations }: Simulation.PlanResult): string => {
  const first = new Map(violations.toReversed().map((one) => [one.invariant, one]))
  return [...first.values()]
    .map(({ at, detail, invariant }) => `Seed ${seed} breaks ${invariant} at ${at}: ${detail}`)
    .join("\n")
}

/** The failing run, shrunk if the options say so, with a test to paste. */
const explained = (result: Simulation.PlanResult, { shrinks }: SimulateOptions) =>
  Effect.gen(function* () {
    if (!shrinks) {
      yield* Console.error(`\n${Simulation.failureOf(result)}\n--shrink would shorten this run.`)
      return result
    }
    yield* Console.error(`\nShrinking seed ${result.seed}, for at most ${SHRINK_MILLIS / 1_000} s …`)
    const clock = yield* Effect.clock
    const until = clock.unsafeCurrentTimeMillis() + SHRINK_MILLIS
    const [first] = result.violations
    const shrunk = Simulation.shrinkSync(result.plan, {
      ...(first === undefined ? {} : { invariants: [first.invariant] }),
      isEnough: () => clock.unsafeCurrentTimeMillis() > until
    })
    yield* Console.error(`After ${shrunk.attempts} runs:\n\n${Simulation.failureOf(shrunk.result)}`)
    return shrunk.result
  })

const save = (result: Simulation.PlanResult, { html, save, trace }: SimulateOptions) =>
  Effect.gen(function* () {
    const files: ReadonlyArray<readonly [name: string, path: string | undefined, text: () => string]> = [
      ["save", save, () => `${JSON.stringify(result.plan, null, 2)}\n`],
      ["trace", trace, () => result.jsonl],
      ["html", html, () => timelineOf(result)]
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
