import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { type Bench, type Served, withBench } from "./harness/Bench.js"
import * as Load from "./harness/load.js"
import * as People from "./harness/People.js"
import * as Phones from "./harness/Phones.js"
import { median } from "./harness/rounds.js"
import type { Scratch } from "./harness/Scratch.js"
import * as Webhooks from "./harness/Webhooks.js"
import * as Deliveries from "./rows/deliveries.js"
import { collector, ONE_IN_100 } from "./rows/telemetry.js"

/**
 * Compares this clone of the repository with other built clones, to find out what a change costs or gains on each path.
 * A "tree" is the folder of a clone. All trees run at the same time, each with its own load client, so that other work
 * on the machine slows all of them alike. The benchmark measures the processor time that the server (for deliveries:
 * the worker) takes for one operation. The programs of this clone run twice: the difference between their two results
 * is chance, and a difference from another tree means something only if it is larger.
 */

const HELP = `npm run bench:against -- --tree NAME=FOLDER [--tree …] [--only PATH[,PATH]] [--rounds N] [--starts N]

  --tree NAME=FOLDER  another clone of this repository; its bundles are built (node apps/server/bundle.mjs)
  --only PATH         presence, traces (presence with a trace of every request), sampled (of one in 100), refresh,
                      upload, deliveries; all of them without it
  --rounds N          rounds of about four seconds after each start; 12 without it
  --starts N          how often all programs are started anew: V8 does not compile the same twice; 3 without it`

/**
 * Runs one round of load on the programs of one tree (folder of a clone). Returns the processor time for one operation,
 * in microseconds.
 */
type Round = () => Promise<number>

interface Path {
  /**
   * Starts the programs of every tree (folder of a clone) and returns one `Round` for each tree. All trees share one
   * database, except for `deliveries`, where each tree has a separate database.
   */
  readonly open: (bench: Bench, trees: ReadonlyArray<string>, rounds: number) => Promise<ReadonlyArray<Round>>
}

const WARM_UP_ROUNDS = 2
const CLIENTS = 16
const SECONDS = 4

/**
 * Starts a server for each tree (folder of a clone). A round sends requests to that tree's server. `options` returns
 * the options of the load script for a round. Rounds are numbered over all trees, so that no two rounds have the same
 * number.
 */
const loading = async (
  bench: Bench,
  scratch: Scratch,
  trees: ReadonlyArray<string>,
  script: string,
  options: (round: number) => unknown,
  environment: Readonly<Record<string, string>> = {}
): Promise<ReadonlyArray<Round>> => {
  let rounds = 0
  const one = ({ port, running }: Served): Round => {
    const client = bench.keep(Load.start())
    const load = { script: new URL(script, import.meta.url), ports: [port], clients: CLIENTS, seconds: SECONDS }
    return async () => (await Load.load(client, [running], { ...load, options: options(rounds++) })).cpuMicrosPerOp
  }
  return Promise.all(trees.map(async (tree) => one(await bench.server(scratch, environment, tree))))
}

const PEOPLE = 1_000
const REFRESHING = 256
const WALKING = 320

/** Measures answers about presence. `telemetry` gives settings that turn the servers' telemetry on. */
const presence = (telemetry?: (bench: Bench) => Promise<Readonly<Record<string, string>>>): Path => ({
  open: async (bench, trees) => {
    const scratch = await bench.scratch((empty) => People.seed(empty, { count: PEOPLE, fixes: 20 }))
    return loading(bench, scratch, trees, "rows/presence.load.ts", () => ({ people: PEOPLE }), await telemetry?.(bench))
  }
})

const tracing = async (bench: Bench) => ({ ...(await collector(bench)), OTEL_METRICS_EXPORTER: "none" })

