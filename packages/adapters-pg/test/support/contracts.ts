import { type Database, layerPostgres, NodeEntropy, NodeVault } from "@place-access/adapters-pg"
import type { Entropy, Vault } from "@place-access/domain/shared"
import type { Contract } from "@place-access/domain/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import { it } from "@effect/vitest"
import { deadlockRepeats } from "@place-access/adapters-pg/driver/Run"
import * as Stock from "@place-access/adapters-pg/driver/Stock"
import { Effect, Either, Layer, ManagedRuntime, Redacted, TestClock, TestContext } from "effect"
import { afterAll, beforeAll } from "vitest"
import { citus, postgres, type Server } from "./postgres.js"

/** The services that every store may need: the database, random bytes and the vault. */
export type Ground = Database | Entropy.Entropy | Vault.Vault

/** A layer of stores that needs no other services than `Ground`. */
export type Stores<R> = Layer.Layer<R, unknown, Ground>

/** The time on the clock when a case begins. A case may move the clock with `TestClock.adjust`. */
export const START = Date.UTC(2026, 0, 15, 12)

const secrets = Layer.merge(
  NodeEntropy.layer,
  NodeVault.layer(Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("test")))))
)

/** The number of connections in the pool of a `migratedOn` layer. */
export const POOL = 8

/** A migrated database on a server. It is dropped when the layer's scope closes. */
export const migratedOn = (server: Server): Layer.Layer<Database> =>
  Layer.unwrapScoped(
    Effect.map(
      Effect.acquireRelease(Effect.promise(server.migratedDatabase), ({ drop }) => Effect.promise(drop)),
      ({ url }) => layerPostgres({ url: Redacted.make(url), poolSize: POOL, applicationName: "test" })
    )
  ).pipe(Layer.orDie)

export const migratedPostgres: Layer.Layer<Database> = migratedOn(postgres)

/** A migrated database whose tables are distributed over several nodes. */
export const migratedCitus: Layer.Layer<Database> = migratedOn(citus)

/** A migrated PostgreSQL database, through the client of `@effect/sql-pg` in place of our driver. */
export const migratedStock: Layer.Layer<Database> = migratedPostgres.pipe(Layer.provide(Stock.layer))

/**
 * Opens `database` once for the `describe` block that calls this function, and returns a function that runs programs on
 * it. Each program gets a separate test clock, which stands at `START`.
 */
export const withStores = <R>(database: Layer.Layer<Database>, stores: Stores<R>) => {
  const layer = stores.pipe(Layer.provideMerge(Layer.merge(database, secrets)))
  let runtime: ManagedRuntime.ManagedRuntime<R | Ground, unknown> | undefined
  beforeAll(async () => {
    runtime = ManagedRuntime.make(layer)
    await runtime.runtime()
  })
  afterAll(() => runtime?.dispose())
  return <A>(program: Effect.Effect<A, unknown, R | Ground>): Promise<A> => {
    if (runtime === undefined) throw new Error("the database is not open yet: call this inside a test")
    return runtime.runPromise(
      TestClock.setTime(START).pipe(
        Effect.zipRight(program),
        // A deadlock shows that two locks are taken in the wrong order. So no transaction is repeated after a deadlock,
        // and a deadlock fails the test.
        Effect.locally(deadlockRepeats, 0),
        Effect.provide(TestContext.TestContext)
      )
    )
  }
}

/**
 * Removes every row, and keeps the schema and the record of its migrations. Only tables that have rows are truncated,
 * because truncating a table takes PGlite longer than reading whether it has rows.
 */
const empty = Effect.flatMap(SqlClient, (sql) =>
  sql.unsafe(`DO $$
    DECLARE name regclass; found boolean;
    BEGIN
      FOR name IN SELECT oid FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations'
      LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', name) INTO found;
        IF found THEN EXECUTE format('TRUNCATE %s RESTART IDENTITY CASCADE', name); END IF;
      END LOOP;
    END $$`)
)

/**
 * Opens `database` once for the `describe` block that calls this function. The database is emptied each time that the
 * layer is built, so no two builds may be in use at the same time.
 */
export const emptiedFor = (database: Layer.Layer<Database>): Layer.Layer<Database> => {
  let runtime: ManagedRuntime.ManagedRuntime<Database, never> | undefined
  beforeAll(() => void (runtime = ManagedRuntime.make(database)))
  afterAll(() => runtime?.dispose())
  return Layer.effectContext(
    Effect.suspend(() => {
      if (runtime === undefined) throw new Error("the database is not open yet: call this inside a test")
      return Effect.map(runtime.runtimeEffect, ({ context }) => context)
    }).pipe(Effect.tap((context) => Effect.provide(Effect.orDie(empty), context)))
  )
}

/** Runs every case as a test, all of them on one database. */
export const runCases = <R>(
  contract: Contract<R | Ground>,
  database: Layer.Layer<Database>,
  stores: Stores<R>
): void => {
  const run = withStores(database, stores)
  for (const { name, run: program } of contract) it(name, () => run(program))
}
