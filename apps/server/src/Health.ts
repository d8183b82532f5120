import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql/SqlClient"
import { JudgedClock } from "@place-access/domain/shared"
import { VERSION } from "@place-access/worker"
import { Duration, Effect, type Layer } from "effect"

const PATIENCE = Duration.seconds(2)

const notReady = (message: string) =>
  HttpServerResponse.json(
    { statusCode: 503, error: "unavailable", message },
    { status: 503, headers: { "retry-after": "1", "cache-control": "no-store" } }
  )

const ok = (answer: { readonly status: string; readonly version?: string }) =>
  HttpServerResponse.json(answer, { headers: { "cache-control": "no-store" } })

/**
 * The two paths that supervisors and load balancers call. `/healthz`: the process runs, in this version. `/readyz`: the
 * server takes requests, because the database answers (its schema is current, or there would be no handlers), the
 * server's clock is right, and the server is not draining.
 */
export const layer = (isDraining: () => boolean): Layer.Layer<never, never, SqlClient> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* router.get("/healthz", ok({ status: "ok", version: VERSION }))
      yield* router.get(
        "/readyz",
        Effect.gen(function* () {
          if (isDraining()) return yield* notReady("The server is stopping")
          if (!(yield* JudgedClock.isRight)) {
            return yield* notReady("The server's clock differs from the database's by more than 10 s")
          }
          return yield* sql`SELECT 1`.pipe(
            Effect.timeout(PATIENCE),
            Effect.matchEffect({
              onFailure: () => notReady("The database does not answer"),
              onSuccess: () => ok({ status: "ready" })
            })
          )
        })
      )
    })
  )
