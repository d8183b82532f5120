import type { Measured } from "./Row.js"
import type { Verdict } from "./table.js"

/** The facts about one run of the benchmark, for its entry in `docs/performance-log.md`. */
export interface Run {
  readonly at: Date
  readonly commit: string
  readonly machine: string
  readonly rounds: number
  /** The options of the command line. */
  readonly args: ReadonlyArray<string>
}

interface Result {
  readonly row: string
  readonly label: string | null
  readonly measured: Measured
  readonly verdicts: ReadonlyArray<Verdict>
}

const figure = (value: number | null, unit: string): string =>
  value === null || Number.isNaN(value)
    ? ""
    : `${value.toLocaleString("en", { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 2 })}${unit}`

const HEAD = ["row", "a second", "p50", "p99", "processor", "beside the baseline", "goals not reached"]

const line = ({ label, measured, row, verdicts }: Result): string => {
  const { peerRatios, product, ratio } = measured
  const beside = [
    figure(ratio.throughput, ""),
    ...Object.entries(peerRatios).map(([name, value]) => `${name} ${figure(value, "")}`)
  ].filter((text) => text !== "")
  const missed = verdicts.filter(({ isReached }) => isReached === false)
  return cells([
    `\`${row}\`${label === null ? "" : ` ${label}`}`,
    figure(product.opsPerS, ""),
    figure(product.p50Ms, " ms"),
    figure(product.p99Ms, " ms"),
    figure(product.cpuMicrosPerOp, " µs"),
    beside.join("; "),
    missed.map(({ goal, value }) => `${goal}: ${figure(value, "")}`).join("; ")
  ])
}

const cells = (texts: ReadonlyArray<string>): string =>
  `| ${texts.map((text) => (text === "" ? "–" : text)).join(" | ")} |`

/**
 * The text for one run: a heading with the time and the commit, then the machine and the command, then a table with a
 * line for each comparison.
 */
export const entry = ({ args, at, commit, machine, rounds }: Run, results: ReadonlyArray<Result>): string =>
  [
    `## ${at.toISOString().slice(0, 16).replace("T", " ")}, ${commit}`,
    "",
    machine,
    "",
    "```sh",
    `npm run bench -- ${args.join(" ")} # medians of ${rounds} rounds`,
    "```",
    "",
    cells(HEAD),
    `|${"---|".repeat(HEAD.length)}`,
    ...results.map(line)
  ].join("\n")

/** Returns the log with `added` before all earlier entries, because the newest run comes first. */
export const withRun = (log: string, added: string): string => {
  const first = log.indexOf("\n## ")
  return first < 0 ? `${log.trimEnd()}\n\n${added}\n` : `${log.slice(0, first)}\n${added}\n${log.slice(first)}`
}
