import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as CurrentRequest from "@place-access/adapters-http/edge/CurrentRequest"
import * as ErrorHelp from "@place-access/adapters-http/wire/ErrorHelp"
import { DedicatedConnection, Failures } from "@place-access/adapters-pg"
import { JudgedClock } from "@place-access/domain/shared"
import { VERSION } from "@place-access/worker"
import { Duration, Effect, Fiber, type Layer } from "effect"

/** How long the statement of `acceptsWrites` may take over a connection of the pool. */
const PATIENCE = Duration.seconds(2)
/**
 * When the statement over the pool has no answer after this time, `/readyz` also sends the statement over a connection
 * outside of the pool.
 */
const POOL_IS_FULL_AFTER = Duration.millis(500)
/** How long the statement of `acceptsWrites` may take over a connection outside of the pool. */
const PATIENCE_OUTSIDE = Duration.millis(1_500)
/** For how long the answer over a connection outside of the pool also answers further requests of `/readyz`. */
const OUTSIDE_COUNTS_FOR = Duration.seconds(1)

/**
 * Answers 503 while the server is not ready. The answer is not a failed Effect: a failure would count as a fault of the
 * service, and a browser would get an error page.
 */
const notReadyAt = (baseUrl: string) => (message: string) =>
  CurrentRequest.cellWith(({ id }) =>
    HttpServerResponse.json(
      { statusCode: 503, error: "unavailable", message, ...ErrorHelp.of("unavailable", id, { baseUrl }) },
      { status: 503, headers: { "retry-after": "1", "cache-control": "no-store" } }
    )
  )

/**
 * Fails on a database that accepts no writes, with the error of a refused write: the driver then closes the connection,
 * so the next request of /readyz finds the server that has taken over. `sql.unsafe` belongs to the library and would
 * leave the connection open. On a cluster, the statement needs no other node: while a node is away, the service still
 * serves the people of the other nodes.
 */
const acceptsWrites = (sql: SqlClient) => sql`${sql.literal(ASK)}`

const ASK = `DO $$ BEGIN
  IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF;
END $$`

/**
 * Sends the statement of `acceptsWrites` over a connection outside of the pool (decision errors-4). Everybody may call
 * `/readyz`, so all requests of a second share one connection and its answer. A failure is shared only by the requests
 * that wait for it.
 */
const acceptsWritesOutside = ({ connect }: typeof DedicatedConnection.Service) =>
  Effect.flatMap(connect, (client) =>
    Effect.tryPromise({
      try: () => client.query(ASK),
      catch: (cause) => new SqlError({ cause, message: "The database accepts no writes" })
    })
  ).pipe(
    Effect.scoped,
    // Connecting cannot be interrupted. So it goes on in the background when no request waits for its result any more.
    Effect.disconnect,
    Effect.timeout(PATIENCE_OUTSIDE),
    Effect.cachedInvalidateWithTTL(OUTSIDE_COUNTS_FOR),
    Effect.map(([answer, forget]) => Effect.tapError(answer, () => forget))
  )

const ok = (answer: { readonly status: string; readonly version?: string }) =>
  HttpServerResponse.json(answer, { headers: { "cache-control": "no-store" } })

/**
 * The two paths that supervisors and load balancers call. `/healthz` says that the process runs, and its version.
 * `/readyz` says that the server takes requests: the database answers and accepts writes, the server's clock is right,
 * and the server is not draining. A server whose connections are all in use is ready, and says that it is busy.
 * `/readyz` need not check the schema, because these routes exist only after the migrations.
 */
export const layer = (
  isDraining: () => boolean,
  baseUrl: string
): Layer.Layer<never, never, SqlClient | DedicatedConnection> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const notReady = notReadyAt(baseUrl)
      const sql = yield* SqlClient
      const outside = yield* acceptsWritesOutside(yield* DedicatedConnection)
      yield* router.get("/healthz", ok({ status: "ok", version: VERSION }))
      yield* router.get(
        "/readyz",
        Effect.gen(function* () {
          if (isDraining()) return yield* notReady("The server is stopping")
          if (!(yield* JudgedClock.isRight)) {
            return yield* notReady("The server's clock differs from the database's by more than 10 s")
          }
          // The statement over the pool is not interrupted when the one outside of the pool is answered first. If the
          // pool's connection accepts no writes, the driver must get the refusal, so that it closes this connection.
          const asked = yield* acceptsWrites(sql).pipe(
            Effect.as("ready"),
            Effect.timeout(PATIENCE),
            Effect.interruptible,
            Effect.forkDaemon
          )
          return yield* Effect.raceFirst(
            Fiber.join(asked),
            Effect.delay(Effect.as(outside, "busy"), POOL_IS_FULL_AFTER)
          ).pipe(
            Effect.interruptible,
            Effect.matchEffect({
              onFailure: (error) =>
                notReady(
                  Failures.isReadOnly(error) ? "The database accepts no writes" : "The database does not answer"
                ),
              onSuccess: (status) => ok({ status })
            })
          )
        })
      )
    })
  )
