import type { Bench, Served } from "../harness/Bench.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import * as Program from "../harness/Program.js"
import type { Comparison, Row, Sample } from "../harness/Row.js"
import * as Scratch from "../harness/Scratch.js"
import { waitingFile } from "./imports.js"

/**
 * Measures how much one person's large file slows requests about other people: presence requests at a steady rate
 * during an import or a large upload, compared with the same requests alone.
 */

const RATE = 100
const SECONDS = 3
const CLIENTS = 16
const PEOPLE = 200
/**
 * The number of points in a file of 120 MB. The import must last longer than a round. A worker imports a file of 60 MB
 * in about five seconds, which is hardly longer than a round.
 */
const POINTS = 500_000
const UPLOAD_BYTES = 8 * 1_048_576 - 1_024

export const beside: Row = {
  name: "beside",
  path: `presence, ${RATE} a second, beside one person's large file; the baseline is presence alone`,
  seconds: 130,
  open: async (bench) => [...(await onPostgres(bench)), ...(await onEmbedded(bench))]
}

const asking = (bench: Bench, { port, running }: Pick<Served, "port" | "running">): Promise<Sample> =>
  bench.load([running], {
    script: new URL("presence.load.ts", import.meta.url),
    options: { people: PEOPLE },
    ports: [port],
    clients: CLIENTS,
    ratePerS: RATE,
    seconds: SECONDS
  })

const onPostgres = async (bench: Bench): Promise<ReadonlyArray<Comparison>> => {
  const rounds = bench.rounds + 1
  const scratch = await bench.scratch((empty) => People.seed(empty, { count: PEOPLE + rounds, fixes: 20 }))
  const server = await bench.server(scratch)
  const worker = await bench.worker(scratch)
  let person = PEOPLE
  const isRunning = async (n: number) =>
    (await scratch.query(`SELECT state FROM imports WHERE user_id = '${People.user(n)}'`))[0]?.["state"] === "running"
  const besideAnImport = async () => {
    const n = person++
    await waitingFile(scratch.query, n, POINTS)
    await Program.until(worker, "the import", () => isRunning(n))
    const sample = await asking(bench, server)
    if (!(await isRunning(n))) throw new Error("the import ended too early")
    await scratch.query(`DELETE FROM imports WHERE user_id = '${People.user(n)}'`)
    await scratch.query(`DELETE FROM import_pieces WHERE user_id = '${People.user(n)}'`)
    return sample
  }
  return [
    compare("an import, PostgreSQL", besideAnImport, () => asking(bench, server)),
    besideUploads(bench, "PostgreSQL", server)
  ]
}

const onEmbedded = async (bench: Bench): Promise<ReadonlyArray<Comparison>> => {
  const start = async (isImporting: boolean) => {
    const DATA_DIR = await bench.directory()
    await Scratch.embedded(DATA_DIR, async ({ query }) => {
      await People.seed({ query }, { count: PEOPLE + 1, fixes: 20 })
      if (isImporting) await waitingFile(query, PEOPLE, POINTS)
    })
    return bench.embedded({ DATA_DIR })
  }
  const [busy, idle] = [await start(true), await start(false)]
  return [
    compare(
      "an import, embedded",
      () => asking(bench, busy),
      () => asking(bench, idle)
    ),
    besideUploads(bench, "embedded", idle)
  ]
}

const besideUploads = (bench: Bench, on: string, server: Served): Comparison => {
  let round = 0
  const seconds: Array<string> = []
  const product = async () => {
    const body = largeUpload(round++)
    const begin = performance.now()
    const [sample] = await Promise.all([
      asking(bench, server),
      upload(server, body).then(() => seconds.push(((performance.now() - begin) / 1_000).toFixed(1)))
    ])
    return sample
  }
  return {
    ...compare(`an upload of 8 MiB, ${on}`, product, () => asking(bench, server)),
    notes: () => [`the uploads took ${seconds.join(", ")} s`]
  }
}

const compare = (label: string, product: () => Promise<Sample>, baseline: () => Promise<Sample>): Comparison => ({
  label,
  product,
  baseline,
  goals: [Goal.p99Ratio(2)]
})

/**
 * Each round uploads the readings of another day, beginning this number of days ago. `--rounds` is at most 50, so no
 * day is in the future.
 */
const FIRST_DAY = 55

const largeUpload = (round: number): string => {
  const readings: Array<string> = []
  let at = Date.now() - (FIRST_DAY - round) * 86_400_000
  for (let bytes = 20; bytes < UPLOAD_BYTES; bytes += (readings.at(-1)?.length ?? 0) + 1) {
    at += 500
    readings.push(
      `{"captured_at":"${new Date(at).toISOString()}","lat":${People.LAT},"lon":${People.LON},"accuracy_m":12}`
    )
  }
  readings.pop()
  return `{"locations":[${readings.join(",")}]}`
}

const upload = async ({ url }: Served, body: string): Promise<void> => {
  const headers = { authorization: `Bearer ${People.deviceToken(PEOPLE)}`, "content-type": "application/json" }
  const response = await fetch(`${url}/v1/phone/locations`, { method: "POST", headers, body })
  if (!response.ok) throw new Error(`an upload was answered ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
}
