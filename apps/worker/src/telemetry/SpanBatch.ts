import type { KeyValue, Resource } from "@effect/opentelemetry/OtlpResource"
import { HttpBody } from "@effect/platform"
import { PbfWriter } from "pbf"
import type { Protocol } from "./Outgoing.js"
import { hexOf } from "./RecordedSpan.js"
import type { SentSpan } from "./SentSpan.js"

/** Spans that are sent in one request to the collector. */
export interface SpanBatch {
  readonly size: () => number
  readonly add: (span: SentSpan) => void
  /** The body of the request. Add nothing to the batch afterwards. */
  readonly body: () => HttpBody.HttpBody
}

/** The program that made the spans. */
export interface Origin {
  readonly resource: Resource
  readonly scope: { readonly name: string }
}

export const make = (protocol: Protocol, origin: Origin): SpanBatch =>
  protocol === "http/json" ? json(origin) : protobuf(origin)

const json = ({ resource, scope }: Origin): SpanBatch => {
  const spans: Array<unknown> = []
  return {
    size: () => spans.length,
    add: ({ endTimeUnixNano, links, parentSpanId, spanId, startTimeUnixNano, traceId, ...span }) =>
      void spans.push({
        ...span,
        traceId: hexOf(traceId),
        spanId: hexOf(spanId),
        parentSpanId: parentSpanId && hexOf(parentSpanId),
        links: links.map((link) => ({ traceId: hexOf(link.traceId), spanId: hexOf(link.spanId) })),
        startTimeUnixNano: String(startTimeUnixNano),
        endTimeUnixNano: String(endTimeUnixNano)
      }),
    body: () => HttpBody.unsafeJson({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] })
  }
}

/**
 * Spans in the binary form of OTLP (opentelemetry-proto, `TracesData`). Each span is encoded when it is added, so the
 * batch keeps bytes instead of objects, and sending the batch does not hold up the event loop. The encoder of
 * @effect/opentelemetry makes an array of bytes for each field, and copies this array once for each message around the
 * field (docs/performance-log.md). A test compares the bytes of the two encoders.
 */
const protobuf = ({ resource, scope }: Origin): SpanBatch => {
  const scopeSpans = new PbfWriter()
  scopeSpans.writeMessage(1, writeScope, scope)
  let size = 0
  return {
    size: () => size,
    add: (span) => {
      size++
      scopeSpans.writeMessage(2, writeSpan, span)
    },
    body: () => {
      const resourceSpans = new PbfWriter()
      resourceSpans.writeMessage(1, writeResource, resource)
      resourceSpans.writeBytesField(2, scopeSpans.finish())
      const traces = new PbfWriter()
      traces.writeBytesField(1, resourceSpans.finish())
      return HttpBody.uint8Array(traces.finish(), "application/x-protobuf")
    }
  }
}

type Pbf = PbfWriter

const writeResource = ({ attributes }: Resource, pbf: Pbf): void => {
  for (const each of attributes) pbf.writeMessage(1, writeKeyValue, each)
}

const writeScope = ({ name }: Origin["scope"], pbf: Pbf): void => writeText(1, name, pbf)

const writeSpan = (span: SentSpan, pbf: Pbf): void => {
  pbf.writeBytesField(1, span.traceId)
  pbf.writeBytesField(2, span.spanId)
  if (span.parentSpanId !== undefined) pbf.writeBytesField(4, span.parentSpanId)
  writeText(5, span.name, pbf)
  pbf.writeVarintField(6, span.kind)
  writeTime(7, span.startTimeUnixNano, pbf)
  writeTime(8, span.endTimeUnixNano, pbf)
  for (const each of span.attributes) pbf.writeMessage(9, writeKeyValue, each)
  for (const each of span.links) pbf.writeMessage(13, writeLink, each)
  pbf.writeMessage(15, writeStatus, span.status)
}

const writeLink = (link: SentSpan["links"][number], pbf: Pbf): void => {
  pbf.writeBytesField(1, link.traceId)
  pbf.writeBytesField(2, link.spanId)
}

const writeStatus = ({ code }: SentSpan["status"], pbf: Pbf): void => pbf.writeVarintField(3, code)

const writeKeyValue = ({ key, value }: KeyValue, pbf: Pbf): void => {
  writeText(1, key, pbf)
  pbf.writeMessage(2, writeValue, value)
}

const writeValue = (value: KeyValue["value"], pbf: Pbf): void => {
  if (typeof value.stringValue === "string") writeText(1, value.stringValue, pbf)
  else if (typeof value.boolValue === "boolean") pbf.writeBooleanField(2, value.boolValue)
  else if (typeof value.intValue === "number") pbf.writeVarintField(3, value.intValue)
  else if (typeof value.doubleValue === "number") pbf.writeDoubleField(4, value.doubleValue)
}

/**
 * Writes a text as a field of bytes, which has the same binary form. The library's method for texts writes characters
 * from U+20000 on wrongly.
 */
const writeText = (field: number, text: string, pbf: Pbf): void => pbf.writeBytesField(field, Buffer.from(text))

const FIXED_64 = 1

/**
 * Writes a time in nanoseconds since 1970. A JavaScript number is not exact enough for such a time, so its two halves
 * are written one by one.
 */
const writeTime = (field: number, nanos: bigint, pbf: Pbf): void => {
  pbf.writeTag(field, FIXED_64)
  pbf.writeFixed32(Number(nanos & 0xffff_ffffn))
  pbf.writeFixed32(Number(nanos >> 32n))
}
