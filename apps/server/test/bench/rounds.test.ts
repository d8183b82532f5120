import { expect, it } from "vitest"
import * as Goal from "../../bench/harness/Goal.js"
import { measure } from "../../bench/harness/rounds.js"
import type { Sample } from "../../bench/harness/Row.js"
import { judge } from "../../bench/harness/table.js"

const sample = (operations: number, p99Ms: number): Sample => ({
  operations,
  seconds: 2,
  p50Ms: 1,
  p99Ms,
  cpuMicrosPerOp: 10,
  peakMB: operations
})

/** One of the two sides of a comparison. It returns the given samples one after the other, and records its turns. */
const side = (name: string, samples: ReadonlyArray<Sample>, turns: Array<string>) => {
  const left = [...samples]
  return async () => {
    turns.push(name)
    return left.shift() ?? expect.fail("one round too many")
  }
}

it("sides take turns, who goes first changes, and rounds that warm up are not counted", async () => {
  const turns: Array<string> = []
  const comparison = {
    product: side("p", [sample(1, 1), sample(100, 9), sample(300, 5), sample(200, 7)], turns),
    baseline: side("b", [sample(1, 1), sample(400, 3), sample(400, 5), sample(800, 7)], turns),
    goals: []
  }
  const { measured } = await measure(comparison, 3)
  expect(turns.join("")).toBe("pbpbbppb")
  expect(measured.product).toMatchObject({ opsPerS: 100, p99Ms: 7, peakMB: 300 })
  // Each round is compared with the baseline of the same round. The ratios of the throughputs are 0.25, 0.75 and 0.25,
  // with the median 0.25. The ratios of the latencies are 3, 1 and 1, with the median 1.
  expect(measured.ratio).toMatchObject({ throughput: 0.25, p99: 1 })
})

it("a goal is reached, missed, or not measured", async () => {
  const comparison = {
    product: side("p", [sample(70, 3), sample(70, 3), sample(70, 3)], []),
    baseline: side("b", [sample(100, 2), sample(100, 2), sample(100, 2)], []),
    warmUpRounds: 0,
    goals: []
  }
  const { measured } = await measure(comparison, 3)
  const goals = [Goal.throughputRatio(0.7), Goal.throughputRatio(0.71), Goal.p99Ratio(1.5), Goal.peerRatio("nobody", 2)]
  expect(judge(goals, measured).map(({ isReached }) => isReached)).toEqual([true, false, true, null])
})
