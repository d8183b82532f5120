import pg from "pg"
import type { Bench } from "../harness/Bench.js"
import * as Cluster from "../harness/Cluster.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import { percentile } from "../harness/percentile.js"
import type { Comparison, Row, Side } from "../harness/Row.js"
import type { Scratch } from "../harness/Scratch.js"
import { record, type Statement } from "../harness/statements.js"

const PEOPLE = 1_000
const FIXES = 100
const TIMES = 400
/**
 * The person whose statements are recorded. The requests of the `OTHER` person fill the server's caches before the
 * recording.
 */
const PERSON = 0
const OTHER = 1

/**
 * A unit that this benchmark measures: either all statements of one transaction, or a single statement outside of a
 * transaction.
 */
interface Piece {
  readonly label: string
  readonly statements: ReadonlyArray<Statement>
  /** Whether the statements end with ROLLBACK, so that they can run repeatedly. A COMMIT would leave rows behind. */
  readonly isRolledBack: boolean
}

/**
 * Measures what the product's statements cost on a cluster. The product's side sends the statements to the coordinator.
 * The baseline runs them on tables that only the coordinator has. The peer runs them directly at the data node that has
 * the rows. Each side has one connection and prepares statements by name, as the product's driver does.
 */
export const clusterCost: Row = {
  name: "cluster-cost",
  path: "a statement through the coordinator, beside the coordinator's own tables",
  seconds: 60,
  open: async (bench) => {
    const recorded = await bench.scratch()
    const cluster = await Cluster.find(recorded)
    if (cluster === undefined) {
      process.stdout.write("\ncluster-cost: not measured, because BENCH_CITUS_URL names no cluster\n")
      return []
    }
    const [own, spread] = [await bench.scratch(), await bench.scratch()]
    for (const one of [recorded, own, spread]) await Cluster.extend(one)
    await Cluster.spread(bench, cluster, spread)
    for (const one of [recorded, own, spread]) {
      await People.seed(one, { count: PEOPLE, fixes: FIXES })
      await one.query("ANALYZE")
    }
    const [atCoordinator, atNode, beside] = [
      await connected(bench, spread.url),
      await connected(bench, await Cluster.nodeOf(spread, People.user(PERSON))),
      await connected(bench, own.url)
    ]
    const pieces = await Promise.all((await listen(bench, recorded)).map((piece) => repeatable(piece, own)))
    return pieces.map((piece): Comparison => ({
      label: piece.label,
      product: running(atCoordinator, piece),
      baseline: running(beside, piece),
      peers: { "data node": running(atNode, piece) },
      goals: [Goal.p50Ratio(1.3)]
    }))
  }
}

const connected = async (bench: Bench, url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  // Without a listener, the `error` event of a broken connection would end the benchmark.
  client.on("error", () => undefined)
  await client.connect()
  bench.defer(() => client.end())
  return client
}

/**
 * Matches statements that the product sends beside the statements of requests: checks of the connection, checks for a
 * cluster, signals to workers, and settings. The recording leaves these statements out.
 */
const ASIDE = /^(?:SELECT 1$|SELECT pg_notify|LISTEN |SELECT 1 FROM pg_extension|SET |SHOW )/i

/**
 * Records the statements that a server sends to a cluster for three things: a look-up of an access token, an upload,
 * and a refresh of tokens.
 */
const listen = async (bench: Bench, recorded: Scratch): Promise<ReadonlyArray<Piece>> => {
  const recorder = await record(recorded.url)
  const { running, url } = await bench.server(recorded, { DATABASE_URL: recorder.url })
  const start = Math.floor(Date.now() / 1_000) * 1_000
  const locations = Array.from({ length: 5 }, (_, index) => ({
    captured_at: new Date(start - index * 1_000).toISOString(),
    lat: People.LAT,
    lon: People.LON,
    accuracy_m: 10
  }))
  const call = async (path: string, token?: string, body?: object) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    }
    const answer = await fetch(url + path, {
      headers,
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.text()
  }
  const actions: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
    token: (n) => call("/v1/me", People.accessToken(n)),
    upload: (n) => call("/v1/phone/locations", People.deviceToken(n), { locations }),
    refresh: (n) =>
      call("/v1/oauth/token", undefined, {
        grantType: "refresh_token",
        clientId: People.APP,
        clientSecret: People.CLIENT_SECRET,
        refreshToken: People.refreshToken(n)
      })
  }
  const pieces: Array<Piece> = []
  for (const [name, action] of Object.entries(actions)) {
    await action(OTHER)
    pieces.push(...piecesOf(name, await recorder.during(() => action(PERSON))))
  }
  await running.stop()
  await recorder.close()
  return pieces
}

const piecesOf = (action: string, sent: ReadonlyArray<Statement>): ReadonlyArray<Piece> => {
  const pieces: Array<Array<Statement>> = []
  let isOpen = false
  for (const statement of sent.filter(({ text }) => !ASIDE.test(text.trim()))) {
    if (/^BEGIN/i.test(statement.text)) {
      isOpen = true
      pieces.push([])
    } else if (/^COMMIT/i.test(statement.text)) isOpen = false
    else if (isOpen) pieces.at(-1)?.push(statement)
    else pieces.push([statement])
  }
  return pieces.map((statements) => {
    const tables = statements.flatMap(({ text }) => /(?:FROM|INTO|UPDATE)\s+([a-z_]{3,})/.exec(text)?.[1] ?? [])
    const isRead = statements.every(({ text }) => /^\s*SELECT/i.test(text))
    const label = `${action}, ${isRead ? "reads" : "writes"} ${[...new Set(tables)].join(", ")}`
    return { label, statements, isRolledBack: statements.length > 1 }
  })
}

/**
 * Runs a piece twice, as a test. If the second run fails, for example because it inserts a row that exists already,
 * returns a piece that rolls back every run.
 */
const repeatable = async (piece: Piece, { url }: Scratch): Promise<Piece> => {
  if (piece.isRolledBack) return piece
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const { text, values } of [...piece.statements, ...piece.statements]) await client.query(text, [...values])
    return piece
  } catch {
    return { ...piece, isRolledBack: true }
  } finally {
    await client.end()
  }
}

let prepared = 0

const running = (client: pg.Client, { isRolledBack, statements }: Piece): Side => {
  const named = statements.map(({ text, values }) => ({ name: `bench_${++prepared}`, text, values: [...values] }))
  const once = async (): Promise<void> => {
    if (isRolledBack) await client.query("BEGIN")
    for (const statement of named) await client.query(statement)
    if (isRolledBack) await client.query("ROLLBACK")
  }
  return async () => {
    const millis: Array<number> = []
    const begin = performance.now()
    for (let time = 0; time < TIMES; time++) {
      const start = performance.now()
      await once()
      millis.push(performance.now() - start)
    }
    const sorted = millis.toSorted((a, b) => a - b)
    return {
      operations: TIMES,
      seconds: (performance.now() - begin) / 1_000,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      cpuMicrosPerOp: null,
      peakMB: null
    }
  }
}
