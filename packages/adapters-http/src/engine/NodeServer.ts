import { Cookies, type HttpApp, HttpServerError, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Cause, Chunk, type Context, Effect, Runtime, RuntimeFlags, Stream } from "effect"
import type { RequestListener, ServerResponse } from "node:http"
import { NodeRequest } from "./NodeRequest.js"
import * as Services from "./Services.js"

type Response = HttpServerResponse.HttpServerResponse

/**
 * Answers Node's requests with `app`, each in a fiber of its own. README.md says which part of the platform this
 * function replaces. When the client closes the connection, the fiber is interrupted. `app` begins uninterruptible, so
 * it must mark the parts that an interruption may end. `app` gets no `Scope`.
 */
export const listener = <E, R>(
  app: HttpApp.Default<E, R>
): Effect.Effect<RequestListener, never, Exclude<R, HttpServerRequest.HttpServerRequest>> =>
  Effect.map(Effect.runtime<Exclude<R, HttpServerRequest.HttpServerRequest>>(), (runtime) => {
    const { fiberRefs } = runtime
    const runtimeFlags = RuntimeFlags.disable(runtime.runtimeFlags, RuntimeFlags.Interruption)
    return (incoming, outgoing) => {
      const context = Services.ofRequest(runtime.context) as Context.Context<R | HttpServerRequest.HttpServerRequest>
      const request = new NodeRequest(incoming)
      Services.put(context as Context.Context<never>, HttpServerRequest.HttpServerRequest.key, request)
      const program = Effect.catchAllCause(
        Effect.flatMap(app, (response) => send(request, response, outgoing)),
        (cause) => Effect.zipRight(Effect.logError("request not answered", cause), fail(outgoing))
      )
      const fiber = Runtime.runFork(Runtime.make({ context, fiberRefs, runtimeFlags }), program)
      outgoing.once("close", () => {
        if (!outgoing.writableEnded) fiber.unsafeInterruptAsFork(HttpServerError.clientAbortFiberId)
      })
    }
  })

const fail = (outgoing: ServerResponse): Effect.Effect<void> =>
  Effect.sync(() => {
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(500).end()
  })

/** Sends the response. Every body except for a stream is sent in one call. */
const send = (request: NodeRequest, response: Response, outgoing: ServerResponse): Effect.Effect<void> => {
  const { body, status } = response
  outgoing.writeHead(status, withCookies(response))
  if (body._tag === "Stream" && request.method !== "HEAD") return sendAll(body.stream, outgoing)
  const isText = body._tag === "Raw" && typeof body.body === "string"
  if (request.method === "HEAD" || body._tag === "Empty") outgoing.end()
  else if (isText) outgoing.end(body.body)
  else if (body._tag === "Uint8Array") outgoing.end(body.body)
  else return Effect.dieMessage(`a body of the kind ${body._tag} cannot be sent`)
  return Effect.void
}

const withCookies = ({ cookies, headers }: Response): Readonly<Record<string, string | Array<string>>> =>
  Cookies.isEmpty(cookies) ? headers : { ...headers, "set-cookie": Cookies.toSetCookieHeaders(cookies) }

/**
 * Sends a stream no faster than the client reads the answer, and stops when the client closes the connection. When the
 * stream fails, the connection is destroyed: after a regular end, the client would treat the part that it got as the
 * whole answer.
 */
const sendAll = (stream: Stream.Stream<Uint8Array, unknown>, outgoing: ServerResponse): Effect.Effect<void> => {
  const drained = Effect.async<void>((resume) => {
    const done = () => resume(Effect.void)
    outgoing.once("drain", done)
    return Effect.sync(() => outgoing.off("drain", done))
  })
  return stream.pipe(
    Stream.runForEachChunk((chunk) =>
      Effect.suspend(() => {
        let canTakeMore = true
        for (const bytes of Chunk.toReadonlyArray(chunk)) canTakeMore = outgoing.write(bytes)
        return canTakeMore ? Effect.void : drained
      })
    ),
    Effect.interruptible,
    Effect.matchCauseEffect({
      onSuccess: () => Effect.sync(() => void outgoing.end()),
      onFailure: (cause) =>
        Effect.sync(() => void outgoing.destroy()).pipe(
          Effect.zipLeft(Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError("answer ended early", cause))
        )
    })
  )
}
