import * as Goal from "../harness/Goal.js"
import { loop } from "../harness/loop.js"
import type { Row } from "../harness/Row.js"

const LOOP = new URL("ruleStep.loop.ts", import.meta.url)

export const ruleStep: Row = {
  name: "rule-step",
  path: "RuleEvaluation.step: one fix against one rule, on one core",
  seconds: 10,
  open: async (bench) => [
    {
      product: loop(bench, LOOP, "product"),
      baseline: loop(bench, LOOP, "baseline"),
      warmUpRounds: 4,
      goals: [Goal.throughputRatio(0.4), Goal.opsPerS(5_000_000)]
    }
  ]
}
