import type { KeyValue, Resource } from "@effect/opentelemetry/OtlpResource"
import { PbfWriter } from "pbf"

/**
 * Traces in the binary form of OTLP (opentelemetry-proto, `TracesData`). The encoder of @effect/opentelemetry makes an
 * array of bytes for each field, and copies this array once for each message around the field. These copies were a
 * third of the cost of tracing (docs/performance-log.md). The tests compare the bytes of the two encoders.
 */
export const encode = ({ resourceSpans }: Traces): Uint8Array => {
  const pbf = new PbfWriter()
  for (const each of resourceSpans) pbf.writeMessage(1, writeResourceSpans, each)
  return pbf.finish()
}

export interface Traces<S extends OtlpSpan = OtlpSpan> {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: Resource
    readonly scopeSpans: ReadonlyArray<{
      readonly scope: { readonly name: string }
      readonly spans: ReadonlyArray<S>
    }>
  }>
}

/** The part of a span that is sent (Outgoing.ts), which has no events and no counts of dropped attributes. */
export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string | undefined
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<KeyValue>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
  readonly status: { readonly code: number }
}

type Pbf = PbfWriter

const writeResourceSpans = ({ resource, scopeSpans }: Traces["resourceSpans"][number], pbf: Pbf): void => {
  pbf.writeMessage(1, writeResource, resource)
  for (const each of scopeSpans) pbf.writeMessage(2, writeScopeSpans, each)
}

const writeResource = ({ attributes }: Resource, pbf: Pbf): void => {
  for (const each of attributes) pbf.writeMessage(1, writeKeyValue, each)
}

const writeScopeSpans = ({ scope, spans }: Traces["resourceSpans"][number]["scopeSpans"][number], pbf: Pbf): void => {
  pbf.writeMessage(1, writeScope, scope)
  for (const each of spans) pbf.writeMessage(2, writeSpan, each)
}

const writeScope = ({ name }: { readonly name: string }, pbf: Pbf): void => writeText(1, name, pbf)

const writeSpan = (span: OtlpSpan, pbf: Pbf): void => {
  writeId(1, span.traceId, pbf)
  writeId(2, span.spanId, pbf)
  if (span.parentSpanId !== undefined) writeId(4, span.parentSpanId, pbf)
  writeText(5, span.name, pbf)
  pbf.writeVarintField(6, span.kind)
  writeTime(7, span.startTimeUnixNano, pbf)
  writeTime(8, span.endTimeUnixNano, pbf)
  for (const each of span.attributes) pbf.writeMessage(9, writeKeyValue, each)
  for (const each of span.links) pbf.writeMessage(13, writeLink, each)
  pbf.writeMessage(15, writeStatus, span.status)
}

const writeLink = (link: OtlpSpan["links"][number], pbf: Pbf): void => {
  writeId(1, link.traceId, pbf)
  writeId(2, link.spanId, pbf)
}

const writeStatus = ({ code }: OtlpSpan["status"], pbf: Pbf): void => pbf.writeVarintField(3, code)

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

const writeId = (field: number, hex: string, pbf: Pbf): void => pbf.writeBytesField(field, Buffer.from(hex, "hex"))

const FIXED_64 = 1

/**
 * Writes a time in nanoseconds since 1970. A number cannot have all its digits, so the two halves are written one by
 * one.
 */
const writeTime = (field: number, nanos: string, pbf: Pbf): void => {
  const value = BigInt(nanos)
  pbf.writeTag(field, FIXED_64)
  pbf.writeFixed32(Number(value & 0xffff_ffffn))
  pbf.writeFixed32(Number(value >> 32n))
}
