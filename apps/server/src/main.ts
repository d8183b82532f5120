import { CannotStart, ConfigReport, Logging, Program, Telemetry, VERSION } from "@place-access/worker"
import { Console, Effect, Either } from "effect"
import * as Command from "./cli/Command.js"
import { aboutAccounts } from "./cli/accounts.js"
import { backupCommand } from "./cli/backup.js"
import { copyDatabase } from "./cli/copyDatabase.js"
import { createAccount } from "./cli/createAccount.js"
import { distribute } from "./cli/distribute.js"
import { isolate } from "./cli/isolate.js"
import { importRulesInto } from "./cli/importRules.js"
import { help } from "./cli/help.js"
import { keysReencrypt, keysStatus } from "./cli/keys.js"
import { migrate } from "./cli/migrate.js"
import { doctor } from "./doctor/doctor.js"
import * as ServerSettings from "./ServerSettings.js"
import type { VirtualOptions } from "./virtual/VirtualOptions.js"

const run = (command: Command.Command): Effect.Effect<void, CannotStart> => {
  switch (command._tag) {
    case "Help":
      return Console.log(help(ServerSettings.all))
    case "Version":
      return Console.log(VERSION)
    case "Serve": {
      const { virtual } = command
      return withSettings((settings) =>
        Effect.provide(
          virtual === undefined ? onRealTime(settings) : onVirtualTime(settings, virtual),
          Telemetry.layer(settings.telemetry, "place-access-server")
        )
      )
    }
    case "Migrate":
      return withSettings(migrate)
    case "CreateAccount":
      return withSettings((settings) => createAccount(command, settings))
    case "AboutAccounts":
      return withSettings((settings) => aboutAccounts(command, settings), command.json)
    case "Doctor":
      return doctor(command.json)
    case "KeysStatus":
      return withSettings((settings) => keysStatus(command.json, settings.storage), command.json)
    case "KeysReencrypt":
      return withSettings((settings) => keysReencrypt(command.json, settings.storage), command.json)
    case "Backup":
      return withSettings((settings) => backupCommand(command, settings.storage), command.json)
    case "CopyDatabase":
      return withSettings((settings) => copyDatabase(command.from, settings.storage))
    case "Distribute":
      return withSettings((settings) => distribute(command, settings.storage))
    case "Isolate":
      return withSettings((settings) => isolate(command, settings.storage))
    case "ImportRules":
      return withSettings((settings) => importRulesInto(command.file, settings))
  }
}

/** Loads the code for HTTP on demand, because commands such as `migrate` do not need it and start faster without it. */
const onRealTime = (settings: ServerSettings.ServerSettings) =>
  Effect.flatMap(
    Effect.promise(() => import("./serve.js")),
    ({ serve }) => serve(settings)
  )

/** Loads the code for virtual time on demand, because an ordinary start does not need it. */
const onVirtualTime = (settings: ServerSettings.ServerSettings, options: VirtualOptions) =>
  Effect.flatMap(
    Effect.promise(() => import("./virtual/serveVirtual.js")),
    ({ serveVirtual }) => serveVirtual(settings, options)
  )

/**
 * Reads the settings, sets up the log accordingly, and runs `use`. With `json` the log goes to standard error, so that
 * standard output has only the command's line of JSON.
 */
const withSettings = <E>(
  use: (settings: ServerSettings.ServerSettings) => Effect.Effect<void, E | CannotStart>,
  json = false
): Effect.Effect<void, E | CannotStart> =>
  Effect.flatMap(ConfigReport.read(ServerSettings.config), (settings) =>
    Effect.provide(use(settings), Logging.layer(settings.logging, json ? "stderr" : "stdout"))
  )

const parsed = Command.parse(process.argv.slice(2))

Program.run(
  Either.match(parsed, {
    onLeft: (problem) => new CannotStart({ fault: "usage", message: `${problem} Try: npm start -- help` }),
    onRight: run
  }),
  { mustFinish: Either.isRight(parsed) && parsed.right._tag !== "Serve" }
)
