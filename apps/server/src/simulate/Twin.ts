import { CannotStart } from "@place-access/worker"
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import type { SimulateOptions } from "./options.js"

/** A second process that runs the same plans at the same time and reports the hash of each trace. */
export interface Twin {
  /** The hash of the trace of the run with the index `n`. */
  readonly hash: (n: number) => Effect.Effect<string, CannotStart>
}

export const start = (options: SimulateOptions, seed: number): Effect.Effect<Twin, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...argumentsOf(options, seed)], {
          stdio: ["ignore", "pipe", "inherit"],
          // The process gets its own process group, so that Control-C in a terminal reaches only the search, which ends
          // the process itself.
          detached: true
        })
      ),
      (child) => Effect.sync(() => void child.kill())
    )
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const hashes: Array<string> = []
    const next = Effect.promise(() => lines.next())
    const hash = (n: number): Effect.Effect<string, CannotStart> =>
      Effect.gen(function* () {
        while (hashes[n] === undefined) {
          const line = yield* next
          if (line.done === true)
            return yield* new CannotStart({ message: "The other process ended before its runs did." })
          if (/^[0-9a-f]{64}$/.test(line.value)) hashes.push(line.value)
        }
        return hashes[n]
      })
    return { hash }
  })

const argumentsOf = (
  { backend, driver, isSwarm, planFile, runs, steps }: SimulateOptions,
  seed: number
): ReadonlyArray<string> => [
  "--hash-only",
  "--over",
  driver,
  "--backend",
  backend,
  ...(planFile === undefined
    ? ["--seed", `${seed}`, "--runs", `${Number.isFinite(runs) ? runs : 10_000_000}`, "--steps", `${steps}`]
    : ["--plan", planFile]),
  ...(isSwarm ? ["--swarm"] : [])
]
