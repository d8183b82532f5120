import { CannotStart, Data, type Settings } from "@place-access/worker"
import { Console, Effect, Option } from "effect"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { Output } from "../operator/AccountCommand.js"
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
    const wasThere = existsSync(folder)
    const remote = yield* send(dataDir, { _tag: "Backup", folder })
    const output = Option.isSome(remote)
      ? yield* visible(remote.value, folder, wasThere)
      : yield* requireDatabase(dataDir).pipe(
          Effect.zipRight(
            Effect.provide(
              backup({ dataDir, keysAreSet: Option.isSome(keys) }, folder),
              Data.asItIs(storage, "place-access backup", Data.COMMAND)
            )
          )
        )
    yield* Console.log(json ? JSON.stringify(output.line) : output.sentences.join("\n"))
  })

/**
 * The output of the server, if this command sees the server's copy. The server makes a new folder, and its file system
 * may differ from the command's: with PrivateTmp=yes of systemd or in a container, its /tmp is another folder.
 */
const visible = (output: Output, folder: string, wasThere: boolean) =>
  existsSync(folder) && !wasThere
    ? Effect.succeed(output)
    : new CannotStart({
        message:
          `The running server made the copy ${folder}, but in a file system of its own, where this command does not see ` +
          "it: with systemd (PrivateTmp=yes) or in a container, the server's /tmp is another folder. The copy there may " +
          "be lost when the server stops. Copy to a folder that both see: see docs/backup.md."
      })
