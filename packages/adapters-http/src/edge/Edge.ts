import {
  HttpApiError,
  type HttpApp,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import { AccessLogStore, recordAccess } from "@place-access/domain/access-log"
import { Entropy, StoreError } from "@place-access/domain/shared"
import { Cause, Context, Effect, Exit, FiberRef, FiberRefs, HashMap } from "effect"
import { HttpOptions, type Options } from "../HttpOptions.js"
import { errorPage } from "../pages/errorPage.js"
import * as Errors from "../wire/Errors.js"
import * as Issues from "../wire/Issues.js"
import * as Body from "./Body.js"
import * as CurrentRequest from "./CurrentRequest.js"
import * as Routes from "./Routes.js"
import * as SecurityHeaders from "./SecurityHeaders.js"
import * as Watch from "./Watch.js"

/** What of the routes the edge must know. */
export interface Known {
  readonly allowed: (url: string) => string | undefined
  readonly contentTypes: ReadonlyMap<string, ReadonlySet<string>>
  /** By `Routes.label`. */
  readonly deprecations: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/**
 * The outermost ring of every request: gives it an id, bounds its body, turns whatever went wrong into one of our error
 * bodies, writes the user's access log before the answer leaves, and adds the security headers. Never fails.
 */
export const make = <R>(
  app: HttpApp.Default<unknown, R>,
  known: Known
): Effect.Effect<HttpApp.Default<never, R>, never, HttpOptions | AccessLogStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const needs = yield* Effect.context<AccessLogStore | Entropy.Entropy>()
    const context = Context.pick(AccessLogStore, Entropy.Entropy)(needs)
    const freshId = Entropy.idFrom(Context.get(needs, Entropy.Entropy), "req")
    const withHeaders = SecurityHeaders.make(options)

    const record = (
      { disclosed, endpoint, purpose }: CurrentRequest.Cell,
      owner: CurrentRequest.Caller,
      answer: Answer
    ) =>
      recordAccess({
        owner,
        endpoint,
        purpose,
        status: answer.response.status,
        error: answer.error,
        disclosed: answer.error === null ? disclosed : null
      }).pipe(
        Effect.as(answer),
        // Nothing may be disclosed that the user cannot see was disclosed.
        Effect.catchAllCause((cause) =>
          Effect.as(Effect.logError("access log entry not written", cause), toAnswer(Errors.unavailable))
        )
      )

    const answer = (request: HttpServerRequest.HttpServerRequest, cell: CurrentRequest.Cell, app: App<R>) =>
      Effect.exit(app).pipe(
        Effect.flatMap((exit) =>
          Exit.isSuccess(exit) ? Effect.succeed(answered(exit.value)) : refused(exit.cause, request, known)
        ),
        Effect.flatMap((answer) =>
          cell.caller === undefined ? Effect.succeed(answer) : record(cell, cell.caller, answer)
        ),
        Watch.around({ request, cell, trustsTraceparent: options.trustTraceparent === true }),
        Effect.map((answer) => {
          const response = answer.page && wantsPage(request) ? errorPage(answer.page, cell.id) : answer.response
          const more = cell.deprecation === undefined ? cell.standing : { ...cell.standing, ...cell.deprecation }
          return SecurityHeaders.apply(response, withHeaders(response.headers, more, cell.id))
        })
      )

    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(requestId(request, options, freshId), (id) => {
          const cell = CurrentRequest.make(id)
          const own = Context.add(context, HttpServerRequest.HttpServerRequest, Body.bounded(request, cell))
          return carrying(own, cell)(answer(request, cell, restore(app)))
        })
      )
    )
  })

type App<R> = HttpApp.Default<unknown, R>

/**
 * All that goes along with a request, set at once: each setting copies everything that a fibre carries. Nothing is put back, because
 * the fibre is the request's own.
 */
const carrying =
  <S>(services: Context.Context<S>, cell: CurrentRequest.Cell) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, S>> =>
    Effect.zipRight(
      Effect.updateFiberRefs((id, refs) => {
        const context = FiberRefs.getOrDefault(refs, FiberRef.currentContext)
        const annotations = FiberRefs.getOrDefault(refs, FiberRef.currentLogAnnotations)
        return FiberRefs.updateManyAs(refs, {
          entries: [
            [FiberRef.currentContext, [[id, Context.merge(context, services)]]],
            [FiberRef.currentLogAnnotations, [[id, HashMap.set(annotations, "request_id", cell.id)]]],
            [CurrentRequest.ref, [[id, cell]]]
          ]
        })
      }),
      self as Effect.Effect<A, E, Exclude<R, S>>
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
    ? Errors.notFound("route")
    : Errors.methodNotAllowed(allow)
}

const wantsPage = (request: HttpServerRequest.HttpServerRequest): boolean =>
  !/^\/(?:v1|\.well-known)\//.test(request.url) && (request.headers["accept"] ?? "").includes("text/html")

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/

const requestId = (
  request: HttpServerRequest.HttpServerRequest,
  options: Options,
  fresh: Effect.Effect<string>
): Effect.Effect<string> => {
  const given = options.trustProxy ? request.headers["x-request-id"] : undefined
  return given !== undefined && REQUEST_ID.test(given) ? Effect.succeed(given) : fresh
}

/** Wraps every route: refuses URLs that no database can hold, and notes what the route reads and what is said of it. */
export const around =
  ({ contentTypes, deprecations }: Known) =>
  <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.withFiberRuntime<HttpServerResponse.HttpServerResponse, E | Errors.WireError, R | Routed>((fiber) => {
      const context = fiber.currentContext as Context.Context<Routed>
      const request = Context.get(context, HttpServerRequest.HttpServerRequest)
      const { route } = Context.get(context, HttpRouter.RouteContext)
      const cell = fiber.getFiberRef(CurrentRequest.ref)
      cell.endpoint = Routes.label(request.method, route.path)
      const label = Routes.label(route.method, route.path)
      cell.reads = contentTypes.get(label) ?? Routes.FORMS
      cell.deprecation = deprecations.get(label)
      return request.url.includes("%00")
        ? Effect.fail(Errors.invalidRequest("The address holds a NUL character"))
        : handler
    })

type Routed = HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext
