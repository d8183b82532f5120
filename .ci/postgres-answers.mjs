// Succeeds when the tests may create databases on the server at TEST_DATABASE_URL.
import pg from "pg"

const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL, connectionTimeoutMillis: 3_000 })
try {
  await client.connect()
  const { rows } = await client.query(
    "select rolcreatedb or rolsuper as may from pg_roles where rolname = current_user"
  )
  process.exitCode = rows[0]?.may === true ? 0 : 1
} catch {
  process.exitCode = 1
} finally {
  await client.end().catch(() => {})
}
