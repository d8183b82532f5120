import { Telemetry } from "@place-access/domain/shared"
import { Effect, type Scope } from "effect"
import pg from "pg"
import type { QueryRequest } from "./Exchange.js"
import { NamingClient, sendsItself } from "./NamingClient.js"

const OPERATIONS = ["select", "insert", "update", "delete", "with", "begin", "commit", "rollback"] as const
type Operation = (typeof OPERATIONS)[number]

const took = Telemetry.duration("db.client.operation.duration", {
  description: "From handing a statement to its connection to the server's answer, by its first word",
  labels: { "db.operation.name": OPERATIONS, outcome: ["ok", "error"] }
})
const connections = Telemetry.gauge("db.client.connection.count", {
  description: "Connections of the pool",
  labels: { "db.client.connection.state": ["used", "idle"] }
})
const waiting = Telemetry.gauge("db.client.connection.pending_requests", {
  description: "How many wait for a connection of the pool"
})

type Client = typeof pg.Client

/** The client class of `pg`; when measuring is on, a subclass that records how long statements take. */
export const client: Effect.Effect<Client> = Effect.map(Telemetry.isMeasuring, (isOn) => (isOn ? Measured : pg.Client))

/**
 * The class of clients that send statements together; when measuring is on, a subclass that records how long statements
 * take.
 */
export const namingClient: Effect.Effect<Client> = Effect.map(Telemetry.isMeasuring, (isOn) =>
  isOn ? MeasuredNaming : NamingClient
)

/** Records how many connections of a pool are in use, until the scope closes. */
export const pool = (pool: pg.Pool): Effect.Effect<void, never, Scope.Scope> =>
  Telemetry.observe(() => {
    connections.record(pool.totalCount - pool.idleCount, { "db.client.connection.state": "used" })
    connections.record(pool.idleCount, { "db.client.connection.state": "idle" })
    waiting.record(pool.waitingCount, {})
  })

type Callback = (error: unknown, ...rest: ReadonlyArray<unknown>) => unknown

/** Starts to measure a statement. Call the returned function when the statement ends. */
const timed = (text: string): ((isError: boolean) => void) => {
  const from = performance.now()
  return (isError) =>
    took.record((performance.now() - from) / 1_000, {
      "db.operation.name": operationOf(text),
      outcome: isError ? "error" : "ok"
    })
}

/** Passes a call on to `query` unchanged, and records the time until its answer. */
const measured = (query: (...args: Array<unknown>) => unknown, text: string, args: ReadonlyArray<unknown>): unknown => {
  const note = timed(text)
  const callback = args.at(-1)
  if (isCallback(callback)) {
    const noting: Callback = (error, ...rest) => {
      note(error !== null && error !== undefined)
      return callback(error, ...rest)
    }
    return query(...args.slice(0, -1), noting)
  }
  const answer = query(...args)
  if (answer instanceof Promise) {
    answer.then(() => note(false)).catch(() => note(true))
  }
  return answer
}

class Measured extends pg.Client {
  override query(...args: Array<unknown>): never {
    const text = textOf(args[0])
    const query = (...given: Array<unknown>) => Reflect.apply(super.query, this, given) as unknown
    return (text === undefined ? query(...args) : measured(query, text, args)) as never
  }
}

class MeasuredNaming extends NamingClient {
  override send(requests: ReadonlyArray<QueryRequest>, areReads?: boolean): void {
    const measured = requests.map((one): QueryRequest => {
      const note = timed(one.text)
      const done: QueryRequest["done"] = (error, result) => {
        note(error !== null)
        one.done(error, result)
      }
      return { ...one, done }
    })
    super.send(measured, areReads)
  }

  override query(...args: Array<unknown>): never {
    const text = sendsItself(args) ? undefined : textOf(args[0])
    const query = (...given: Array<unknown>) => super.query(...given) as unknown
    return (text === undefined ? query(...args) : measured(query, text, args)) as never
  }
}

const isCallback = (value: unknown): value is Callback => typeof value === "function"

/** The text of a query; undefined for a cursor, which returns further rows after its first answer. */
const textOf = (query: unknown): string | undefined => {
  if (typeof query === "string") return query
  if (typeof query !== "object" || query === null || "submit" in query || !("text" in query)) return undefined
  return typeof query.text === "string" ? query.text : undefined
}

const operationOf = (text: string): Operation => {
  const [word = ""] = /[A-Za-z]+/.exec(text) ?? []
  return word.toLowerCase() as Operation
}
