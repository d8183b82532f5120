import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import * as Phones from "../harness/Phones.js"
import type { Bench } from "../harness/Bench.js"
import { fill, pgbench } from "../harness/pgbench.js"
import type { Row, Sample } from "../harness/Row.js"
import type { Scratch } from "../harness/Scratch.js"
import { record, type Statement } from "../harness/statements.js"
import type * as UploadLoad from "./upload.load.js"

/**
 * Compares uploads with pgbench, which runs the statements of a one-fix upload as fast as it can. There are 16 clients,
 * and each uploads for its own people in turn: two simultaneous uploads of one person are rare, and are not measured.
 * Each upload fires one rule. The delivery of the firing to two endpoints is the worker's work, which `deliveries` and
 * `latency` measure.
 */

const CLIENTS = 16
const SECONDS = 3
/**
 * The number of rounds before the rounds that count. V8 optimizes the code only after about ten thousand requests. A
 * real service runs for days, so its code is optimized.
 */
const WARM_UP_ROUNDS = 2
/**
 * The number of people for whom the product, or the baseline, uploads in one round. It is a multiple of `CLIENTS`, so
 * that each client uploads for the same number of people.
 */
const PEOPLE = 640

export const uploadOne: Row = {
  name: "upload-one",
  path: "upload of one fix: 10 rules, one fires",
  seconds: 70,
  open: async (bench) => {
    const { baseline, product } = await sides(bench, 1)
    return [
      {
        product,
        baseline,
        warmUpRounds: WARM_UP_ROUNDS,
        goals: [Goal.throughputRatio(0.45), Goal.p99Ratio(1.3), Goal.peakMB("server", 220)]
      }
    ]
  }
}

export const uploadHundred: Row = {
  name: "upload-hundred",
  path: "fixes in uploads of 100: 10 rules, one fires in each upload",
  seconds: 60,
  open: async (bench) => {
    const { baseline, product } = await sides(bench, 100)
    return [
      { product, baseline, warmUpRounds: WARM_UP_ROUNDS, goals: [Goal.throughputRatio(1), Goal.peakMB("server", 220)] }
    ]
  }
}

const sides = async (bench: Bench, fixes: number) => {
  // The number of groups of people: one for each round of the two sides. One more person takes part only in the
  // recording of an upload.
  const slices = 2 * (bench.rounds + WARM_UP_ROUNDS)
  const scratch = await bench.scratch((empty) =>
    Phones.seed(empty, slices * PEOPLE + 1, (n) => `https://hooks.example.com/${n}`)
  )
  const script = scriptOf(await recordUpload(bench, scratch, slices * PEOPLE))
  const server = await bench.server(scratch)
  let slice = 0
  const next = () => ({ from: slice++ * PEOPLE, startMs: Date.now() - Phones.BEHIND_MS })

  const product = async (): Promise<Sample> => {
    const before = await firings(scratch)
    const sample = await bench.load([server.running], {
      script: new URL("upload.load.ts", import.meta.url),
      options: { ...next(), people: PEOPLE, fixes } satisfies UploadLoad.Options,
      ports: [server.port],
      clients: CLIENTS,
      seconds: SECONDS
    })
    if ((await firings(scratch)) - before < sample.operations) throw new Error("not every upload fired a rule")
    return {
      ...sample,
      operations: sample.operations * fixes,
      cpuMicrosPerOp: sample.cpuMicrosPerOp / fixes,
      clientCpuMicrosPerOp: sample.clientCpuMicrosPerOp / fixes
    }
  }
  const baseline = async (): Promise<Sample> => {
    const before = await firings(scratch)
    const { from, startMs } = next()
    const sample = await pgbench({
      databaseUrl: scratch.url,
      script,
      clients: CLIENTS,
      seconds: SECONDS,
      variables: { from, start: startMs, i: -1 }
    })
    if ((await firings(scratch)) - before < sample.operations) throw new Error("not every run of pgbench fired a rule")
    return sample
  }
  return { product, baseline }
}

