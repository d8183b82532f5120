import { type Context, type Exit, Option, type Tracer } from "effect"
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
  /** Events are not kept, because they are never sent (SentSpan.ts). */
  event(): void {}
  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links.push(...links)
  }
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
