import { createHash } from "node:crypto"
import type { Bench } from "../harness/Bench.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import { fill, pgbench } from "../harness/pgbench.js"
import * as Peers from "../harness/peers.js"
import * as Program from "../harness/Program.js"
import type { Row, Side } from "../harness/Row.js"
import type { Scratch } from "../harness/Scratch.js"
import { record, type Statement } from "../harness/statements.js"
import { address } from "./refresh.load.js"

const CLIENTS = 16
const SECONDS = 3
/**
 * The number of rounds before the rounds that count. V8 optimizes the code only after about ten thousand requests. A
 * real service runs for days, so its code is optimized.
 */
const WARM_UP_ROUNDS = 2
/** The number of people in a round. Each round uses other people, whose refresh tokens nobody has used. */
const PEOPLE_OF_ROUND = 512
/**
 * The number of people whose tokens pgbench refreshes. Their numbers follow the numbers of the product's people, and
 * every round of pgbench uses the same people.
 */
const PGBENCH_PEOPLE = 512

export const refresh: Row = {
  name: "refresh",
  path: "POST /v1/oauth/token with a refresh token, which is rotated",
  seconds: 65,
  open: async (bench) => {
    // One more person, who has the last number, takes part only in the recording of a refresh.
    const people = PEOPLE_OF_ROUND * (bench.rounds + WARM_UP_ROUNDS)
    const scratch = await bench.scratch((empty) => People.seed(empty, { count: people + PGBENCH_PEOPLE + 1, fixes: 0 }))
    const listenedTo = people + PGBENCH_PEOPLE
    const script = pgbenchScript(await listen(bench, scratch, listenedTo), listenedTo, people)

    const { port, running } = await bench.server(scratch)
    const loading = (running: Program.Running, port: number, script: string): Side => {
      let round = 0
      return () =>
        bench.load([running], {
          script: new URL(script, import.meta.url),
          options: { people, from: round++ * PEOPLE_OF_ROUND, count: PEOPLE_OF_ROUND },
          ports: [port],
          clients: CLIENTS,
          seconds: SECONDS
        })
    }
    return [
      {
        product: loading(running, port, "refresh.load.ts"),
        baseline: async () => {
          await startOver(scratch, people)
          return pgbench({
            databaseUrl: scratch.url,
            script,
            clients: CLIENTS,
            seconds: SECONDS,
            variables: { turn: -1 }
          })
        },
        peers: await peers(bench, people, loading),
        warmUpRounds: WARM_UP_ROUNDS,
        goals: [Goal.throughputRatio(0.5), Goal.peerRatio(PEER, 2), Goal.p99Ratio(1.3), Goal.peakMB("server", 220)]
      }
    ]
  }
}

const PEER = "oidc-provider"

const peers = async (
  bench: Bench,
  people: number,
  loading: (running: Program.Running, port: number, script: string) => Side
): Promise<Readonly<Record<string, Side>>> => {
  if (!bench.withPeers) return {}
  const port = await Program.freePort()
  const running = bench.keep(
    Program.script(PEER, Peers.path("oidcProvider.mjs"), {
      DATABASE_URL: (await bench.scratch()).url,
      PEOPLE: String(people),
      PORT: String(port),
      NODE_ENV: "production"
    })
  )
  await Program.answers(running, `http://127.0.0.1:${port}/readyz`)
  return { [PEER]: loading(running, port, "refreshPeer.load.ts") }
}

interface Heard {
  readonly statements: ReadonlyArray<Statement>
  readonly presentedHash: string
  readonly accessHash: string
  readonly refreshHash: string
  /** The version of the connection's row that the refresh read. The refresh writes only if the version is unchanged. */
  readonly version: string
}

