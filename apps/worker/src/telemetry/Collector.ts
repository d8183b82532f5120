import { Headers, HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Duration, Effect, Layer, Schedule } from "effect"

/**
 * The most requests in flight. While this number of requests waits for an answer, further requests are dropped, because
 * a queue of requests could grow without a limit.
 */
const AT_ONCE = 4
/** The time limit of one request, with all its retries. */
const DEADLINE = Duration.seconds(10)
const AGAIN = Schedule.intersect(Schedule.exponential("500 millis"), Schedule.recurs(2))
/** The statuses after which a retry may succeed (OTLP specification, "Retryable Response Codes"). */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

interface CollectorFailure {
  readonly reason: string
  readonly mayPass: boolean
}

/**
 * The HTTP client of the exporters of metrics and spans. No work of the service waits for the collector. When a request
 * fails, for example because the collector refuses it, its data is dropped, and its exporter drops everything for a
 * minute (a rule of the library, which `SpanExport` also keeps). The log has one line when dropping begins and one when
 * it ends.
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.sync(HttpClient.HttpClient, () => {
  let underWay = 0
  let isDown = false
  const down = ({ reason }: CollectorFailure) =>
    Effect.suspend(() => {
      if (isDown) return Effect.void
      isDown = true
      return Effect.logWarning(`The telemetry collector accepts no data (${reason}): data is dropped until it does`)
    })
  const up = Effect.suspend(() => {
    if (!isDown) return Effect.void
    isDown = false
    return Effect.logInfo("The telemetry collector accepts data again")
  })
  return HttpClient.make((request, url) =>
    Effect.suspend(() => {
      if (underWay >= AT_ONCE) return Effect.fail<CollectorFailure>({ reason: "too slow", mayPass: false })
      underWay++
      return send(request, url).pipe(
        Effect.retry({ schedule: AGAIN, while: ({ mayPass }) => mayPass }),
        Effect.timeoutFail({
          duration: DEADLINE,
          onTimeout: (): CollectorFailure => ({ reason: "no answer", mayPass: false })
        }),
        Effect.tap(up),
        Effect.ensuring(Effect.sync(() => underWay--))
      )
    }).pipe(
      Effect.tapError(down),
      // The exporter counts this error as permanent, and drops the batch. After a transient error it would keep the
      // batch and retry by itself.
      Effect.mapError(
        ({ reason }) => new HttpClientError.RequestError({ request, reason: "InvalidUrl", description: reason })
      )
    )
  )
})

const send = (request: HttpClientRequest.HttpClientRequest, url: URL) =>
  Effect.tryPromise({
    try: async (signal) => {
      const answer = await fetch(url, {
        method: request.method,
        // Removes the header content-length: `fetch` sets it, and undici, which comes with the platform's server,
        // refuses a second one.
        headers: Headers.remove(request.headers, "content-length"),
        body: request.body._tag === "Uint8Array" ? request.body.body : null,
        // The headers may contain the collector's password, so they must not follow a redirect to another host.
        redirect: "error",
        signal
      })
      await answer.arrayBuffer()
      return answer
    },
    catch: (error): CollectorFailure => ({ reason: reasonOf(error), mayPass: true })
  }).pipe(
    Effect.filterOrFail(
      ({ ok }) => ok,
      ({ status }): CollectorFailure => ({ reason: `answered ${status}`, mayPass: BUSY.has(status) })
    ),
    Effect.map((answer) => HttpClientResponse.fromWeb(request, answer))
  )

/** `fetch` puts the reason of a failure, a code such as ECONNREFUSED, into the error's cause. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return "no connection"
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}
