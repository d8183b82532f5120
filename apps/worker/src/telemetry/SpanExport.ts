import * as OtlpResource from "@effect/opentelemetry/OtlpResource"
import { type Headers, HttpClient, HttpClientRequest } from "@effect/platform"
import { Clock, Duration, Effect, FiberSet, type Scope } from "effect"
import type { Protocol } from "./Outgoing.js"
import type { RecordedSpan } from "./RecordedSpan.js"
import * as SentSpan from "./SentSpan.js"
import * as SpanBatch from "./SpanBatch.js"

/** The most spans of one request to the collector. */
const BATCH = 1_000
const EVERY = Duration.seconds(5)
/**
 * For this time after a failed request no span is kept, because spans take memory while the collector does not accept
 * them.
 */
const PAUSE = Duration.minutes(1)

export interface SpanExportOptions {
  readonly url: string
  readonly protocol: Protocol
  readonly resource: {
    readonly serviceName: string
    readonly attributes: Readonly<Record<string, unknown>>
  }
  readonly headers: Headers.Input
  /** How long a program that ends waits for the collector to take the last batch. */
  readonly shutdownTimeout: Duration.Duration
}

/**
 * Returns the function that takes ended spans. Spans are sent every 5 seconds, and immediately when a thousand are
 * waiting.
 */
export const make = (
  options: SpanExportOptions
): Effect.Effect<(span: RecordedSpan) => void, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const clock = yield* Clock.clockWith(Effect.succeed)
    const origin = { resource: OtlpResource.make(options.resource), scope: { name: options.resource.serviceName } }
    const request = HttpClientRequest.post(options.url, { headers: options.headers })
    let pausedUntil = 0
    let batch = SpanBatch.make(options.protocol, origin)
    const flush = Effect.suspend(() => {
      if (batch.size() === 0) return Effect.void
      const full = batch
      batch = SpanBatch.make(options.protocol, origin)
      return client.execute(HttpClientRequest.setBody(request, full.body()))
    }).pipe(
      Effect.withTracerEnabled(false),
      Effect.catchAllCause((cause) =>
        Effect.suspend(() => {
          pausedUntil = clock.unsafeCurrentTimeMillis() + Duration.toMillis(PAUSE)
          return Effect.logDebug("Spans are dropped for a minute", cause)
        })
      )
    )
    yield* Effect.addFinalizer(() => flush.pipe(Effect.interruptible, Effect.timeoutOption(options.shutdownTimeout)))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(EVERY), flush)))
    const run = yield* FiberSet.makeRuntime()
    return (span) => {
      if (clock.unsafeCurrentTimeMillis() < pausedUntil) return
      // Keeps only the part of a span that is sent, because a span refers to its parents and to its result, which would
      // stay in memory.
      batch.add(SentSpan.of(span))
      if (batch.size() >= BATCH) run(flush)
    }
  })
