import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { createServer } from "node:http"

/** What a served app logged, one text a line. */
export type Log = Array<string>

export interface Served {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly log: Log
  readonly close: () => Promise<void>
}

type Platform = Layer.Layer.Success<ReturnType<typeof NodeHttpServer.layer>>

/** Serves on a free port of the loopback interface until `close`. `app` is told its address before it is built. */
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
    Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
    Layer.provide(Logger.replace(Logger.defaultLogger, logger))
  )
  await Effect.runPromise(Layer.buildWithScope(routed, scope))
  return { url, log, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
