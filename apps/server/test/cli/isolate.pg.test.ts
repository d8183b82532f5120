import { Distribution, Isolation, layerPostgres, Migrator, NodeVault } from "@place-access/adapters-pg"
import { AppId } from "@place-access/domain/shared"
import type { Settings } from "@place-access/worker"
import { Effect, Either, Redacted } from "effect"
import pg from "pg"
import { afterEach, beforeEach, expect, it } from "vitest"
import { ask } from "../../../../packages/adapters-pg/test/support/citusStandIn.js"
import {
  describeCitus,
  describeServers,
  type TestDatabase
} from "../../../../packages/adapters-pg/test/support/postgres.js"
import { isolate } from "../../src/cli/isolate.js"
import { outputOf } from "../support/outputOf.js"

const APP = AppId.make("app_7")
const APPS = 20
/** Some of the tables that are distributed by `app_id`. */
const TABLES = ["endpoints", "deliveries", "delivery_attempts", "review_decisions"] as const

const connection = (url: string) =>
  layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "place-access db distribute" })

const storageAt = (url: string): Settings.Storage => {
  const keys = Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("test"))))
  return { _tag: "Postgres", url: Redacted.make(url), poolSize: 4, keys }
}

const run = (storage: Settings.Storage, appId = APP, node?: { readonly host: string; readonly port: number }) =>
  outputOf(isolate({ appId, node }, storage))

describeServers("db isolate of a database whose tables are on one server", ({ freshDatabase, kind }) => {
  it("is refused, and says why", async () => {
    const database = await freshDatabase()
    try {
      await Effect.runPromise(Effect.provide(Migrator.migrate, connection(database.url)))
      expect(await run(storageAt(database.url))).toContain(
        kind === "citus" ? "run npm start -- db distribute first" : "a single server without the Citus extension"
      )
    } finally {
      await database.drop()
    }
  })
})

