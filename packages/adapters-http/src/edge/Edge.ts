import {
  HttpApiError,
  type HttpApp,
  HttpBody,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { AccessLogStore, recordAccess } from "@place-access/domain/access-log"
import { figuresRecorder } from "@place-access/domain/figures"
import { Entropy, StoreError, withPort } from "@place-access/domain/shared"
import { Cause, Context, Effect, FiberRef, FiberRefs, HashMap } from "effect"
import type { IncomingMessage } from "node:http"
import { HttpOptions, type ServiceOptions } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"
import * as ErrorHelp from "../wire/ErrorHelp.js"
import * as Issues from "../wire/Issues.js"
import * as PassingFailure from "../wire/PassingFailure.js"
import * as Query from "../wire/Query.js"
import * as Admission from "./Admission.js"
import * as AppCalls from "./AppCalls.js"
import * as Body from "./Body.js"
import * as CurrentRequest from "./CurrentRequest.js"
import * as SecurityHeaders from "./SecurityHeaders.js"
import { MAX_ISSUES } from "../engine/Decoder.js"
import * as Services from "../engine/Services.js"
import { Timers } from "./Timers.js"
import * as Watch from "./Watch.js"

/** The functions with which the edge answers a refused request. */
export interface EdgeRoutes {
  readonly allowed: (url: string) => string | undefined
  /** Shows a refusal to a person with a browser. The effect reads the request from its context. */
  readonly errorPage: (
    error: Errors.WireError,
    requestId: string
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
}

/**
 * The edge: the outermost function around every request. It gives the request an id, limits its body, turns every
 * failure into an answer, writes the user's access log before the answer leaves, and adds the security headers. It
 * never fails. It must be run uninterruptible, so that a client who hangs up cannot prevent the entry in the access
 * log.
 */
export const make = <R>(
  app: HttpApp.Default<unknown, R>,
  known: EdgeRoutes
): Effect.Effect<HttpApp.Default<never, R>, never, HttpOptions | AccessLogStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const ports = Context.make(AccessLogStore, yield* AccessLogStore).pipe(
      Context.add(Entropy.Entropy, yield* Entropy.Entropy)
    )
    const freshId = Entropy.idFrom(Context.get(ports, Entropy.Entropy), "req")
    const withHeaders = SecurityHeaders.make(options)
    const isLogged = options.logRequests === true
    const count = AppCalls.counting(yield* FiberRef.get(figuresRecorder))
    const admit =
      options.requestsAtOnce === undefined ? undefined : Admission.make(options.requestsAtOnce, yield* Timers)

    const record = (
      { disclosed, purpose, repeat, route }: CurrentRequest.Cell,
      owner: CurrentRequest.RequestCaller,
      answer: Answer
    ) =>
      Effect.matchCauseEffect(
        recordAccess({
          owner,
          endpoint: route.label,
          purpose,
          status: answer.response.status,
          error: answer.error,
          disclosed: answer.error === null ? disclosed : null,
          repeat
        }),
        {
          onSuccess: () => Effect.succeed(answer),
          // Without the log entry the user could not see what was disclosed, so the answer is withheld.
          onFailure: (cause) =>
            Effect.as(Effect.logError("access log entry not written", cause), toAnswer(Errors.unavailable))
        }
      )

    const recorded = (cell: CurrentRequest.Cell, answer: Answer) =>
      cell.caller === undefined ? Effect.succeed(answer) : record(cell, cell.caller, answer)

    const answer = (request: HttpServerRequest.HttpServerRequest, cell: CurrentRequest.Cell) => {
      const ambiguous = ambiguity(request)
      return ambiguous !== undefined
        ? Effect.succeed(ambiguous)
        : Effect.matchCauseEffect(app, {
            onSuccess: (response) => recorded(cell, answered(response)),
            onFailure: (cause) => Effect.flatMap(refused(cause, request, known), (answer) => recorded(cell, answer))
          })
    }

    const admitted = (request: HttpServerRequest.HttpServerRequest, cell: CurrentRequest.Cell) =>
      admit === undefined || Admission.isExempt(request.url)
        ? answer(request, cell)
        : Effect.flatMap(admit, (place): ReturnType<typeof answer> => {
            if (place === undefined) return Effect.as(PassingFailure.logBusy, BUSY)
            cell.place = place
            return Effect.ensuring(
              answer(request, cell),
              Effect.sync(() => place.leave())
            )
          })

    const finished = (
      cell: CurrentRequest.Cell,
      response: HttpServerResponse.HttpServerResponse
    ): HttpServerResponse.HttpServerResponse =>
      HttpServerResponse.setHeaders(
        response,
        withHeaders(response.headers, { ...cell.standing, ...cell.exceeded, ...cell.route.deprecation }, cell.id)
      )

    const explained = (
      refusal: Errors.WireError,
      response: HttpServerResponse.HttpServerResponse,
      cell: CurrentRequest.Cell
    ): HttpServerResponse.HttpServerResponse =>
      HttpServerResponse.setBody(
        response,
        HttpBody.unsafeJson({ ...Errors.encode(refusal), ...ErrorHelp.of(refusal.error, cell.id, options) })
      )

    const begin = (request: HttpServerRequest.HttpServerRequest, id: string) => {
      const cell = CurrentRequest.make(id)
      const watched = { request, cell, trustsTraceparent: options.trustTraceparent === true, isLogged }
      return Effect.flatMap(
        count(cell, Watch.around(watched, admitted(request, cell))),
        ({ page, refusal, response }) =>
          page !== undefined && wantsPage(request)
            ? Effect.map(known.errorPage(page, cell.id), (shown) => finished(cell, shown))
            : Effect.succeed(finished(cell, refusal === undefined ? response : explained(refusal, response, cell)))
      ).pipe(
        carrying(cell),
        Services.provide(Context.add(ports, HttpServerRequest.HttpServerRequest, Body.bounded(request, cell)))
      )
    }

    return withPort(HttpServerRequest.HttpServerRequest, (request) => {
      const given = givenId(request, options)
      return given === undefined ? Effect.flatMap(freshId, (id) => begin(request, id)) : begin(request, given)
    }) as HttpApp.Default<never, R>
  })

