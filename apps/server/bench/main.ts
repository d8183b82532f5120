import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { type Peak, withBench } from "./harness/Bench.js"
import * as Options from "./harness/options.js"
import * as Peers from "./harness/peers.js"
import * as Log from "./harness/log.js"
import type { Comparison, Measured, Row, Sample } from "./harness/Row.js"
import { measure } from "./harness/rounds.js"
import * as Scratch from "./harness/Scratch.js"
import { judge, table, type Verdict } from "./harness/table.js"
import { checkedOut, commit, type Tree } from "./harness/Tree.js"
import { rows } from "./rows/index.js"

/**
 * The figures of one comparison, from one machine at one time. Between two runs, compare only the ratios to the
 * baseline of the same run.
 */

interface Result {
  readonly row: string
  readonly label: string | null
  readonly measured: Measured
  readonly verdicts: ReadonlyArray<Verdict>
  readonly samples: Readonly<Record<string, ReadonlyArray<Sample>>>
}

const runRow = (
  row: Row,
  options: Options.Options,
  other: Tree | undefined,
  peaks: Array<Peak>
): Promise<ReadonlyArray<Result>> =>
  opened(row, options, other, peaks, async (comparisons) => {
    const results: Array<Result> = []
    for (const comparison of comparisons) {
      const { measured, samples } = await measure(comparison, options.rounds)
      const verdicts = judge(comparison.goals, measured)
      const label = comparison.label ?? null
      const title = `${row.name}${label === null ? "" : `, ${label}`}: ${row.path}`
      console.log(`\n${table(title, measured, verdicts, comparison.notes?.() ?? [])}`)
      results.push({ row: row.name, label, measured, verdicts, samples })
    }
    return results
  })

/**
 * Sets a benchmark up. With `--compare`, sets the benchmark up a second time with the programs of the other commit, and
 * adds the other commit's product to the peers.
 */
const opened = <A>(
  row: Row,
  options: Options.Options,
  other: Tree | undefined,
  peaks: Array<Peak>,
  use: (comparisons: ReadonlyArray<Comparison>) => Promise<A>
): Promise<A> => {
  const given = { row: row.name, rounds: options.rounds, withPeers: options.peers, profiles: options.profile }
  return withBench(given, peaks, async (bench) => {
    const comparisons = await row.open(bench)
    if (other === undefined) return use(comparisons)
    return withBench({ ...given, withPeers: false, tree: other.folder }, [], async (beside) => {
      const theirs = await row.open(beside)
      // A benchmark that starts no program of the product imports the modules that it measures. These are always the
      // modules of this clone of the repository, so such a benchmark cannot measure the other commit.
      if (beside.programs() === 0) return use(comparisons)
      return use(
        comparisons.map((comparison, index) => {
          const product = theirs[index]?.product
          return product === undefined
            ? comparison
            : { ...comparison, peers: { ...comparison.peers, [other.name]: product } }
        })
      )
    })
  })
}

/**
 * Throws if the file cannot be written. The check runs before the rounds, so that no results of many minutes are lost
 * at the end.
 */
const mustBeWritable = (file: string): void => {
  try {
    closeSync(openSync(file, "a"))
  } catch (error) {
    throw new Error(
      `--json: the file cannot be written (${(error as NodeJS.ErrnoException).code ?? "for no known reason"})`,
      {
        cause: error
      }
    )
  }
}

const mustBeFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new Error(
      `--profile: there can be no such folder (${(error as NodeJS.ErrnoException).code ?? "for no known reason"})`,
      {
        cause: error
      }
    )
  }
}

const LOG = join(import.meta.dirname, "../../../docs/performance-log.md")

const run = async (options: Options.Options): Promise<void> => {
  if (options.json !== undefined) mustBeWritable(options.json)
  if (options.profile !== undefined) mustBeFolder(options.profile)
  const version = await Scratch.version()
  const begun = new Date()
  if (options.compare !== undefined) console.log(`Installing and building ${options.compare} …`)
  const other = options.compare === undefined ? undefined : checkedOut(options.compare)
  if (options.peers) Peers.install()
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, Node ${process.version}, PostgreSQL ${version}`
  console.log(`${machine}; medians of ${options.rounds} alternating rounds`)
  const chosen = Options.chosen(rows, options)
  const start = performance.now()
  const peaks: Array<Peak> = []
  const results: Array<Result> = []
  const failures: Array<string> = []
  for (const row of chosen) {
    try {
      results.push(...(await runRow(row, options, other, peaks)))
    } catch (error) {
      // A benchmark that fails does not stop the other benchmarks.
      const failure = `${row.name} FAILED: ${error instanceof Error ? error.message : String(error)}`
      failures.push(failure)
      console.error(`\n${failure}`)
    }
  }
  const missed = results.flatMap(({ label, row, verdicts }) =>
    verdicts
      .filter(({ isReached }) => isReached === false)
      .map(({ goal }) => `${row}${label === null ? "" : `, ${label}`}: ${goal}`)
  )
  console.log(`\n${Math.round((performance.now() - start) / 1_000)} s in all`)
  if (missed.length > 0) console.log(`Not reached:\n  ${missed.join("\n  ")}`)
  else if (failures.length === 0) console.log("Every goal that was measured is reached.")
  for (const failure of failures) console.error(failure)
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify({ machine, rounds: options.rounds, results, peaks }, null, 2)}\n`)
  }
  if (options.log && results.length > 0) {
    const run = { at: begun, commit: commit(), machine, rounds: options.rounds, args: process.argv.slice(2) }
    writeFileSync(LOG, Log.withRun(readFileSync(LOG, "utf8"), Log.entry(run, results)))
    console.log("The results stand in docs/performance-log.md.")
  }
  process.exitCode = failures.length === 0 ? 0 : 1
}

const options = Options.parse(
  process.argv.slice(2),
  rows.map(({ name }) => name)
)
if (typeof options === "string") {
  console.error(`${options}\nTry: npm run bench -- --help`)
  process.exitCode = 2
} else if (options.help) console.log(Options.help(rows))
else {
  await run(options).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  })
}
