import type { SqlClient } from "@effect/sql/SqlClient"
import { FolderCopy } from "@place-access/adapters-pg"
import { CannotStart } from "@place-access/worker"
import { Effect } from "effect"
import type { Output } from "./AccountCommand.js"

/** Copies the data folder of the embedded database, which this process has open, to the folder `to`. */
export const backup = (dataDir: string, to: string): Effect.Effect<Output, CannotStart, SqlClient> =>
  FolderCopy.copyFolder(dataDir, to).pipe(
    Effect.mapError((error) =>
      error._tag === "CopyFailed"
        ? new CannotStart({ message: `${error.message}. Nothing was copied.` })
        : new CannotStart({ message: "The database did not answer. Nothing was copied." })
    ),
    Effect.as({
      line: { backup: to },
      sentences: [
        `Copied the database and its keys to ${to}.`,
        "To restore it, start the service with that folder, or a copy of it, as DATA_DIR."
      ]
    })
  )
