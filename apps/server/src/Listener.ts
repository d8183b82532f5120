import * as NodeServer from "@place-access/adapters-http/edge/NodeServer"
import * as Patience from "@place-access/adapters-http/edge/Patience"
import { HttpServer } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type CannotStart, Listening } from "@place-access/worker/host"
import { Clock, Deferred, Duration, Effect, FiberId, Layer, Schedule } from "effect"
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"

/** How long requests under way may take to finish once nothing new is accepted. */
const FINISH = Duration.seconds(10)

/** Longer than the 60 s after which load balancers drop an idle connection: the one who closes first must be them. */
const KEEP_ALIVE_MILLIS = 65_000
const HEADERS_MILLIS = 66_000

export interface Listener {
  /** Takes requests to the handlers. */
  readonly layer: Layer.Layer<HttpServer.HttpServer | Layer.Layer.Success<typeof NodeHttpServer.layerContext>>
  /** Accepts connections; until there are handlers requests are answered with 503. */
  readonly listen: Effect.Effect<void, CannotStart>
  /** Takes what is missing until there are handlers; `/readyz` says it. */
  readonly onMissing: (what: string) => void
  /** Ends whatever is open. */
  readonly close: Effect.Effect<void>
  /**
   * Goes on answering for `announceFor`, with `Connection: close`, so that load balancers see that `isDraining` and send new requests
   * elsewhere. Then accepts nothing more and waits until every request under way is answered, at most `FINISH`.
   */
  readonly drain: (announceFor: Duration.DurationInput) => Effect.Effect<void>
  readonly isDraining: () => boolean
  /** Returns when nothing new is accepted: an answer that goes on must end, and its reader is sent elsewhere when it comes again. */
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
  let missing = "the database is being opened"
  let handler: RequestListener = (request, response) => notYet(request, response, missing)
  let draining = false
  const stopping = Deferred.unsafeMake<void>(FiberId.none)
  server.on("request", (request, response) => {
    underWay.add(response)
    Patience.begin(request, response)
    response.once("close", () => void underWay.delete(response))
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
        // Sockets live on the host's time.
        Effect.withClock(Clock.make())
      ),
    isDraining: () => draining,
    stopping: Deferred.await(stopping)
  }
}

/** Until there are handlers. A process that starts is alive, and not ready; only `/readyz` says what is missing. */
const notYet = ({ url }: IncomingMessage, response: ServerResponse, missing: string): void => {
  const message = url === "/readyz" ? `The server is starting: ${missing}` : "The server is starting"
  const [status, body] =
    url === "/healthz" ? [200, { status: "starting" }] : [503, { statusCode: 503, error: "unavailable", message }]
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", "retry-after": "1" })
  response.end(JSON.stringify(body))
}

const finish = (server: Server): Effect.Effect<void> => {
  const closed = Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  // Kept-alive connections become idle one by one, as their answers are finished.
  const closeIdle = Effect.repeat(
    Effect.sync(() => server.closeIdleConnections()),
    Schedule.spaced("50 millis")
  )
  return Effect.raceFirst(closed, closeIdle).pipe(
    // It runs while the server is being interrupted, and yet the one that is slower must be stopped.
    Effect.interruptible,
    Effect.timeoutOption(FINISH),
    Effect.ensuring(Effect.sync(() => server.closeAllConnections())),
    Effect.asVoid
  )
}
