import { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, type Scope } from "effect"
import type pg from "pg"

/**
 * Opens connections outside of the pool, for work that occupies a connection for long, such as LISTEN. The layers of a
 * PostgreSQL server and of the embedded database both provide this service.
 */
export class DedicatedConnection extends Context.Tag("@place-access/adapters-pg/driver/DedicatedConnection")<
  DedicatedConnection,
  {
    /** The connection stays open until the scope closes. The caller must watch its `error` and `end` events. */
    readonly connect: Effect.Effect<pg.Client, SqlError, Scope.Scope>
  }
>() {}

/** Makes a `DedicatedConnection`. Each `connect` calls `open` for a new client and connects this client. */
export const make = (open: () => pg.Client): typeof DedicatedConnection.Service => ({
  connect: Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const client = open()
        // Without a listener, the error event of a lost connection would end the process.
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
        // When the connection went silent, the message of `end` never reaches the server, so the socket is destroyed.
        Effect.ensuring(Effect.sync(() => connectionOf(client).stream.destroy()))
      )
  )
})

const connectionOf = (client: pg.Client): pg.Connection =>
  (client as unknown as { readonly connection: pg.Connection }).connection
