import { CannotStart, Data } from "@place-access/worker"
import { Console, Effect, Logger, LogLevel, Option } from "effect"
import { createInterface } from "node:readline/promises"
import type { AccountCommand, Output } from "../operator/AccountCommand.js"
import { perform, serviceFactsOf } from "../operator/perform.js"
import { requireDatabase } from "../operator/requireDatabase.js"
import { send } from "../operator/socket.js"
import * as Ports from "../Ports.js"
import type { ServerSettings } from "../ServerSettings.js"
import * as Mark from "../virtual/Mark.js"
import { onSharedClock } from "./onSharedClock.js"

export interface AboutAccounts {
  readonly command: AccountCommand
  readonly json: boolean
  /** Whether `--yes` was given: the command then asks for no confirmation. */
  readonly isConfirmed: boolean
}

/**
 * Carries out the command. If a server has the embedded database open, that server runs the command; otherwise this
 * process does. Only `account create` applies missing migrations, because it may be the first command of a new service
 * (decision staff-7).
 */
export const carryOut = (command: AccountCommand, settings: ServerSettings) =>
  Effect.gen(function* () {
    const { storage } = settings
    const remote = storage._tag === "Embedded" ? yield* send(storage.dataDir, command) : Option.none<Output>()
    if (Option.isSome(remote)) return remote.value
    // Only the server of a test world knows the time of its virtual clock. This process has only the machine's clock,
    // so it refuses to work on the folder of a test world.
    yield* Mark.refuseIn(storage)
    // `account create` needs no database: an operator may make the first admin before the first start of the server.
    if (storage._tag === "Embedded" && command._tag !== "Create") yield* requireDatabase(storage.dataDir)
    return yield* perform(command, serviceFactsOf(settings)).pipe(
      onSharedClock(settings),
      Effect.provide(Ports.layer(settings, command._tag === "Create" ? Data.COMMAND : Data.WITHOUT_MIGRATING)),
      // Only warnings and errors are logged, because the terminal should show little beside the command's answer.
      Logger.withMinimumLogLevel(LogLevel.Warning)
    )
  })

/** Carries out an operator's command about accounts, and prints the outcome. */
export const aboutAccounts = ({ command, isConfirmed, json }: AboutAccounts, settings: ServerSettings) =>
  Effect.gen(function* () {
    if (command._tag === "Delete" && !isConfirmed) yield* confirm(command.account)
    const output = yield* carryOut(command, settings)
    yield* Console.log(json ? JSON.stringify(output.line) : output.sentences.join("\n"))
  })

const confirm = (account: string) =>
  Effect.gen(function* () {
    if (!process.stdin.isTTY) {
      return yield* new CannotStart({
        fault: "usage",
        message: "There is no terminal to ask at: give --yes to delete the account. Nothing was changed."
      })
    }
    yield* confirmBy(askAtTerminal, account)
  })

const askAtTerminal = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/**
 * Asks the operator to confirm the deletion of the account with this e-mail address or id. `ask` prints a question and
 * returns the answer; it rejects when the operator presses Control-C or Control-D.
 */
export const confirmBy = (ask: (question: string) => Promise<string>, account: string) =>
  Effect.gen(function* () {
    const what = account.includes("@") ? "address" : "id"
    const typed = yield* Effect.tryPromise({
      try: () =>
        ask(
          `This deletes the account of ${account}, its places, its history and its apps, for good.\nType the ${what} again to go on: `
        ),
      catch: () => new CannotStart({ message: "Nothing was changed." })
    })
    if (typed.trim().toLowerCase() !== account.toLowerCase()) {
      return yield* new CannotStart({ message: `That is another ${what}. Nothing was changed.` })
    }
  })
