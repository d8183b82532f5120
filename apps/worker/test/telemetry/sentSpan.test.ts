import { Context, Effect, Exit, Option, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { RecordedSpan } from "../../src/telemetry/RecordedSpan.js"
import * as SentSpan from "../../src/telemetry/SentSpan.js"
import * as SpanBatch from "../../src/telemetry/SpanBatch.js"

/** A text that must not be sent in any field. */
const SECRET = "someone@example.test"

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

interface Given {
  readonly kind?: Tracer.SpanKind
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly links?: ReadonlyArray<Tracer.SpanLink>
  readonly exit?: Exit.Exit<unknown, unknown>
}

/** A span whose work has ended, from the nanosecond 1 to 2. */
const ended = ({ attributes = {}, exit = Exit.void, kind = "internal", links = [] }: Given): RecordedSpan => {
  const span = new RecordedSpan({
    name: "deliver",
    parent: Option.none(),
    context: Context.empty(),
    links,
    startTime: 1n,
    kind,
    ended: () => undefined
  })
  for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
  const events: Pick<Tracer.Span, "event"> = span
  events.event(`${SECRET} event`, 1n, { "exception.message": `${SECRET} attribute of an event` })
  span.end(2n, exit)
  return span
}

const sent = (given: Given) => SentSpan.of(ended(given))

const link: Tracer.SpanLink = {
  _tag: "SpanLink",
  span: Tracer.externalSpan({ traceId: "0123456789abcdef".repeat(2), spanId: "0123456789abcdef" }),
  attributes: { who: `${SECRET} link` }
}

it("only listed attributes are sent, with their times, numbers and truth values", () => {
  const attributes = {
    "user.email": SECRET,
    "db.query.text": "SELECT 1",
    "code.stacktrace": SECRET,
    "place_access.attempt": 3,
    "http.response.status_code": 0.5,
    "http.route": true
  }
  const span = sent({ attributes, links: [link] })
  expect([span.traceId.length, span.spanId.length]).toEqual([16, 8])
  expect(span).toEqual({
    traceId: expect.any(Uint8Array),
    spanId: expect.any(Uint8Array),
    parentSpanId: undefined,
    name: "deliver",
    kind: 1,
    startTimeUnixNano: 1n,
    endTimeUnixNano: 2n,
    attributes: [
      text("db.query.text", "SELECT 1"),
      { key: "place_access.attempt", value: { intValue: 3 } },
      { key: "http.response.status_code", value: { doubleValue: 0.5 } },
      { key: "http.route", value: { boolValue: true } }
    ],
    links: [
      { traceId: Buffer.from("0123456789abcdef".repeat(2), "hex"), spanId: Buffer.from("0123456789abcdef", "hex") }
    ],
    status: { code: 0 }
  })
})

it("a request is called by its method and route", () => {
  const attributes = { "http.request.method": "GET", "http.route": "/v1/places/{place_id}/presence" }
  expect(sent({ kind: "server", attributes }).name).toBe("GET /v1/places/{place_id}/presence")
  expect(sent({ kind: "server", attributes: { "http.request.method": "GET" } }).name).toBe("GET")
  expect(sent({ kind: "server" }).name).toBe("deliver")
  expect(sent({ kind: "client", attributes }).name).toBe("deliver")
})

it("a request that was answered with a fault of the service has failed", () => {
  const span = sent({ kind: "server", attributes: { "error.type": "internal_error" } })
  expect(span).toMatchObject({ status: { code: 2 }, attributes: [text("error.type", "internal_error")] })
})

it("when a request names its error, the kind of the failure is not sent too", () => {
  const span = sent({ attributes: { "error.type": "internal_error" }, exit: Exit.fail(new TypeError("x")) })
  expect(span.attributes).toEqual([text("error.type", "internal_error")])
})

it("a text of any length leaves as one of 4,096 characters", () => {
  expect(sent({ attributes: { "db.query.text": "x".repeat(100_000) } }).attributes).toEqual([
    text("db.query.text", "x".repeat(4_096))
  ])
})

describe.each(["http/json", "http/protobuf"] as const)("over %s", (protocol) => {
  const encoded = (given: Given): string => {
    const batch = SpanBatch.make(protocol, {
      resource: { attributes: [], droppedAttributesCount: 0 },
      scope: { name: "test" }
    })
    batch.add(sent(given))
    const body = batch.body()
    return body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : ""
  }

  it("nothing leaves a span that is not on the list, wherever it stood", () => {
    // Proves that the search would find the secret in a span in which it is sent.
    expect(encoded({ attributes: { "db.query.text": SECRET } })).toContain(SECRET)
    const span = encoded({
      attributes: { who: `${SECRET} attribute`, "db.query.text": "SELECT 1" },
      links: [link],
      exit: Effect.runSyncExit(Effect.fail({ _tag: "StoreError", message: SECRET, stack: SECRET }))
    })
    expect(span).not.toContain(SECRET)
    expect(span).toContain("SELECT 1")
    expect(span).toContain("StoreError")
  })
})
