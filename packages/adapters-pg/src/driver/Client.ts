import * as Reactivity from "@effect/experimental/Reactivity"
import { fromPool, PgClient } from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import { Context, Effect, Layer, type Scope } from "effect"
import type pg from "pg"
import type { RunStatement } from "./Run.js"
import { type Host, QuickStatement } from "./Statement.js"
import * as Transaction from "./Transaction.js"

export { last, together, togetherLast } from "./Statement.js"

const SHARED = Symbol("@place-access/adapters-pg/driver/SHARED")

/** The template tag `` sql`…` ``, which makes a statement. */
export type Template = (strings: TemplateStringsArray, ...args: ReadonlyArray<unknown>) => Statement<object>

/**
 * The functions that run statements outside of transactions: `shared` runs the statements of `reads`, and `run` runs
 * all other statements.
 */
export interface Runs {
  readonly run: RunStatement
  readonly shared: RunStatement
}

/** The client of `@effect/sql` over a pool, with our own statements, which cost less than the library's. */
export const layer = (
  acquire: Effect.Effect<pg.Pool, SqlError, Scope.Scope>,
  runs: (pool: pg.Pool) => Runs
): Layer.Layer<SqlClient | PgClient, SqlError> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const pool = yield* acquire
      const library = yield* fromPool({ acquire: Effect.succeed(pool) })
      const attributes = attributesOf(library)
      const withTransaction = yield* Transaction.make(pool, library, attributes)
      const client = make({ library, attributes }, runs(pool), withTransaction)
      return Context.make(PgClient, library).pipe(Context.add(SqlClient, client))
    })
  ).pipe(Layer.provide(Reactivity.layer))

/** The attributes of the span of every statement. */
const attributesOf = ({ config }: PgClient) => ({
  ...config.spanAttributes,
  "db.system.name": "postgresql",
  "db.namespace": config.database ?? config.username ?? "postgres",
  "server.address": config.host ?? "localhost",
  "server.port": config.port ?? 5432
})

const make = (of: Host, { run, shared }: Runs, withTransaction: PgClient["withTransaction"]): SqlClient => {
  const { library } = of
  const template =
    (run: RunStatement): Template =>
    (strings, ...args) =>
      new QuickStatement(of, run, strings, args)
  const quick = template(run)
  const client = Object.assign(
    (first: TemplateStringsArray | string, ...args: ReadonlyArray<unknown>) =>
      typeof first === "string" ? library(first) : quick(first, ...args),
    library,
    {
      [SHARED]: template(shared),
      withTransaction,
      withoutTransforms: () => client,
      safe: undefined
    }
  ) as unknown as SqlClient
  return Object.assign(client, { safe: client })
}

/**
 * The template tag for short reads that take no lock, wait for nothing and serve many requests. Concurrent reads with
 * this tag share a few connections. Inside a transaction the reads run on the transaction's connection, as statements
 * of `sql` do. With a client that shares no connections, `reads(sql)` is `sql` itself.
 */
export const reads = (sql: SqlClient): Template => (sql as Partial<{ readonly [SHARED]: Template }>)[SHARED] ?? sql

/** Whether statements of this fiber run in a transaction, whichever client began it. */
export const isInTransaction: Effect.Effect<boolean> = Effect.withFiberRuntime((fiber) =>
  Effect.succeed(Transaction.current(fiber.currentContext) !== undefined)
)