/**
 * Stores the cell for the rest of the request, and adds the request's id to every log line. The cell and the id are set
 * in one step and never reset: the fiber ends with the request or, in the simulation (`InProcess`), the next request
 * replaces both. `Effect.locally` would need twenty steps for each of the two, because it restores the old value at the
 * end.
 */
const carrying =
  (cell: CurrentRequest.Cell) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.zipRight(
      Effect.updateFiberRefs((fiberId, refs) => {
        const annotations = FiberRefs.getOrDefault(refs, FiberRef.currentLogAnnotations)
        return FiberRefs.updateManyAs(refs, {
          entries: [
            [FiberRef.currentLogAnnotations, [[fiberId, HashMap.set(annotations, "request_id", cell.id)]]],
            [CurrentRequest.ref, [[fiberId, cell]]]
          ]
        })
      }),
      self
    )

interface Answer {
  readonly response: HttpServerResponse.HttpServerResponse
  /** The refusal that is the body of `response`. The edge adds the fields of `ErrorHelp` to the body. */
  readonly refusal?: Errors.WireError
  /** The error code that the access log gets; null when the status is below 400. */
  readonly error: string | null
  /** The refusal to show as a page to a person with a browser. Undefined when no page may replace the answer. */
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
  refusal: error,
  page: error
})

/** 499: the client closed the connection before the answer. Its request may have taken effect. */
const ABORTED: Answer = {
  response: HttpServerResponse.empty({ status: 499 }),
  error: "client_closed_request",
  page: undefined
}

/**
 * The answer to a request that a proxy in front of the service may have read in another way. The service trusts neither
 * the path of the request nor the end of its body, and closes the connection after the answer.
 */
