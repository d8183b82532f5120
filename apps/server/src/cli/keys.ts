import { type CannotStart, Data, type Settings } from "@place-access/worker"
import { Console, Effect, Layer, Option } from "effect"
import type { OperatorCommand, Output } from "../operator/AccountCommand.js"
import { keysReencrypt as reencrypt } from "../operator/keysReencrypt.js"
import { keysStatus as report } from "../operator/keysStatus.js"
import { requireDatabase } from "../operator/requireDatabase.js"
import { send } from "../operator/socket.js"
import * as Mark from "../virtual/Mark.js"
import * as WorldKeys from "../virtual/WorldKeys.js"

type Ports = Layer.Layer.Success<ReturnType<typeof ports>>

const ports = (storage: Settings.Storage) =>
  Layer.merge(Data.asItIs(storage, "place-access keys", Data.COMMAND), Data.vault(storage))

/**
 * Carries a command about the keys out and prints its output. If a server runs on the embedded database, that server
 * carries the command out. Otherwise `alone` carries the command out on the database of the settings, if `guard`
 * succeeds.
 */
const carryOut = (
  command: OperatorCommand,
  alone: Effect.Effect<Output, CannotStart, Ports>,
  guard: Effect.Effect<void, CannotStart>,
  json: boolean,
  storage: Settings.Storage
): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    const remote = storage._tag === "Embedded" ? yield* send(storage.dataDir, command) : Option.none<Output>()
    if (Option.isNone(remote)) {
      yield* guard
      if (storage._tag === "Embedded") yield* requireDatabase(storage.dataDir)
    }
    const output = Option.isSome(remote) ? remote.value : yield* Effect.provide(alone, ports(storage))
    yield* Console.log(json ? JSON.stringify(output.line) : output.sentences.join("\n"))
  })

/** Prints which keys there are, and how many values need each of them. */
export const keysStatus = (json: boolean, storage: Settings.Storage): Effect.Effect<void, CannotStart> =>
  Effect.flatMap(WorldKeys.ofFolder(storage), (known) =>
    carryOut({ _tag: "KeysStatus" }, report, Effect.void, json, known)
  )

/** Encrypts stored secrets again with the newest key. Refuses the folder of a test world whose server does not run. */
export const keysReencrypt = (json: boolean, storage: Settings.Storage): Effect.Effect<void, CannotStart> =>
  carryOut({ _tag: "KeysReencrypt" }, reencrypt, Mark.refuseIn(storage), json, storage)
