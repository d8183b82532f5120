import { Effect, type Scope } from "effect"
import type { Socket } from "node:net"
import pg from "pg"

/**
 * Finds connections that went silent, for example because a firewall forgot them or a cable was pulled. No error
 * reports that such a connection is lost, so a program that waits for an answer would wait until TCP gives up. But a
 * silent statement may also just take long. So when a connection with a statement in flight has been silent for three
 * seconds, this module opens another connection and asks the server what the process of the silent connection is doing.
 * If that process is idle, the answer or the statement was lost. Then, and when the server does not answer, this module
 * closes the connection, and its statements fail with a transient error. The check adds nothing to the cost of a
 * statement.
 */

const LOOK_EVERY_MILLIS = 1_000
/** A connection is probed after this number of checks in a row that found no new byte. `look` is one check. */
const SILENT_LOOKS = 3
/**
 * This number of probes in a row must find the server's process of a silent connection idle, or get no answer, before
 * the connection is closed. One probe is not enough: the statement's answer may be on its way, or the server may be
 * busy.
 */
const CONFIRMATIONS = 2
const PROBE_MILLIS = 3_000

/** The parts of a client that `watch` uses. The types of `pg` declare only the first of these parts. */
interface Inside {
  readonly connection: pg.Connection
  readonly processID: number | null
  readonly _getActiveQuery: () => unknown
}

interface Watched {
  readonly inside: Inside
  /** The number of bytes that the connection had received at the last check. */
  received: number
  looks: number
  confirmations: number
}

type Probe = { readonly _tag: "NoAnswer" } | { readonly _tag: "Unknown" } | Answered
/** The answer of the server: the ids of the processes that work on a statement. */
interface Answered {
  readonly _tag: "Answered"
  readonly working: ReadonlySet<number>
}

/**
 * Watches the connections that the pool opens after this call, until the scope closes. A probe that is in flight when
 * the scope closes is cut off, because its connection would keep the process from ending.
 */
export const watch = (pool: pg.Pool, config: pg.ClientConfig): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const all = new Map<pg.ClientBase, Watched>()
    pool.on("connect", (client) => {
      const inside = client as unknown as Inside
      all.set(client, { inside, received: -1, looks: 0, confirmations: 0 })
    })
    pool.on("remove", (client) => all.delete(client))
    let isClosed = false
    let isProbing = false
    let probeClient: pg.Client | undefined
    const look = () => {
      // Makes no check while a probe is in flight. Each check stores the number of received bytes, and after the probe
      // `judge` must compare with the number that was stored before the probe.
      if (isProbing) return
      const silent = Array.from(all.values()).filter(isSilent)
      if (silent.length === 0) return
      isProbing = true
      probe(silent, () => (probeClient = clientFor(config)))
        .then((found) => (isClosed ? undefined : judge(found, silent)))
        // A rejection that nobody handles would end the process. After a failed probe no connection is closed, and the
        // next check probes again.
        .catch(() => undefined)
        .finally(() => {
          isProbing = false
          probeClient = undefined
        })
    }
    yield* Effect.acquireRelease(
      // Uses a timer and not a fiber: a simulation that drives the program's fibers would wait forever for a fiber that
      // never ends.
      // @effect-diagnostics-next-line globalTimersInEffect:off -- connections run in real time
      Effect.sync(() => setInterval(look, LOOK_EVERY_MILLIS)),
      (timer) =>
        Effect.sync(() => {
          isClosed = true
          clearInterval(timer)
          if (probeClient !== undefined) breakOff(probeClient)
        })
    )
  })

/**
 * Checks a connection once, and counts how many checks in a row found it silent. Returns true when this count is high
 * enough to probe the connection.
 */
const isSilent = (one: Watched): boolean => {
  if (waitsInVain(one)) one.looks++
  else {
    one.looks = 0
    one.confirmations = 0
  }
  one.received = socketOf(one).bytesRead
  return one.looks >= SILENT_LOOKS
}

