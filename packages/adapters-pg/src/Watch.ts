import { Telemetry } from "@place-access/domain/shared"
import { Effect, type Scope } from "effect"
import type pg from "pg"

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

/** `Client`, or with measuring switched on one that tells how long its statements take. */
export const client = (Client: Client): Effect.Effect<Client> =>
  Effect.map(Telemetry.isMeasuring, (isOn) => (isOn ? measured(Client) : Client))

/** Tells how full a pool is, until the scope closes. */
export const pool = (pool: pg.Pool): Effect.Effect<void, never, Scope.Scope> =>
  Telemetry.observe(() => {
    connections.record(pool.totalCount - pool.idleCount, { "db.client.connection.state": "used" })
    connections.record(pool.idleCount, { "db.client.connection.state": "idle" })
    waiting.record(pool.waitingCount, {})
  })

type Callback = (error: unknown, ...rest: ReadonlyArray<unknown>) => unknown

const measured = (Client: Client): Client =>
  class extends Client {
    // The method has nine overloads. What is passed on is what came, with a look at when it is answered.
    override query = ((...args: ReadonlyArray<unknown>): unknown => {
      const text = textOf(args[0])
      const callback = args.at(-1)
      if (text === undefined) return Reflect.apply(super.query, this, args)
      const from = performance.now()
      const note = (isError: boolean) =>
        took.record((performance.now() - from) / 1_000, {
          "db.operation.name": operationOf(text),
          outcome: isError ? "error" : "ok"
        })
      if (isCallback(callback)) {
        const told: Callback = (error, ...rest) => {
          note(error !== null && error !== undefined)
          return callback(error, ...rest)
        }
        return Reflect.apply(super.query, this, [...args.slice(0, -1), told])
      }
      const answer = Reflect.apply(super.query, this, args) as unknown
      if (answer instanceof Promise) {
        answer.then(() => note(false)).catch(() => note(true))
      }
      return answer
    }) as pg.Client["query"]
  }

const isCallback = (value: unknown): value is Callback => typeof value === "function"

/** Undefined for a cursor, whose statement is not over when it is answered. */
const textOf = (query: unknown): string | undefined => {
  if (typeof query === "string") return query
  if (typeof query !== "object" || query === null || "submit" in query || !("text" in query)) return undefined
  return typeof query.text === "string" ? query.text : undefined
}

const operationOf = (text: string): Operation => {
  const [word = ""] = /[A-Za-z]+/.exec(text) ?? []
  return word.toLowerCase() as Operation
}
