import { Distribution } from "@place-access/adapters-pg"
import { CannotStart, Data, type Settings } from "@place-access/worker/host"
import { Console, Effect } from "effect"

interface Asked {
  readonly dryRun: boolean
  readonly shards: number
}

/** For operators who outgrow one machine: the tables of a PostgreSQL with Citus, each to its nodes. */
export const distribute = (asked: Asked, storage: Settings.Storage) =>
  storage._tag === "Embedded"
    ? new CannotStart({
        fault: "settings",
        message: "Only a PostgreSQL server can be spread over several machines: set DATABASE_URL. Nothing was changed."
      })
    : Distribution.distribute({ ...asked, say: (line) => Console.log(line) }).pipe(
        Effect.catchTags({
          DistributionRefused: ({ message }) => new CannotStart({ message }),
          MigrationRefused: ({ message }) => new CannotStart({ message: `${message}. Nothing was changed.` })
        }),
        Effect.catchTags({
          SqlError: () => new CannotStart({ message: "The database did not answer a question; nothing was changed." }),
          ParseError: () =>
            new CannotStart({ message: "The database's catalogue cannot be read; nothing was changed." })
        }),
        // As it is: a refusal must come before any migration.
        Effect.provide(Data.asItIs(storage, "place-access db distribute"))
      )
