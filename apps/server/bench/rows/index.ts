import type { Row } from "../harness/Row.js"
import { beside } from "./beside.js"
import { clusterCost } from "./clusterCost.js"
import { days } from "./days.js"
import { deliveries } from "./deliveries.js"
import { embedded } from "./embedded.js"
import { growth } from "./growth.js"
import { imports } from "./imports.js"
import { latency } from "./latency.js"
import { memory } from "./memory.js"
import { overload } from "./overload.js"
import { phones } from "./phones.js"
import { presence } from "./presence.js"
import { refresh } from "./refresh.js"
import { ruleStep } from "./ruleStep.js"
import { several } from "./several.js"
import { simulation } from "./simulation.js"
import { start } from "./start.js"
import { telemetry } from "./telemetry.js"
import { uploadHundred, uploadOne } from "./upload.js"

/**
 * Every benchmark (a row of the results table), in the order in which they run. To add one:
 *
 * 1. `rows/<name>.ts` exports a `Row` (harness/Row.ts). Its `open` sets everything up with `bench`:
 *    - a scratch database: `bench.scratch(seed)`, where `seed` fills it with `People.seed` or other statements;
 *    - programs of the product: `bench.server`, `bench.worker`, `bench.embedded`;
 *    - further processes: `bench.keep(Program.source(…))`.
 *
 *    `bench` removes all of them when the benchmark ends. `open` returns comparisons of sides. A side does one round
 *    (about 4 s) and returns a `Sample`: `load` makes a sample over HTTP (a module `rows/<name>.load.ts` makes the
 *    requests), `pgbench` makes a sample with bare SQL.
 * 2. The baseline does the same work as the product. `record` (harness/statements.ts) records the statements that the
 *    product sends. `fill` makes pgbench scripts of these statements; `Replay` (baselines/) runs them as prepared
 *    statements in a separate process.
 * 3. harness/Goal.ts makes goals. Other products are `peers` of the comparison, only if `bench.withPeers` is true.
 * 4. Add the `Row` to this list.
 *
 * `bench` records the memory peaks of the product's processes by itself.
 */
export const rows: ReadonlyArray<Row> = [
  presence,
  refresh,
  uploadOne,
  uploadHundred,
  phones,
  overload,
  imports,
  beside,
  deliveries,
  latency,
  ruleStep,
  simulation,
  start,
  growth,
  days,
  several,
  clusterCost,
  memory,
  embedded,
  // Runs after `memory`. Servers of this benchmark keep spans in memory until they are sent, and these spans must not
  // count in `memory`.
  telemetry
]
