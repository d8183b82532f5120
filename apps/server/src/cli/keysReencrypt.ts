import { type CannotStart, Data, type Settings } from "@place-access/worker"
import { Console, Effect, Layer, Option } from "effect"
import type { Output } from "../operator/AccountCommand.js"
import { keysReencrypt as reencrypt } from "../operator/keysReencrypt.js"
import { requireDatabase } from "../operator/requireDatabase.js"
import { send } from "../operator/socket.js"
import * as Mark from "../virtual/Mark.js"

/**
 * Encrypts stored secrets again with the newest key. If a server runs on the embedded database, that server does it;
 * otherwise this command does.
 */
export const keysReencrypt = (json: boolean, storage: Settings.Storage): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    const remote =
      storage._tag === "Embedded" ? yield* send(storage.dataDir, { _tag: "KeysReencrypt" }) : Option.none<Output>()
    const output = Option.isSome(remote) ? remote.value : yield* alone(storage)
    yield* Console.log(json ? JSON.stringify(output.line) : output.sentences.join("\n"))
  })

const alone = (storage: Settings.Storage) =>
  Effect.gen(function* () {
    yield* Mark.refuseIn(storage)
    if (storage._tag === "Embedded") yield* requireDatabase(storage.dataDir)
    return yield* Effect.provide(reencrypt, Layer.merge(Data.asItIs(storage, "place-access keys"), Data.vault(storage)))
  })
