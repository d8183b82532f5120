import { DataFolder } from "@place-access/adapters-pg"
import { Account } from "@place-access/domain/accounts"
import type { CannotStart } from "@place-access/worker"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { aboutAccounts, carryOut } from "../../src/cli/accounts.js"
import { importRulesInto } from "../../src/cli/importRules.js"
import { migrate } from "../../src/cli/migrate.js"
import * as ServerSettings from "../../src/ServerSettings.js"
import * as Mark from "../../src/virtual/Mark.js"

type Command = (settings: ServerSettings.ServerSettings) => Effect.Effect<unknown, CannotStart>

const email = Account.Email.make("ada@example.com")
const commands: ReadonlyArray<readonly [string, Command]> = [
  ["migrate", migrate],
  ["rules import", (settings) => importRulesInto("rules.jsonl", settings)],
  [
    "account create",
    (settings) =>
      carryOut(
        {
          _tag: "Create",
          email,
          roles: [],
          displayName: undefined,
          password: Account.Password.make("correct horse battery")
        },
        settings
      )
  ],
  [
    "account suspend",
    (settings) =>
      aboutAccounts({ command: { _tag: "Suspend", account: email }, json: false, isConfirmed: false }, settings)
  ]
]

describe("a command on the folder of a test world whose server does not run [virtual-time-1]", () => {
  it.live.each(commands)("%s: is refused, because it would run on this machine's clock", ([, command]) =>
    Effect.gen(function* () {
      const dataDir = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "place-access-"))),
        (made) => Effect.promise(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))
      )
      yield* Mark.write(dataDir, { now: 0, seed: null, starts: 1 })
      const settings = yield* ServerSettings.config.pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map())))
      const storage = { _tag: "Embedded", dataDir, keys: Option.none() } as const
      expect(yield* Effect.flip(command({ ...settings, storage }))).toMatchObject({
        fault: "settings",
        message: expect.stringContaining("belongs to a test world")
      })
      expect(yield* Effect.promise(() => readdir(dataDir))).toEqual([DataFolder.TEST_WORLD])
    }).pipe(Effect.scoped)
  )
})
