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
    Effect.map((parts) => ({
      line: { backup: to },
      sentences: [
        // A folder whose keys are in SECRET_KEYS has no file of keys.
        parts.includes("secret-keys")
          ? `Copied the database and its keys to ${to}.`
          : `Copied the database to ${to}. The copy has no keys: to restore it you need the same SECRET_KEYS.`,
        "To restore it, start the service with that folder, or a copy of it, as DATA_DIR."
      ]
    }))
  )