const firings = async ({ query }: Scratch): Promise<number> =>
  Number((await query("SELECT count(*) AS count FROM events"))[0]?.["count"])

const PERSON = "'usr_b' || :n"

/** Records the statements of one upload by person `n`, which has one fix. */
const recordUpload = async (bench: Bench, scratch: Scratch, n: number): Promise<ReadonlyArray<UploadStatement>> => {
  const recorder = await record(scratch.url)
  const server = await bench.server(scratch, { DATABASE_URL: recorder.url })
  const startMs = Date.now() - Phones.BEHIND_MS
  const send = async (step: number) => {
    const response = await fetch(`${server.url}/v1/phone/locations`, {
      method: "POST",
      headers: { authorization: `Bearer ${People.deviceToken(n)}`, "content-type": "application/json" },
      body: Phones.arrival(startMs, step)
    })
    if (!response.ok) throw new Error(`an upload was answered ${response.status}: ${await response.text()}`)
  }
  // Sends five uploads before the recorded one, because the driver prepares a statement only after a few uses. The
  // recording must have prepared statements.
  for (let step = 0; step < 5; step++) await send(step)
  const step = 5
  const statements = await recorder.during(() => send(step))
  await server.running.stop()
  await recorder.close()
  const captured = startMs + step * Phones.STEP_MS
  // Leaves out the statement that wakes the workers. All uploads within a few milliseconds share one such statement, so
  // it costs each upload little.
  return statements
    .filter(({ text }) => !text.includes("pg_notify"))
    .map((statement) => ({ statement, n, captured, version: step + 1 }))
}

interface UploadStatement {
  readonly statement: Statement
  readonly n: number
  readonly captured: number
  /** The version of the user's row in `upload_streams` that the upload read. */
  readonly version: number
}

/**
 * Replaces the parts of the statements that differ between uploads: person, time, version, and ids that must be new.
 * Each client of pgbench has its own people, like each client of the load.
 */
const scriptOf = (recorded: ReadonlyArray<UploadStatement>): string => {
  const share = PEOPLE / CLIENTS
  return [
    `\\set i :i + 1`,
    `\\set n :from + :client_id + ${CLIENTS} * (:i % ${share})`,
    `\\set version 1 + :i / ${share}`,
    `\\set next :version + 1`,
    `\\set captured :start + ${Phones.STEP_MS} * (:i / ${share})`,
    ...recorded.map((one) => fill(one.statement.text, (index) => expression(one, one.statement.values[index] ?? null)))
  ].join("\n")
}

const CAPTURED = "to_timestamp(:captured / 1000.0)"

const expression = ({ captured, n, version }: UploadStatement, value: string | null): string => {
  if (value === null) return "NULL"
  if (value === People.user(n)) return `(${PERSON})`
  if (value === People.device(n)) return "('dev_b' || :n)"
  if (value === String(version)) return ":version::bigint"
  if (value === String(version + 1)) return ":next::bigint"
  if (Date.parse(value) === captured) return CAPTURED
  const elements = /^\{"?([^",{}]*)"?\}$/.exec(value)?.[1]
  if (elements !== undefined) {
    if (elements === People.user(n)) return `ARRAY[${PERSON}]`
    if (elements === People.connection(n)) return "ARRAY['con_b' || :n]"
    if (elements.includes(People.device(n)))
      return `ARRAY['${elements.replace(People.device(n), "' || 'dev_b' || :n || '")}']`
    if (elements.startsWith("evt_")) return "ARRAY['evt_' || :client_id || 'x' || :i || 'x' || :from]"
    if (Date.parse(elements) === captured) return `ARRAY[${CAPTURED}]`
  }
  // The hash of the phone's token.
  if (/^[0-9a-f]{64}$/.test(value)) {
    return "encode(sha256(convert_to('pa_dv.usr_b' || :n || '.' || lpad(:n::text, 52, '0'), 'UTF8')), 'hex')"
  }
  return `'${value.replaceAll("'", "''")}'`
}
