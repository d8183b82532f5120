import type { HttpClient } from "@effect/platform"
import { type Context, Effect, Layer, type Option, Tracer } from "effect"
import { RecordedSpan } from "./RecordedSpan.js"
import { isKept, type Sampler } from "./Sampler.js"
import * as SpanExport from "./SpanExport.js"

interface Options {
  readonly sampler: Sampler
  readonly exporter: SpanExport.SpanExportOptions
}

/**
 * The tracer of the programs; the sampler chooses which traces are kept. The tracer replaces the exporter's tracer,
 * which draws an id digit by digit and writes stacks of errors that are never sent. With the exporter's tracer, a
 * traced request took twice as long (docs/performance-log.md).
 */
export const layer = ({ exporter, sampler }: Options): Layer.Layer<never, never, HttpClient.HttpClient> =>
  Layer.unwrapScoped(
    Effect.map(SpanExport.make(exporter), (ended) =>
      Layer.merge(
        Layer.setTracer(
          Tracer.make({
            span: (name, parent, context, links, startTime, kind) =>
              isKept(sampler, parent)
                ? new RecordedSpan({ name, parent, context, links, startTime, kind, ended })
                : new Unrecorded(name, parent, context, startTime, kind),
            context: (f) => f()
          })
        ),
        Layer.setTracerEnabled(true)
      )
    )
  )

const NO_ATTRIBUTES: ReadonlyMap<string, unknown> = new Map()
const NO_LINKS: ReadonlyArray<Tracer.SpanLink> = []

/** Takes the place of a span that the sampler left out. It records nothing, and its child spans are left out too. */
class Unrecorded implements Tracer.Span {
  readonly _tag = "Span"
  readonly spanId = "0".repeat(16)
  readonly traceId = "0".repeat(32)
  readonly sampled = false
  readonly attributes = NO_ATTRIBUTES
  readonly links = NO_LINKS
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Context.Context<never>
  readonly kind: Tracer.SpanKind
  status: Tracer.SpanStatus

  constructor(
    name: string,
    parent: Option.Option<Tracer.AnySpan>,
    context: Context.Context<never>,
    startTime: bigint,
    kind: Tracer.SpanKind
  ) {
    this.name = name
    this.parent = parent
    this.context = context
    this.kind = kind
    this.status = { _tag: "Started", startTime }
  }

  end(endTime: bigint, exit: Parameters<Tracer.Span["end"]>[1]): void {
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
  }
  attribute(): void {}
  event(): void {}
  addLinks(): void {}
}
