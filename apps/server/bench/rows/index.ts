import type { Row } from "../harness/Row.js"
import { deliveries } from "./deliveries.js"
import { growth } from "./growth.js"
import { latency } from "./latency.js"
import { memory } from "./memory.js"
import { presence } from "./presence.js"
import { refresh } from "./refresh.js"
import { ruleStep } from "./ruleStep.js"
import { several } from "./several.js"
import { simulation } from "./simulation.js"
import { start } from "./start.js"
import { telemetry } from "./telemetry.js"
import { uploadHundred, uploadOne } from "./upload.js"

/**
 * Every row of the table, in its order. To add one:
 *
 *  1. `rows/<name>.ts` exports a `Row` (harness/Row.ts). Its `open` builds what is needed with `bench` – a scratch database
 *     (`bench.scratch()`, filled with `People.seed` or statements of its own, then `settle()`), programs of the product
 *     (`bench.server`, `bench.worker`, `bench.embedded`), processes of its own (`bench.keep(Program.source(…))`) – and gives
 *     the sides, each of which does one round (about 4 s) and says what it did: `load` for HTTP (the requests come from a module
 *     `rows/<name>.load.ts`), `pgbench` for bare SQL, or anything that gives a `Sample`. Nothing needs closing: `bench` does that.
 *  2. The baseline does the same work: `record` (harness/statements.ts) hears the statements that the product really sends,
 *     `fill` makes pgbench scripts of them, `Replay` runs them prepared in a process of its own (baselines/).
 *  3. Goals are made in harness/Goal.ts. Peers go to `comparison.peers`, only if `bench.withPeers`.
 *  4. Name it here.
 *
 * Processes of the product say how much memory they took at most: rows need do nothing for that.
 */
export const rows: ReadonlyArray<Row> = [
  presence,
  refresh,
  uploadOne,
  uploadHundred,
  deliveries,
  latency,
  ruleStep,
  simulation,
  start,
  growth,
  several,
  memory,
  // After the one that looks at memory: spans on their way are not what it asks about.
  telemetry
]
