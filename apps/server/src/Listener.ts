import { patienceMillisFor } from "@place-access/adapters-http/edge/Body"
import * as NodeServer from "@place-access/adapters-http/edge/NodeServer"
import { HttpServer } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type CannotStart, Listening } from "@place-access/worker/host"
import { Clock, Deferred, Duration, Effect, FiberId, Layer, Schedule } from "effect"
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http"

/** How long requests under way may take to finish when the server is told to stop. */
const DRAIN = Duration.seconds(10)

/** Longer than the 60 s after which load balancers drop an idle connection: the one who closes first must be them. */
const KEEP_ALIVE_MILLIS = 65_000
const HEADERS_MILLIS = 66_000

export interface Listener {
  /** Takes requests to the handlers. */
  readonly layer: Layer.Layer<HttpServer.HttpServer | Layer.Layer.Success<typeof NodeHttpServer.layerContext>>
  /** Accepts connections; until there are handlers requests are answered with 503. */
  readonly listen: Effect.Effect<void, CannotStart>
  /** Ends whatever is open. */
  readonly close: Effect.Effect<void>
  /** Accepts nothing more and waits until every request under way is answered, at most `DRAIN`. */
  readonly drain: Effect.Effect<void>
  readonly isDraining: () => boolean
  /** Returns when `drain` begins. */
  readonly stopping: Effect.Effect<void>
}

/**
 * Node's server, in place of the platform's own layer: that one never answers what arrives before there is a handler, and when
 * it closes it waits for connections that nobody will close.
 */
export const make = (host: string, port: number): Listener => {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    headersTimeout: HEADERS_MILLIS,
    // One for all of them would be that of the longest upload: each request has its own.
    requestTimeout: 0
  })
  const underWay = new Set<ServerResponse>()
  let handler: RequestListener = notYet
  let draining = false
  const stopping = Deferred.unsafeMake<void>(FiberId.none)
  server.on("request", (request, response) => {
    underWay.add(response)
    const giveUp = () => {
      if (!request.complete) request.destroy()
    }
    // @effect-diagnostics-next-line globalTimers:off -- a socket's time, below any program
    const timer = setTimeout(giveUp, patienceMillisFor(request.url ?? "")).unref()
    response.once("close", () => {
      underWay.delete(response)
      // What was answered before it was whole (401 needs no body) is still on its way.
      if (request.complete || request.socket.destroyed) clearTimeout(timer)
    })
    if (draining) response.setHeader("connection", "close")
    handler(request, response)
  })

  const layer = Layer.succeed(
    HttpServer.HttpServer,
    HttpServer.make({
      address: { _tag: "TcpAddress", hostname: host, port },
      serve: (app, middleware) =>
        Effect.map(NodeServer.listener(middleware === undefined ? app : middleware(app)), (made) => {
          handler = made
        })
    })
  )

  return {
    layer: Layer.merge(layer, NodeHttpServer.layerContext),
    listen: Listening.listen(server, { host, port }, { host: "HOST", port: "PORT" }),
    close: Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    }),
    drain: Effect.suspend(() => {
      draining = true
      Deferred.unsafeDone(stopping, Effect.void)
      for (const response of underWay) if (!response.headersSent) response.setHeader("connection", "close")
      return drain(server)
    }),
    isDraining: () => draining,
    stopping: Deferred.await(stopping)
  }
}

/** While the database is being opened. A process that starts is alive, and not ready. */
const notYet: RequestListener = ({ url }, response) => {
  const [status, body] =
    url === "/healthz"
      ? [200, { status: "starting" }]
      : [503, { statusCode: 503, error: "unavailable", message: "The server is starting" }]
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", "retry-after": "1" })
  response.end(JSON.stringify(body))
}

const drain = (server: Server): Effect.Effect<void> => {
  const closed = Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  // Kept-alive connections become idle one by one, as their answers are finished.
  const closeIdle = Effect.repeat(
    Effect.sync(() => server.closeIdleConnections()),
    Schedule.spaced("50 millis")
  )
  return Effect.raceFirst(closed, closeIdle).pipe(
    // It runs while the server is being interrupted, and yet the one that is slower must be stopped.
    Effect.interruptible,
    Effect.timeoutOption(DRAIN),
    Effect.ensuring(Effect.sync(() => server.closeAllConnections())),
    Effect.asVoid,
    // Sockets live on the host's time.
    Effect.withClock(Clock.make())
  )
}
