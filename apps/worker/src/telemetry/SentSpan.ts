import type { KeyValue } from "@effect/opentelemetry/OtlpResource"
import { Cause, type Exit, Option, type Tracer } from "effect"
import { idOf, type RecordedSpan, traceOf } from "./RecordedSpan.js"

/** The part of a span that is sent to the collector. Its fields are those of `Span` in opentelemetry-proto. */
export interface SentSpan {
  /** Ids are bytes: 16 of a trace, 8 of a span. */
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
  readonly parentSpanId: Uint8Array | undefined
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: bigint
  readonly endTimeUnixNano: bigint
  readonly attributes: ReadonlyArray<KeyValue>
  readonly links: ReadonlyArray<{ readonly traceId: Uint8Array; readonly spanId: Uint8Array }>
  readonly status: { readonly code: number }
}

/**
 * The attributes of spans that are sent. All other attributes are removed, including those that a library adds. The
 * messages of errors are never sent, because a database repeats personal data in them.
 */
const SENT: ReadonlySet<string> = new Set([
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "error.type",
  "db.system.name",
  "db.operation.name",
  "db.query.text",
  "place_access.request_id",
  "place_access.refusal",
  "place_access.attempt",
  "place_access.outcome"
])

/** The most characters of a text that is sent. Longer texts are cut. */
const TEXT_MAX = 4_096

const KINDS: Readonly<Record<Tracer.SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }
const UNSET = 0
const ERROR = 2

/**
 * The filter through which every span passes on its way to the collector. It keeps the attributes in `SENT`, and of an
 * error only the kind. The span of a request gets its method and route as its name.
 */
export const of = (span: RecordedSpan): SentSpan => {
  const { parent, status } = span
  const attributes: Array<KeyValue> = []
  for (const [key, value] of span.attributes) if (SENT.has(key)) attributes.push({ key, value: valueOf(value) })
  const failure = status._tag === "Ended" ? failureOf(status.exit) : undefined
  const isNamed = span.attributes.has("error.type")
  if (failure !== undefined && !isNamed) {
    attributes.push({ key: "error.type", value: { stringValue: errorType(failure) } })
  }
  return {
    traceId: span.trace,
    spanId: span.id,
    parentSpanId: Option.isSome(parent) ? idOf(parent.value) : undefined,
    name: nameOf(span),
    kind: KINDS[span.kind],
    startTimeUnixNano: status.startTime,
    endTimeUnixNano: status._tag === "Ended" ? status.endTime : status.startTime,
    attributes,
    links: span.links.map((link) => ({ traceId: traceOf(link.span), spanId: idOf(link.span) })),
    status: { code: failure !== undefined || isNamed ? ERROR : UNSET }
  }
}

const nameOf = ({ attributes, kind, name }: RecordedSpan): string => {
  const method = kind === "server" ? attributes.get("http.request.method") : undefined
  if (typeof method !== "string") return name
  const route = attributes.get("http.route")
  return typeof route === "string" ? `${method} ${route}` : method
}

const valueOf = (value: unknown): KeyValue["value"] =>
  typeof value === "number"
    ? Number.isSafeInteger(value)
      ? { intValue: value }
      : { doubleValue: value }
    : typeof value === "boolean"
      ? { boolValue: value }
      : { stringValue: String(value).slice(0, TEXT_MAX) }

/** Why the span's work failed. Undefined after a success, and when the work was only interrupted. */
const failureOf = (exit: Exit.Exit<unknown, unknown>): Cause.Cause<unknown> | undefined =>
  exit._tag === "Failure" && !Cause.isInterruptedOnly(exit.cause) ? exit.cause : undefined

/** The kind of an error: its `_tag` or its `name`, such as `StoreError`; `Error` when that is not a single word. */
const errorType = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const named = typeof error === "object" && error !== null ? error : {}
  const name = "_tag" in named ? named._tag : "name" in named ? named.name : undefined
  return typeof name === "string" && /^[A-Za-z][A-Za-z0-9]{0,49}$/.test(name) ? name : "Error"
}
