import { CannotStart, Data, type Settings } from "@place-access/worker"
import { Console, Effect, Option } from "effect"
import { resolve } from "node:path"
import { backup } from "../operator/backup.js"
import { requireDatabase } from "../operator/requireDatabase.js"
import { send } from "../operator/socket.js"

/** Copies the data folder. If a server runs on the folder, that server makes the copy; otherwise this command does. */
export const backupCommand = (
  { json, to }: { readonly json: boolean; readonly to: string },
  storage: Settings.Storage
): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    if (storage._tag === "Postgres") {
      return yield* new CannotStart({
        fault: "settings",
        message: "This command copies the embedded database. PostgreSQL has pg_dump: see docs/backup.md."
      })
    }
    const { dataDir, keys } = storage
    // The path must be absolute, because the working directory of the server may differ from this command's.
    const folder = resolve(to)
    const remote = yield* send(dataDir, { _tag: "Backup", folder })
    const output = Option.isSome(remote)
      ? remote.value
      : yield* requireDatabase(dataDir).pipe(
          Effect.zipRight(
            Effect.provide(
              backup({ dataDir, keysAreSet: Option.isSome(keys) }, folder),
              Data.asItIs(storage, "place-access backup")
            )
          )
        )
    yield* Console.log(json ? JSON.stringify(output.line) : output.sentences.join("\n"))
  })
