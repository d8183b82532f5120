import { type Database, layerPostgres, Migrator, NodeEntropy, NodeVault } from "@place-access/adapters-pg"
import type { Entropy, Vault } from "@place-access/domain/shared"
import type { Contract } from "@place-access/domain/testing"
import { it } from "@effect/vitest"
import { Effect, Either, Layer, ManagedRuntime, Redacted, TestClock, TestContext } from "effect"
import { afterAll, beforeAll, describe } from "vitest"
import { migratedEmbedded } from "./embedded.js"
import { describePg, freshDatabase } from "./postgres.js"

/** What every store may ask for beside the database. */
export type Ground = Database | Entropy.Entropy | Vault.Vault

/** A layer of stores: whatever it needs of the ground, and nothing else. */
export type Stores<R> = Layer.Layer<R, unknown, Ground>

/** Where the clock stands when a case begins; a case may move it with `TestClock.adjust`. */
export const START = Date.UTC(2026, 0, 15, 12)

const secrets = Layer.merge(
  NodeEntropy.layer,
  NodeVault.layer(Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("test")))))
)

/** So many connections `migratedPostgres` has. */
export const POOL = 8

/** A migrated database on the server, dropped when the layer's scope closes. */
export const migratedPostgres: Layer.Layer<Database> = Layer.unwrapScoped(
  Effect.map(
    Effect.acquireRelease(Effect.promise(freshDatabase), ({ drop }) => Effect.promise(drop)),
    ({ url }) => layerPostgres({ url: Redacted.make(url), poolSize: POOL, applicationName: "test" })
  )
).pipe(
  Layer.tap((context) => Effect.provide(Migrator.migrate, context)),
  Layer.orDie
)

/**
 * Opens `database` once for the calling `describe` and gives a way to run programs on it: each with a test clock of its own,
 * which stands at `START`.
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
      TestClock.setTime(START).pipe(Effect.zipRight(program), Effect.provide(TestContext.TestContext))
    )
  }
}

const runCases = <R>(contract: Contract<R | Ground>, database: Layer.Layer<Database>, stores: Stores<R>): void => {
  const run = withStores(database, stores)
  for (const { name, run: program } of contract) it(name, () => run(program))
}

/** Runs every case of a contract on one embedded database; for `*.test.ts`. */
export const runContract = <R>(name: string, contract: Contract<R | Ground>, stores: Stores<R>): void => {
  describe(name, () => runCases(contract, migratedEmbedded, stores))
}

/** Runs every case of a contract on one database of a PostgreSQL server; for `*.pg.test.ts`. */
export const runContractPg = <R>(name: string, contract: Contract<R | Ground>, stores: Stores<R>): void => {
  describePg(name, () => runCases(contract, migratedPostgres, stores))
}
