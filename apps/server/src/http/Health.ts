import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql/SqlClient"
import * as CurrentRequest from "@place-access/adapters-http/edge/CurrentRequest"
import * as ErrorHelp from "@place-access/adapters-http/wire/ErrorHelp"
import { Failures } from "@place-access/adapters-pg"
import { JudgedClock } from "@place-access/domain/shared"
import { VERSION } from "@place-access/worker"
import { Duration, Effect, type Layer } from "effect"

const PATIENCE = Duration.seconds(2)

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
 * so the next request of /readyz finds the server that has taken over. On a cluster, the statement needs no other node:
 * while a node is away, the service still serves the people of the other nodes.
 */
const acceptsWrites = (sql: SqlClient) =>
  sql`DO $$ BEGIN
    IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF;
  END $$`

const ok = (answer: { readonly status: string; readonly version?: string }) =>
  HttpServerResponse.json(answer, { headers: { "cache-control": "no-store" } })

/**
 * The two paths that supervisors and load balancers call. `/healthz` says that the process runs, and its version.
 * `/readyz` says that the server takes requests: the database answers and accepts writes, the server's clock is right,
 * and the server is not draining. `/readyz` need not check the schema, because these routes exist only after the
 * migrations.
 */
export const layer = (isDraining: () => boolean, baseUrl: string): Layer.Layer<never, never, SqlClient> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const notReady = notReadyAt(baseUrl)
      const sql = yield* SqlClient
      yield* router.get("/healthz", ok({ status: "ok", version: VERSION }))
      yield* router.get(
        "/readyz",
        Effect.gen(function* () {
          if (isDraining()) return yield* notReady("The server is stopping")
          if (!(yield* JudgedClock.isRight)) {
            return yield* notReady("The server's clock differs from the database's by more than 10 s")
          }
          return yield* acceptsWrites(sql).pipe(
            Effect.timeout(PATIENCE),
            Effect.matchEffect({
              onFailure: (error) =>
                notReady(
                  Failures.isReadOnly(error) ? "The database accepts no writes" : "The database does not answer"
                ),
              onSuccess: () => ok({ status: "ready" })
            })
          )
        })
      )
    })
  )
