import type { AddressInfo } from "node:net"
import { createServer as createHttpServer } from "node:http"
import { withBench } from "./harness/Bench.js"
import * as Endpoints from "./harness/Endpoints.js"
import * as People from "./harness/People.js"
import { type Scratch, version } from "./harness/Scratch.js"
import { record, type Statement } from "./harness/statements.js"

/**
 * Counts a person's day in statements, rows and bytes, for the figures of docs/scaling.md. The script measures no
 * times. The WAL (PostgreSQL's write-ahead log) can only be counted for the whole server, so nobody else may write to
 * the server of BENCH_DATABASE_URL.
 */

const PEOPLE = 250

/**
 * The assumed day of a person: a phone that sends five readings at a time, and two apps that ask once an hour, each
 * with its own tokens.
 */
const DAY = { uploads: 192, arrivals: 4, questions: 48, refreshes: 48 } as const
const FIXES_AT_ONCE = 5

/**
 * The number of days that a row of these tables is kept; 1 for all other tables. The assumed user keeps history for 90
 * days, and the user's connections last 90 days.
 */
const KEPT_DAYS: Readonly<Record<string, number>> = {
  fixes: 90,
  access_log: 400,
  access_tokens: 1,
  refresh_tokens: 90,
  events: 7,
  app_calls: 7,
  deliveries: 7,
  delivery_attempts: 7
}

interface Measured {
  readonly what: string
  readonly server: number
  readonly worker: number
  readonly walBytes: number
  readonly rows: ReadonlyMap<string, number>
}

const isWork = ({ text }: Statement): boolean => !/^(?:SELECT 1|SELECT pg_notify.*|LISTEN .*)$/i.test(text)

const TABLES = `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
  AND relnamespace = 'public'::regnamespace ORDER BY 1`

const count = async ({ query }: Scratch): Promise<ReadonlyMap<string, number>> => {
  const names = (await query(TABLES)).map(({ name }) => String(name))
  const counts = await query(
    `SELECT ${names.map((name) => `(SELECT count(*) FROM ${name})::integer AS ${name}`).join()}`
  )
  return new Map(names.map((name) => [name, Number(counts[0]?.[name])]))
}

const wal = async ({ query }: Scratch): Promise<number> =>
  Number((await query("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes"))[0]?.["bytes"])

/** The size of each table in bytes, with its indexes and partitions. */
const sizesOf = async ({ query }: Scratch): Promise<ReadonlyMap<string, number>> => {
  const sizes = await query(`SELECT coalesce(i.inhparent::regclass::text, c.relname) AS name,
      sum(pg_total_relation_size(c.oid))::bigint AS bytes
    FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY 1 ORDER BY 1`)
  return new Map(sizes.map(({ bytes, name }) => [String(name), Number(bytes)]))
}

interface RowSize {
  readonly name: string
  readonly rows: number
  readonly bytes: number
}

/**
 * The size of a row in each table: the growth of the table, divided by the number of its rows. Tables with fewer than
 * `PEOPLE` rows are left out.
 */
const rowSizes = async (scratch: Scratch, empty: ReadonlyMap<string, number>): Promise<ReadonlyArray<RowSize>> => {
  const counts = await count(scratch)
  return [...(await sizesOf(scratch))].flatMap(([name, bytes]) => {
    const rows = counts.get(name) ?? 0
    return rows < PEOPLE ? [] : [{ name, rows, bytes: Math.round((bytes - (empty.get(name) ?? 0)) / rows) }]
  })
}

const seedRules = ({ query }: Scratch) =>
  query(`INSERT INTO rules (user_id, rule_id, connection_id, app_id, type, place_id, dwell_minutes, created_at)
    SELECT 'usr_b' || n, 'rul_b' || n || kind || far, 'con_b' || n, '${People.APP}', kind, far || n,
      CASE WHEN kind = 'dwell' THEN 10 END, now() - interval '1 day'
    FROM generate_series(0, ${PEOPLE - 1}) AS n, unnest('{enter,exit,dwell}'::text[]) AS kind, unnest('{plc_b,plc_w}'::text[]) AS far
    WHERE kind <> 'dwell' OR far = 'plc_b'`)

const seedWork = ({ query }: Scratch) =>
  query(`WITH people AS (SELECT n FROM generate_series(0, ${PEOPLE - 1}) AS n), placed AS (
      INSERT INTO places (user_id, place_id, label, kind, lat, lon, radius_m, geometry_version, created_at)
      SELECT 'usr_b' || n, 'plc_w' || n, 'Work', 'work', ${People.LAT + 1}, ${People.LON}, 150, 1, now() - interval '400 days' FROM people)
    INSERT INTO connection_places (user_id, connection_id, place_id, shared_at, include_earlier_visits)
    SELECT 'usr_b' || n, 'con_b' || n, 'plc_w' || n, now() - interval '1 day', true FROM people`)

