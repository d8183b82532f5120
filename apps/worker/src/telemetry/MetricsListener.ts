import { Effect, type Scope } from "effect"
import { createServer } from "node:http"
import type { CannotStart } from "../CannotStart.js"
import * as Listening from "../process/Listening.js"
import * as Prometheus from "./Prometheus.js"

/**
 * Serves `GET /metrics` and nothing else, on a port of its own, until the scope closes. On the service's own port, a
 * rule of the proxy would have to hide the metrics from the world.
 */
export const listen = (
  address: Listening.ListeningAddress,
  read: () => void
): Effect.Effect<void, CannotStart, Scope.Scope> =>
  Effect.gen(function* () {
    const server = createServer((request, response) => {
      const isHere = (request.url ?? "").replace(/[?#].*$/s, "") === "/metrics"
      if (!isHere || (request.method !== "GET" && request.method !== "HEAD")) {
        response.writeHead(isHere ? 405 : 404, { "content-length": 0 }).end()
        return
      }
      read()
      const text = Prometheus.render()
      response.writeHead(200, {
        "content-type": Prometheus.CONTENT_TYPE,
        "content-length": Buffer.byteLength(text),
        "cache-control": "no-store"
      })
      response.end(request.method === "HEAD" ? undefined : text)
    })
    yield* Effect.acquireRelease(
      Listening.listen(server, address, { host: "METRICS_HOST", port: "METRICS_PORT" }),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
  })
