import { layerPostgres, Migrator, NodeVault } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Data } from "@place-access/worker"
import { Effect, Either, Option, Redacted } from "effect"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import pg from "pg"
import { afterEach, beforeEach, expect, it } from "vitest"
import { migrations } from "../../../../packages/adapters-pg/src/schema/migrations/index.js"
import { makeDataFolder } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { describeServers, type TestDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { copyDatabase } from "../../src/cli/copyDatabase.js"
import { outputOf } from "../support/outputOf.js"
import { until } from "../support/until.js"

describeServers("db copy", ({ freshDatabase }) => {
  let folder: string
  let target: TestDatabase
  beforeEach(async () => {
    ;[folder, target] = await Promise.all([makeDataFolder(), freshDatabase()])
  })
  afterEach(() => Promise.all([rm(folder, { recursive: true, force: true, maxRetries: 5 }), target.drop()]))

  /** Makes the target's schema without the newest migration. */
  const older = Migrator.migrateWith(Migrator.fromRecord(migrations).slice(0, -1))
  const onTarget = <A, E>(effect: Effect.Effect<A, E, SqlClient>) =>
    effect.pipe(
      Effect.provide(layerPostgres({ url: Redacted.make(target.url), poolSize: 2, applicationName: "test" })),
      Effect.runPromise
    )
  const copy = async () => {
    const keys = Either.getOrThrow(NodeVault.parseKeys((await readFile(join(folder, "secret-keys"), "utf8")).trim()))
    return outputOf(copyDatabase(folder, { _tag: "Postgres", url: Redacted.make(target.url), poolSize: 2, keys }))
  }

  it("does not migrate a database that has rows: somebody named it by mistake", async () => {
    const addAccount = Effect.flatMap(
      SqlClient,
      (sql) => sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
        VALUES ('usr_1', 'ada@example.com', 'Ada', '', '{}', now())`
    )
    await onTarget(Effect.zipRight(older, addAccount))
    expect(await copy()).toBe("The table accounts of the target has rows. Nothing was copied.")
    expect(await onTarget(Migrator.missing)).toHaveLength(1)
  })

  it("migrates an empty database with an older schema, and copies into it", async () => {
    await onTarget(older)
    expect(await copy()).toMatch(/^Copied and compared \d+ rows\./)
    expect(await onTarget(Migrator.missing)).toEqual([])
  })

  /** Runs the copy, and ends the connection of its first statement that waits for a lock which `lock` takes. */
  const copyThatLosesItsConnection = async (lock: string) => {
    const [holder, killer] = [1, 2].map(() => new pg.Client({ connectionString: target.url }))
    if (holder === undefined || killer === undefined) throw new Error("two clients")
    try {
      await Promise.all([holder.connect(), killer.connect()])
      await holder.query(`BEGIN; ${lock}`)
      const output = copy()
      await until("the copy waits for the lock and its connection is ended", async () => {
        const { rowCount } = await killer.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return rowCount === 0 ? undefined : true
      })
      return await output
    } finally {
      await Promise.all([holder.end(), killer.end()])
    }
  }

  it("says that nothing was copied when it loses the connection before the copy: the target may be a wrong one", async () => {
    await onTarget(Migrator.migrate)
    expect(await copyThatLosesItsConnection("LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE")).toBe(
      "A database did not answer or refused (57P01). Nothing was copied."
    )
  })

  it("says what may have happened when it loses the connection to the target", async () => {
    await onTarget(Migrator.migrate)
    // A first start stores a canary (a sealed sample value) of the keys. The canary is the only row that the copy below
    // stores.
    await Effect.void.pipe(
      Effect.provide(Data.withKeys({ _tag: "Embedded", dataDir: folder, keys: Option.none() }, "test", Data.COMMAND)),
      Effect.runPromise
    )
    // The copy reads the table, and waits for this lock when it stores the canary.
    expect(await copyThatLosesItsConnection("LOCK TABLE key_canaries IN EXCLUSIVE MODE")).toBe(
      "A database did not answer or refused (no connection). Nothing was copied, or all. Repeat the command: " +
        "if it says that the target has rows, the copy is complete."
    )
  })
})
