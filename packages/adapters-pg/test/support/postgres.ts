import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Distribution, layerPostgres, Migrator } from "@place-access/adapters-pg"
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import pg from "pg"
import { describe, inject } from "vitest"

export interface TestDatabase {
  readonly url: string
  /** The addresses of this database on every node that has a part of it. The first one is `url`. */
  readonly urls: ReadonlyArray<string>
  /** Ends every connection to the database, and drops it. */
  readonly drop: () => Promise<void>
}

/** A kind of database server. Tests make their own databases on it. */
export interface Server {
  readonly name: "PostgreSQL" | "Citus"
  readonly kind: "postgres" | "citus"
  /**
   * How many of `lives` random scenarios run on this kind of server: all on PostgreSQL, and a fifth on Citus. A
   * scenario takes longer on Citus, because one node passes each statement on to another node.
   */
  readonly share: (lives: number) => number
  /** Whether this test run has a server of this kind. */
  readonly isThere: boolean
  /** Makes an empty database. On Citus it spans all nodes. */
  readonly freshDatabase: () => Promise<TestDatabase>
  /** Makes a database with our schema. On Citus the tables are distributed. */
  readonly migratedDatabase: () => Promise<TestDatabase>
}

/**
 * The number of shards of a table, two on each of two nodes. So the rows of two people are often on different nodes.
 */
const SHARDS = 4

const OBJECT_IN_USE = "55006"

const urlOf = (server: string, name: string): string => {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Runs statements over one connection. */
const on = async (url: string, run: (client: pg.Client) => Promise<unknown>): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await run(client)
  } finally {
    await client.end()
  }
}

const poolOn = (url: string, applicationName: string) =>
  layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName })

/** The differences between a PostgreSQL server and a Citus cluster. Programs connect to the first of `nodes`. */
interface Kind {
  readonly name: Server["name"]
  readonly nodes: ReadonlyArray<string> | null
  readonly template: string
  /** Turns an empty database, which exists on every node, into one that spans the nodes. */
  readonly span: (nodes: ReadonlyArray<string>, database: string) => Promise<void>
  /** Applies our schema to a database. */
  readonly prepare: (url: string) => Promise<void>
}