const run = () =>
  withBench({ row: "user-day", rounds: 1, withPeers: false }, [], async (bench) => {
    const scratch = await bench.scratch()
    const receiver = createHttpServer((request, response) => void request.resume().on("end", () => response.end()))
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    bench.defer(() => new Promise((resolve) => receiver.close(resolve)))
    const empty = await sizesOf(scratch)
    await People.seed(scratch, { count: PEOPLE })
    await seedWork(scratch)
    await seedRules(scratch)
    await Endpoints.seed(scratch, [`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`])
    const [atServer, atWorker] = await Promise.all([record(scratch.url), record(scratch.url)])
    for (const { close } of [atServer, atWorker]) bench.defer(close)
    const { url } = await bench.server(scratch, { DATABASE_URL: atServer.url })
    await bench.worker(scratch, { DATABASE_URL: atWorker.url })
    await scratch.settle()
    const perPerson = await rowSizes(scratch, empty)

    const post = async (path: string, body: object, token?: string): Promise<unknown> => {
      const headers = {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
      }
      const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
      return answer.json()
    }
    const start = Math.floor(Date.now() / 1_000) * 1_000 - 10 * 60_000
    const fix = (seconds: number, lat: number) => ({
      captured_at: new Date(start + seconds * 1_000).toISOString(),
      lat,
      lon: People.LON,
      accuracy_m: 10,
      speed_mps: 1.2
    })
    const upload = (n: number, locations: ReadonlyArray<object>) =>
      post("/v1/phone/locations", { locations }, People.deviceToken(n))
    const present = async (n: number) => {
      const headers = { authorization: `Bearer ${People.accessToken(n)}` }
      const path = `/v1/answers/places/${People.place(n)}/presence`
      const answer = await fetch(url + path, { headers })
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
      return answer.text()
    }
    const refresh = (n: number) =>
      post("/v1/oauth/token", {
        grantType: "refresh_token",
        clientId: People.APP,
        clientSecret: People.CLIENT_SECRET,
        refreshToken: People.refreshToken(n)
      })
    const idle = async () => {
      const waits = `SELECT (SELECT count(*) FROM events WHERE fanned_out_at IS NULL)
        + (SELECT count(*) FROM deliveries WHERE state = 'trying') AS waits`
      for (;;) {
        if (Number((await scratch.query(waits))[0]?.["waits"]) === 0) return
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }

    const measure = async (what: string, one: (n: number) => Promise<unknown>): Promise<Measured> => {
      // After a checkpoint, the first change of a page writes the whole page to the WAL. This short run has a larger
      // part of first changes than a whole day, so the counted bytes are too high rather than too low.
      const [before, walBefore] = [await count(scratch), await wal(scratch)]
      let byWorker: ReadonlyArray<Statement> = []
      const byServer = await atServer.during(async () => {
        byWorker = await atWorker.during(async () => {
          for (let n = 0; n < PEOPLE; n++) await one(n)
          await idle()
        })
      })
      const [after, walAfter] = [await count(scratch), await wal(scratch)]
      const rows = [...after].flatMap(([name, now]): ReadonlyArray<[string, number]> => {
        const grown = (now - (before.get(name) ?? 0)) / PEOPLE
        // Leaves out a table that hardly grows with the number of people, such as a shared table.
        return grown < 0.01 ? [] : [[name, grown]]
      })
      return {
        what,
        server: byServer.filter(isWork).length / PEOPLE,
        worker: byWorker.filter(isWork).length / PEOPLE,
        walBytes: Math.round((walAfter - walBefore) / PEOPLE),
        rows: new Map(rows)
      }
    }

    const away = People.LAT + 0.1
    const batch = (n: number, from: number) =>
      upload(
        n,
        Array.from({ length: FIXES_AT_ONCE }, (_, index) => fix(from + index, away + (from + index) / 1e5))
      )
    for (let n = 0; n < PEOPLE; n++) {
      await batch(n, 0)
      await present(n)
    }
    const uploads = await measure(`an upload of ${FIXES_AT_ONCE} fixes, 5 rules`, (n) => batch(n, 100))
    const arrivals = await measure("an arrival, its event, its webhook", (n) => upload(n, [fix(200, People.LAT)]))
    const questions = await measure("a question of an app", present)
    const refreshes = await measure("a refresh of a token", refresh)
    await scratch.query("VACUUM")
    report({ uploads, arrivals, questions, refreshes }, await rowSizes(scratch, empty), perPerson)
  })

const round = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 2 })

