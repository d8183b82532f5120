import { type Context, type Exit, Option, type Tracer } from "effect"
import { webcrypto } from "node:crypto"

const NO_ATTRIBUTES: ReadonlyMap<string, unknown> = new Map()

/**
 * A span of a trace that the sampler keeps. When its work has ended, the span calls `ended` with itself. The ids are
 * kept as bytes, because a collector that takes protobuf gets bytes; the hexadecimal form of an id is computed only
 * when somebody reads it.
 */
export class RecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = true
  /** The id of this span, 8 bytes. */
  readonly id = randomBytes(8)
  /** The id of the trace, 16 bytes. */
  readonly trace: Uint8Array
  links: ReadonlyArray<Tracer.SpanLink>
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Context.Context<never>
  readonly kind: Tracer.SpanKind
  status: Tracer.SpanStatus
  private readonly ended: (span: RecordedSpan) => void
  /** Null until the span gets its first attribute, because most spans have none. */
  private own: Map<string, unknown> | null = null

  constructor(given: {
    readonly name: string
    readonly parent: Option.Option<Tracer.AnySpan>
    readonly context: Context.Context<never>
    readonly links: ReadonlyArray<Tracer.SpanLink>
    readonly startTime: bigint
    readonly kind: Tracer.SpanKind
    readonly ended: (span: RecordedSpan) => void
  }) {
    this.trace = Option.isSome(given.parent) ? traceOf(given.parent.value) : randomBytes(16)
    this.name = given.name
    this.parent = given.parent
    this.context = given.context
    this.links = given.links
    this.kind = given.kind
    this.status = { _tag: "Started", startTime: given.startTime }
    this.ended = given.ended
  }

  get spanId(): string {
    return hexOf(this.id)
  }
  get traceId(): string {
    return hexOf(this.trace)
  }
  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    this.ended(this)
  }
  get attributes(): ReadonlyMap<string, unknown> {
    return this.own ?? NO_ATTRIBUTES
  }
  attribute(key: string, value: unknown): void {
    this.own ??= new Map()
    this.own.set(key, value)
  }
  /** Events are not kept, because they are never sent (SentSpan.ts). */
  event(): void {}
  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links = [...this.links, ...links]
  }
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, "hex")

export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")

/** The id of the span as bytes. A span of another service has only the hexadecimal form, which is decoded. */
export const idOf = (span: Tracer.AnySpan): Uint8Array =>
  span instanceof RecordedSpan ? span.id : bytesOf(span.spanId)

/** The id of the span's trace as bytes. */
export const traceOf = (span: Tracer.AnySpan): Uint8Array =>
  span instanceof RecordedSpan ? span.trace : bytesOf(span.traceId)

let random = Buffer.alloc(0)
let used = 0

/**
 * Returns new random bytes. One call of the random source fills a buffer for hundreds of ids, because a call costs as
 * much time as ten ids. A used-up buffer is replaced and not filled again, because spans keep parts of it.
 */
function randomBytes(count: number): Uint8Array {
  if (used + count > random.length) {
    random = Buffer.allocUnsafeSlow(8_192)
    webcrypto.getRandomValues(random)
    used = 0
  }
  used += count
  return random.subarray(used - count, used)
}
