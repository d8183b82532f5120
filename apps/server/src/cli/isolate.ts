import { Isolation } from "@place-access/adapters-pg"
import type { AppId } from "@place-access/domain/shared"
import { CannotStart, Data, type Settings } from "@place-access/worker"
import { Console, Effect } from "effect"

interface IsolateOptions {
  readonly appId: AppId
  readonly node: Isolation.NodeAddress | undefined
}

/**
 * For operators of a cluster: gives the rows of one busy app a separate shard in each table that is spread by app, and
 * moves these shards to `node` if it is given.
 */
export const isolate = (options: IsolateOptions, storage: Settings.Storage) =>
  storage._tag === "Embedded"
    ? new CannotStart({
        fault: "settings",
        message: "Only a cluster can give an app a node of its own: set DATABASE_URL. Nothing was changed."
      })
    : Isolation.isolate({ ...options, say: (line) => Console.log(line) }).pipe(
        Effect.catchTags({
          IsolationRefused: ({ message }) => new CannotStart({ message }),
          SqlError: () => new CannotStart({ message: "The database did not answer. Repeat the command." }),
          ParseError: () => new CannotStart({ message: "The database's catalogue cannot be read." })
        }),
        // Opens the database without applying migrations, because the command may refuse, and then must not have
        // changed anything.
        Effect.provide(Data.asItIs(storage, "place-access db isolate", Data.COMMAND))
      )
