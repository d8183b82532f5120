import { type Config, run, type Scenario, type SimResult } from "./Simulation.js"

/**
 * Runs the scenario twice with the same seed, and returns the result of the first run. When the traces differ, the
 * promise rejects with the first lines that differ. A difference means that the scenario, a store or a program used a
 * value that does not follow from the seed, such as `randomUUID` of `node:crypto`, which the guard does not see. A
 * backend must give each of the two runs an empty database.
 */
export const demandRepeatable = async (config: Config, scenario: Scenario): Promise<SimResult> => {
  const first = await run(config, scenario)
  const second = await run(config, scenario)
  if (first.traceHash === second.traceHash) return first
  const [lines, others] = [first.jsonl.split("\n"), second.jsonl.split("\n")]
  const at = lines.findIndex((line, index) => line !== others[index])
  const place = at === -1 ? lines.length : at
  throw new Error(
    `Two runs of seed ${config.seed} differ from line ${place + 1} of the trace on:\n${lines[place] ?? "(the end)"}\n${others[place] ?? "(the end)"}`
  )
}
