import type { PgClient } from "@effect/sql-pg/PgClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, type Effect, type Layer, type Scope } from "effect"
import type pg from "pg"
import * as Client from "./Client.js"
import { pooled } from "./Pooled.js"
import { shared } from "./Shared.js"
import * as Watch from "./Watch.js"

/** The parts that send statements to a PostgreSQL server. */
export interface DriverParts {
  /** The class of the pool's connections. */
  readonly connections: Effect.Effect<typeof pg.Client>
  readonly poolOptions: { readonly pipeline?: boolean }
  /** Makes the client of `@effect/sql` over a pool. */
  readonly client: (
    acquire: Effect.Effect<pg.Pool, SqlError, Scope.Scope>
  ) => Layer.Layer<SqlClient | PgClient, SqlError>
}

/**
 * The short reads of all requests share a few connections of the pool (`Shared.ts`): at most this number. When the
 * shared connections are full, a read gets a separate connection.
 */
const LINES_MAX = 2

export const OURS: DriverParts = {
  connections: Watch.namingClient,
  poolOptions: { pipeline: true },
  client: (acquire) =>
    Client.layer(acquire, (pool) => {
      const run = pooled(pool)
      return { run, shared: shared(pool, LINES_MAX, run) }
    })
}

/**
 * The driver that sends statements to a PostgreSQL server. The default, `OURS`, is the driver of this folder. With
 * `Stock.layer`, `@effect/sql-pg`'s own client sends the same statements.
 */
export class Driver extends Context.Reference<Driver>()("@place-access/adapters-pg/driver/Driver", {
  defaultValue: () => OURS
}) {}
