import { Distribution, layerPostgres } from "@place-access/adapters-pg"
import { Effect, Redacted } from "effect"
import pg from "pg"
import type { Bench } from "./Bench.js"
import type { Scratch } from "./Scratch.js"

/** The address of a database on the coordinator of a Citus cluster. The catalog of that database lists the nodes. */
const BENCH_CITUS_URL = process.env["BENCH_CITUS_URL"]

const SHARDS = 4

const ask = async (url: string, statement: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

export interface Cluster {
  /** The address of the `postgres` database at each data node, for creating and dropping scratch databases there. */
  readonly nodes: ReadonlyArray<string>
}

/**
 * Finds the cluster; undefined when BENCH_CITUS_URL is not set. Throws when scratch databases are made on a server that
 * is not the cluster's coordinator.
 */
export const find = async (scratch: Pick<Scratch, "url">): Promise<Cluster | undefined> => {
  if (BENCH_CITUS_URL === undefined) return undefined
  if (new URL(BENCH_CITUS_URL).host !== new URL(scratch.url).host) {
    throw new Error("BENCH_DATABASE_URL and BENCH_CITUS_URL must name the same server, the coordinator")
  }
  const found = await ask(
    BENCH_CITUS_URL,
    "SELECT nodename, nodeport FROM pg_dist_node WHERE isactive AND shouldhaveshards ORDER BY groupid"
  )
  return {
    nodes: found.map(({ nodename, nodeport }) =>
      Object.assign(new URL(BENCH_CITUS_URL), {
        hostname: String(nodename),
        port: String(nodeport),
        pathname: "/postgres"
      }).toString()
    )
  }
}

/** Creates the Citus extension in the scratch database, so that the product sends the statements for a cluster. */
export const extend = ({ query }: Scratch): Promise<unknown> => query("CREATE EXTENSION citus")

/** The address of the scratch database at another node. */
const urlAt = (node: string, { url }: Pick<Scratch, "url">): string =>
  Object.assign(new URL(node), { pathname: new URL(url).pathname }).toString()

/** Distributes the tables of an empty scratch database, which has the extension, over the nodes. */
export const spread = async (bench: Bench, { nodes }: Cluster, scratch: Scratch): Promise<void> => {
  const name = new URL(scratch.url).pathname.slice(1)
  for (const node of nodes) {
    await ask(node, `CREATE DATABASE ${name}`)
    bench.defer(() => ask(node, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    await ask(urlAt(node, scratch), "CREATE EXTENSION citus")
  }
  const { hostname, port } = new URL(scratch.url)
  await scratch.query(`SELECT citus_set_coordinator_host('${hostname}', ${port})`)
  for (const node of nodes) {
    const { hostname, port } = new URL(node)
    await scratch.query(`SELECT citus_add_node('${hostname}', ${port})`)
  }
  await Distribution.distribute({ shards: SHARDS, dryRun: false, say: () => Effect.void }).pipe(
    // Connects under the same name as the benchmark's other connections, because `distribute` refuses to run beside
    // programs with another name.
    Effect.provide(
      layerPostgres({ url: Redacted.make(scratch.url), poolSize: 4, applicationName: "place-access bench" })
    ),
    Effect.runPromise
  )
}

/** The address of the database at the node that has the rows of a user. */
export const nodeOf = async (scratch: Scratch, userId: string): Promise<string> => {
  const [row] = await scratch.query(
    "SELECT nodename, nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('connections', $1::text)",
    [userId]
  )
  return Object.assign(new URL(scratch.url), {
    hostname: String(row?.["nodename"]),
    port: String(row?.["nodeport"])
  }).toString()
}
