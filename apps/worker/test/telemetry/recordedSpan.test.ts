import { StoreError, Telemetry } from "@place-access/domain/shared"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Option, Tracer } from "effect"
import { inspect } from "node:util"
import { expect, it } from "vitest"
import { RecordedSpan } from "../../src/telemetry/RecordedSpan.js"
import * as SentSpan from "../../src/telemetry/SentSpan.js"

/** A text that must not be sent. */
const SECRET = "someone@example.test"

/**
 * Runs `program` while everything is traced, and returns its spans in the form in which they are sent to the collector.
 */
const traced = async (program: Effect.Effect<unknown, unknown>) => {
  const ended: Array<RecordedSpan> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) =>
      new RecordedSpan({ name, parent, context, links, startTime, kind, ended: (span) => void ended.push(span) }),
    context: (f) => f()
  })
  const exit = await Effect.runPromiseExit(Effect.provide(program, Layer.setTracer(tracer)))
  return { exit, spans: ended.map(SentSpan.of) }
}

/** The name of each span and of its parent, in the order in which the spans ended. */
const families = (spans: ReadonlyArray<SentSpan.SentSpan>): ReadonlyArray<string> =>
  spans.map(({ name, parentSpanId }) => {
    const parent = spans.find(({ spanId }) => parentSpanId && Buffer.compare(spanId, parentSpanId) === 0)
    return `${parent?.name ?? "-"} > ${name}`
  })

const inSpan = <A, E>(name: string, effect: Effect.Effect<A, E>) => Telemetry.spanned(name, {}, () => effect)

it("ids are those of OTLP: 16 bytes for a trace, 8 for a span; a child has the trace of its parent", async () => {
  const { spans } = await traced(inSpan("outer", inSpan("inner", Effect.void)))
  const [inner, outer] = spans
  expect([outer?.traceId.length, outer?.spanId.length]).toEqual([16, 8])
  expect(outer?.parentSpanId).toBeUndefined()
  expect(inner).toMatchObject({ name: "inner", traceId: outer?.traceId, parentSpanId: outer?.spanId })
})

it("a span below one of another service has its trace, in hexadecimal and as bytes", () => {
  const [traceId, spanId] = ["0123456789abcdef".repeat(2), "fedcba9876543210"]
  const span = new RecordedSpan({
    name: "one",
    parent: Option.some(Tracer.externalSpan({ traceId, spanId })),
    context: Context.empty(),
    links: [],
    startTime: 0n,
    kind: "server",
    ended: () => undefined
  })
  expect(span.traceId).toBe(traceId)
  const sent = SentSpan.of(span)
  expect([sent.traceId, sent.parentSpanId]).toEqual([Buffer.from(traceId, "hex"), Buffer.from(spanId, "hex")])
})

it("no two of 5,000 spans have the same id: a draw of random bytes is used once", () => {
  const spans = Array.from(
    { length: 5_000 },
    () =>
      new RecordedSpan({
        name: "one",
        parent: Option.none(),
        context: Context.empty(),
        links: [],
        startTime: 0n,
        kind: "internal",
        ended: () => undefined
      })
  )
  for (const { spanId, traceId } of spans) expect(`${traceId} ${spanId}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/)
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(5_000)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(5_000)
})

it("of a failure only its kind is in the span, by the tag of the error or the name of the defect", async () => {
  const failed = await traced(inSpan("store", Effect.fail(StoreError.unavailable(SECRET))))
  const died = await traced(inSpan("defect", Effect.die(new TypeError(SECRET))))
  const named = await traced(inSpan("odd", Effect.fail({ _tag: `${SECRET} was here` })))
  const kinds = [failed, died, named].map(({ spans: [span] }) => [span?.status.code, span?.attributes])
  expect(kinds).toEqual(
    ["StoreError", "TypeError", "Error"].map((kind) => [2, [{ key: "error.type", value: { stringValue: kind } }]])
  )
  expect(inspect([failed.spans, died.spans, named.spans], { depth: null })).not.toContain(SECRET)
})

it("who is interrupted has not failed, its span ends, and the exit is the program's own", async () => {
  const { exit, spans } = await traced(inSpan("gone", Effect.interrupt))
  expect(spans).toMatchObject([{ name: "gone", status: { code: 0 }, attributes: [] }])
  expect(Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)).toBe(true)
})

it("attributes go to the span that the fiber works in, and after it to the one around it", async () => {
  const { spans } = await traced(
    inSpan(
      "outer",
      inSpan("inner", Telemetry.annotate({ "place_access.attempt": 3 })).pipe(
        Effect.zipRight(Telemetry.annotate({ "place_access.outcome": "retry" }))
      )
    )
  )
  expect(spans.map(({ attributes, name }) => [name, attributes])).toEqual([
    ["inner", [{ key: "place_access.attempt", value: { intValue: 3 } }]],
    ["outer", [{ key: "place_access.outcome", value: { stringValue: "retry" } }]]
  ])
})

it("work in a trace of its own begins a trace, and its caller's goes on after it", async () => {
  const { spans } = await traced(
    inSpan(
      "pass",
      Telemetry.inOwnTrace(inSpan("delivery", Effect.void)).pipe(Effect.zipRight(inSpan("next", Effect.void)))
    )
  )
  const [delivery, next, pass] = spans
  expect(delivery?.parentSpanId).toBeUndefined()
  expect(delivery?.traceId).not.toEqual(pass?.traceId)
  expect(next?.parentSpanId).toEqual(pass?.spanId)
})

it("the spans of a fiber belong to the span in which the fiber was started, wherever its parent is by then", async () => {
  const { spans } = await traced(
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const late = Effect.zipRight(Deferred.await(gate), inSpan("late", inSpan("later", Effect.void)))
      yield* inSpan(
        "outer",
        Effect.gen(function* () {
          const fiber = yield* inSpan("starts", Effect.forkDaemon(late))
          yield* inSpan("meanwhile", Effect.zipRight(Deferred.succeed(gate, undefined), Fiber.join(fiber)))
          yield* inSpan("after", Effect.void)
        })
      )
    })
  )
  expect(families(spans)).toEqual([
    "outer > starts",
    "late > later",
    "starts > late",
    "outer > meanwhile",
    "outer > after",
    "- > outer"
  ])
})

it("fibers beside each other do not enter each other's spans", async () => {
  const { spans } = await traced(
    inSpan(
      "outer",
      Effect.zipRight(
        Effect.forEach(
          ["a", "b"],
          (name) => inSpan(name, Effect.zipRight(Effect.yieldNow(), inSpan(`in ${name}`, Effect.yieldNow()))),
          { concurrency: "unbounded" }
        ),
        inSpan("after", Effect.void)
      )
    )
  )
  expect([...families(spans)].sort()).toEqual([
    "- > outer",
    "a > in a",
    "b > in b",
    "outer > a",
    "outer > after",
    "outer > b"
  ])
})

it("a fiber that was given the fiber references of another one begins in its span, and does not move it", async () => {
  const { spans } = await traced(
    inSpan(
      "outer",
      Effect.gen(function* () {
        const refs = yield* Effect.getFiberRefs
        const gate = yield* Deferred.make<void>()
        const beside = inSpan("beside", Deferred.await(gate))
        const fiber = yield* Effect.forkDaemon(Effect.zipRight(Effect.setFiberRefs(refs), beside))
        yield* Effect.yieldNow()
        yield* inSpan("own", Deferred.succeed(gate, undefined))
        yield* Fiber.join(fiber)
        yield* inSpan("after", Effect.void)
      })
    )
  )
  expect(families(spans)).toEqual(["outer > own", "outer > beside", "outer > after", "- > outer"])
})

it("an interrupted fiber leaves its span, so that later attributes go to the span around it", async () => {
  const outcome = Telemetry.annotate({ "place_access.outcome": "gone" })
  const waits = Effect.exit(Effect.interruptible(inSpan("inner", Effect.never)))
  const { spans } = await traced(
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(inSpan("outer", Effect.uninterruptible(Effect.zipRight(waits, outcome))))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
    })
  )
  expect(spans.map(({ attributes, name }) => [name, attributes.length])).toEqual([
    ["inner", 0],
    ["outer", 1]
  ])
})
