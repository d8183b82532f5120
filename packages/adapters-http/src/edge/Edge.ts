import { HttpApiError, type HttpApp, HttpServerError, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { AccessLogStore, recordAccess } from "@place-access/domain/access-log"
import { Entropy, StoreError } from "@place-access/domain/shared"
import { Cause, Context, Effect, FiberRef, FiberRefs, HashMap } from "effect"
import { HttpOptions, type Options } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"
import * as Issues from "../wire/Issues.js"
import * as Body from "./Body.js"
import * as CurrentRequest from "./CurrentRequest.js"
import type * as Router from "./Router.js"
import * as SecurityHeaders from "./SecurityHeaders.js"
import * as Services from "./Services.js"
import * as Watch from "./Watch.js"

/** What of the routes the edge must know. */
export interface Known extends Router.Known {
  readonly allowed: (url: string) => string | undefined
  /** A refusal, for a person who came with a browser. Its request is in the context. */
  readonly errorPage: (
    error: Errors.WireError,
    requestId: string
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
}

/**
 * The outermost ring of every request: gives it an id, bounds its body, turns whatever went wrong into one of our error
 * bodies, writes the user's access log before the answer leaves, and adds the security headers. Never fails. Begins uninterruptible, with
 * services that are the request's own (`NodeServer`).
 */
export const make = <R>(
  app: HttpApp.Default<unknown, R>,
  known: Known
): Effect.Effect<HttpApp.Default<never, R>, never, HttpOptions | AccessLogStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const accessLog = yield* AccessLogStore
    const entropy = yield* Entropy.Entropy
    const freshId = Entropy.idFrom(entropy, "req")
    const withHeaders = SecurityHeaders.make(options)

    const record = (
      { disclosed, endpoint, purpose }: CurrentRequest.Cell,
      owner: CurrentRequest.Caller,
      answer: Answer
    ) =>
      Effect.matchCauseEffect(
        recordAccess({
          owner,
          endpoint,
          purpose,
          status: answer.response.status,
          error: answer.error,
          disclosed: answer.error === null ? disclosed : null
        }),
        {
          onSuccess: () => Effect.succeed(answer),
          // Nothing may be disclosed that the user cannot see was disclosed.
          onFailure: (cause) =>
            Effect.as(Effect.logError("access log entry not written", cause), toAnswer(Errors.unavailable))
        }
      )

    const recorded = (cell: CurrentRequest.Cell, answer: Answer) =>
      cell.caller === undefined ? Effect.succeed(answer) : record(cell, cell.caller, answer)

    const answer = (request: HttpServerRequest.HttpServerRequest, cell: CurrentRequest.Cell) =>
      hasTwoHosts(request)
        ? Effect.succeed(TWO_HOSTS)
        : Effect.matchCauseEffect(app, {
            onSuccess: (response) => recorded(cell, answered(response)),
            onFailure: (cause) => Effect.flatMap(refused(cause, request, known), (answer) => recorded(cell, answer))
          })

    const finished = (
      cell: CurrentRequest.Cell,
      response: HttpServerResponse.HttpServerResponse
    ): HttpServerResponse.HttpServerResponse => {
      const more = cell.deprecation === undefined ? cell.standing : { ...cell.standing, ...cell.deprecation }
      return SecurityHeaders.apply(response, withHeaders(response.headers, more, cell.id))
    }

    // @effect-diagnostics-next-line returnEffectInGen:off -- what is made here is an app, which is an Effect for each request
    return Effect.withFiberRuntime((fiber) => {
      const services = fiber.currentContext
      const request = Context.unsafeGet(services, HttpServerRequest.HttpServerRequest)
      const begin = (id: string) => {
        const cell = CurrentRequest.make(id)
        Services.put(services, HttpServerRequest.HttpServerRequest.key, Body.bounded(request, cell))
        Services.put(services, AccessLogStore.key, accessLog)
        Services.put(services, Entropy.Entropy.key, entropy)
        const watched = { request, cell, trustsTraceparent: options.trustTraceparent === true }
        return carrying(
          cell,
          Effect.flatMap(Watch.around(fiber, watched, answer(request, cell)), ({ page, response }) =>
            page !== undefined && wantsPage(request)
              ? Effect.map(known.errorPage(page, cell.id), (shown) => finished(cell, shown))
              : Effect.succeed(finished(cell, response))
          )
        ) as HttpApp.Default<never, R>
      }
      const given = givenId(request, options)
      return given === undefined ? Effect.flatMap(freshId, begin) : begin(given)
    })
  })

