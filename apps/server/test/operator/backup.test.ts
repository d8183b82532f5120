import { DataFolder } from "@place-access/adapters-pg"
import { Account } from "@place-access/domain/accounts"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach } from "vitest"
import { embeddedIn, makeDataFolder } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { aboutAccounts } from "../../src/cli/accounts.js"
import { backupCommand } from "../../src/cli/backup.js"
import { keysStatus } from "../../src/cli/keys.js"
import type { AccountCommand } from "../../src/operator/AccountCommand.js"
import { backup } from "../../src/operator/backup.js"
import * as ServerSettings from "../../src/ServerSettings.js"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "place-access-backup-"))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const email = Account.Email.make("ada@example.com")
const about = (command: AccountCommand, dataDir: string) =>
  Effect.flatMap(ServerSettings.config, (settings) =>
    aboutAccounts({ command, json: false, isConfirmed: false }, { ...settings, storage: embedded(dataDir) })
  ).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map())))

const embedded = (dataDir: string) => ({ _tag: "Embedded", dataDir, keys: Option.none() }) as const

describe("a command about a data folder without a database [staff-4]", () => {
  const commands = {
    backup: (dataDir: string) => backupCommand({ json: false, to: join(folder, "copy") }, embedded(dataDir)),
    "keys status": (dataDir: string) => keysStatus(false, embedded(dataDir)),
    "account list": (dataDir: string) => about({ _tag: "List" }, dataDir),
    "account suspend": (dataDir: string) => about({ _tag: "Suspend", account: email }, dataDir)
  }

  it.live.each(Object.entries(commands))("%s: is refused by the name of DATA_DIR, and makes no data", ([, command]) =>
    Effect.gen(function* () {
      for (const dataDir of [folder, join(folder, "missing")]) {
        expect(yield* Effect.flip(command(dataDir))).toMatchObject({
          fault: "settings",
          message: `There is no database in the data folder ${dataDir}. Set DATA_DIR to the folder of the service, or DATABASE_URL to its PostgreSQL. Nothing was changed.`
        })
      }
      expect(yield* Effect.promise(() => readdir(folder))).toEqual([])
    })
  )
})

describe("backup", () => {
  /** A server of the data folder that answers each command with success, and makes no copy where a test sees it. */
  const serverElsewhere = (dataDir: string) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((socket) => {
          const output = { line: { backup: "" }, sentences: ["Copied."] }
          socket.once("data", () => socket.end(`${JSON.stringify({ output })}\n`))
        })
        await new Promise<void>((resolve) => void server.listen(join(dataDir, "control.sock"), resolve))
        return server
      }),
      (server) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
    )

  it.live("is refused as a success when the server made the copy where the command does not see it [staff-4]", () =>
    Effect.gen(function* () {
      yield* serverElsewhere(folder)
      const to = join(folder, "copy")
      const command = Effect.flip(backupCommand({ json: false, to }, embedded(folder)))
      expect((yield* command).message).toContain(`made the copy ${to}, but in a file system of its own`)
      // The server makes the copy in a new folder. So a folder that the command saw at this path before is not the
      // copy.
      yield* Effect.promise(() => mkdir(to))
      expect((yield* command).message).toContain(`made the copy ${to}, but in a file system of its own`)
    }).pipe(Effect.scoped)
  )

  it.live("says that it copied the keys only when the service keeps them in the folder", () =>
    Effect.gen(function* () {
      const dataDir = yield* Effect.acquireRelease(Effect.promise(makeDataFolder), (made) =>
        Effect.promise(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))
      )
      const copied = (to: string) =>
        Effect.map(backup({ dataDir, keysAreSet: false }, to), ({ sentences: [first] }) => first)
      yield* Effect.gen(function* () {
        const [full, bare] = [join(folder, "full"), join(folder, "bare")]
        expect(yield* copied(full)).toBe(`Copied the database and its keys to ${full}.`)
        yield* Effect.promise(() => rm(join(dataDir, "secret-keys")))
        expect(yield* copied(bare)).toBe(
          `Copied the database to ${bare}. The copy has no keys: to restore it you need the same SECRET_KEYS.`
        )
        expect([full, bare].map((copy) => existsSync(join(copy, "secret-keys")))).toEqual([true, false])
        expect(yield* DataFolder.hasDatabase(bare)).toBe(true)
      }).pipe(Effect.provide(embeddedIn(dataDir)))
    }).pipe(Effect.scoped)
  )

  it.live("leaves keys out that SECRET_KEYS has replaced, and says that the copy has none", () =>
    Effect.gen(function* () {
      const dataDir = yield* Effect.acquireRelease(Effect.promise(makeDataFolder), (made) =>
        Effect.promise(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))
      )
      const to = join(folder, "copy")
      const { sentences } = yield* Effect.provide(backup({ dataDir, keysAreSet: true }, to), embeddedIn(dataDir))
      expect(sentences[0]).toBe(
        `Copied the database to ${to}. The copy has no keys: to restore it you need the same SECRET_KEYS.`
      )
      expect([dataDir, to].map((copy) => existsSync(join(copy, "secret-keys")))).toEqual([true, false])
    }).pipe(Effect.scoped)
  )
})
