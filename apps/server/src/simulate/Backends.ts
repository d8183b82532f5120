import { type Database, layerEmbedded, layerPostgres, Migrator } from "@place-access/adapters-pg"
import type { Simulation } from "@place-access/domain/testing"
import { Stores } from "@place-access/worker"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted, type Scope } from "effect"

/** A backend on a database. Every run builds the layer `database` anew. The database must be migrated and empty. */
export const over = (name: string, database: Layer.Layer<Database, unknown>): Simulation.Backend => ({
  name,
  isHosted: true,
  stores: Layer.provide(Stores.rows, database)
})

const migrated = <E>(database: Layer.Layer<Database, E>): Layer.Layer<Database, unknown> =>
  Layer.tap(database, (context) => Effect.provide(Migrator.migrate, context))

/** Deletes the rows of an earlier run, and lets sequences begin at 1 again. The schema stays. */
const empty = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql<{ readonly name: string }>`SELECT quote_ident(c.relname) AS name
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname <> 'schema_migrations'
    ORDER BY c.relname`
  yield* sql.unsafe(`TRUNCATE ${tables.map(({ name }) => name).join(", ")} RESTART IDENTITY CASCADE`)
})

/** The embedded database in memory, opened once and emptied for each run. Runs must not overlap. */
export const openEmbedded: Effect.Effect<Simulation.Backend, unknown, Scope.Scope> = Effect.gen(function* () {
  const context = yield* Layer.build(migrated(layerEmbedded()))
  const database = Layer.effectContext(Effect.as(Effect.provide(empty, context), context))
  return over("embedded", database)
})

/** A backend on a PostgreSQL server. Each run makes a database, and drops it at the end. */
export const postgres = (serverUrl: string): Simulation.Backend => {
  let made = 0
  const server = (url: string): Layer.Layer<Database, unknown> =>
    layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "simulation" })
  const onServer = (statement: string) =>
    Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(server(serverUrl)))

  const database = Layer.unwrapScoped(
    Effect.gen(function* () {
      const name = `place_access_simulation_${process.pid}_${++made}`
      yield* Effect.acquireRelease(onServer(`CREATE DATABASE ${name}`), () =>
        Effect.orDie(onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
      )
      const url = new URL(serverUrl)
      url.pathname = `/${name}`
      return migrated(server(url.href))
    })
  )
  return over("postgres", database)
}
