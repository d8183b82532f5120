import { Failures } from "@place-access/adapters-pg"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ask } from "../../../packages/adapters-pg/test/support/citusStandIn.js"
import { clusterOf, type TestDatabase } from "../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "./support/client.js"
import { hasClusterPrograms, type OwnCluster, startCluster } from "./support/ownCluster.js"
import { addDevice, signUp } from "./support/people.js"
import { ridePast, upload } from "./support/phone.js"
import { useProcesses } from "./support/processes.js"
import { type Service, startService } from "./support/service.js"
import { survives } from "./support/survives.js"
import { until } from "./support/until.js"

/** The number of PostgreSQL servers: a coordinator, two data nodes, and a server that becomes the third data node. */
const SERVERS = 4

/** The blocks of code of a section of docs/scaling.md, in order. */
const blocksOf = (section: string): ReadonlyArray<string> => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/scaling.md"), "utf8")
  const [, rest = ""] = page.split(`\n## ${section}\n`)
  const [own = ""] = rest.split("\n## ")
  return Array.from(own.matchAll(/^ *```\w+\n([^`]*)```/gm), ([, block = ""]) => block.replaceAll(/^ +/gm, "").trim())
}

if (!hasClusterPrograms) process.stderr.write("\nNo programs of a cluster beside the clone: its tests are skipped.\n")

describe.skipIf(!hasClusterPrograms)("a cluster of its own", () => {
  let cluster: OwnCluster
  beforeAll(async () => {
    cluster = await startCluster(SERVERS)
  })
  afterAll(() => cluster?.stop())

  describe("kill -9 of a node's PostgreSQL in the middle of uploads", () => {
    let database: TestDatabase
    let kills = 0
    beforeAll(async () => {
      database = await clusterOf(cluster.nodes.slice(0, 3)).migratedDatabase()
    })

    // The test does not restart the service. The service must work by itself when the node is back.
    survives({
      setup: () => ({ database: "citus", databaseUrl: database.url, workers: 1 }),
      times: 2,
      disturb: () => cluster.killNode(1 + (kills++ % 2), 1_000)
    })

    it("leaves no transaction prepared on any node", async () => {
      expect(kills).toBe(2)
      const left = "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()"
      await until("all to be resolved", async () => {
        const all = await Promise.all(database.urls.map((url) => ask(url, left)))
        return all.flat().length === 0 ? true : undefined
      })
    })
  })

  describe("a process of a node is killed that works for a transaction of another node", () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await clusterOf(cluster.nodes.slice(0, 3)).freshDatabase()
      await ask(database.url, "CREATE TABLE numbers (number integer)")
      await ask(database.url, "SELECT create_distributed_table('numbers', 'number', shard_count := 4)")
    })

    /** Kills the process of a data node in which a transaction of the coordinator is in the given state. */
    const killProcess = (state: "active" | "idle in transaction") =>
      until("a node to work for the transaction", async () => {
        const [, node = ""] = database.urls
        const [found] = await ask(
          node,
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = '${state}'
             AND application_name LIKE 'citus_internal%'`
        )
        return found === undefined ? undefined : process.kill(Number(found["pid"]), "SIGKILL")
      })

    it.each<readonly [string, (sql: pg.Client) => Promise<unknown>]>([
      [
        "before the COMMIT",
        async (sql) => {
          await sql.query("BEGIN")
          await sql.query("INSERT INTO numbers SELECT generate_series(1, 100)")
          await killProcess("idle in transaction")
          await sql.query("COMMIT")
        }
      ],
      [
        "during a statement",
        (sql) => Promise.all([sql.query("SELECT count(pg_sleep(60)) FROM numbers"), killProcess("active")])
      ]
    ])("%s: the transaction is rolled back, and a retry may succeed", async (_, work) => {
      await ask(database.url, "INSERT INTO numbers SELECT generate_series(1, 100)")
      const sql = new pg.Client({ connectionString: database.url })
      await sql.connect()
      const error = await work(sql).then(
        () => undefined,
        (reason: unknown) => reason
      )
      await sql.end()
      expect(Failures.isTransient(error)).toBe(true)
      const rows = await until("the node to answer again", () =>
        ask(
          database.url,
          "WITH gone AS (DELETE FROM numbers RETURNING number) SELECT count(*)::int AS count FROM gone"
        ).then(
          ([row]) => row,
          () => undefined
        )
      )
      expect(rows).toEqual({ count: 100 })
    })
  })

  describe("db isolate of two apps, while their people upload and their webhooks are sent", () => {
    const processes = useProcesses()
    const environment = { SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}` }
    let database: TestDatabase
    beforeAll(async () => {
      database = await clusterOf(cluster.nodes.slice(0, 3)).migratedDatabase()
    })
    const isolated: Array<{ readonly app: string; readonly port: number }> = []
    /** The port of the node that has the deliveries of an app. */
    const portOf = async (app: string) => {
      const [row] = await ask(
        database.url,
        `SELECT nodeport AS port FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('deliveries', '${app}')`
      )
      return Number(row?.["port"])
    }

    // `db isolate` moves only rows of apps. An upload writes no rows of apps, so every upload gets its answer
    // (`isGentle`).
    survives({
      setup: () => ({ database: "citus", databaseUrl: database.url, workers: 1 }),
      times: 2,
      isGentle: true,
      disturb: async () => {
        const apps = await ask(database.url, "SELECT app_id FROM endpoints ORDER BY app_id")
        const app = String(apps[isolated.length]?.["app_id"])
        const [here, all] = [await portOf(app), [1, 2].map((index) => Number(new URL(cluster.nodes[index] ?? "").port))]
        const port = all.find((one) => one !== here) ?? 0
        const args = ["db", "isolate", app, "--node", `127.0.0.1:${port}`]
        const one = processes.start("server", { ...environment, DATABASE_URL: database.url }, args)
        expect((await one.ended).code, one.output()).toBe(0)
        expect(one.output()).toContain("deliveries: ")
        isolated.push({ app, port })
      }
    })

    it("each of them has a shard of its own, on the other node", async () => {
      expect(isolated).toHaveLength(2)
      for (const { app, port } of isolated) {
        expect(await portOf(app)).toBe(port)
        const alone = `SELECT shardminvalue = shardmaxvalue AS alone FROM pg_dist_shard
                       WHERE shardid = get_shard_id_for_distribution_column('deliveries', '${app}')`
        expect(await ask(database.url, alone)).toEqual([{ alone: true }])
      }
    })
  })

  describe("the steps of docs/scaling.md, with a service that has data", () => {
    const processes = useProcesses()
    const NAME = "place_access_documented"
    const environment = { SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}` }
    const [conf = "", createDatabase = "", createExtension = "", addNodes = "", commands = ""] =
      blocksOf("Set up a cluster")
    const [addNode = ""] = blocksOf("Add a node")
    let service: Service
    let again: () => Promise<unknown>

    const urlAt = (index: number): string => cluster.nodes[index]?.replace(/postgres$/, NAME) ?? ""
    /** A code block of docs/scaling.md, with the addresses and the database name of this test. */
    const ours = (block: string): string =>
      block
        .replaceAll(/'10\.0\.0\.(\d)', 5432/g, (_, machine) => `'127.0.0.1', ${new URL(urlAt(machine - 1)).port}`)
        .replaceAll(/\bplace_access\b/g, NAME)
    const all = [0, 1, 2, 3]
    const start = () =>
      startService(processes, { database: "postgres", databaseUrl: urlAt(0), environment }).then(
        (one) => (service = one)
      )
    const command = async (text: string) => {
      // The test makes fewer shards (4) than the command in docs/scaling.md, because fewer shards are made faster.
      const args = text
        .replace("npm start -- ", "")
        .replace(/--shards \d+/, "--shards 4")
        .split(" ")
      const one = processes.start("server", { ...environment, DATABASE_URL: urlAt(0) }, args)
      return { ended: await one.ended, output: one.output() }
    }
    afterAll(() => service?.close())

    it("steps 1 to 4: the service goes on while its PostgreSQL becomes a coordinator", async () => {
      for (const [, name = "", value = ""] of conf.matchAll(/^(\w+) = '?(\w+)'?$/gm)) {
        for (const index of all) {
          const [row] = await ask(cluster.nodes[index] ?? "", `SELECT current_setting('${name}') AS is`)
          expect(row?.["is"], name).toContain(value)
        }
      }
      for (const index of all) await ask(cluster.nodes[index] ?? "", ours(createDatabase))
      await start()
      const token = await addDevice(await signUp(service.url, "early"))
      const ride = ridePast({ lat: 52.37, lon: 4.9 })
      const counts = { accepted: 0, duplicates: ride.length, quarantined: 0 }
      expect(await upload(client(service.url), token, ride)).toEqual({
        ...counts,
        accepted: ride.length,
        duplicates: 0
      })
      again = async () => expect(await upload(client(service.url), token, ride)).toEqual(counts)
      for (const index of all) await ask(urlAt(index), ours(createExtension))
      for (const statement of ours(addNodes).split("\n")) await ask(urlAt(0), statement)
      await again()
    })

    it("steps 5 and 6: db distribute refuses while the service runs; afterwards every row is there", async () => {
      const [migrate = "", distribute = ""] = commands.split("\n")
      expect((await command(migrate)).ended.code).toBe(0)
      const refused = await command(distribute)
      expect([refused.ended.code, refused.output]).toEqual([1, expect.stringContaining("Stop the service first")])
      await again()
      await Promise.all([service.server(), ...service.workers()].map((one) => one.stop("SIGTERM")))
      const done = await command(distribute)
      expect([done.ended.code, done.output]).toEqual([0, expect.stringContaining("0 had been moved before.")])
      await start()
      await again()
    })

    it("one more node: it gets shards while the service runs", async () => {
      const shards = `SELECT count(*)::int AS shards FROM citus_shards WHERE nodeport = ${new URL(urlAt(3)).port}`
      expect(await ask(urlAt(0), `${shards} AND citus_table_type = 'distributed'`)).toEqual([{ shards: 0 }])
      for (const statement of ours(addNode).split("\n")) await ask(urlAt(0), statement)
      const [row] = await ask(urlAt(0), `${shards} AND citus_table_type = 'distributed'`)
      expect(row?.["shards"]).toBeGreaterThan(0)
      await again()
    })
  })
})
