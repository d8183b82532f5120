import { DataFolder } from "@place-access/adapters-pg"
import { CannotStart } from "@place-access/worker"
import { Effect } from "effect"
import { resolve } from "node:path"

/**
 * Fails when the data folder has no database. Without this check, a command with a wrong DATA_DIR would make an empty
 * database there, and report on it.
 */
export const requireDatabase = (dataDir: string): Effect.Effect<void, CannotStart> =>
  DataFolder.hasDatabase(dataDir).pipe(
    Effect.mapError(({ message }) => new CannotStart({ fault: "settings", message })),
    Effect.filterOrFail(
      (isThere) => isThere,
      () =>
        new CannotStart({
          fault: "settings",
          message:
            `There is no database in the data folder ${resolve(dataDir)}. ` +
            "Set DATA_DIR to the folder of the service, or DATABASE_URL to its PostgreSQL. Nothing was changed."
        })
    ),
    Effect.asVoid
  )
