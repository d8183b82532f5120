import { layerPostgres, Migrator, Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Logger, Redacted } from "effect"
import pg from "pg"
import { afterEach, describe, beforeEach, expect, it } from "vitest"
import { ask } from "../support/citusStandIn.js"
import { describeCitus, type TestDatabase } from "../support/postgres.js"

const at = (url: string) => layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })

describeCitus("changes of tables, on a cluster", (citus) => {
  let database: TestDatabase
  afterEach(() => database.drop())

  describe("of a program that is connected to a data node", () => {
    beforeEach(async () => {
      database = await citus.migratedDatabase()
    })

    it("a month is left to a worker at the coordinator, without locking or moving anything [sweeps-1]", async () => {
      const [coordinator = "", dataNode = ""] = database.urls
      const june = Timestamp.make(Date.UTC(2026, 5, 15))
      const year = Timestamp.make(Date.UTC(2027, 5, 15))
      const on = <A>(url: string, program: Effect.Effect<A, unknown, Effect.Effect.Context<typeof Migrator.migrate>>) =>
        program.pipe(Effect.provide(at(url)), Effect.runPromise)
      const messages: Array<string> = []
      // If `ensurePartitions` tried to change the table, it would wait for this lock, and would then report that the
      // table is in use.
      const reader = new pg.Client({ connectionString: coordinator })
      await reader.connect()
      try {
        await reader.query("BEGIN")
        await reader.query("LOCK TABLE fixes IN ACCESS SHARE MODE")
        const made = await on(
          dataNode,
          Effect.provide(
            Partitions.ensurePartitions(june),
            Logger.replace(
              Logger.defaultLogger,
              Logger.make(({ message }) => void messages.push(String(message)))
            )
          )
        )
        expect(made).toEqual([])
        expect(messages).toHaveLength(3)
        expect(messages[0]).toContain("A worker that is connected to the cluster's coordinator makes it")
      } finally {
        await reader.end()
      }
      expect((await on(coordinator, Partitions.ensurePartitions(june))).length).toBe(12)
      expect(await on(dataNode, Partitions.dropExpired(year))).toEqual([])
      expect(await on(coordinator, Partitions.dropExpired(year))).toContain("fixes_2026_06")
    })
  })

  it("a month is made on one server with the extension, before nodes are added to it [sweeps-1]", async () => {
    database = await citus.freshDatabase()
    const { url } = database
    // The test needs a server with the extension and no nodes. Citus removes the coordinator only after all other
    // nodes, so two statements are needed.
    await ask(url, "SELECT citus_remove_node(nodename, nodeport) FROM pg_dist_node WHERE groupid <> 0")
    await ask(url, "SELECT citus_remove_node(nodename, nodeport) FROM pg_dist_node")
    const made = await Migrator.migrate.pipe(
      Effect.zipRight(Partitions.ensurePartitions(Timestamp.make(Date.UTC(2036, 5, 15)))),
      Effect.provide(at(url)),
      Effect.runPromise
    )
    expect(made).toContain("fixes_2036_06")
  })

  it("a migration waits briefly for a table that is in use on a data node, and holds nobody up", async () => {
    database = await citus.freshDatabase()
    const { url, urls } = database
    const first = { id: 1, name: "0001_one", statements: ["CREATE TABLE one (id int)"] }
    const second = { id: 2, name: "0002_more", statements: ["ALTER TABLE one ADD COLUMN more int"] }
    await Migrator.migrateWith([first]).pipe(Effect.provide(at(url)), Effect.runPromise)
    await ask(url, "SELECT create_distributed_table('one', 'id', shard_count => 1)")
    const [shard] = await ask(url, "SELECT shard_name, nodeport FROM citus_shards WHERE table_name = 'one'::regclass")
    const node = urls.find((one) => new URL(one).port === String(shard?.["nodeport"])) ?? ""
    const [reader, running] = [
      new pg.Client({ connectionString: node }),
      new pg.Client({ connectionString: url, statement_timeout: 2_000 })
    ]
    try {
      await Promise.all([reader.connect(), running.connect()])
      await reader.query("BEGIN")
      await reader.query(`SELECT FROM ${String(shard?.["shard_name"])}`)
      const messages: Array<string> = []
      const applied = Migrator.migrateWith([first, second]).pipe(
        Effect.provide(at(url)),
        Effect.provide(
          Logger.replace(
            Logger.defaultLogger,
            Logger.make(({ message }) => void messages.push(String(message)))
          )
        ),
        Effect.runPromise
      )
      // If these statements had to wait behind the migration, their lock time-out would cancel them.
      while (messages.length < 3) await running.query("SELECT 1 FROM one")
      expect(messages[0]).toContain("A migration needs a table that is in use")
      expect(messages[0]).toContain("or a node of the cluster does not answer")
      expect(messages[0]).toContain("canceling statement due to lock timeout")
      await reader.query("COMMIT")
      expect(await applied).toEqual(["0002_more"])
      expect((await running.query("SELECT more FROM one")).rows).toEqual([])
    } finally {
      await Promise.all([reader.end(), running.end()])
    }
  })
})
