import { Bag } from "@place-access/domain/shared"
import * as Engine from "@place-access/adapters-http/engine/Engine"
import * as Patience from "@place-access/adapters-http/edge/Patience"
import { HttpServer } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type CannotStart, Listening } from "@place-access/worker"
import { Clock, Deferred, Duration, Effect, FiberId, Layer, Schedule } from "effect"
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http"
import * as Starting from "./Starting.js"

/** How long requests in flight may take to finish after the server has begun to refuse new connections. */
const FINISH = Duration.seconds(10)

/**
 * How long the server keeps an idle connection. Many load balancers drop an idle connection after 60 s. If the server
 * closed the connection first, a load balancer could send a request on a connection that is being closed.
 */
const KEEP_ALIVE_MILLIS = 65_000
const HEADERS_MILLIS = 66_000

export interface HttpListener {
  /** The layer through which the handlers receive requests. */
  readonly layer: Layer.Layer<HttpServer.HttpServer | Layer.Layer.Success<typeof NodeHttpServer.layerContext>>
  /** Accepts connections. Until the handlers are attached, all requests except `/healthz` are answered with 503. */
  readonly listen: Effect.Effect<void, CannotStart>
  /**
   * While the server starts, the start-up code calls this with a text that names what is still missing before the
   * handlers can be attached, such as "the database does not answer". `/readyz` shows the text.
   */
  readonly onMissing: (what: string) => void
  /** Stops accepting connections, and immediately closes every open connection. */
  readonly close: Effect.Effect<void>
  /**
   * Stops the server without losing a request. For the time `announceFor`, the server continues to answer, with
   * `Connection: close`, and `/readyz` answers 503, so that load balancers send new requests elsewhere. Then the server
   * accepts no more connections, and waits at most `FINISH` for the requests in flight.
   */
  readonly drain: (announceFor: Duration.DurationInput) => Effect.Effect<void>
  readonly isDraining: () => boolean
  /**
   * Completes when the server begins to refuse new connections. A streamed answer must end then, so that its reader
   * reconnects to another server.
   */
  readonly stopping: Effect.Effect<void>
}

/**
 * Makes the listener, in place of the layer of `@effect/platform-node` for Node's server. That layer never answers a
 * request that arrives before there is a handler. When that layer closes, it waits for connections that nobody closes.
 */
export const make = (host: string, port: number, baseUrl: string): HttpListener => {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    headersTimeout: HEADERS_MILLIS,
    // The time-out of Node for all requests is off, because it would have to be as long as the longest upload may take.
    // `Patience` limits the time of each request instead.
    requestTimeout: 0
  })
  const underWay = new Bag<ServerResponse>()
  let missing = "the database is being opened"
  const notYet = Starting.answering(baseUrl)
  let handler: RequestListener = (request, response) => notYet(request, response, missing)
  let draining = false
  const stopping = Deferred.unsafeMake<void>(FiberId.none)
  server.on("request", (request, response) => {
    underWay.add(response)
    Patience.begin(request, response)
    response.once("close", () => underWay.delete(response))
    if (draining) response.setHeader("connection", "close")
    handler(request, response)
  })

  const layer = Layer.succeed(
    HttpServer.HttpServer,
    HttpServer.make({
      address: { _tag: "TcpAddress", hostname: host, port },
      serve: (app, middleware) =>
        Effect.map(Engine.listener(middleware === undefined ? app : middleware(app)), (made) => {
          handler = made
        })
    })
  )

  return {
    layer: Layer.merge(layer, NodeHttpServer.layerContext),
    listen: Listening.listen(server, { host, port }, { host: "HOST", port: "PORT" }),
    onMissing: (what) => {
      missing = what
    },
    close: Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    }),
    drain: (announceFor) =>
      Effect.suspend(() => {
        draining = true
        for (const response of underWay) if (!response.headersSent) response.setHeader("connection", "close")
        return Effect.sleep(announceFor)
      }).pipe(
        Effect.zipRight(Deferred.succeed(stopping, undefined)),
        Effect.zipRight(Effect.suspend(() => finish(server))),
        // Sockets use real time, even when the program's `Clock` is a simulated one.
        Effect.withClock(Clock.make())
      ),
    isDraining: () => draining,
    stopping: Deferred.await(stopping)
  }
}

const finish = (server: Server): Effect.Effect<void> => {
  const closed = Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  // A kept-alive connection becomes idle when its answer is finished, so this effect repeats.
  const closeIdle = Effect.repeat(
    Effect.sync(() => server.closeIdleConnections()),
    Schedule.spaced("50 millis")
  )
  return Effect.raceFirst(closed, closeIdle).pipe(
    // `drain` runs in code that is uninterruptible, because the server is being interrupted. Without
    // `Effect.interruptible`, the time-out after `FINISH` could not stop the wait.
    Effect.interruptible,
    Effect.timeoutOption(FINISH),
    Effect.ensuring(Effect.sync(() => server.closeAllConnections())),
    Effect.asVoid
  )
}
