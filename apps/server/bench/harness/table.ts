import type { Comparison, Goal, Measured, Median } from "./Row.js"

/** Makes the text for one comparison: a line for each side and a line for each goal. */

const number = (value: number | null): string =>
  value === null || Number.isNaN(value)
    ? "–"
    : value.toLocaleString("en", {
        maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 2,
        minimumFractionDigits: 0
      })

const HEAD = ["", "a second", "p50 ms", "p99 ms", "CPU µs", "client µs", "peak MB", "product ÷"]

const line = (name: string, median: Median, ratio: number | null): ReadonlyArray<string> => [
  name,
  number(median.opsPerS),
  number(median.p50Ms),
  number(median.p99Ms),
  number(median.cpuMicrosPerOp),
  number(median.clientCpuMicrosPerOp),
  number(median.peakMB),
  ratio === null ? "" : ratio.toFixed(2)
]

const aligned = (lines: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = lines.reduce<ReadonlyArray<number>>(
    (widest, cells) => cells.map((cell, index) => Math.max(widest[index] ?? 0, cell.length)),
    []
  )
  return lines.map((cells) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  ")
      .trimEnd()
  )
}

export interface Verdict {
  readonly goal: string
  /** The measured figure; null when this run did not measure it. Then `isReached` is null, too. */
  readonly value: number | null
  readonly isReached: boolean | null
}

export const judge = (goals: ReadonlyArray<Goal>, measured: Measured): ReadonlyArray<Verdict> =>
  goals.map((goal) => {
    const value = goal.value(measured)
    return value === undefined
      ? { goal: goal.says, value: null, isReached: null }
      : { goal: goal.says, value, isReached: goal.isReached(value) }
  })

const verdictLine = ({ goal, isReached, value }: Verdict): string =>
  isReached === null
    ? `  ·  ${goal}: not measured`
    : `  ${isReached ? "✓" : "✗"}  ${goal}: ${number(value)}${isReached ? "" : ", not reached"}`

export const table = (
  title: string,
  { baseline, peers, product, peerRatios, ratio }: Measured,
  verdicts: ReadonlyArray<Verdict>,
  notes: ReturnType<NonNullable<Comparison["notes"]>>
): string =>
  [
    title,
    ...aligned([
      HEAD,
      line("  product", product, null),
      ...(baseline === null ? [] : [line("  baseline", baseline, ratio.throughput)]),
      ...Object.entries(peers).map(([name, median]) => line(`  ${name}`, median, peerRatios[name] ?? null))
    ]),
    ...verdicts.map(verdictLine),
    ...notes.map((note) => `  ${note}`)
  ].join("\n")
