import { SqlClient } from "@effect/sql/SqlClient"
import { layerEmbedded } from "@place-access/adapters-pg"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  describePg,
  describeServers,
  postgres,
  type TestDatabase
} from "../../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "../support/client.js"
import { freePort } from "../support/freePort.js"
import { reading, tryUpload } from "../support/phone.js"
import { ready, useProcesses, workerReady } from "../support/processes.js"
import { type Receiver, startReceiver } from "../support/receiver.js"
import { type Service, startService } from "../support/service.js"
import { beginLife, command, goesOn, type Life } from "./support.js"

const run = promisify(execFile)

/**
 * The path of a program of PostgreSQL in its newest version on this machine, because an older `pg_dump` refuses a newer
 * server.
 */
const programOf = async (name: string): Promise<string | undefined> => {
  const versions = await readdir("/usr/lib/postgresql").catch(() => [])
  const paths = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin/${name}`)
  return paths.find((path) => existsSync(path))
}

/** A point where nobody has a place. */
const AT_SEA = { lat: 53.9, lon: 3.1 }
const SECOND = 1_000

describe("the embedded database", () => {
  const processes = useProcesses()
  let service: Service
  let receiver: Receiver
  let life: Life
  let folder: string
  beforeAll(async () => {
    ;[service, receiver, folder] = await Promise.all([
      startService(processes, { database: "embedded" }),
      startReceiver(),
      mkdtemp(join(tmpdir(), "place-access-backup-"))
    ])
    life = await beginLife(service.url, receiver)
  })
  afterAll(async () => {
    await receiver?.close()
    await service?.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it("is copied while it runs: the copy opens, and has every reading that was acknowledged before", async () => {
    const progress = { isOver: false, acknowledged: 0 }
    const phone = (async () => {
      for (let second = 1; !progress.isOver; second++) {
        const answer = await tryUpload(client(service.url), life.deviceToken, [
          reading(Date.now() - 3_600 * SECOND + second * SECOND, AT_SEA)
        ])
        if (answer !== undefined) progress.acknowledged += answer.accepted
        await pause(1)
      }
    })()
    while (progress.acknowledged < 20) await pause(10)
    const before = progress.acknowledged
    const copy = join(folder, "copy")
    const made = await command(["backup", copy, "--json"], { DATA_DIR: service.dataDir })
    const after = progress.acknowledged
    progress.isOver = true
    await phone
    expect([made.stderr, made.code, JSON.parse(made.stdout)]).toEqual(["", 0, { backup: copy }])
    expect((await readdir(copy)).sort()).toEqual(["database", "secret-keys"])
    expect((await stat(copy)).mode & 0o777).toBe(0o700)

    const port = await freePort()
    const url = `http://localhost:${port}`
    const restored = processes.start("server", { DATA_DIR: copy, PORT: String(port), ALLOW_INSECURE_WEBHOOKS: "true" })
    await ready(restored, url)
    expect(await goesOn(url, life, receiver)).toEqual({ me: 200, verified: true })
    await restored.stop("SIGTERM")
    expect(await countFixes(copy)).toBeGreaterThanOrEqual(before)
    // The service continued to store readings while its folder was copied.
    expect(after).toBeGreaterThanOrEqual(before)
    // The command must also copy a folder that no server has open.
    const again = await command(["backup", join(folder, "again")], { DATA_DIR: copy })
    expect(again.code).toBe(0)
    expect(await countFixes(join(folder, "again"))).toBe(await countFixes(copy))
  })

  it("is not copied over a folder that exists, nor from a PostgreSQL", async () => {
    const over = await command(["backup", folder], { DATA_DIR: service.dataDir })
    expect([over.code, over.stderr]).toEqual([1, `${folder} exists already. Nothing was copied.\n`])
    const keys = (await readFile(join(service.dataDir, "secret-keys"), "utf8")).trim()
    const other = await command(["backup", join(folder, "other")], {
      DATABASE_URL: "postgres://127.0.0.1:1/none",
      SECRET_KEYS: keys
    })
    expect([other.code, other.stderr]).toEqual([
      78,
      "This command copies the embedded database. PostgreSQL has pg_dump: see docs/backup.md.\n"
    ])
  })
})

