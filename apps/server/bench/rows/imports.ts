import { Pace, undoImport } from "@place-access/domain/imports"
import { importNext } from "@place-access/domain/testing"
import { everything } from "@place-access/domain/leases"
import { ImportId, UserId } from "@place-access/domain/shared"
import { Imports } from "@place-access/worker"
import { Effect } from "effect"
import type { Bench } from "../harness/Bench.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import type { Row, Sample } from "../harness/Row.js"
import type { Scratch } from "../harness/Scratch.js"
import * as Usage from "../harness/Usage.js"

/**
 * Measures the import of a Google Records.json, from the uploaded pieces to stored fixes, and the undoing of an import.
 * The baseline inserts or deletes the same number of fixes, with one statement for each thousand.
 */

const POINTS = 40_000
const PIECE = 131_072
const BATCH = 1_000

export const imports: Row = {
  name: "imports",
  path: "points of an imported file, beside bare inserts",
  seconds: 40,
  open: async (bench) => {
    const people = bench.rounds + 2
    const scratch = await bench.scratch((empty) => People.seed(empty, { count: 4 * people }))
    let next = 0
    return [
      {
        product: () => importFile(scratch, next++),
        baseline: () => insertPlainly(scratch, next++),
        goals: [Goal.opsPerS(15_000)],
        notes: notes(bench)
      },
      {
        label: "undone",
        product: () => undoFile(scratch, next++),
        baseline: () => deletePlainly(scratch, next++),
        goals: []
      }
    ]
  }
}

const notes = (bench: Bench) => () => [`${POINTS} points in a round, ${bench.rounds} rounds`]

const START = Date.UTC(2024, 0, 1)

/** A location as Google's export has it, including the fields that the reader must skip. */
const location = (n: number): string =>
  JSON.stringify({
    latitudeE7: 523_700_000 + (n % 1_000) * 10,
    longitudeE7: 48_900_000 + (n % 777) * 10,
    accuracy: 12,
    source: "WIFI",
    deviceTag: 1_234_567_890,
    activity: [
      { activity: [{ type: "STILL", confidence: 90 }], timestamp: new Date(START + n * 30_000).toISOString() }
    ],
    timestamp: new Date(START + n * 30_000).toISOString()
  })

/** Stores an uploaded file with `points` points of a person, as an import that waits for a worker. */
export const waitingFile = async (
  query: (text: string) => Promise<unknown>,
  person: number,
  points: number
): Promise<void> => {
  const file = Buffer.from(`{"locations":[${Array.from({ length: points }, (_, n) => location(n)).join(",")}]}`)
  const user = People.user(person)
  await query(
    `INSERT INTO devices (user_id, device_id, name, format, token_hash, created_at)
     VALUES ('${user}', 'dev_file${person}', 'Records.json', 'import', 'file${person}', now())`
  )
  for (let position = 0; position * PIECE < file.length; position++) {
    const piece = file.subarray(position * PIECE, (position + 1) * PIECE).toString("hex")
    await query(
      `INSERT INTO import_pieces (user_id, import_id, position, bytes)
       VALUES ('${user}', 'imp_file', ${position}, decode('${piece}', 'hex'))`
    )
  }
  await query(
    `INSERT INTO imports (user_id, import_id, device_id, file_name, state, bytes_total, uploaded_at)
     VALUES ('${user}', 'imp_file', 'dev_file${person}', 'Records.json', 'waiting', ${file.length}, now())`
  )
}

/** Takes the next import, at the pace of a worker on PostgreSQL. */
const importAsWorker = importNext(everything.people, Pace.FAIR)

const importFile = async (scratch: Scratch, person: number): Promise<Sample> => {
  const user = People.user(person)
  await waitingFile(scratch.query, person, POINTS)
  const sample = await timed(() => scratch.run(Effect.provide(importAsWorker, Imports.layer)))
  const [done] = await scratch.query("SELECT state, stored FROM imports WHERE user_id = $1", [user])
  if (done?.["state"] !== "done" || done["stored"] !== POINTS) throw new Error(`not stored: ${JSON.stringify(done)}`)
  return sample
}

/** Imports a file, and then measures the undoing of the import. */
const undoFile = async (scratch: Scratch, person: number): Promise<Sample> => {
  await importFile(scratch, person)
  const of = { userId: UserId.make(People.user(person)), id: ImportId.make("imp_file") }
  const sample = await timed(() =>
    scratch.run(Effect.provide(Effect.zipRight(undoImport(of), importAsWorker), Imports.layer))
  )
  // Counts only the fixes of the file, because the fix of the person's phone stays.
  const [left] = await scratch.query(
    "SELECT count(*)::integer AS count FROM fixes WHERE user_id = $1 AND device_id = $2",
    [of.userId, `dev_file${person}`]
  )
  if (left?.["count"] !== 0) throw new Error(`not undone: ${JSON.stringify(left)}`)
  return sample
}

const insertPlainly = (scratch: Scratch, person: number): Promise<Sample> =>
  timed(async () => {
    for (let first = 0; first < POINTS; first += BATCH) {
      await scratch.query(
        `INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, accuracy_m, received_at)
         SELECT $1, to_timestamp(($2::float8 + n * 30000) / 1000), 'dev_file', 52.37 + n * 0.000001, 4.89, 12, now()
         FROM generate_series($3::integer, $4::integer) AS n`,
        [People.user(person), START, first, first + BATCH - 1]
      )
    }
  })

const deletePlainly = async (scratch: Scratch, person: number): Promise<Sample> => {
  await insertPlainly(scratch, person)
  return timed(async () => {
    for (let first = 0; first < POINTS; first += BATCH) {
      const [from, to] = [first, first + BATCH].map((n) => new Date(START + n * 30_000).toISOString())
      await scratch.query(
        "DELETE FROM fixes WHERE user_id = $1 AND device_id = 'dev_file' AND captured_at >= $2 AND captured_at < $3",
        [People.user(person), from, to]
      )
    }
  })
}

const timed = async (work: () => Promise<unknown>): Promise<Sample> => {
  const [begin, cpu] = [performance.now(), Usage.cpuMicros(process.pid)]
  await work()
  return {
    operations: POINTS,
    seconds: (performance.now() - begin) / 1_000,
    p50Ms: null,
    p99Ms: null,
    cpuMicrosPerOp: (Usage.cpuMicros(process.pid) - cpu) / POINTS,
    peakMB: null
  }
}