/**
 * What goes along with a request besides its services, set at once: each setting copies everything that a fibre carries. Nothing is put
 * back, because the fibre is the request's own.
 */
const carrying = <A, E, R>(cell: CurrentRequest.Cell, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.zipRight(
    Effect.updateFiberRefs((id, refs) => {
      const annotations = FiberRefs.getOrDefault(refs, FiberRef.currentLogAnnotations)
      return FiberRefs.updateManyAs(refs, {
        entries: [
          [FiberRef.currentLogAnnotations, [[id, HashMap.set(annotations, "request_id", cell.id)]]],
          [CurrentRequest.ref, [[id, cell]]]
        ]
      })
    }),
    self
  )

interface Answer {
  readonly response: HttpServerResponse.HttpServerResponse
  /** The code of a refusal, for the access log. */
  readonly error: string | null
  /** Set for a refusal that may be shown as a page to a person who came with a browser. */
  readonly page: Errors.WireError | undefined
}

const answered = (response: HttpServerResponse.HttpServerResponse): Answer => ({
  response,
  error: response.status < 400 ? null : `status_${response.status}`,
  page: undefined
})

const toAnswer = (error: Errors.WireError): Answer => ({
  response: HttpServerResponse.unsafeJson(Errors.encode(error), {
    status: error.statusCode,
    headers: Errors.headersOf(error)
  }),
  error: error.error,
  page: error
})

/** 499: the client went away before it was answered. What it asked for may have been done. */
const ABORTED: Answer = {
  response: HttpServerResponse.empty({ status: 499 }),
  error: "client_closed_request",
  page: undefined
}

/**
 * A proxy in front of us may have gone by the Host header that we would not go by (RFC 9112 §3.2). Nothing of such a request is believed:
 * not what it asks for, nor where its body ends, so the connection ends with the answer.
 */
const TWO_HOSTS: Answer = (() => {
  const { response, ...rest } = toAnswer(Errors.invalidRequest("The request has more than one Host header"))
  // As a page it would be read for its session.
  return { ...rest, response: HttpServerResponse.setHeader(response, "connection", "close"), page: undefined }
})()

/** Node keeps the first and drops the others; only the list of what was sent has them all: names and values in turn. */
const hasTwoHosts = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const { rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts++
  }
  return hosts > 1
}

const HOST = "host"

const refused = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  known: Known
): Effect.Effect<Answer> => {
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed(ABORTED)
  const error = toWireError(Cause.squash(cause), request, known)
  return error.statusCode === 500
    ? Effect.as(Effect.logError("request failed", cause), toAnswer(error))
    : Effect.succeed(toAnswer(error))
}

const toWireError = (error: unknown, request: HttpServerRequest.HttpServerRequest, known: Known): Errors.WireError => {
  if (Errors.isWireError(error)) return error
  if (error instanceof Body.BodyRefused) return error.answer
  if (error instanceof HttpApiError.HttpApiDecodeError) {
    return Errors.validationFailed(Issues.messages(error.issues))
  }
  if (error instanceof StoreError) return error.transient ? Errors.unavailable : Errors.internalError
  if (HttpServerError.isServerError(error)) {
    if (error._tag === "RouteNotFound") return noRoute(request, known)
    if (error._tag === "RequestError") return Errors.invalidRequest("The request could not be read")
  }
  return Errors.internalError
}

const noRoute = (request: HttpServerRequest.HttpServerRequest, known: Known): Errors.WireError => {
  const allow = known.allowed(request.url)
  return allow === undefined || allow.split(", ").includes(request.method)
    ? Errors.notFound(wantsPage(request) ? "page" : "route")
    : Errors.methodNotAllowed(allow)
}

const wantsPage = (request: HttpServerRequest.HttpServerRequest): boolean =>
  !/^\/(?:v1|\.well-known)\//.test(request.url) && (request.headers["accept"] ?? "").includes("text/html")

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/

/** Undefined when it is to be made here. */
const givenId = (request: HttpServerRequest.HttpServerRequest, options: Options): string | undefined => {
  const given = options.trustProxy ? request.headers["x-request-id"] : undefined
  return given !== undefined && REQUEST_ID.test(given) ? given : undefined
}