/** The number of fixes in a data folder that no process has open. */
const countFixes = (dataDir: string): Promise<number> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [row] = yield* sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM fixes`
    return row?.count ?? 0
  }).pipe(Effect.provide(layerEmbedded({ dataDir })), Effect.runPromise)

describeServers("db copy", ({ freshDatabase }) => {
  const processes = useProcesses()
  let service: Service
  let receiver: Receiver
  let life: Life
  let target: TestDatabase
  let keys: string
  beforeAll(async () => {
    ;[service, receiver, target] = await Promise.all([
      startService(processes, { database: "embedded" }),
      startReceiver(),
      freshDatabase()
    ])
    keys = (await readFile(join(service.dataDir, "secret-keys"), "utf8")).trim()
    life = await beginLife(service.url, receiver)
    // Sends a reading from three months ago. The target of the move is a new database without a partition for that
    // month, so the move must make one.
    await tryUpload(client(service.url), life.deviceToken, [reading(Date.now() - 90 * 86_400 * SECOND, AT_SEA)])
  })
  afterAll(async () => {
    await receiver?.close()
    await service?.close()
    await target?.drop()
  })

  const copy = (environment: Readonly<Record<string, string>>, from = service.dataDir) =>
    command(["db", "copy", from], { DATABASE_URL: target.url, SECRET_KEYS: keys, ...environment })

  it("refuses a database that is in use, other keys, and a folder without a database", async () => {
    expect((await copy({})).stderr).toContain("is in use by process")
    await service.server().stop("SIGTERM")
    const other = await copy({ SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}` })
    expect([other.code, other.stderr]).toEqual([
      78,
      expect.stringMatching(/^SECRET_KEYS are not the keys of the database in .* Nothing was copied\.\n$/)
    ])
    expect((await copy({}, tmpdir())).stderr).toContain(`There is no embedded database in ${tmpdir()}.`)
  })

  it("moves an embedded service to a server: tokens, rules and signing secrets go on", async () => {
    const made = await copy({})
    expect([made.stderr, made.code]).toEqual(["", 0])
    expect(made.stdout).toMatch(/^accounts: 1 row$/m)
    expect(made.stdout).toMatch(/^Copied and compared \d+ rows\. /m)

    const port = await freePort()
    const environment = {
      DATABASE_URL: target.url,
      SECRET_KEYS: keys,
      PORT: String(port),
      ALLOW_INSECURE_WEBHOOKS: "true"
    }
    const [server, worker] = [processes.start("server", environment), processes.start("worker", environment)]
    await Promise.all([ready(server, `http://localhost:${port}`), workerReady(worker)])
    expect(await goesOn(`http://localhost:${port}`, life, receiver)).toEqual({ me: 200, verified: true })
    await Promise.all([server.stop("SIGTERM"), worker.stop("SIGTERM")])
  })

  it("refuses a database that has rows, and leaves them alone", async () => {
    const again = await copy({})
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/^The table \w+ of the target has rows\. Nothing was copied\.\n$/)
    ])
  })
})

describePg("dump", "a dump with pg_dump", () => {
  const processes = useProcesses()
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver?.close())

  it("of a running database is restored elsewhere by the superuser, for a plain role: tokens, rules and signing secrets go on", async ({
    skip
  }) => {
    const [dump, restore] = await Promise.all([programOf("pg_dump"), programOf("pg_restore")])
    if (dump === undefined || restore === undefined) return skip("pg_dump is not installed")
    const port = await freePort()
    const url = `http://localhost:${port}`
    const shared = {
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      ALLOW_INSECURE_WEBHOOKS: "true",
      PORT: String(port)
    }
    const [source, elsewhere] = await Promise.all([postgres.freshDatabase(), postgres.freshDatabase()])
    const folder = await mkdtemp(join(tmpdir(), "place-access-dump-"))
    const [role, password] = [`place_access_test_${randomBytes(6).toString("hex")}`, randomBytes(12).toString("hex")]
    const owned = new URL(elsewhere.url)
    try {
      await query(elsewhere.url, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`)
      await query(elsewhere.url, `ALTER DATABASE ${owned.pathname.slice(1)} OWNER TO ${role}`)
      owned.username = role
      owned.password = password
      const server = processes.start("server", { ...shared, DATABASE_URL: source.url })
      await ready(server, url)
      const life = await beginLife(url, receiver)
      const file = join(folder, "place-access.dump")
      await run(dump, ["--format=custom", "--file", file, source.url])
      await server.stop("SIGTERM")

      // Restores as the superuser, like docs/backup.md. Without `--role` the tables would belong to the superuser.
      const flags = ["--no-owner", `--role=${role}`, "--exit-on-error", "--single-transaction"]
      await run(restore, [...flags, "--dbname", elsewhere.url, file])
      const environment = { ...shared, DATABASE_URL: owned.href }
      const [restored, worker] = [processes.start("server", environment), processes.start("worker", environment)]
      await Promise.all([ready(restored, url), workerReady(worker)])
      expect(await goesOn(url, life, receiver)).toEqual({ me: 200, verified: true })
      await Promise.all([restored.stop("SIGTERM"), worker.stop("SIGTERM")])
    } finally {
      await elsewhere.drop()
      await query(source.url, `DROP ROLE IF EXISTS ${role}`)
      await Promise.all([source.drop(), rm(folder, { recursive: true, force: true })])
    }
  })
})

/** Runs a statement over a connection of its own. */
const query = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
