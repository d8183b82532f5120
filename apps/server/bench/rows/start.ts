import { spawn } from "node:child_process"
import { once } from "node:events"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { Bench, Served } from "../harness/Bench.js"
import * as Goal from "../harness/Goal.js"
import type { Row, Sample, Side } from "../harness/Row.js"
import * as Usage from "../harness/Usage.js"

const sample = (ms: number, cpuMicrosPerOp: number | null, peakMB: number | null): Sample => ({
  operations: 1,
  seconds: ms / 1_000,
  p50Ms: ms,
  p99Ms: null,
  cpuMicrosPerOp,
  peakMB
})

/** A side that measures the time from `start` until `/readyz` answers. */
const untilReady =
  (start: () => Promise<Served>): Side =>
  async () => {
    const begin = performance.now()
    const { running } = await start()
    const ms = performance.now() - begin
    const started = sample(ms, Usage.cpuMicros(running.pid), running.peakMB())
    await running.stop()
    return started
  }

/** Does what `npm start` does after `npm ci` in a fresh clone: bundles the server, and starts it on a new database. */
const onFreshClone = async (bench: Bench): Promise<Served> => {
  await rm(join(bench.root, "apps/server/bundle/main.js"), { force: true })
  const script = join(bench.root, "apps/server/bundle.mjs")
  const [code] = await once(spawn(process.execPath, [script, "server"], { stdio: "ignore" }), "exit")
  if (code !== 0) throw new Error(`the bundling ended with ${String(code)}`)
  return bench.embedded()
}

const nothing: Side = async () => {
  const begin = performance.now()
  await once(spawn(process.execPath, ["-e", "0"]), "exit")
  return sample(performance.now() - begin, null, null)
}

export const start: Row = {
  name: "start",
  path: "from the start of the server to ready, beside node -e 0",
  seconds: 60,
  open: async (bench) => {
    const scratch = await bench.scratch()
    const DATA_DIR = await bench.directory()
    return [
      {
        label: "embedded, warm",
        // The first start makes the database in the folder. This start is the warm-up round, which does not count.
        product: untilReady(() => bench.embedded({ DATA_DIR })),
        baseline: nothing,
        goals: [Goal.p50MsOver(2_000)]
      },
      {
        label: "PostgreSQL",
        product: untilReady(() => bench.server(scratch)),
        baseline: nothing,
        goals: [Goal.p50MsOver(1_000)]
      },
      {
        label: "embedded, after npm ci on a fresh clone",
        product: untilReady(() => onFreshClone(bench)),
        baseline: nothing,
        goals: [Goal.p50MsOver(12_000)]
      }
    ]
  }
}