describeCitus("db isolate", (citus) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await citus.migratedDatabase()
    await ask(
      database.url,
      `INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
         VALUES ('usr_1', 'ada@example.com', 'Ada', '', '{}', '2026-01-01');
       INSERT INTO apps (app_id, owner_id, name, description, declared_scopes, redirect_uris, client_secrets, status,
           created_at)
         SELECT 'app_' || i, 'usr_1', 'App', '', '{}', '{}', '[]', 'sandbox', '2026-01-01'
         FROM generate_series(1, ${APPS}) i;
       INSERT INTO endpoints (app_id, endpoint_id, url, events, epoch, strikes, secrets, created_at)
         SELECT 'app_' || i, 'ep_' || i, 'https://hooks.example', '{}', 0, 0, '[]', '2026-01-01'
         FROM generate_series(1, ${APPS}) i;
       INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test, envelope,
           type, occurred_at, state, attempt, created_at, ended_at)
         SELECT 'app_' || i, 'dlv_' || n, 'ep_' || i, 0, 'evt_' || n, 0, false, '{}', 'place.enter', '2026-01-01',
           'delivered', 1, '2026-01-01', '2026-01-01'
         FROM generate_series(1, ${APPS}) i, generate_series(1, 10) n;
       INSERT INTO delivery_attempts (app_id, delivery_id, attempt, started_at, ended_at)
         SELECT app_id, delivery_id, 1, created_at, created_at FROM deliveries`
    )
  })
  afterEach(async () => {
    // When Citus moves a shard, it makes a role, and roles belong to the whole server and not to one database. Without
    // this call, the role would stay when the database is dropped, and the next run of these tests would find it.
    await ask(database.url, "CALL citus_cleanup_orphaned_resources()")
    await database.drop()
  })

  /** The shards of the tables, each with its node. */
  const shards = () =>
    ask(
      database.url,
      `SELECT table_name::text AS "table", shardid, nodename AS host, nodeport AS port FROM citus_shards
       WHERE table_name::text = ANY('{${TABLES.join()}}') ORDER BY 1, 2`
    )
  const counts = () =>
    ask(
      database.url,
      `SELECT app_id, (SELECT count(*)::int FROM deliveries d WHERE d.app_id = e.app_id) AS deliveries
       FROM endpoints e WHERE app_id = '${APP}'
       UNION ALL SELECT 'all', count(*)::int FROM deliveries
       UNION ALL SELECT 'attempts', count(*)::int FROM delivery_attempts ORDER BY 1`
    )
  /** The nodes that have rows of the app (`here`), and a node other than the first of them. */
  const nodes = async () => {
    const here = await ask(
      database.url,
      `SELECT DISTINCT c.nodename AS host, c.nodeport AS port FROM citus_shards c
       WHERE ${TABLES.map((name) => `c.shardid = get_shard_id_for_distribution_column('${name}', '${APP}')`).join(" OR ")}`
    )
    const all = await ask(
      database.url,
      "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE shouldhaveshards"
    )
    const other = all.find(({ port }) => port !== here[0]?.["port"])
    return { here, other: { host: String(other?.["host"]), port: Number(other?.["port"]) } }
  }

  it("refuses an app that it does not know, a node that is none, and another node than the coordinator; nothing is changed", async () => {
    const before = await shards()
    const storage = storageAt(database.url)
    expect(await run(storage, AppId.make("app_of_nobody"))).toBe("There is no app with this id. Nothing was changed.")
    expect(await run(storage, APP, { host: "10.9.9.9", port: 5432 })).toContain("--node must be a node of this cluster")
    expect(await run(storageAt(database.urls[1] ?? ""))).toContain("from the coordinator")
    expect(await shards()).toEqual(before)
  })

  it("every row of the app is on the node that was named, in shards without another app; a second run changes nothing [deliveries-17]", async () => {
    const before = await counts()
    const { other } = await nodes()
    const output = await run(storageAt(database.url), APP, other)
    expect(output).toContain("Splitting the app's shard")
    expect(output).toContain(`to ${other.host}:${other.port}`)
    expect(output).toMatch(/deliveries: \d+ bytes/)
    expect((await nodes()).here).toEqual([other])
    expect(await counts()).toEqual(before)
    const alone = await ask(
      database.url,
      `SELECT count(*)::int AS shards FROM pg_dist_shard WHERE shardminvalue = shardmaxvalue
         AND logicalrelid IN (${TABLES.map((name) => `'${name}'::regclass`).join()})`
    )
    expect(alone).toEqual([{ shards: TABLES.length }])
    const moved = await shards()
    expect(await run(storageAt(database.url), APP, other)).toContain("has a shard of its own already")
    expect(await shards()).toEqual(moved)
    // `db distribute` must also accept a database in which one app has a separate shard, and must leave this shard
    // alone.
    const again = Distribution.distribute({ shards: 4, dryRun: false, say: () => Effect.void })
    await Effect.runPromise(Effect.provide(again, connection(database.url)))
    expect(await shards()).toEqual(moved)
  })

  it("waits for nobody who holds a table for longer than a request may: it makes way, and tries again", async () => {
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    try {
      await holder.query("BEGIN")
      await holder.query("UPDATE endpoints SET strikes = 1 WHERE app_id = $1", [APP])
      const lines: Array<string> = []
      const say = (line: string) =>
        Effect.promise(async () => {
          lines.push(line)
          if (line.includes("in use")) await holder.query("COMMIT")
        })
      const isolated = Isolation.isolate({ appId: APP, node: undefined, say })
      await Effect.runPromise(Effect.provide(isolated, connection(database.url)))
      expect(lines.slice(0, 3)).toEqual([
        expect.stringContaining("Splitting the app's shard"),
        "A table of the app is in use. The step is tried again.",
        expect.stringContaining("The app's rows are on")
      ])
    } finally {
      await holder.end()
    }
  })
})
