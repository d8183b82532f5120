import { layerPostgres, Migrator, NodeVault } from "@place-access/adapters-pg"
import { Account } from "@place-access/domain/accounts"
import { ConfigReport } from "@place-access/worker"
import { ConfigProvider, Effect, Redacted } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { migrations } from "../../../../packages/adapters-pg/src/schema/migrations/index.js"
import { describeServers } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { carryOut } from "../../src/cli/accounts.js"
import { importRulesInto } from "../../src/cli/importRules.js"
import type { AccountCommand } from "../../src/operator/AccountCommand.js"
import * as ServerSettings from "../../src/ServerSettings.js"

const email = Account.Email.make("ada@example.com")
const create: AccountCommand = {
  _tag: "Create",
  email,
  roles: [],
  displayName: undefined,
  password: Account.Password.make("correct horse battery")
}

const settingsOf = (url: string) =>
  ConfigReport.read(ServerSettings.config).pipe(
    Effect.withConfigProvider(
      ConfigProvider.fromMap(
        new Map([
          ["DATABASE_URL", url],
          ["SECRET_KEYS", Redacted.value(NodeVault.generateKey("k1"))]
        ])
      )
    ),
    Effect.runSync
  )

describeServers("commands on a machine whose clock is wrong [staff-8]", ({ freshDatabase }) => {
  it("store the time of the database's clock, like the servers and workers", async () => {
    const database = await freshDatabase()
    const HOUR = 3_600_000
    const real = Date.now.bind(Date)
    const clock = vi.spyOn(Date, "now").mockImplementation(() => real() - 5 * HOUR)
    try {
      const settings = settingsOf(database.url)
      const made = await Effect.runPromise(carryOut(create, settings))
      const suspended = await Effect.runPromise(carryOut({ _tag: "Suspend", account: email }, settings))
      for (const at of [made.line["created_at"], suspended.line["suspended_at"]]) {
        expect(Math.abs(Date.parse(String(at)) - real())).toBeLessThan(HOUR)
      }
    } finally {
      clock.mockRestore()
      await database.drop()
    }
  })
})

describeServers("commands on the database of an older release [staff-7]", ({ freshDatabase }) => {
  it("change nothing and say what to do; only account create applies the migrations", async () => {
    const database = await freshDatabase()
    const folder = await mkdtemp(join(tmpdir(), "place-access-"))
    try {
      const settings = settingsOf(database.url)
      const onDatabase = layerPostgres({ url: Redacted.make(database.url), poolSize: 4, applicationName: "test" })
      const missing = () => Effect.runPromise(Effect.provide(Migrator.missing, onDatabase))
      const older = Migrator.fromRecord(migrations).slice(0, -1)
      await Effect.runPromise(Effect.provide(Migrator.migrateWith(older), onDatabase))
      const rules = join(folder, "rules.jsonl")
      await writeFile(rules, "")
      const commands = [
        carryOut({ _tag: "List" }, settings),
        carryOut({ _tag: "Suspend", account: email }, settings),
        importRulesInto(rules, settings)
      ]
      for (const command of commands) {
        expect(await Effect.runPromise(Effect.flip(Effect.asVoid(command)))).toMatchObject({
          _tag: "CannotStart",
          message:
            "The database has an older schema: 1 migration is missing. Use the release that the database belongs to, " +
            "or make a backup and run npm start -- migrate. Nothing was changed."
        })
        expect(await missing()).toHaveLength(1)
      }
      await Effect.runPromise(carryOut(create, settings))
      expect(await missing()).toEqual([])
      const { sentences } = await Effect.runPromise(carryOut({ _tag: "List" }, settings))
      expect(sentences.join("\n")).toContain(email)
    } finally {
      await rm(folder, { recursive: true })
      await database.drop()
    }
  })
})
