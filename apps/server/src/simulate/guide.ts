import { Simulation } from "@place-access/domain/testing"
import { CannotStart } from "@place-access/worker"
import { Console, Effect, type Scope } from "effect"
import { hash } from "node:crypto"
import { access, constants, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { watchLines } from "./lines/watchLines.js"
import type { SimulateOptions } from "./options.js"

/**
 * Chooses the plans of a search. A guide may choose later plans by the results of earlier ones (`learn`). A situation
 * is anything that a run can reach and a search counts, such as a refused operation (`Simulation.reachedBy`). A mark is
 * a rare situation with a name.
 */
export interface Guide {
  /** The seed of the first plan. */
  readonly first: number
  readonly plan: (n: number) => Simulation.Plan
  /**
   * Returns how many situations the run of `result` reached for the first time; 0 for a guide that does not count them.
   */
  readonly learn: (result: Simulation.PlanResult) => number
  /** A few words that say how many situations the runs have reached; "" for a search that does not count them. */
  readonly reached: () => string
  /**
   * Ends a guided search: prints which marks no run reached, and writes the plans that the search kept to its folder,
   * if it has a folder. Does nothing for plans that are not guided.
   */
  readonly finish: Effect.Effect<void, CannotStart>
}

/**
 * Plans that do not depend on earlier results. A swarm also counts the situations that it reached, so that it can be
 * compared with a guided search.
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

/** A search that changes plans which reached a situation for the first time (`Simulation.Search`). */
export const guided = (
  seed: number,
  { corpus: folder, countsLines, steps }: SimulateOptions
): Effect.Effect<Guide, CannotStart, Scope.Scope> =>
  Effect.gen(function* () {
    const corpus = folder === undefined ? [] : yield* open(folder)
    const search = Simulation.Search.start({ seed, steps, corpus })
    const lines = countsLines ? yield* watchLines : undefined
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
        if (folder !== undefined) yield* write(folder, search.corpus(), corpus)
      })
    }
  })

/** The text that lists the source lines that no run reached. It has a line for each file. */
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

/**
 * Reads the plans of the folder, in the order of their file names. Makes a missing folder. Fails when the folder cannot
 * be written, so that a search of hours does not end with plans that it cannot store.
 */
const open = (folder: string) =>
  inFolder(folder, "used", async () => {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
    const files = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort()
    return Promise.all(
      files.map(async (name) => Simulation.readPlan(JSON.parse(await readFile(join(folder, name), "utf8"))))
    )
  })

/**
 * The name of a plan's file, made from the plan's content. So different plans have different names, also when two
 * searches write to one folder.
 */
const fileOf = (plan: Simulation.Plan): string =>
  `plan-${hash("sha256", JSON.stringify(plan), "hex").slice(0, 16)}.json`

/**
 * Writes the plans that the folder lacks. `before` has the plans of the folder at the start of the search. A file that
 * exists is not changed: it has the same plan, from another search, or somebody has edited its plan.
 */
const write = (folder: string, plans: ReadonlyArray<Simulation.Plan>, before: ReadonlyArray<Simulation.Plan>) => {
  const known = new Set(before.map(fileOf))
  const fresh = plans.filter((plan) => !known.has(fileOf(plan)))
  const written = inFolder(folder, "written", async () => {
    let count = 0
    for (const plan of fresh) if (await writeNew(join(folder, fileOf(plan)), plan)) count++
    return count
  })
  return Effect.flatMap(written, (count) => Console.log(`Wrote ${count} plans to ${folder}.`))
}

/** Writes the plan and returns true. Returns false when the file exists already. */
const writeNew = (path: string, plan: Simulation.Plan): Promise<boolean> =>
  writeFile(path, `${JSON.stringify(plan, null, 2)}\n`, { flag: "wx" }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false
      throw error
    }
  )
