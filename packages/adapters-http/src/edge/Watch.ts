import { type HttpServerRequest, HttpTraceContext } from "@effect/platform"
import { Telemetry } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import * as Errors from "../wire/Errors.js"
import type { Cell } from "./CurrentRequest.js"
import * as Services from "../engine/Services.js"

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const
const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const

const took = Telemetry.duration("http.server.request.duration", {
  description: "From a request's first line to its answer; a stream counts until it begins",
  labels: { "http.request.method": METHODS, "http.route": null, status_class: CLASSES }
})

const refusals = Telemetry.counter("place_access.refusals", {
  description:
    "Requests that were refused, by the code of the error: rate_limited, scope_expired, missing_scope and so on",
  labels: { error: Errors.CODES }
})

/** The answer to a request; `error` is the code of a refusal. */
interface Answer {
  readonly response: { readonly status: number }
  readonly error: string | null
}

interface Watched {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly cell: Cell
  readonly trustsTraceparent: boolean
  readonly isLogged: boolean
}

/**
 * Measures a request, logs it, and makes its span. The span is the parent of the spans of all programs that the handler
 * runs. Measurement, log line and span contain the route's pattern and never the values of its parameters. When all
 * three are switched off, this function runs only `answering`.
 */
export const around = <A extends Answer, R>(
  watched: Watched,
  answering: Effect.Effect<A, never, R>
): Effect.Effect<A, never, R> =>
  Effect.withFiberRuntime((fiber) => {
    const seen = watched.isLogged ? logged(watched, answering) : answering
    const answer = Telemetry.isTraced(fiber) ? traced(watched, seen) : seen
    return fiber.getFiberRef(Telemetry.recorder) === null ? answer : measured(watched, answer)
  })

/** The route, such as `/v1/answers/places/{place_id}/presence`; undefined when the request fits no route. */
const routeOf = ({ cell: { route } }: Watched): string | undefined =>
  // `route.label` begins with the method of the route, which is GET for a HEAD request.
  route.label === "" ? undefined : route.label.slice(route.label.indexOf(" ") + 1)

/**
 * The code of the refusal, or null. Some answers do not have the true code, for example because the token endpoint
 * answers its refusals itself. Then the code is in the request's `Cell`.
 */
const errorOf = ({ cell }: Watched, { error }: Answer): string | null => cell.refusal ?? error

/** Logs one line when the request is answered. The line's `request_id` comes from the log annotations (`Edge`). */
const logged = <A extends Answer, R>(watched: Watched, answering: Effect.Effect<A, never, R>) =>
  Effect.suspend(() => {
    const from = performance.now()
    return Effect.tap(answering, (answer) => {
      const error = errorOf(watched, answer)
      return Effect.annotateLogs(Effect.logInfo("request"), {
        method: methodOf(watched.request.method),
        route: routeOf(watched) ?? Telemetry.OTHER,
        status: answer.response.status,
        ...(error !== null && { error }),
        ms: Math.round((performance.now() - from) * 10) / 10
      })
    })
  })

const measured = <A extends Answer, R>(watched: Watched, answering: Effect.Effect<A, never, R>) =>
  Effect.suspend(() => {
    const from = performance.now()
    return Effect.map(answering, (answer) => {
      took.record((performance.now() - from) / 1_000, {
        "http.request.method": watched.request.method as (typeof METHODS)[number],
        "http.route": routeOf(watched) ?? Telemetry.OTHER,
        status_class: `${Math.trunc(answer.response.status / 100)}xx` as (typeof CLASSES)[number]
      })
      const error = errorOf(watched, answer)
      // When a client hung up, the error of its request is not a code of `Errors`, so the request does not count as
      // refused.
      if (isCode(error)) refusals.record(1, { error })
      return answer
    })
  })

const traced = <A extends Answer, R>(watched: Watched, answering: Effect.Effect<A, never, R>) => {
  const { cell, request, trustsTraceparent } = watched
  const caller = trustsTraceparent ? Option.getOrUndefined(HttpTraceContext.w3c(request.headers)) : undefined
  return Telemetry.spanned("request", { kind: "server", parent: caller ?? null }, (span) => {
    if (!span.sampled) return answering
    return Effect.map(Services.owned(answering), (answer) => {
      const { status } = answer.response
      const route = routeOf(watched)
      span.attribute("http.request.method", methodOf(request.method))
      if (route !== undefined) span.attribute("http.route", route)
      span.attribute("http.response.status_code", status)
      span.attribute("place_access.request_id", cell.id)
      const error = errorOf(watched, answer)
      if (error !== null) span.attribute(status >= 500 ? "error.type" : "place_access.refusal", error)
      return answer
    })
  })
}

const isCode = (error: string | null): error is Errors.Code => Errors.CODES.some((code) => code === error)

const methodOf = (method: string): string => (METHODS.some((known) => known === method) ? method : "_OTHER")
