import { Distribution } from "@place-access/adapters-pg"
import { CannotStart, Data, type Settings } from "@place-access/worker"
import { Console, Effect } from "effect"

interface DistributeOptions {
  readonly dryRun: boolean
  readonly shards: number
}

/**
 * For operators whose service outgrows one machine: distributes the tables of a PostgreSQL with Citus over the nodes of
 * the cluster.
 */
export const distribute = (options: DistributeOptions, storage: Settings.Storage) =>
  storage._tag === "Embedded"
    ? new CannotStart({
        fault: "settings",
        message:
          "Only a PostgreSQL server can be distributed over several machines: set DATABASE_URL. Nothing was changed."
      })
    : Distribution.distribute({ ...options, say: (line) => Console.log(line) }).pipe(
        Effect.catchTags({
          DistributionRefused: ({ message }) => new CannotStart({ message }),
          MigrationRefused: ({ message }) => new CannotStart({ message: `${message}. Nothing was changed.` })
        }),
        Effect.catchTags({
          SqlError: () => new CannotStart({ message: "The database did not answer. Nothing was changed." }),
          ParseError: () =>
            new CannotStart({ message: "The database's catalogue cannot be read. Nothing was changed." })
        }),
        // Opens the database without applying migrations, because the command may refuse, and then must not have
        // changed anything.
        Effect.provide(Data.asItIs(storage, "place-access db distribute", Data.COMMAND))
      )
