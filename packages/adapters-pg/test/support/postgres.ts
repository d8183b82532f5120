import { randomBytes } from "node:crypto"
import pg from "pg"
import { describe, inject } from "vitest"

const serverUrl = inject("pgUrl")

/** A `describe` for what only a real server shows (locks, contention, timeouts); skipped where there is none. */
export const describePg = describe.skipIf(serverUrl === null)

const onServer = async (statement: string): Promise<void> => {
  if (serverUrl === null) throw new Error("No PostgreSQL server: wrap this suite in describePg")
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** An empty database of the caller's own. `drop` closes whatever is still connected to it. */
export const freshDatabase = async (): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> => {
  const name = `place_access_test_${randomBytes(6).toString("hex")}`
  await onServer(`create database ${name}`)
  const url = new URL(serverUrl ?? "")
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(`drop database if exists ${name} with (force)`) }
}
