import { Cause, type Context, type Exit, Option, type Tracer } from "effect"
import { webcrypto } from "node:crypto"

/** A span of a trace that the sampler keeps. When its work has ended, the span calls `ended` with itself. */
export class RecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = true
  readonly spanId = hex(8)
  readonly traceId: string
  readonly attributes = new Map<string, unknown>()
  readonly links: Array<Tracer.SpanLink>
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Context.Context<never>
  readonly kind: Tracer.SpanKind
  status: Tracer.SpanStatus
  private readonly ended: (span: RecordedSpan) => void

  constructor(given: {
    readonly name: string
    readonly parent: Option.Option<Tracer.AnySpan>
    readonly context: Context.Context<never>
    readonly links: ReadonlyArray<Tracer.SpanLink>
    readonly startTime: bigint
    readonly kind: Tracer.SpanKind
    readonly ended: (span: RecordedSpan) => void
  }) {
    this.traceId = Option.isSome(given.parent) ? given.parent.value.traceId : hex(16)
    this.name = given.name
    this.parent = given.parent
    this.context = given.context
    this.links = [...given.links]
    this.kind = given.kind
    this.status = { _tag: "Started", startTime: given.startTime }
    this.ended = given.ended
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    this.ended(this)
  }
  attribute(key: string, value: unknown): void {
    this.attributes.set(key, value)
  }
  /** Events are not kept, because they are never sent (Outgoing.ts). */
  event(): void {}
  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links.push(...links)
  }
}

const KINDS: Readonly<Record<Tracer.SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }
const OK = 1
const ERROR = 2

/**
 * Converts a span to its JSON form in OTLP (opentelemetry-proto, `Span`). Of an error only the kind is sent, because
 * its message and stack may contain personal data.
 */
export const toOtlp = (span: RecordedSpan) => {
  const { parent, status } = span
  const exit = status._tag === "Ended" ? status.exit : undefined
  const hasFailed = exit?._tag === "Failure" && !Cause.isInterruptedOnly(exit.cause)
  const attributes = [...span.attributes].map(([key, value]) => ({ key, value: valueOf(value) }))
  if (hasFailed && !span.attributes.has("error.type")) {
    attributes.push({ key: "error.type", value: { stringValue: errorType(exit.cause) } })
  }
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: Option.isSome(parent) ? parent.value.spanId : undefined,
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: String(status.startTime),
    endTimeUnixNano: String(status._tag === "Ended" ? status.endTime : status.startTime),
    attributes,
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    status: { code: hasFailed ? ERROR : OK },
    links: span.links.map(({ span: { spanId, traceId } }) => ({
      traceId,
      spanId,
      attributes: [],
      droppedAttributesCount: 0
    })),
    droppedLinksCount: 0
  }
}

const valueOf = (value: unknown) =>
  typeof value === "number"
    ? Number.isSafeInteger(value)
      ? { intValue: value }
      : { doubleValue: value }
    : typeof value === "boolean"
      ? { boolValue: value }
      : { stringValue: String(value) }

/** The kind of an error: its `_tag` or its `name`, such as `StoreError`; `Error` when that is not a single word. */
const errorType = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const named = typeof error === "object" && error !== null ? error : {}
  const name = "_tag" in named ? named._tag : "name" in named ? named.name : undefined
  return typeof name === "string" && /^[A-Za-z][A-Za-z0-9]{0,49}$/.test(name) ? name : "Error"
}

const random = Buffer.alloc(8_192)
let used = random.length

/**
 * Returns `bytes` random bytes in hexadecimal. One call of the random source fills a buffer for hundreds of ids,
 * because a call costs as much time as ten ids.
 */
const hex = (bytes: number): string => {
  if (used + bytes > random.length) {
    webcrypto.getRandomValues(random)
    used = 0
  }
  used += bytes
  return random.toString("hex", used - bytes, used)
}
