import { CannotStart, Data } from "@place-access/worker"
import { SqlClient } from "@effect/sql/SqlClient"
import { Either, Effect, Redacted } from "effect"
import { NodeVault, Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import pg from "pg"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { ask } from "../../../../packages/adapters-pg/test/support/citusStandIn.js"
import { migrations } from "../../../../packages/adapters-pg/src/schema/migrations/index.js"
import { describeServers, type TestDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"

const keysOf = () => Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("test"))))
const keys = keysOf()
const open = (url: string, given = keys) =>
  SqlClient.pipe(
    Effect.provide(
      Data.withKeys({ _tag: "Postgres", url: Redacted.make(url), poolSize: 4, keys: given }, "test", Data.COMMAND)
    )
  )

describeServers("opening a database on a server", ({ freshDatabase }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database.drop())

  it("brings it up to date, however many programs start at once", async () => {
    await Effect.runPromise(
      Effect.all(
        [1, 2, 3].map(() => open(database.url)),
        { concurrency: "unbounded" }
      )
    )
    const applied = await ask(database.url, "SELECT name FROM schema_migrations ORDER BY id")
    expect(applied.map(({ name }) => name)).toEqual(Object.keys(migrations))
  })

  it("keys that are not the database's are refused as a fault of the settings, in one sentence without a key", async () => {
    await Effect.runPromise(open(database.url))
    const error = await Effect.runPromise(Effect.flip(open(database.url, keysOf())))
    expect(error).toMatchObject({
      _tag: "CannotStart",
      fault: "settings",
      message:
        'The keys in SECRET_KEYS are not those of this database, which was last used with a key "test": give that key too, behind newer ones; nothing was changed.'
    })
  })

  it("starts without the partitions of the coming months when they cannot be made [sweeps-3]", async () => {
    await Effect.runPromise(open(database.url))
    const [last = "", held = ""] = Partitions.months(Timestamp.make(Date.now()))
      .map(({ suffix }) => `fixes_${suffix}`)
      .toReversed()
    await ask(database.url, `DROP TABLE ${last}; CREATE TABLE ${last} (name text)`)
    await Effect.runPromise(open(database.url))
    expect(
      await ask(database.url, `SELECT 1 AS one FROM pg_class WHERE relname = '${held}' AND relispartition`)
    ).toHaveLength(1)
  })

  it.each([
    // The key of the advisory lock under which migrations run (Migrator.ts).
    ["the migrations", "SELECT pg_advisory_xact_lock(7203114858)"],
    ["the canary of the keys", "SELECT 1 FROM key_canaries FOR UPDATE"]
  ])("goes on when it loses its connection in the middle of %s", async (_, lock) => {
    await Effect.runPromise(open(database.url))
    const [holder, killer] = [1, 2].map(() => new pg.Client({ connectionString: database.url }))
    if (holder === undefined || killer === undefined) throw new Error("two clients")
    try {
      await Promise.all([holder.connect(), killer.connect()])
      await holder.query("BEGIN")
      await holder.query(lock)
      const opened = Effect.runPromise(Effect.exit(open(database.url)))
      const endWaiting = async () => {
        const { rowCount } = await killer.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return rowCount !== 0
      }
      await vi.waitUntil(endWaiting, { timeout: 60_000 })
      await holder.query("COMMIT")
      expect(await opened).toMatchObject({ _tag: "Success" })
    } finally {
      await Promise.all([holder.end(), killer.end()])
    }
  })

  it("says at once what the server refused, and never the address: it holds the password", async () => {
    const url = new URL(database.url)
    url.password = "hunter2"
    url.pathname = "/no_such_database"
    const error = await Effect.runPromise(Effect.flip(open(url.href)))
    expect(error).toBeInstanceOf(CannotStart)
    expect(error.message).toContain('database "no_such_database" does not exist')
    expect(error.message).not.toContain("hunter2")
  })
})