/** Whether a statement is in flight and no byte has arrived since the last check. */
const waitsInVain = (one: Watched): boolean => {
  const query = one.inside._getActiveQuery()
  return query !== null && query !== undefined && socketOf(one).bytesRead === one.received
}

const socketOf = ({ inside }: Pick<Watched, "inside">): Socket => inside.connection.stream as unknown as Socket

const judge = (found: Probe, silent: ReadonlyArray<Watched>): void => {
  for (const one of silent) {
    if (!waitsInVain(one)) continue
    const isGone =
      found._tag === "NoAnswer" || (found._tag === "Answered" && !found.working.has(one.inside.processID ?? 0))
    one.confirmations = isGone ? one.confirmations + 1 : 0
    if (one.confirmations >= CONFIRMATIONS) {
      socketOf(one).destroy(Object.assign(new Error("The connection to PostgreSQL went silent"), { code: "ETIMEDOUT" }))
    }
  }
}

/**
 * The statement of a probe: it asks which processes work on a statement. A process that waits for its client in the
 * middle of a statement does not count: part of the statement, or of its answer, was lost. (So no statement of the pool
 * may be read in parts, with a cursor.) A pooler between this program and the server gives process ids of its own,
 * which the server does not have. Then the probe finds out nothing, and only TCP keep-alive ends a silent connection.
 * Without a pooler, a process that does not exist counts as idle.
 */
const ASK = `SELECT s.pid, s.state = 'active' AND s.wait_event_type IS DISTINCT FROM 'Client' OR s.state = 'disabled' AS is_working,
    pg_backend_pid() AS own
  FROM (SELECT 1) one LEFT JOIN pg_stat_activity s ON s.pid = ANY($1::integer[])`

/**
 * Ends the server's processes of lost connections. Without this statement, an open transaction of a lost connection
 * would keep its locks until the server notices the loss.
 */
const END = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = ANY($1::integer[]) AND state LIKE 'idle%' AND datname = current_database() AND usename = current_user`

interface Row {
  readonly pid: number | null
  readonly is_working: boolean | null
  readonly own: number
}

const clientFor = (config: pg.ClientConfig): pg.Client => {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: PROBE_MILLIS, query_timeout: PROBE_MILLIS })
  client.on("error", () => undefined)
  return client
}

const breakOff = (client: pg.Client): void => void socketOf({ inside: client as unknown as Inside }).destroy()

/**
 * Probes the silent connections. Rejects when no client can be made, for example because `config` names a certificate
 * file that cannot be read.
 */
const probe = async (silent: ReadonlyArray<Watched>, newClient: () => pg.Client): Promise<Probe> => {
  const client = newClient()
  try {
    await client.connect()
    const { rows } = await client.query<Row>(ASK, [pidsOf(silent)])
    const { processID } = client as unknown as Inside
    if (rows.some(({ own }) => own !== processID)) {
      client.end().catch(() => undefined)
      return { _tag: "Unknown" }
    }
    const working = new Set(rows.flatMap(({ is_working, pid }) => (is_working === true && pid !== null ? [pid] : [])))
    const gone = silent.filter(
      (one) => !working.has(one.inside.processID ?? 0) && one.confirmations + 1 >= CONFIRMATIONS && waitsInVain(one)
    )
    if (gone.length > 0) await client.query(END, [pidsOf(gone)])
    client.end().catch(() => undefined)
    return { _tag: "Answered", working }
  } catch (error) {
    breakOff(client)
    // An error from the server (too many connections, starting up) proves that the server can be reached, but says
    // nothing about the silent connections.
    return { _tag: error instanceof pg.DatabaseError ? "Unknown" : "NoAnswer" }
  }
}

const pidsOf = (all: ReadonlyArray<Watched>): ReadonlyArray<number> =>
  all.flatMap(({ inside }) => (inside.processID === null ? [] : [inside.processID]))
