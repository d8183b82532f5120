import { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, type Scope } from "effect"
import type pg from "pg"

/** Connections outside the pool, for what occupies one for long: listening. Both databases give them. */
export class DedicatedConnection extends Context.Tag("@place-access/adapters-pg/DedicatedConnection")<
  DedicatedConnection,
  {
    /** Open until the scope closes. Its `error` and `end` events are the caller's to watch. */
    readonly connect: Effect.Effect<pg.Client, SqlError, Scope.Scope>
  }
>() {}

/** Connects what `open` makes. */
export const make = (open: () => pg.Client): typeof DedicatedConnection.Service => ({
  connect: Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const client = open()
        // Without a listener a lost connection would end the process.
        client.on("error", () => undefined)
        await client.connect()
        return client
      },
      catch: (cause) => new SqlError({ cause, message: "The database gave no further connection" })
    }),
    (client) =>
      Effect.promise(() => client.end()).pipe(
        Effect.interruptible,
        Effect.timeoutOption(1_000),
        // A connection that went silent does not hear that it should end.
        Effect.ensuring(Effect.sync(() => connectionOf(client).stream.destroy()))
      )
  )
})

const connectionOf = (client: pg.Client): pg.Connection =>
  (client as unknown as { readonly connection: pg.Connection }).connection
