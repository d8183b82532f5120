import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import { Effect, FastCheck as fc } from "effect"
import { expect, it } from "vitest"
import * as TracesProtobuf from "../../src/telemetry/TracesProtobuf.js"

const library = Effect.runSync(Effect.provide(OtlpSerialization.OtlpSerialization, OtlpSerialization.layerProtobuf))

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((drawn) => Buffer.from(drawn).toString("hex"))

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

const nanos = fc
  .oneof(fc.constantFrom(0n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n + 1n), fc.bigInt({ min: 0n, max: 2n ** 63n }))
  .map(String)

const span = fc.record({
  traceId: hex(16),
  spanId: hex(8),
  parentSpanId: fc.option(hex(8), { nil: undefined }),
  name: text,
  kind: fc.integer({ min: 0, max: 5 }),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  events: fc.constant([]),
  links: fc.array(
    fc.record({
      traceId: hex(16),
      spanId: hex(8),
      attributes: fc.constant([]),
      droppedAttributesCount: fc.constant(0)
    }),
    { maxLength: 2 }
  ),
  status: fc.record({ code: fc.integer({ min: 0, max: 2 }) })
})

const traces = fc.record({
  resourceSpans: fc.array(
    fc.record({
      resource: fc.record({ attributes, droppedAttributesCount: fc.constant(0) }),
      scopeSpans: fc.array(fc.record({ scope: fc.record({ name: text }), spans: fc.array(span, { maxLength: 5 }) }), {
        maxLength: 2
      })
    }),
    { maxLength: 2 }
  )
})

it("traces are encoded byte for byte as by @effect/opentelemetry", () => {
  fc.assert(
    fc.property(traces, (data) => {
      const theirs = library.traces(data)
      expect(theirs._tag).toBe("Uint8Array")
      if (theirs._tag !== "Uint8Array") return
      expect(Buffer.from(TracesProtobuf.encode(data)).equals(theirs.body)).toBe(true)
    }),
    { numRuns: 300 }
  )
})
