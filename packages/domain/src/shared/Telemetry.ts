import {
  Clock,
  Context,
  Effect,
  Exit,
  type Fiber,
  type FiberId,
  FiberRef,
  GlobalValue,
  Metric,
  MetricBoundaries,
  MetricLabel,
  Option,
  type Scope,
  type Tracer
} from "effect"

/**
 * Measurements and spans, for the operators of the service. Both are off by default. Neither contains personal data:
 * the value of a label is from a closed list of words, and a span has a fixed name.
 */

/** The allowed values of each label; null when another list limits the values, such as the routes of an API. */
type Labels = Readonly<Record<string, ReadonlyArray<string> | null>>

export type Values<L extends Labels> = {
  readonly [Name in keyof L]: L[Name] extends ReadonlyArray<infer Word> ? Word : string
}

interface Description<L extends Labels> {
  /** A sentence for the documentation's list of measurements. */
  readonly description: string
  /** The unit in UCUM notation: `s` (seconds), `By` (bytes) or `1` (a number). */
  readonly unit?: string
  readonly labels?: L
}

/** A measurement, as the documentation lists it. */
export interface Instrument<L extends Labels> {
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  readonly unit: string
  readonly description: string
  readonly labels: L
  /** Adds to a counter, sets a gauge, or adds a value to a histogram. */
  readonly record: (value: number, labels: Values<L>) => void
}

/**
 * The label value that replaces every value that is not allowed. In the series beyond `MAX_SERIES` it replaces all
 * values.
 */
export const OTHER = "other"

/** The most series of one instrument. Further series are counted together, under the label value `OTHER`. */
export const MAX_SERIES = 2_000

/**
 * The label in which an instrument passes its unit to the exporter. The exporter reads the unit and leaves the label
 * out of its output.
 */
export const UNIT_LABEL = "unit"

const instruments = GlobalValue.globalValue(
  "@place-access/domain/shared/Telemetry/instruments",
  () => new Map<string, Instrument<Labels>>()
)

/** The instruments of all loaded modules. */
export const all = (): ReadonlyArray<Instrument<Labels>> => Array.from(instruments.values())

/** Whether the measurement is one of `all`. The runtime and libraries may add other measurements. */
export const isOurs = (name: string): boolean => instruments.has(name)

const instrument = <L extends Labels, Type, Out>(
  name: string,
  kind: Instrument<L>["kind"],
  { description, labels, unit = "1" }: Description<L>,
  metric: Metric.Metric<Type, number, Out>
): Instrument<L> => {
  const allowed = Object.entries<ReadonlyArray<string> | null>(labels ?? {})
  const series = new Map<string, typeof metric>()
  const withLabels = (words: ReadonlyArray<readonly [string, string]>) =>
    Metric.taggedWithLabels(
      metric,
      [...words, [UNIT_LABEL, unit] as const].map(([key, value]) => MetricLabel.make(key, value))
    )
  const overflow = withLabels(allowed.map(([label]) => [label, OTHER]))
  const begin = (key: string, values: Readonly<Record<string, string>>) => {
    if (series.size >= MAX_SERIES) return overflow
    const begun = withLabels(
      allowed.map(([label, words]) => {
        const word = values[label] ?? OTHER
        return [label, words === null || words.includes(word) ? word : OTHER]
      })
    )
    series.set(key, begun)
    return begun
  }
  const made: Instrument<L> = {
    name,
    kind,
    unit,
    description,
    labels: labels ?? ({} as L),
    record: (value, values) => {
      let key = ""
      for (const [label] of allowed) key += `${(values as Readonly<Record<string, string>>)[label]}\n`
      const found = series.get(key) ?? begin(key, values as Readonly<Record<string, string>>)
      found.unsafeUpdate(value, [])
    }
  }
  instruments.set(name, made as unknown as Instrument<Labels>)
  return made
}

/** Defines a measurement that only grows. */
export const counter = <const L extends Labels = Readonly<Record<never, never>>>(
  name: string,
  about: Description<L>
): Instrument<L> =>
  instrument(name, "counter", about, Metric.counter(name, { description: about.description, incremental: true }))

/** Defines a measurement that goes up and down. */
export const gauge = <const L extends Labels = Readonly<Record<never, never>>>(
  name: string,
  about: Description<L>
): Instrument<L> => instrument(name, "gauge", about, Metric.gauge(name, { description: about.description }))

/** The upper bounds of durations in seconds, from half a millisecond to ten seconds. */
export const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Defines a histogram of durations in seconds. `bounds`: the upper bounds, ascending; left out: `SECONDS`. */
export const duration = <const L extends Labels = Readonly<Record<never, never>>>(
  name: string,
  about: Omit<Description<L>, "unit">,
  bounds: ReadonlyArray<number> = SECONDS
): Instrument<L> =>
  instrument(
    name,
    "histogram",
    { ...about, unit: "s" },
    Metric.histogram(name, MetricBoundaries.fromIterable(bounds), about.description)
  )

/**
 * A recorder of measurements. Its presence in `recorder` switches measuring on. An observer reads a number that no
 * program records, such as how full a pool is.
 */
export interface Recorder {
  /** Functions that set their own gauges. They run whenever the measurements are read. */
  readonly observers: Set<() => void>
}

/** The recorder for the work of this fiber. Null: nothing is measured. */
export const recorder: FiberRef.FiberRef<Recorder | null> = GlobalValue.globalValue(
  "@place-access/domain/shared/Telemetry/recorder",
  () => FiberRef.unsafeMake<Recorder | null>(null)
)

