import { expect, it } from "vitest"
import { entry, withRun } from "../../bench/harness/log.js"

const none = { p50Ms: null, p99Ms: null, cpuMicrosPerOp: null, clientCpuMicrosPerOp: null, peakMB: null }
const measured = {
  product: { ...none, opsPerS: 2_772.4, p50Ms: 5.14, cpuMicrosPerOp: 344 },
  baseline: { ...none, opsPerS: 2_800 },
  peers: {},
  ratio: { throughput: 0.99, p50: null, p95: null, p99: 1.57 },
  peerRatios: { "pg-boss": 0.77 }
}
const run = {
  at: new Date("2026-11-24T15:41:59Z"),
  commit: "fbd67a7b",
  machine: "2 × processor",
  rounds: 3,
  args: ["--only", "presence", "--log"]
}

it("a run is logged with time, commit, machine and command, and one line for each comparison", () => {
  const verdicts = [
    { goal: "throughput ÷ baseline ≥ 0.7", value: 0.99, isReached: true },
    { goal: "p99 ÷ baseline ≤ 1.3", value: 1.57, isReached: false },
    { goal: "throughput ÷ peer ≥ 2", value: null, isReached: null }
  ]
  expect(entry(run, [{ row: "presence", label: "small", measured, verdicts }])).toBe(`## 2026-11-24 15:41, fbd67a7b

2 × processor

\`\`\`sh
npm run bench -- --only presence --log # medians of 3 rounds
\`\`\`

| row | a second | p50 | p99 | processor | beside the baseline | goals not reached |
|---|---|---|---|---|---|---|
| \`presence\` small | 2,772 | 5.14 ms | – | 344 µs | 0.99; pg-boss 0.77 | p99 ÷ baseline ≤ 1.3: 1.57 |`)
})

it("the newest run comes first, below the introduction", () => {
  expect(withRun("# Log\n\nWords.\n\n## old\n\nFigures.\n", "## new")).toBe(
    "# Log\n\nWords.\n\n## new\n\n## old\n\nFigures.\n"
  )
  expect(withRun("# Log\n", "## new")).toBe("# Log\n\n## new\n")
})