const paths: Readonly<Record<string, Path>> = {
  presence: presence(),
  traces: presence(tracing),
  sampled: presence(async (bench) => ({ ...(await tracing(bench)), ...ONE_IN_100 })),
  refresh: {
    open: async (bench, trees, rounds) => {
      const people = REFRESHING * trees.length * rounds
      const scratch = await bench.scratch((empty) => People.seed(empty, { count: people, fixes: 0 }))
      return loading(bench, scratch, trees, "rows/refresh.load.ts", (round) => ({
        people,
        from: round * REFRESHING,
        count: REFRESHING
      }))
    }
  },
  upload: {
    open: async (bench, trees, rounds) => {
      const people = WALKING * trees.length * rounds
      const scratch = await bench.scratch((empty) =>
        Phones.seed(empty, people, (n) => `https://hooks.example.com/${n}`)
      )
      return loading(bench, scratch, trees, "rows/upload.load.ts", (round) => ({
        from: round * WALKING,
        people: WALKING,
        fixes: 1,
        startMs: Date.now() - Phones.BEHIND_MS
      }))
    }
  },
  deliveries: {
    open: (bench, trees) =>
      Promise.all(
        trees.map(async (tree) => {
          const receiver = await Webhooks.receiver(bench)
          const { scratch, workers } = await Deliveries.withWorkers(bench, receiver, 1, { tree })
          const round = Deliveries.product(scratch, receiver, workers, 4_000)
          return async () => (await round()).cpuMicrosPerOp ?? Number.NaN
        })
      )
  }
}

/**
 * Starts all programs `starts` times and runs `rounds` rounds after each start. For each tree (folder of a clone),
 * returns the processor time for one operation in every round except the warm-up rounds, in microseconds.
 */
const measure = async (name: string, path: Path, trees: ReadonlyArray<string>, rounds: number, starts: number) => {
  const found: Array<Array<number>> = trees.map(() => [])
  for (let start = 0; start < starts; start++) {
    const options = { row: `against-${name}`, rounds, withPeers: false }
    await withBench(options, [], async (bench) => {
      const sides = await path.open(bench, trees, rounds + WARM_UP_ROUNDS)
      for (let round = 0; round < rounds + WARM_UP_ROUNDS; round++) {
        const figures = await Promise.all(sides.map((side) => side()))
        if (round >= WARM_UP_ROUNDS) for (const [index, figure] of figures.entries()) found[index]?.push(figure)
      }
    })
  }
  return found
}

const quantile = (numbers: ReadonlyArray<number>, share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN

const percent = (ratio: number): string => `${ratio >= 1 ? "+" : "−"}${Math.abs((ratio - 1) * 100).toFixed(1)} %`

/**
 * Makes a line for each tree (folder of a clone) with the median of its processor times. `found` has a list for each
 * tree, with a time for each round. For all trees but the first, the line also says by how many percent the time
 * differs from the first tree's time in the same round: the median of these differences, and their quartiles.
 */
const report = (names: ReadonlyArray<string>, found: ReadonlyArray<ReadonlyArray<number>>): string =>
  found
    .map((figures, index) => {
      const ratios = figures.map((figure, round) => figure / (found[0]?.[round] ?? Number.NaN))
      const spread = `${percent(quantile(ratios, 0.25))} to ${percent(quantile(ratios, 0.75))}`
      const beside = index === 0 ? "" : `  ${percent(median(ratios)).padStart(8)}  (${spread})`
      return `  ${(names[index] ?? "").padEnd(24)} ${median(figures).toFixed(0).padStart(6)} µs${beside}`
    })
    .join("\n")

const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    tree: { type: "string", multiple: true, default: [] },
    only: { type: "string", default: Object.keys(paths).join(",") },
    rounds: { type: "string", default: "12" },
    starts: { type: "string", default: "3" }
  }
})

const here = resolve(import.meta.dirname, "../../..")
const others = values.tree.map((given) => [given.replace(/=.*/s, ""), resolve(given.replace(/^[^=]*=/, ""))] as const)
const names = ["this tree", "this tree, again", ...others.map(([name]) => name)]
const trees = [here, here, ...others.map(([, folder]) => folder)]

if (values.help) console.log(HELP)
else {
  for (const name of values.only.split(",")) {
    const path = paths[name]
    if (path === undefined) throw new Error(`There is no path ${name}.\n${HELP}`)
    const found = await measure(name, path, trees, Number(values.rounds), Number(values.starts))
    console.log(`${name}: processor time for each operation, ${found[0]?.length} rounds\n${report(names, found)}\n`)
  }
}
