import { existsSync } from "node:fs"
import pg from "pg"
import type { TestProject } from "vitest/node"

/** The two things a machine may lack. Tests that need one skip where it is absent, and say so once, here. */
declare module "vitest" {
  export interface ProvidedContext {
    /** A PostgreSQL server where tests may create databases, or null. */
    readonly pgUrl: string | null
    /** The Chromium executable that browser tests drive, or null. */
    readonly chromiumPath: string | null
  }
}

const DEFAULT_PG_URL = "postgres://postgres@127.0.0.1:5432/postgres"
const CHROMIUM_PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

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

const findChromium = (path: string | undefined): string | null =>
  (path === undefined ? CHROMIUM_PATHS : [path]).find((candidate) => existsSync(candidate)) ?? null

interface Need {
  readonly required: boolean
  /** Said by the project whose tests skip, so that a run says it once. */
  readonly say: boolean
  readonly explanation: string
}

const orExplain = (found: string | null, { required, say, explanation }: Need): string | null => {
  if (found === null && required) throw new Error(explanation)
  if (found === null && say) process.stderr.write(`\n${explanation}\n`)
  return found
}

export default async function setup(project: TestProject): Promise<void> {
  const { TEST_DATABASE_URL: pgUrl = DEFAULT_PG_URL, CHROMIUM_PATH, REQUIRE_POSTGRES, REQUIRE_CHROMIUM } = process.env
  project.provide(
    "pgUrl",
    orExplain(await findPostgres(pgUrl), {
      required: REQUIRE_POSTGRES === "1",
      say: project.name === "pg",
      explanation:
        `PostgreSQL does not answer at ${pgUrl.replace(/\/\/.*@/, "//…@")}: the tests that need a real server are skipped. ` +
        `Start one, or set TEST_DATABASE_URL to a role that may create databases.`
    })
  )
  project.provide(
    "chromiumPath",
    orExplain(findChromium(CHROMIUM_PATH), {
      required: REQUIRE_CHROMIUM === "1",
      say: project.name === "browser",
      explanation:
        `Chromium was not found: the browser tests are skipped. ` +
        `Install it (apt-get install chromium), or set CHROMIUM_PATH.`
    })
  )
}