/** Whether measuring is on. */
export const isMeasuring: Effect.Effect<boolean> = Effect.map(FiberRef.get(recorder), (found) => found !== null)

/** Runs `record` when measuring is on. When measuring is off, a call costs only the read of one fiber reference. */
export const measure = (record: () => void): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    if (fiber.getFiberRef(recorder) !== null) record()
    return Effect.void
  })

/** When measuring is on, calls `read` whenever the measurements are read, until the scope closes. */
export const observe = (read: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(FiberRef.get(recorder), (found) =>
    found === null
      ? Effect.void
      : Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => found.observers.add(read)),
            () => Effect.sync(() => found.observers.delete(read))
          )
        )
  )

/**
 * Where a fiber is in its trace. The object belongs to one fiber. The fiber changes the object in place when it enters
 * or leaves a span. A new object for each change would have to be set in the fiber reference, twice for each span, and
 * each set copies all references of the fiber.
 */
interface Position {
  /**
   * The id of the fiber that may change this object. A reference to the fiber itself would keep an ended fiber in
   * memory. Null until a new fiber enters its first span.
   */
  owner: FiberId.FiberId | null
  /** The span that the fiber works in; null outside of a trace. */
  span: Tracer.Span | null
}

/**
 * The position of the fiber; null for a fiber that was never in a trace. A new fiber begins with a copy of its parent's
 * position, so its first span becomes a child of the span in which the fiber was started. A runtime that a fiber
 * captured (`Effect.runtime`) shares the position of this fiber. So a fiber that the runtime starts begins in the span
 * in which the capturing fiber is at that time. Effect itself keeps the span as a service in the context instead. This
 * is slower, because Effect copies and compares all services of a request when one of them changes.
 */
const position: FiberRef.FiberRef<Position | null> = GlobalValue.globalValue(
  Symbol.for("@place-access/domain/Telemetry/position"),
  () =>
    FiberRef.unsafeMake<Position | null>(null, {
      fork: (parent) => parent && { owner: null, span: parent.span },
      join: (own) => own
    })
)

/** The span that the fiber works in, also one that the sampler has left out; null outside of a trace. */
export const spanOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): Tracer.Span | null =>
  fiber.getFiberRef(position)?.span ?? null

/**
 * Whether the work of this fiber gets spans: tracing is on, and the sampler has not left out the span that the fiber
 * works in.
 */
export const isTraced = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  fiber.getFiberRef(FiberRef.currentTracerEnabled) && (spanOf(fiber)?.sampled ?? true)

/** Adds attributes to the current span. The exporter drops attributes that are not on its list. */
export const annotate = (attributes: Readonly<Record<string, string | number>>): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const span = spanOf(fiber)
    if (span?.sampled) for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
    return Effect.void
  })

export interface SpanOptions {
  /** The kind of the span. Left out: `internal`, work inside of this process. */
  readonly kind?: Tracer.SpanKind
  /** The span that contains this span. Left out: the present span of the fiber. Null: the span begins a trace. */
  readonly parent?: Tracer.AnySpan | null
}

const NO_LINKS: ReadonlyArray<Tracer.SpanLink> = []

/**
 * Runs an effect in a span. Callers use this function only while the fiber is traced (`isTraced`). When the sampler
 * leaves the span out, the spans inside it are not traced either. `Effect.useSpan` does the same, but needs four times
 * as many steps.
 */
export const spanned = <A, E, R>(
  name: string,
  options: SpanOptions,
  use: (span: Tracer.Span) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime<A, E, R>((fiber) => {
    const found = fiber.getFiberRef(position)
    // A fiber can get the fiber references of another fiber, as the users of a layer do. It then shares the position of
    // the other fiber, and must not change it.
    const isOwn = found !== null && (found.owner === null || found.owner === fiber.id())
    if (isOwn) return inside(fiber, found, name, options, use)
    const own: Position = { owner: fiber.id(), span: found?.span ?? null }
    return Effect.flatMap(FiberRef.set(position, own), () => inside(fiber, own, name, options, use))
  })

const inside = <A, E, R>(
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  at: Position,
  name: string,
  { kind = "internal", parent }: SpanOptions,
  use: (span: Tracer.Span) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
  const outer = at.span
  const span = fiber.currentTracer.span(
    name,
    Option.fromNullable(parent === undefined ? outer : parent),
    Context.empty(),
    NO_LINKS,
    clock.unsafeCurrentTimeNanos(),
    kind
  )
  const ended = (exit: Exit.Exit<A, E>): Exit.Exit<A, E> => {
    at.span = outer
    span.end(clock.unsafeCurrentTimeNanos(), exit)
    return exit
  }
  return Effect.uninterruptibleMask((restore) => {
    // `use` is called before the position changes, because nothing would restore the position if `use` threw.
    const work = use(span)
    at.owner = fiber.id()
    at.span = span
    return Effect.matchCauseEffect(restore(work), {
      onFailure: (cause) => ended(Exit.failCause(cause)),
      onSuccess: (value) => ended(Exit.succeed(value))
    })
  })
}

/** Runs an effect outside of its caller's trace. It is for work that the caller starts, but does not wait for. */
export const inOwnTrace = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => (spanOf(fiber) === null ? self : Effect.locally(self, position, null)))
