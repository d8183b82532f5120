import type { SqlClient } from "@effect/sql/SqlClient"
import { FolderCopy } from "@place-access/adapters-pg"
import { CannotStart } from "@place-access/worker"
import { Effect } from "effect"
import type { Output } from "./AccountCommand.js"

/** A data folder, and whether its keys come from SECRET_KEYS instead of the folder. */
export interface KeptFolder {
  readonly dataDir: string
  readonly keysAreSet: boolean
}

/**
 * Copies the data folder of the embedded database, which this process has open, to the folder `to`. When SECRET_KEYS is
 * set, the copy has no file of keys: that file may have older keys, with which the copy would not open.
 */
export const backup = (
  { dataDir, keysAreSet }: KeptFolder,
  to: string
): Effect.Effect<Output, CannotStart, SqlClient> =>
  FolderCopy.copyFolder(dataDir, to, { withoutKeys: keysAreSet }).pipe(
    Effect.mapError((error) =>
      error._tag === "CopyFailed"
        ? new CannotStart({ message: `${error.message}. Nothing was copied.` })
        : new CannotStart({ message: "The database did not answer. Nothing was copied." })
    ),
    Effect.map((parts) => ({
      line: { backup: to },
      sentences: [
        parts.includes("secret-keys")
          ? `Copied the database and its keys to ${to}.`
          : `Copied the database to ${to}. The copy has no keys: to restore it you need the same SECRET_KEYS.`,
        "To restore it, start the service with that folder, or a copy of it, as DATA_DIR."
      ]
    }))
  )
