import { Headers, HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Duration, Effect, Layer, Schedule } from "effect"

/** So many requests may be under way; what comes while a collector is that slow is dropped, or it would pile up here. */
const AT_ONCE = 4
/** For all tries of one request together. */
const DEADLINE = Duration.seconds(10)
const AGAIN = Schedule.intersect(Schedule.exponential("500 millis"), Schedule.recurs(2))
/** After which the same request may be taken (OTLP specification, "Retryable Response Codes"). */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

interface Trouble {
  readonly reason: string
  readonly mayPass: boolean
}

/**
 * The way to the collector. Nothing waits for it: what it does not take is dropped, and the exporter then drops a minute of what
 * comes (its own rule). One line in the log when that begins, one when it is over.
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.sync(HttpClient.HttpClient, () => {
  let underWay = 0
  let isDown = false
  const down = ({ reason }: Trouble) =>
    Effect.suspend(() => {
      if (isDown) return Effect.void
      isDown = true
      return Effect.logWarning(`The collector of telemetry does not take it (${reason}): dropped until it does`)
    })
  const up = Effect.suspend(() => {
    if (!isDown) return Effect.void
    isDown = false
    return Effect.logInfo("The collector takes telemetry again")
  })
  return HttpClient.make((request, url) =>
    Effect.suspend(() => {
      if (underWay >= AT_ONCE) return Effect.fail<Trouble>({ reason: "too slow", mayPass: false })
      underWay++
      return send(request, url).pipe(
        Effect.retry({ schedule: AGAIN, while: ({ mayPass }) => mayPass }),
        Effect.timeoutFail({ duration: DEADLINE, onTimeout: (): Trouble => ({ reason: "no answer", mayPass: false }) }),
        Effect.tap(up),
        Effect.ensuring(Effect.sync(() => underWay--))
      )
    }).pipe(
      Effect.tapError(down),
      // Of a reason that the exporter does not take for passing: it would keep the batch and try again by itself.
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
        // `fetch` says itself how long the body is. With undici loaded, which comes with the platform's server, it refuses to say so twice.
        headers: Headers.remove(request.headers, "content-length"),
        body: request.body._tag === "Uint8Array" ? request.body.body : null,
        // Its headers are for the collector that was named, not for another.
        redirect: "error",
        signal
      })
      await answer.arrayBuffer()
      return answer
    },
    catch: (error): Trouble => ({ reason: reasonOf(error), mayPass: true })
  }).pipe(
    Effect.filterOrFail(
      ({ ok }) => ok,
      ({ status }): Trouble => ({ reason: `answered ${status}`, mayPass: BUSY.has(status) })
    ),
    Effect.map((answer) => HttpClientResponse.fromWeb(request, answer))
  )

/** `fetch` says why in its cause: a code such as ECONNREFUSED. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return "no connection"
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}
