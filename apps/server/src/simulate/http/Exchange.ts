import { Cookies, type HttpApp, HttpServer, type HttpServerResponse } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { HttpLive, type ServiceOptions } from "@place-access/adapters-http"
import * as InProcess from "@place-access/adapters-http/engine/InProcess"
import { type Context, Effect, Fiber, Layer, Scope, type Stream } from "effect"
import { EventEmitter } from "node:events"
import type { IncomingMessage } from "node:http"

/** A request as a network would carry it. */
interface SimulatedRequest {
  readonly method: string
  /** The path with the query. */
  readonly url: string
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The network address of the client. */
  readonly address: string
  readonly body: string | undefined
}

export interface SimulatedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: Readonly<Record<string, string>>
  readonly body: string
  /** The body of a streamed answer. The client decides how long it reads the stream. */
  readonly stream?: Stream.Stream<Uint8Array, unknown>
}

/** Answers one request, in the fiber of the caller. */
export type HttpExchange = (request: SimulatedRequest) => Effect.Effect<SimulatedResponse>

/** A request as Node would have received it. Its body arrives when somebody begins to read it. */
class Incoming extends EventEmitter {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly rawHeaders: ReadonlyArray<string>
  readonly httpVersion = "1.1"
  readonly socket: { readonly remoteAddress: string }
  readonly destroyed = false
  readonly errored = null
  readableEnded = false
  private readonly text: string
  private isRead = false
  private whenRead: (() => void) | undefined

  constructor({ address, body = "", headers, method, url }: SimulatedRequest) {
    super()
    this.method = method
    this.url = url
    this.headers = headers
    this.rawHeaders = Object.entries(headers).flat()
    this.socket = { remoteAddress: address }
    this.text = body
  }

  override on(event: string, listener: (...args: Array<never>) => void): this {
    super.on(event, listener as (...args: Array<unknown>) => void)
    if (event === "data") this.resume()
    return this
  }

  resume(): this {
    this.isRead = true
    this.whenRead?.()
    return this
  }

  /** Delivers the body after somebody has begun to read it, in a separate step of the scheduler, as a network would. */
  readonly arrival: Effect.Effect<void> = Effect.zipRight(
    Effect.async<void>((done) => {
      this.whenRead = () => done(Effect.void)
      if (this.isRead) this.whenRead()
    }),
    Effect.sync(() => {
      if (this.text !== "") this.emit("data", Buffer.from(this.text))
      this.readableEnded = true
      this.emit("end")
    })
  )
}

/**
 * The whole HTTP side of the service in this fiber, without a socket: the edge, the guards, the decoding and encoding
 * of the contracts, and the handlers. Only the server of Node is missing, which turns bytes into a request.
 */
export const open = (options: ServiceOptions) =>
  Effect.gen(function* () {
    let served: HttpExchange | undefined
    const server = HttpServer.make({
      address: { _tag: "TcpAddress", hostname: "127.0.0.1", port: 443 },
      serve: (app, middleware) =>
        Effect.map(Effect.context<never>(), (context) => {
          served = exchange((middleware === undefined ? app : middleware(app)) as Served, context)
        })
    })
    // The scope is never closed, because the programs of a simulation end with the run, or are killed.
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(
      HttpLive.layer(options).pipe(
        Layer.provide(Layer.succeed(HttpServer.HttpServer, server)),
        Layer.provide(NodeHttpServer.layerContext)
      ),
      scope
    )
    if (served === undefined) return yield* Effect.dieMessage("the HTTP side serves nothing")
    return served
  })

const exchange =
  (app: Served, context: Context.Context<never>): HttpExchange =>
  (request) =>
    Effect.gen(function* () {
      const incoming = new Incoming(request)
      const arriving = yield* Effect.fork(incoming.arrival)
      const response = yield* InProcess.answer(app, context, incoming as unknown as IncomingMessage)
      yield* Fiber.interruptFork(arriving)
      return yield* received(response)
    })

type Served = HttpApp.Default

const received = ({
  body,
  cookies,
  headers,
  status
}: HttpServerResponse.HttpServerResponse): Effect.Effect<SimulatedResponse> => {
  const of = (text: string): SimulatedResponse => ({
    status,
    headers,
    cookies: Object.fromEntries(Object.entries(Cookies.toRecord(cookies))),
    body: text
  })
  switch (body._tag) {
    case "Empty":
      return Effect.succeed(of(""))
    case "Uint8Array":
      return Effect.succeed(of(Buffer.from(body.body).toString("utf8")))
    case "Raw":
      return Effect.succeed(of(String(body.body)))
    case "Stream":
      return Effect.succeed({ ...of(""), stream: body.stream })
    default:
      return Effect.dieMessage(`an answer of the kind ${body._tag} is not read`)
  }
}