const listen = async (bench: Bench, scratch: Scratch, n: number): Promise<Heard> => {
  const recorder = await record(scratch.url)
  const { running, url } = await bench.server(scratch, { DATABASE_URL: recorder.url })
  const ask = async (refreshToken: string) => {
    const answer = await fetch(`${url}/v1/oauth/token`, {
      method: "POST",
      headers: { "x-forwarded-for": address(n) },
      body: new URLSearchParams({
        grant_type: "refresh_token",
        client_id: People.APP,
        client_secret: People.CLIENT_SECRET,
        refresh_token: refreshToken
      })
    })
    if (!answer.ok) throw new Error(`refresh answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as { readonly access_token: string; readonly refresh_token: string }
  }
  // The first refresh makes the server cache what it reads about this connection. So the recorded refresh, which is the
  // second one, sends the statements of a usual refresh.
  const first = await ask(People.refreshToken(n))
  let second = first
  const statements = await recorder.during(async () => (second = await ask(first.refresh_token)))
  await running.stop()
  await recorder.close()
  const [row] = await scratch.query(`SELECT xmin::text AS version FROM connections WHERE user_id = '${People.user(n)}'`)
  return {
    statements,
    presentedHash: hash(first.refresh_token),
    accessHash: hash(second.access_token),
    refreshHash: hash(second.refresh_token),
    version: String(row?.["version"])
  }
}

const hash = (token: string): string => createHash("sha256").update(token).digest("hex")

/**
 * The hash of a refresh token of a person whom pgbench uses. `link` is the position of the token in its family. The
 * hash has the length of a real hash, and SQL can compute it.
 */
const TOKEN_HASH = (n: string, link: string) => `lpad(to_hex(${n}::bigint * 1000000 + ${link}::bigint), 64, '0')`

/**
 * The script for pgbench. Each client uses its own people, one after the other and repeatedly. `turn` counts the
 * client's refreshes. `link` counts how many times the client has used all of its people, which is also the position of
 * the presented token in its family.
 */
const pgbenchScript = (recorded: Heard, n: number, firstPerson: number): string => {
  const { accessHash, presentedHash, refreshHash, statements, version } = recorded
  const turns = PGBENCH_PEOPLE / CLIENTS
  const set = [
    `\\set turn :turn + 1`,
    `\\set n ${firstPerson} + :client_id + ${CLIENTS} * (:turn % ${turns})`,
    `\\set link :turn / ${turns}`,
    `\\set next :link + 1`,
    `\\set random random(1, 1000000000000000000)`
  ]
  const expression = (value: string | null): string => {
    if (value === null) return "NULL"
    const element = /^\{"?([^",{}]*)"?\}$/.exec(value)?.[1]
    if (element !== undefined) return `ARRAY[${expression(element)}]`
    if (value === version) return ":read_version"
    if (value === presentedHash) return TOKEN_HASH(":n", ":link")
    if (value === refreshHash) return TOKEN_HASH(":n", ":next")
    if (value === accessHash) return "lpad(to_hex(:random::bigint), 64, '0')"
    if (value === People.user(n)) return "('usr_b' || :n)"
    if (value === People.connection(n)) return "('con_b' || :n)"
    if (value === `fam_b${n}`) return "('fam_b' || :n)"
    if (value.includes(address(n))) return `('${value.replace(address(n), "' || :n || '")}')`
    if (/^\d{4}-\d\d-\d\dT/.test(value)) {
      return Date.parse(value) > Date.now() + 5_000 ? "(now() + interval '1 minute')" : "(now())"
    }
    return `'${value.replaceAll("'", "''")}'`
  }
  const lines = statements.map(({ text, values }) => {
    const line = fill(text, (index) => expression(values[index] ?? null))
    return text.includes("AS version") ? line.replace(/;$/, " \\gset read_") : line
  })
  return [...set, ...lines].join("\n")
}

const startOver = async ({ query }: Scratch, firstPerson: number): Promise<void> => {
  const theirs = `generate_series(${firstPerson}, ${firstPerson + PGBENCH_PEOPLE - 1}) AS n`
  for (const table of ["access_tokens", "refresh_tokens"]) {
    await query(`DELETE FROM ${table} WHERE user_id IN (SELECT 'usr_b' || n FROM ${theirs})`)
  }
  await query(`INSERT INTO refresh_tokens (user_id, token_hash, connection_id, family_id, issued_at, link)
    SELECT 'usr_b' || n, ${TOKEN_HASH("n", "0")}, 'con_b' || n, 'fam_b' || n, now(), 0 FROM ${theirs}`)
}
