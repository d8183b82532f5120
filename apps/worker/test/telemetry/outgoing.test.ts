import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import { Telemetry } from "@place-access/domain/shared"
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as Outgoing from "../../src/telemetry/Outgoing.js"

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

/** A text that must not be sent in any field. */
const SECRET = "someone@example.test"

const out = (span: object) => {
  const given = {
    traceId: "0123456789abcdef".repeat(2),
    spanId: "0123456789abcdef",
    startTimeUnixNano: "1",
    endTimeUnixNano: "2",
    name: "deliver",
    kind: 1,
    attributes: [],
    events: [],
    links: [],
    status: { code: 1 },
    ...span
  }
  const { resourceSpans } = Outgoing.traces({
    resourceSpans: [
      {
        resource: { attributes: [], droppedAttributesCount: 0 },
        scopeSpans: [{ scope: { name: "test" }, spans: [given] }]
      }
    ]
  })
  return resourceSpans[0]?.scopeSpans[0]?.spans[0]
}

it("of a span that failed only the kind of the error leaves: messages repeat what people sent", () => {
  const span = out({
    status: { code: 2, message: `Key (email)=(${SECRET}) already exists` },
    attributes: [text("user.email", SECRET), text("db.query.text", "SELECT 1"), text("code.stacktrace", SECRET)],
    events: [
      { name: "exception", attributes: [text("exception.type", "StoreError"), text("exception.message", SECRET)] },
      { name: SECRET, attributes: [] }
    ],
    links: [{ traceId: "1", spanId: "2", attributes: [text("who", SECRET)] }]
  })
  expect(JSON.stringify(span)).not.toContain(SECRET)
  expect(span).toMatchObject({
    attributes: [text("db.query.text", "SELECT 1"), text("error.type", "StoreError")],
    events: [],
    status: { code: 2 }
  })
})

it("what is no name of an error is not told as one", () => {
  const events = [{ name: "exception", attributes: [text("exception.type", `${SECRET} was here`)] }]
  expect(out({ status: { code: 2 }, events })).toMatchObject({ attributes: [text("error.type", "Error")] })
})

it("a request is called by its method and route, and has failed when it is our fault", () => {
  const request = [text("http.request.method", "GET"), text("http.route", "/v1/places/{place_id}/presence")]
  expect(out({ kind: 2, name: "request", attributes: request })).toMatchObject({
    name: "GET /v1/places/{place_id}/presence",
    status: { code: 0 }
  })
  expect(
    out({ kind: 2, name: "request", attributes: [...request, text("error.type", "internal_error")] })
  ).toMatchObject({
    status: { code: 2 }
  })
})

it("a text of any length leaves as a short one", () => {
  const span = out({ attributes: [text("db.query.text", "x".repeat(100_000))] })
  expect(span?.attributes[0]?.value.stringValue?.length).toBe(4_096)
})

it("of measurements ours leave, without the label that carries the unit, whatever their kind", () => {
  Telemetry.duration("test.outgoing.duration", { description: "" })
  Telemetry.counter("test.outgoing.calls", { description: "" })
  Telemetry.gauge("test.outgoing.memory", { description: "" })
  const points = { dataPoints: [{ attributes: [text("unit", "s"), text("outcome", "ok")] }] }
  const given = [
    { name: "test.outgoing.duration", histogram: points },
    { name: "test.outgoing.calls", sum: points },
    { name: "test.outgoing.memory", gauge: points },
    { name: "effect_fiber_started", sum: points }
  ]
  const { resourceMetrics } = Outgoing.metrics({
    resourceMetrics: [{ resource: {}, scopeMetrics: [{ scope: {}, metrics: given }] }]
  })
  const left = { dataPoints: [{ attributes: [text("outcome", "ok")] }] }
  expect(resourceMetrics[0]?.scopeMetrics[0]?.metrics).toEqual([
    { name: "test.outgoing.duration", histogram: left },
    { name: "test.outgoing.calls", sum: left },
    { name: "test.outgoing.memory", gauge: left }
  ])
})

