import { Effect, type Scope } from "effect"
import { createServer } from "node:http"
import { CannotStart } from "../CannotStart.js"
import * as Prometheus from "./Prometheus.js"

export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Answers `GET /metrics` and nothing else, on a port of its own: what the service's port shows to the world is decided elsewhere, and
 * no proxy rule has to be remembered. Until the scope closes.
 */
export const listen = ({ host, port }: Address, read: () => void): Effect.Effect<void, CannotStart, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<() => void, CannotStart>((resume) => {
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
      server.once("error", (error: NodeJS.ErrnoException) =>
        resume(new CannotStart({ message: explain(error, host, port) }))
      )
      server.listen({ host, port }, () =>
        resume(
          Effect.succeed(() => {
            server.close()
            server.closeAllConnections()
          })
        )
      )
    }),
    (close) => Effect.sync(close)
  ).pipe(Effect.asVoid)

const explain = (error: NodeJS.ErrnoException, host: string, port: number): string => {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use by another program: each process needs a METRICS_PORT of its own.`
    case "EACCES":
      return `Port ${port} may not be used by this user: choose one above 1023 with METRICS_PORT.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `METRICS_HOST is ${host}, which is no address of this machine: 127.0.0.1 or 0.0.0.0 will do.`
    default:
      return `Metrics cannot be shown on port ${port} of ${host}: ${error.message}.`
  }
}
