import { type CannotStart, Data, type Settings } from "@place-access/worker"
import { Console, Effect, Layer, Option } from "effect"
import type { Output } from "../operator/AccountCommand.js"
import { keysStatus as report } from "../operator/keysStatus.js"
import { requireDatabase } from "../operator/requireDatabase.js"
import { send } from "../operator/socket.js"

/**
 * Prints the status of the keys. If a server runs on the embedded database, that server reports the status; otherwise
 * this command reads the database.
 */
export const keysStatus = (json: boolean, storage: Settings.Storage): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    const remote =
      storage._tag === "Embedded" ? yield* send(storage.dataDir, { _tag: "KeysStatus" }) : Option.none<Output>()
    if (storage._tag === "Embedded" && Option.isNone(remote)) yield* requireDatabase(storage.dataDir)
    const output = Option.isSome(remote)
      ? remote.value
      : yield* Effect.provide(report, Layer.merge(Data.asItIs(storage, "place-access keys"), Data.vault(storage)))
    yield* Console.log(json ? JSON.stringify(output.line) : output.sentences.join("\n"))
  })