const report = (
  operations: Readonly<Record<keyof typeof DAY, Measured>>,
  sizes: ReadonlyArray<RowSize>,
  perPerson: ReadonlyArray<RowSize>
): void => {
  const kinds = Object.keys(DAY) as ReadonlyArray<keyof typeof DAY>
  const sizeOf = (name: string) => sizes.find((one) => one.name === name)?.bytes ?? 0
  console.log("one of                               statements: server  worker   WAL bytes   new rows")
  for (const kind of kinds) {
    const { rows, server, walBytes, what, worker } = operations[kind]
    const made = [...rows].map(([name, grown]) => `${round(grown)} ${name}`).join(", ")
    console.log(
      `${what.padEnd(38)}${round(server).padStart(16)}${round(worker).padStart(8)}${String(walBytes).padStart(12)}   ${made}`
    )
  }
  console.log("\nbytes of a row, with its indexes")
  for (const { bytes, name } of sizes) console.log(`${name.padEnd(22)}${String(bytes).padStart(7)}`)
  const still = perPerson.reduce((all, { bytes, rows }) => all + (bytes * rows) / PEOPLE, 0)
  console.log(`\na person who does nothing: ${round(still)} bytes in ${perPerson.length} tables`)

  const sum = (of: (one: Measured) => number) => kinds.reduce((all, kind) => all + DAY[kind] * of(operations[kind]), 0)
  const rows = sum((one) => [...one.rows.values()].reduce((all, grown) => all + grown, 0))
  const bytesFor = (days: (table: string) => number) =>
    sum((one) => [...one.rows].reduce((all, [name, grown]) => all + grown * sizeOf(name) * days(name), 0))
  const [bytes, kept] = [bytesFor(() => 1), still + bytesFor((table) => KEPT_DAYS[table] ?? 1)]
  const statements = sum(({ server, worker }) => server + worker)
  const walBytes = sum((one) => one.walBytes)
  console.log(`\na day of ${kinds.map((kind) => `${DAY[kind]} ${kind}`).join(", ")}`)
  console.log(
    `statements ${round(statements)}, new rows ${round(rows)} of ${round(bytes)} bytes, WAL ${round(walBytes)} bytes`
  )
  console.log(`in the long run ${round(kept / 1e6)} MB are kept`)
  console.log("\npeople        statements/s   WAL MB/s   TB kept (averages over a day)")
  for (const people of [1e4, 1e5, 1e6, 1e7, 1e8]) {
    const [perSecond, wal, stored] = [
      (statements * people) / 86_400,
      (walBytes * people) / 86_400 / 1e6,
      (kept * people) / 1e12
    ]
    console.log(
      `${String(people).padEnd(12)}${round(perSecond).padStart(14)}${round(wal).padStart(11)}${round(stored).padStart(10)}`
    )
  }
  reportApp(sizeOf)
}

/** An estimate of the peak rate divided by the average rate: most people are active at the same hours. */
const PEAK = 3
/** The most attempts at one endpoint that are in flight at the same time (decision deliveries-7). */
const AT_ONCE = 8

/** Prints what an app that everybody connects costs the database node that has the app's rows. */
const reportApp = (sizeOf: (name: string) => number): void => {
  const bytes = sizeOf("deliveries") + sizeOf("delivery_attempts")
  console.log(`\none app that all people connect: ${DAY.arrivals} deliveries of ${bytes} bytes a person and day`)
  console.log("people      deliveries/s   at peak   GB kept   an endpoint must answer within, at peak")
  for (const people of [1e5, 1e6, 1e7, 1e8]) {
    const perSecond = (DAY.arrivals * people) / 86_400
    const kept = (DAY.arrivals * people * (KEPT_DAYS["deliveries"] ?? 1) * bytes) / 1e9
    const withinMs = (AT_ONCE / (PEAK * perSecond)) * 1_000
    console.log(
      `${String(people).padEnd(12)}${round(perSecond).padStart(12)}${round(PEAK * perSecond).padStart(10)}${round(kept).padStart(10)}${round(withinMs).padStart(24)} ms`
    )
  }
}

if (process.argv.length > 2) {
  console.error("bench:user-day takes no arguments.")
  process.exitCode = 2
} else {
  await version()
    .then(run)
    .catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error))
      process.exitCode = 1
    })
}
