import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import type { HttpBody } from "@effect/platform"
import { Effect, FastCheck as fc } from "effect"
import { expect, it } from "vitest"
import type { SentSpan } from "../../src/telemetry/SentSpan.js"
import * as SpanBatch from "../../src/telemetry/SpanBatch.js"

const library = Effect.runSync(Effect.provide(OtlpSerialization.OtlpSerialization, OtlpSerialization.layerProtobuf))

const id = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes })

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/**
 * Texts whose lengths are around 128 and 16,384, because from these lengths on the length field takes one more byte.
 * Their characters take up to four bytes.
 */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.integer({ min: 120, max: 135 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 16_380, max: 16_390 }).map((length) => "é".repeat(length / 2))
)

const value = fc.oneof(
  text.map((stringValue) => ({ stringValue })),
  fc.boolean().map((boolValue) => ({ boolValue })),
  // Generates no negative numbers, because the encoder of @effect/opentelemetry, with which the test compares, writes
  // only the last byte of a negative number.
  fc.maxSafeNat().map((intValue) => ({ intValue })),
  fc.double({ noNaN: true }).map((doubleValue) => ({ doubleValue }))
)

const attributes = fc.array(fc.record({ key: text, value }), { maxLength: 4 })

const nanos = fc.oneof(
  fc.constantFrom(0n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n + 1n),
  fc.bigInt({ min: 0n, max: 2n ** 63n })
)

const span = fc.record({
  traceId: id(16),
  spanId: id(8),
  parentSpanId: fc.option(id(8), { nil: undefined }),
  name: text,
  kind: fc.integer({ min: 0, max: 5 }),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  links: fc.array(fc.record({ traceId: id(16), spanId: id(8) }), { maxLength: 2 }),
  status: fc.record({ code: fc.integer({ min: 0, max: 2 }) })
})

const origin = fc.record({
  resource: fc.record({ attributes, droppedAttributesCount: fc.constant(0) }),
  scope: fc.record({ name: text })
})

/** A span in OTLP's JSON. */
const otlp = ({ endTimeUnixNano, links, parentSpanId, spanId, startTimeUnixNano, traceId, ...rest }: SentSpan) => ({
  ...rest,
  traceId: hex(traceId),
  spanId: hex(spanId),
  parentSpanId: parentSpanId && hex(parentSpanId),
  startTimeUnixNano: String(startTimeUnixNano),
  endTimeUnixNano: String(endTimeUnixNano),
  links: links.map((link) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) }))
})

/** The same traces in the form that the encoders of @effect/opentelemetry read. */
const traces = ({ resource, scope }: SpanBatch.Origin, spans: ReadonlyArray<SentSpan>) => ({
  resourceSpans: [
    {
      resource,
      scopeSpans: [
        {
          scope,
          spans: spans.map(otlp).map((one) => ({
            ...one,
            events: [],
            links: one.links.map((link) => ({ ...link, attributes: [], droppedAttributesCount: 0 }))
          }))
        }
      ]
    }
  ]
})

const bytesOf = (body: HttpBody.HttpBody): Uint8Array => {
  if (body._tag !== "Uint8Array") throw new Error(`a body of another kind: ${body._tag}`)
  return body.body
}

it("traces are encoded byte for byte as by @effect/opentelemetry", () => {
  fc.assert(
    fc.property(origin, fc.array(span, { maxLength: 10 }), (origin, spans) => {
      const batch = SpanBatch.make("http/protobuf", origin)
      for (const one of spans) batch.add(one)
      expect(batch.size()).toBe(spans.length)
      const body = batch.body()
      expect(body.contentType).toBe("application/x-protobuf")
      expect(Buffer.from(bytesOf(body)).equals(bytesOf(library.traces(traces(origin, spans))))).toBe(true)
    }),
    { numRuns: 300 }
  )
})

it("in JSON a batch has the fields of OTLP, with ids in hexadecimal and times as texts of digits", () => {
  fc.assert(
    fc.property(origin, fc.array(span, { maxLength: 10 }), (origin, spans) => {
      const batch = SpanBatch.make("http/json", origin)
      for (const one of spans) batch.add(one)
      expect(batch.size()).toBe(spans.length)
      const body = batch.body()
      expect(body.contentType).toBe("application/json")
      const { resource, scope } = origin
      const all = { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(otlp) }] }] }
      expect(JSON.parse(Buffer.from(bytesOf(body)).toString())).toEqual(JSON.parse(JSON.stringify(all)))
    }),
    { numRuns: 50 }
  )
})
