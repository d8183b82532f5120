import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import * as Engine from "@place-access/adapters-http/engine/Engine"
import * as Stock from "@place-access/adapters-http/engine/Stock"
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * Whether the platform's own server, router and handlers answer in place of ours. `STOCK=1` selects the platform's
 * parts (engine/README.md).
 */
const isStock = process.env["STOCK"] === "1"

/** The log lines of a served app, each as a text. */
export type Log = Array<string>

export interface Served {
  /** The address of the server: `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly log: Log
  readonly close: () => Promise<void>
}

type Platform = HttpServer.HttpServer | Layer.Layer.Success<typeof NodeHttpServer.layerContext>

const listening = Effect.acquireRelease(
  Effect.async<Server>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
)

/** A server that takes requests as the production listener does. */
const httpServer = Layer.scoped(
  HttpServer.HttpServer,
  Effect.map(listening, (server) =>
    HttpServer.make({
      address: { _tag: "TcpAddress", hostname: "127.0.0.1", port: (server.address() as AddressInfo).port },
      serve: (app, middleware) =>
        Effect.map(
          Engine.listener(middleware === undefined ? app : middleware(app)),
          (handler) => void server.on("request", handler)
        )
    })
  )
)

/** Serves on a free port of the loopback interface until `close`. `app` is called with the server's address. */
export const serve = async (app: (url: string) => Layer.Layer<never, never, Platform>): Promise<Served> => {
  const log: Log = []
  const logger = Logger.make(({ annotations, cause, logLevel, message }) => {
    const about = Array.from(annotations, ([key, value]) => `${key}=${String(value)}`).join(" ")
    log.push(`${logLevel.label} ${String(message)} ${about} ${cause._tag === "Empty" ? "" : String(cause)}`)
  })
  const scope = Effect.runSync(Scope.make())
  let url = ""
  const routed = Layer.unwrapEffect(
    Effect.map(HttpServer.HttpServer, ({ address }) => {
      url = address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : ""
      return app(url)
    })
  ).pipe(
    Layer.provide(Layer.merge(httpServer, NodeHttpServer.layerContext)),
    Layer.provide(isStock ? Stock.layer : Layer.empty),
    Layer.provide(Logger.replace(Logger.defaultLogger, logger))
  )
  await Effect.runPromise(Layer.buildWithScope(routed, scope))
  return { url, log, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