describe.each([
  { protocol: "http/json" as const, unfiltered: OtlpSerialization.layerJson, contentType: "application/json" },
  {
    protocol: "http/protobuf" as const,
    unfiltered: OtlpSerialization.layerProtobuf,
    contentType: "application/x-protobuf"
  }
])("what the exporters are given to encode $protocol with", ({ contentType, protocol, unfiltered }) => {
  type Encode = OtlpSerialization.OtlpSerialization["Type"]
  const encode = (layer: Layer.Layer<OtlpSerialization.OtlpSerialization>, what: (by: Encode) => unknown) => {
    const body = Effect.runSync(Effect.provide(Effect.map(OtlpSerialization.OtlpSerialization, what), layer))
    const { body: bytes, contentType } = body as { readonly body: Uint8Array; readonly contentType: string }
    return { contentType, told: Buffer.from(bytes).toString("utf8") }
  }

  it("lets nothing out of a span that is not on the list, wherever it stood", () => {
    const ids = { traceId: "0123456789abcdef".repeat(2), spanId: "0123456789abcdef" }
    const from = { startTimeUnixNano: "1", endTimeUnixNano: "2", droppedAttributesCount: 0 }
    const spans = [
      {
        ...ids,
        ...from,
        name: "deliver",
        kind: 1,
        attributes: [text("who", `${SECRET} attribute`), text("db.query.text", "SELECT 1")],
        events: [
          { name: `${SECRET} event`, timeUnixNano: "1", attributes: [], droppedAttributesCount: 0 },
          {
            name: "exception",
            timeUnixNano: "2",
            attributes: [text("exception.message", `${SECRET} attribute of an event`)],
            droppedAttributesCount: 0
          }
        ],
        links: [{ ...ids, attributes: [text("who", `${SECRET} link`)], droppedAttributesCount: 0 }],
        status: { code: 2, message: `${SECRET} status` },
        droppedEventsCount: 0,
        droppedLinksCount: 0
      }
    ]
    const resource = { attributes: [], droppedAttributesCount: 0 }
    const traces = (by: Encode) =>
      by.traces({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "test" }, spans }] }] })
    // Proves that the search would find the secret, if it were sent.
    for (const where of ["attribute", "event", "attribute of an event", "link", "status"]) {
      expect(encode(unfiltered, traces).told).toContain(`${SECRET} ${where}`)
    }
    const out = encode(Outgoing.layer(protocol), traces)
    expect(out.told).not.toContain(SECRET)
    expect(out.told).toContain("SELECT 1")
    expect(out.contentType).toBe(contentType)
  })

  it("lets no measurement of others out, and no label that carries a unit", () => {
    Telemetry.duration("test.layer.duration", { description: "" })
    Telemetry.counter("test.layer.calls", { description: "" })
    Telemetry.gauge("test.layer.memory", { description: "" })
    const times = { startTimeUnixNano: "1", timeUnixNano: "2" }
    const points = (more: object) => [
      { ...times, ...more, attributes: [text("unit", "furlongs"), text("outcome", "fine")] }
    ]
    const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints: points({ asDouble: 1 }) }
    const buckets = { count: 1, sum: 1, min: 1, max: 1, bucketCounts: [1], explicitBounds: [] }
    const metrics = [
      { name: "test.layer.duration", histogram: { aggregationTemporality: 2, dataPoints: points(buckets) } },
      { name: "test.layer.calls", sum },
      { name: "test.layer.memory", gauge: { dataPoints: points({ asDouble: 1 }) } },
      { name: "test_of_somebody_else", sum }
    ].map((one) => ({ description: "", unit: "1", ...one }))
    const resource = { attributes: [], droppedAttributesCount: 0 }
    const encoded = (by: Encode) =>
      by.metrics({ resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: "test" }, metrics }] }] })
    const before = encode(unfiltered, encoded).told
    expect([before.split("furlongs").length - 1, before.includes("test_of_somebody_else")]).toEqual([4, true])
    const out = encode(Outgoing.layer(protocol), encoded)
    expect(out.told).not.toContain("furlongs")
    expect(out.told).not.toContain("test_of_somebody_else")
    for (const name of ["duration", "calls", "memory"]) expect(out.told).toContain(`test.layer.${name}`)
    expect(out.told.split("fine").length - 1).toBe(3)
    expect(out.contentType).toBe(contentType)
  })
})