const serverOf = (kind: Kind): Server => {
  const there = (): ReadonlyArray<string> => {
    if (kind.nodes === null) throw new Error(`No ${kind.name}: wrap this suite in describePg or describeServers`)
    return kind.nodes
  }
  const onEachNode = (run: (client: pg.Client, node: string) => Promise<unknown>) =>
    Promise.all(there().map((node) => on(node, (client) => run(client, node))))

  const urlAt = (name: string): string => urlOf(there()[0] ?? "", name)

  // PostgreSQL copies the files of the template. By default it would copy block by block through its buffers and its
  // write-ahead log, which takes twice the processor time.
  const create = async (name: string, how: string): Promise<void> => {
    await onEachNode((client) => client.query(`create database ${name} ${how} strategy file_copy`))
  }

  /**
   * Citus moves a shard by a subscription of one node to another, and sometimes its daemon drops the subscription some
   * time after the move. A database with a subscription cannot be dropped.
   */
  const dropSubscriptions = (name: string) =>
    onEachNode(async (client, node) => {
      const { rows } = await client.query<{ subname: string }>(
        "select subname from pg_subscription s join pg_database d on d.oid = s.subdbid where datname = $1",
        [name]
      )
      if (rows.length === 0) return
      await client.query(`alter database ${name} with allow_connections true`)
      await on(urlOf(node, name), async (inside) => {
        for (const { subname } of rows) {
          const subscription = inside.escapeIdentifier(subname)
          await inside.query(`alter subscription ${subscription} disable`)
          await inside.query(`alter subscription ${subscription} set (slot_name = none)`)
          await inside.query(`drop subscription if exists ${subscription}`)
        }
      })
    })

  // Drops the database on every node. Programs that a test started, and a daemon of Citus, may connect to the database
  // again in the moment between the end of their sessions and the drop. So new connections are refused, and sessions
  // that connected before are ended.
  const drop = async (name: string, tries = 5): Promise<void> => {
    try {
      await onEachNode(async (client) => {
        const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name])
        if (rowCount === 0) return
        await client.query(`alter database ${name} with allow_connections false`)
        await client.query(`drop database if exists ${name} with (force)`)
      })
    } catch (error) {
      if (tries <= 1 || !(error instanceof pg.DatabaseError) || error.code !== OBJECT_IN_USE) throw error
      await dropSubscriptions(name)
      await drop(name, tries - 1)
    }
  }

  const makeDatabase = async (how: string): Promise<TestDatabase> => {
    const name = `place_access_test_${randomBytes(6).toString("hex")}`
    await create(name, how)
    return { url: urlAt(name), urls: there().map((node) => urlOf(node, name)), drop: () => drop(name) }
  }

  /**
   * Makes, on every node, the template database from which the migrated databases of this run are copied. Copying takes
   * a fifth of the time of the migrations, and an even smaller part of the time of distributing. Several processes may
   * call `makeTemplate` at the same time: one makes the template, and the others wait for the lock and then find the
   * template.
   */
  const makeTemplate = async (): Promise<string> => {
    const { template } = kind
    const [first = "", ...others] = there()
    await on(first, async (client) => {
      await client.query("select pg_advisory_lock(hashtext($1))", [template])
      const found = await client.query("select 1 from pg_database where datname = $1", [template])
      if (found.rowCount !== 0) return
      // The template is made under another name, because the next process must not find a template whose migrations
      // failed half-way.
      const draft = `${template}_draft`
      await drop(draft)
      await create(draft, "")
      await kind.span(there(), draft)
      await kind.prepare(urlAt(draft))
      // PostgreSQL refuses to copy a database that has connections. New connections are refused too, because otherwise
      // the daemon of Citus would connect once more.
      const close = async (client: pg.Client) => {
        await client.query(`alter database ${draft} with allow_connections false`)
        await client.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1", [draft])
        await client.query(`alter database ${draft} rename to ${template}`)
      }
      for (const node of others) await on(node, close)
      await close(client)
    })
    return template
  }

  let template: Promise<string> | undefined
  return {
    name: kind.name,
    kind: kind.name === "Citus" ? "citus" : "postgres",
    share: (lives) => (kind.name === "Citus" ? Math.ceil(lives / 5) : lives),
    isThere: kind.nodes !== null,
    freshDatabase: async () => {
      const database = await makeDatabase("")
      await kind.span(there(), new URL(database.url).pathname.slice(1))
      return database
    },
    migratedDatabase: async () => makeDatabase(`template ${await (template ??= makeTemplate())}`)
  }
}

const pgUrl = inject("pgUrl")

export const postgres: Server = serverOf({
  name: "PostgreSQL",
  nodes: pgUrl === null ? null : [pgUrl],
  template: inject("pgTemplate"),
  span: () => Promise.resolve(),
  prepare: (url) => Effect.runPromise(Effect.provide(Effect.asVoid(Migrator.migrate), poolOn(url, "test")))
})

/**
 * A coordinator and its nodes. The tables of `migratedDatabase` are distributed by `Distribution.distribute`, as the
 * command `db distribute` distributes tables. `freshDatabase` has no tables.
 */