const ambiguous = (message: string): Answer => {
  const { response, ...rest } = toAnswer(Errors.invalidRequest(message))
  // The refusal is not shown as a page: a page would look up the session of a request that is not trusted.
  return { ...rest, response: HttpServerResponse.setHeader(response, "connection", "close"), page: undefined }
}

/** The proxy may have used the Host header that Node dropped (RFC 9112 §3.2). */
const TWO_HOSTS = ambiguous("The request has more than one Host header")

/**
 * Node undoes the coding `chunked` and ignores all others, so the body would be read in a coding that nobody undid (RFC
 * 9112 §6.1).
 */
const CODED = ambiguous("The request has a Transfer-Encoding other than chunked")

const ambiguity = (request: HttpServerRequest.HttpServerRequest): Answer | undefined => {
  const source = NodeHttpServerRequest.toIncomingMessage(request)
  if (hasTwoHosts(source)) return TWO_HOSTS
  const coding = source.headers["transfer-encoding"]
  return coding === undefined || coding.trim().toLowerCase() === "chunked" ? undefined : CODED
}

/**
 * The answer to a request that was not admitted (`Admission`). The answer is never shown as a page, because a page
 * would look up the session in the database.
 */
const BUSY: Answer = { ...toAnswer(Errors.busy), page: undefined }

/**
 * Whether the request has more than one Host header. Node keeps the first Host header and drops the others; only
 * `rawHeaders` has all headers, as a list in which names and values alternate.
 */
const hasTwoHosts = ({ rawHeaders }: IncomingMessage): boolean => {
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
  known: EdgeRoutes
): Effect.Effect<Answer> => {
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed(ABORTED)
  const failure = Cause.squash(cause)
  const error = toWireError(failure, request, known)
  const answer = toAnswer(error)
  if (error.statusCode === 500) return Effect.as(Effect.logError("request failed", cause), answer)
  return failure instanceof StoreError ? Effect.as(PassingFailure.logStore(failure), answer) : Effect.succeed(answer)
}

const toWireError = (
  error: unknown,
  request: HttpServerRequest.HttpServerRequest,
  known: EdgeRoutes
): Errors.WireError => {
  if (Errors.isWireError(error)) return error
  if (error instanceof Body.BodyRefused) return error.answer
  if (error instanceof HttpApiError.HttpApiDecodeError) {
    const mayBeCut = error.issues.length >= MAX_ISSUES
    return Errors.validationFailed(Issues.messages(error.issues, Query.repeated(request.url), mayBeCut))
  }
  if (error instanceof StoreError) return error.transient ? Errors.unavailable : Errors.internalError
  if (HttpServerError.isServerError(error)) {
    if (error._tag === "RouteNotFound") return noRoute(request, known)
    if (error._tag === "RequestError") return Errors.invalidRequest("The request could not be read")
  }
  return Errors.internalError
}

const noRoute = (request: HttpServerRequest.HttpServerRequest, known: EdgeRoutes): Errors.WireError => {
  const allow = known.allowed(request.url)
  return allow === undefined || allow.split(", ").includes(request.method)
    ? Errors.notFound(wantsPage(request) ? "page" : "route")
    : Errors.methodNotAllowed(allow)
}

// The router ignores case and repeated slashes, so this expression ignores them too.
const API_PATH = /^\/+(?:v1|\.well-known)\//i
/** `text/html` in `Accept`, without the weight 0: `q=0` means "not acceptable" (RFC 9110 §12.4.2). */
const HTML = /(?:^|,)\s*text\/html\s*(?![^,;])(?![^,]*;\s*q=0(?:\.0*)?\s*(?:[,;]|$))/i

const wantsPage = (request: HttpServerRequest.HttpServerRequest): boolean =>
  !API_PATH.test(request.url) && HTML.test(request.headers["accept"] ?? "")

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/

/** The id that a trusted proxy gave the request. Undefined when the edge has to make an id. */
const givenId = (request: HttpServerRequest.HttpServerRequest, options: ServiceOptions): string | undefined => {
  const given = options.trustProxy ? request.headers["x-request-id"] : undefined
  return given !== undefined && REQUEST_ID.test(given) ? given : undefined
}
