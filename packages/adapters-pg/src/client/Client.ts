import * as Reactivity from "@effect/experimental/Reactivity"
import { fromPool, PgClient } from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import { Context, Effect, Layer, type Scope } from "effect"
import type pg from "pg"
import type { Run } from "./Run.js"
import { type Host, QuickStatement } from "./Statement.js"
import * as Transaction from "./Transaction.js"

export { last, together, togetherLast } from "./Statement.js"

const SHARED = Symbol("@place-access/adapters-pg/client/SHARED")

/** `` sql`…` ``: a statement. */
export type Template = (strings: TemplateStringsArray, ...args: ReadonlyArray<unknown>) => Statement<object>

/** How statements outside transactions are run, and those of `reads`. */
export interface Runs {
  readonly run: Run
  readonly shared: Run
}

/** `@effect/sql` over a pool, with statements that cost less. */
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

/** Of spans. */
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
    (run: Run): Template =>
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
 * For short reads that lock nothing, wait for nothing and are on the way of many requests: those in flight share connections. In a
 * transaction it reads there, as `sql` does.
 */
export const reads = (sql: SqlClient): Template => (sql as Partial<{ readonly [SHARED]: Template }>)[SHARED] ?? sql
