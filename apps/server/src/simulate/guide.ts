import { Simulation } from "@place-access/domain/testing"
import { CannotStart } from "@place-access/worker"
import { Console, Effect, type Scope } from "effect"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { watchLines } from "./lines/watchLines.js"
import type { SimulateOptions } from "./options.js"

/** Chooses the plans of a search, each with regard to the results of the plans before. */
export interface Guide {
  /** The seed of the first plan. */
  readonly first: number
  readonly plan: (n: number) => Simulation.Plan
  /** Returns how many situations this run reached for the first time. */
  readonly learn: (result: Simulation.PlanResult) => number
  /** A few words about the situations that the runs have reached; "" for a search that does not count them. */
  readonly reached: () => string
  /** Prints what no run reached, and writes the corpus. */
  readonly finish: Effect.Effect<void, CannotStart>
}

/**
 * Plans that do not depend on earlier results. A swarm also counts the situations that it reached, for a comparison
 * with a guided search.
 */
export const unguided = (first: number, plan: (n: number) => Simulation.Plan, isSwarm = false): Guide => {
  const reached = new Set<string>()
  return {
    first,
    plan,
    learn: (result) => {
      const before = reached.size
      if (isSwarm) for (const one of Simulation.reachedBy(result)) reached.add(one)
      return reached.size - before
    },
    reached: () => (isSwarm ? `${reached.size} situations` : ""),
    finish: Effect.void
  }
}

/** A search that changes the plans which reached something new (`Simulation.Search`). */
export const guided = (
  seed: number,
  { corpus: folder, hasLines, steps }: SimulateOptions
): Effect.Effect<Guide, CannotStart, Scope.Scope> =>
  Effect.gen(function* () {
    const corpus = folder === undefined ? [] : yield* read(folder)
    const search = Simulation.Search.start({ seed, steps, corpus })
    const lines = hasLines ? yield* watchLines : undefined
    return {
      first: seed,
      plan: search.next,
      learn: (result) => search.learn(result, lines?.fresh()),
      reached: () => `${search.reached()} situations · ${search.corpus().length} plans kept`,
      finish: Effect.gen(function* () {
        const missing = search.missing()
        yield* Console.log(
          missing.length === 0
            ? "Every mark was reached."
            : `Never reached (${missing.length} marks):\n${missing.map((mark) => `  ${mark}`).join("\n")}`
        )
        if (lines !== undefined) yield* Console.log(unreached(lines.missing()))
        if (folder !== undefined) yield* write(folder, search.corpus())
      })
    }
  })

/** The text that lists the source lines that no run reached: a line of text for each file. */
const unreached = (byFile: ReadonlyMap<string, ReadonlyArray<number>>): string => {
  const count = [...byFile.values()].reduce((sum, lines) => sum + lines.length, 0)
  const files = [...byFile].map(([file, lines]) => `  ${file}: ${lines.join(", ")}`)
  return count === 0
    ? "Every line of the programs was reached."
    : [
        `Never run, of packages/domain/src (${count} lines begin a function or a branch that no run took):`,
        ...files
      ].join("\n")
}

const inFolder = <A>(folder: string, what: string, work: () => Promise<A>): Effect.Effect<A, CannotStart> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new CannotStart({
        message: `--corpus ${folder} cannot be ${what}: ${error instanceof Error ? error.message : String(error)}.`
      })
  })

/** The plans of the folder, by the names of their files; none when there is no such folder yet. */
const read = (folder: string) =>
  inFolder(folder, "read", async () => {
    const names = await readdir(folder).catch(() => [])
    const files = names.filter((name) => name.endsWith(".json")).sort()
    return Promise.all(
      files.map(async (name) => Simulation.readPlan(JSON.parse(await readFile(join(folder, name), "utf8"))))
    )
  })

const write = (folder: string, plans: ReadonlyArray<Simulation.Plan>) =>
  Effect.zipRight(
    inFolder(folder, "written", async () => {
      await mkdir(folder, { recursive: true })
      for (const [index, plan] of plans.entries()) {
        const name = `plan-${String(index + 1).padStart(5, "0")}.json`
        await writeFile(join(folder, name), `${JSON.stringify(plan, null, 2)}\n`)
      }
    }),
    Console.log(`Wrote ${plans.length} plans to ${folder}.`)
  )
