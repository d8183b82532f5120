import { SqlClient } from "@effect/sql/SqlClient"
import type { Database } from "@place-access/adapters-pg"
import type { Vault } from "@place-access/domain/shared"
import { Data, Settings, Stores } from "@place-access/worker"
import { type Config, ConfigProvider, Effect, Layer, Logger, ManagedRuntime } from "effect"
import { randomBytes } from "node:crypto"
import pg from "pg"

/** The address of the PostgreSQL server on which scratch databases are made. */
const BENCH_DATABASE_URL = process.env["BENCH_DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres"

/** The version of the PostgreSQL server. The error is a sentence for the person who started the benchmark. */
export const version = async (): Promise<string> => {
  try {
    const client = new pg.Client({ connectionString: BENCH_DATABASE_URL, connectionTimeoutMillis: 5_000 })
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>("SHOW server_version")
    await client.end()
    return rows[0]?.server_version ?? "?"
  } catch (error) {
    const { code = "no connection" } = error as { readonly code?: string }
    throw new Error(`PostgreSQL does not answer at the address in BENCH_DATABASE_URL: ${code}`, { cause: error })
  }
}

/** A database of the product, made for one benchmark and dropped after it. */
export interface Scratch {
  readonly url: string
  /** The settings with which programs of the product use this database. */
  readonly environment: { readonly DATABASE_URL: string; readonly SECRET_KEYS: string }
  /** Runs one statement, or several without parameters. */
  readonly query: (text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Record<string, unknown>>>
  /** Runs programs of the domain on the product's stores, with the same keys as the product's programs. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Stores.Stores | Database | Vault.Vault>) => Promise<A>
  /**
   * Called after the database was filled: updates the planner's statistics and writes all changed pages to disk, so
   * that the first round finds a database as in a real service.
   */
  readonly settle: () => Promise<void>
}

const onServer = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: BENCH_DATABASE_URL })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Makes a database with the product's schema and partitions, by the product's own migrations. */
export const create = async (): Promise<{ readonly scratch: Scratch; readonly drop: () => Promise<void> }> => {
  const name = `place_access_bench_${randomBytes(6).toString("hex")}`
  await onServer(`CREATE DATABASE ${name}`)
  const url = Object.assign(new URL(BENCH_DATABASE_URL), { pathname: `/${name}` }).href
  const environment = { DATABASE_URL: url, SECRET_KEYS: `bench:${randomBytes(32).toString("base64")}` }
  const client = new pg.Client({ connectionString: url })
  // Without a listener, the `error` event of a broken connection would end the benchmark.
  client.on("error", () => undefined)
  const runtime = ManagedRuntime.make(stores(environment))
  const drop = async () => {
    await runtime.dispose()
    await client.end()
    await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
  try {
    await runtime.runPromise(Effect.void)
    await client.connect()
  } catch (error) {
    await drop()
    throw error
  }
  return {
    scratch: {
      url,
      environment,
      query: async (text, values) =>
        (await client.query(text, values === undefined ? undefined : [...values])).rows ?? [],
      run: (effect) => runtime.runPromise(effect),
      settle: async () => {
        // Analyzes only tables with rows. After an ANALYZE of an empty table, the planner would take the table for
        // empty until the next ANALYZE, even if rows were inserted.
        const { rows } = await client.query<{ list: string | null }>(
          `SELECT string_agg(oid::regclass::text, ', ') AS list FROM pg_class
           WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0`
        )
        await client.query(`VACUUM ANALYZE ${rows[0]?.list ?? ""}`)
        await client.query("CHECKPOINT").catch(() => undefined)
      }
    },
    drop
  }
}

/** Opens an embedded database in `DATA_DIR` while `use` runs. Only one process at a time can open it. */
export const embedded = async (
  DATA_DIR: string,
  use: (scratch: Pick<Scratch, "query">) => Promise<void>
): Promise<void> => {
  const runtime = ManagedRuntime.make(stores({ DATA_DIR }))
  try {
    await use({ query: (text) => runtime.runPromise(Effect.flatMap(SqlClient, (sql) => sql.unsafe(text))) })
  } finally {
    await runtime.dispose()
  }
}

const stores = (environment: Readonly<Record<string, string>>) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.withConfigProvider(
        Settings.storage as Config.Config<Settings.Storage>,
        ConfigProvider.fromMap(new Map(Object.entries(environment)))
      ),
      (storage) => Stores.layer.pipe(Layer.provideMerge(Data.withKeys(storage, "place-access bench", Data.COMMAND)))
    )
  ).pipe(Layer.provideMerge(Logger.remove(Logger.defaultLogger)))
