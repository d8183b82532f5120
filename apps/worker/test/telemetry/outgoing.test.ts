import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import { Telemetry } from "@place-access/domain/shared"
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as Outgoing from "../../src/telemetry/Outgoing.js"

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

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
