import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import pg from "pg"
import type { TestProject } from "vitest/node"

/**
 * The three programs that a machine may lack: PostgreSQL, a Citus cluster and Chromium. Tests that need a missing
 * program are skipped, and the run says once which program is missing. With `REQUIRE_…=1`, the run fails instead.
 */
declare module "vitest" {
  export interface ProvidedContext {
    /** A PostgreSQL server on which tests may create databases, or null. */
    readonly pgUrl: string | null
    /** The name of the database that the tests of this run copy. The first test that needs this database makes it. */
    readonly pgTemplate: string
    /**
     * The addresses of the database `postgres` at each node of a Citus cluster, beginning with the coordinator; or
     * null.
     */
    readonly citusNodes: ReadonlyArray<string> | null
    /** The Chromium executable for browser tests, or null. */
    readonly chromiumPath: string | null
  }
}

const DEFAULT_PG_URL = "postgres://postgres@127.0.0.1:5432/postgres"
/**
 * Where Chromium is looked for. Debian's `chromium-headless-shell` comes first: it is the same engine without a window,
 * and takes two thirds of the time.
 */
const CHROMIUM_PATHS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]

const findPostgres = async (url: string): Promise<string | null> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    await client.query("select 1")
    return url
  } catch {
    return null
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * The address of the database `postgres` at each node of the cluster; null if there is no cluster. `url` leads to a
 * database of the coordinator whose catalog lists the nodes.
 */
const findCitus = async (url: string | undefined): Promise<ReadonlyArray<string> | null> => {
  if (url === undefined) return null
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ readonly name: string; readonly port: number }>(
      "select nodename as name, nodeport as port from pg_dist_node where isactive order by groupid"
    )
    return rows.map(({ name, port }) => {
      const node = new URL(url)
      node.hostname = name
      node.port = String(port)
      node.pathname = "/postgres"
      return node.href
    })
  } catch {
    return null
  } finally {
    await client.end().catch(() => undefined)
  }
}

const findChromium = (path: string | undefined): string | null =>
  (path === undefined ? CHROMIUM_PATHS : [path]).find((candidate) => existsSync(candidate)) ?? null

interface Need {
  readonly required: boolean
  readonly explanation: string
}

const orExplain = <A>(found: A | null, { required, explanation }: Need): A | null => {
  if (found === null && required) throw new Error(explanation)
  if (found === null) process.stderr.write(`\n${explanation}\n`)
  return found
}

/** Drops databases. A failure is only printed, because all tests have ended and no test caused it. */
const dropDatabases = async (url: string, names: ReadonlyArray<string>): Promise<void> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on("error", () => undefined)
  try {
    await client.connect()
    for (const name of names) await client.query(`drop database if exists ${name} with (force)`)
  } catch (error) {
    process.stderr.write(`\nThe templates of this run were not dropped (${names.join(", ")}): ${String(error)}\n`)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Returns the function that vitest calls after all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TEST_DATABASE_URL: url = DEFAULT_PG_URL, TEST_CITUS_URL, CHROMIUM_PATH } = process.env
  const { REQUIRE_POSTGRES, REQUIRE_CITUS, REQUIRE_CHROMIUM } = process.env
  const pgTemplate = `place_access_template_${randomBytes(6).toString("hex")}`
  project.provide("pgTemplate", pgTemplate)
  if (process.env["TESTS"] === "short") {
    process.stderr.write("\nThe tests that need PostgreSQL, a browser or programs: npm run test:servers, test:long.\n")
    project.provide("pgUrl", null)
    project.provide("citusNodes", null)
    project.provide("chromiumPath", null)
    return async () => undefined
  }
  const pgUrl = orExplain(await findPostgres(url), {
    required: REQUIRE_POSTGRES === "1",
    explanation:
      `PostgreSQL does not answer at ${url.replace(/\/\/.*@/, "//…@")}: the tests that need a real server are skipped. ` +
      `Start one, or set TEST_DATABASE_URL to a role that may create databases.`
  })
  const citusNodes = orExplain(await findCitus(TEST_CITUS_URL), {
    required: REQUIRE_CITUS === "1",
    explanation:
      `No Citus cluster: its tests are skipped. Set TEST_CITUS_URL to a database of a coordinator, ` +
      `as a role that may create databases on every node.`
  })
  project.provide("pgUrl", pgUrl)
  project.provide("citusNodes", citusNodes)
  project.provide(
    "chromiumPath",
    orExplain(findChromium(CHROMIUM_PATH), {
      required: REQUIRE_CHROMIUM === "1",
      explanation:
        `Chromium was not found: the browser tests are skipped. ` +
        `Install it (apt-get install chromium-headless-shell, or chromium), or set CHROMIUM_PATH.`
    })
  )
  return async () => {
    if (pgUrl !== null) await dropDatabases(pgUrl, [pgTemplate, `${pgTemplate}_draft`])
    for (const node of citusNodes ?? []) await dropDatabases(node, [`${pgTemplate}_citus`, `${pgTemplate}_citus_draft`])
  }
}