export const clusterOf = (nodes: ReadonlyArray<string> | null): Server =>
  serverOf({
    name: "Citus",
    nodes,
    template: `${inject("pgTemplate")}_citus`,
    span: async (nodes, database) => {
      for (const node of nodes) await on(urlOf(node, database), (client) => client.query("create extension citus"))
      const [coordinator = "", ...workers] = nodes
      const address = (node: string): [string, number] => [new URL(node).hostname, Number(new URL(node).port)]
      // `citus_add_node` alters the roles of the node, which all databases of the node share. When two processes do so
      // at the same time, PostgreSQL refuses one of them ("tuple concurrently updated"), so the processes wait for each
      // other.
      await on(coordinator, async (locking) => {
        await locking.query("select pg_advisory_lock(hashtext('place_access_test_span'))")
        await on(urlOf(coordinator, database), async (client) => {
          await client.query("select citus_set_coordinator_host($1, $2)", address(coordinator))
          for (const worker of workers) await client.query("select citus_add_node($1, $2)", address(worker))
        })
      })
    },
    prepare: (url) =>
      Migrator.migrate.pipe(
        Effect.zipRight(Distribution.distribute({ shards: SHARDS, dryRun: false, say: () => Effect.void })),
        Effect.provide(poolOn(url, "place-access db distribute")),
        Effect.runPromise
      )
  })

/** The cluster that all tests share. */
export const citus: Server = clusterOf(inject("citusNodes"))

/**
 * The reasons why a suite runs on PostgreSQL and not on Citus. A suite without one of these reasons runs on both kinds
 * of servers.
 */
const ALONE = {
  driver: "the driver and the server to which it is connected: it cannot tell whether nodes are behind that server",
  plans: "every step of a plan of one server; on Citus `tasks.e2e.test.ts` reads how many tasks a statement becomes",
  texts: "the statements that a single server gets; `tasks.e2e.test.ts` has those of a cluster",
  accountLock: "a lock of one row of a copied table; on a cluster such locks deadlock, as deletions-2 says",
  skipping: "locked rows are skipped; on a cluster the sweep waits for them, as limits-6 says",
  standIn: "a stand-in for Citus, for machines without a cluster; `distribution.citus.test.ts` has the real one",
  stock: "the stock client, which is another driver",
  dump: "a dump of one server; a cluster is backed up node by node"
} as const

/**
 * Declares a suite that runs on PostgreSQL only, and that is skipped without a server. `.ci/servers.mjs` counts the
 * suite's tests by the reason `why`.
 */
export const describePg = (why: keyof typeof ALONE, name: string, suite: () => void): void => {
  describe.skipIf(!postgres.isThere)(`${name}, on PostgreSQL alone (${ALONE[why]})`, suite)
}

/** Declares a suite about something that only a cluster has: nodes, shards, distribution. Skipped without a cluster. */
export const describeCitus = (name: string, suite: (server: Server) => void): void => {
  describe.skipIf(!citus.isThere)(`${name}, on Citus alone (nodes and shards)`, () => suite(citus))
}

/**
 * Declares a suite once for PostgreSQL and once for Citus; skipped where a server is missing. Tests of locks,
 * contention and time-outs must pass on both kinds of servers.
 */
export const describeServers = (name: string, suite: (server: Server) => void): void => {
  for (const server of [postgres, citus]) {
    describe.skipIf(!server.isThere)(`${name}, on ${server.name}`, () => suite(server))
  }
}

/**
 * How many statements on this database wait for a lock of another transaction, on all nodes together. Reads `pg_locks`,
 * because `pg_stat_activity` shows one state during a whole transaction. In `pg_locks`, the lock of a row names no
 * database. But a session that waits for a row also has a lock of the row's table, and that lock names the database.
 */
export const lockWaits = ({ kind }: Server, sql: SqlClient): Effect.Effect<number, SqlError> => {
  const here = `SELECT count(DISTINCT waiting.pid)::int AS waits FROM pg_locks waiting JOIN pg_locks other USING (pid)
                WHERE NOT waiting.granted
                  AND other.database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  const everywhere = `SELECT sum(result::int)::int AS waits FROM run_command_on_all_nodes($$${here}$$)`
  return Effect.map(
    sql.unsafe<{ readonly waits: number }>(kind === "citus" ? everywhere : here),
    ([row]) => row?.waits ?? 0
  )
}

export const { freshDatabase } = postgres
