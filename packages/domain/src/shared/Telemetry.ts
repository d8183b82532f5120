import {
  type Context,
  Effect,
  FiberRef,
  GlobalValue,
  Metric,
  MetricBoundaries,
  MetricLabel,
  type Scope,
  type Tracer
} from "effect"

/**
 * What the service tells those who run it: measurements and spans. Both are off unless the program that composes us switches them
 * on, and then nothing about a person fits through: a label is one of a closed list of words, a span has a fixed name.
 */

/** The words that a label may be; null for a list that is closed elsewhere, such as the routes of an API. */
type Labels = Readonly<Record<string, ReadonlyArray<string> | null>>

export type Values<L extends Labels> = {
  readonly [Name in keyof L]: L[Name] extends ReadonlyArray<infer Word> ? Word : string
}

interface Description<L extends Labels> {
  /** A sentence for who reads the list of measurements. */
  readonly description: string
  /** `s`, `By` or `1`, as UCUM writes them. */
  readonly unit?: string
  readonly labels?: L
}

/** Something that is measured, as the documentation lists it. */
export interface Instrument<L extends Labels> {
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  readonly unit: string
  readonly description: string
  readonly labels: L
  /** Adds to a counter, sets a gauge, takes a value into a histogram. */
  readonly record: (value: number, labels: Values<L>) => void
}

/** What a label is called that is none of its words, and all labels of what would be one series too many. */
export const OTHER = "other"

/** Of one instrument no more series are kept than this: whatever comes later is counted together. */
export const MAX_SERIES = 2_000

/** The label that carries the unit to whoever exports; never exported as a label. */
export const UNIT_LABEL = "unit"

const instruments = GlobalValue.globalValue(
  "@place-access/domain/shared/Telemetry/instruments",
  () => new Map<string, Instrument<Labels>>()
)

/** Every instrument of the modules that were loaded. */
export const all = (): ReadonlyArray<Instrument<Labels>> => Array.from(instruments.values())

/** Whether a measurement is one of ours: the runtime and libraries may keep others. */
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

/** Only ever grows. */
export const counter = <const L extends Labels = Readonly<Record<never, never>>>(
  name: string,
  about: Description<L>
): Instrument<L> =>
  instrument(name, "counter", about, Metric.counter(name, { description: about.description, incremental: true }))

/** How it stands now. */
export const gauge = <const L extends Labels = Readonly<Record<never, never>>>(
  name: string,
  about: Description<L>
): Instrument<L> => instrument(name, "gauge", about, Metric.gauge(name, { description: about.description }))

/** Upper bounds, in seconds: half a millisecond to ten seconds. */
export const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** How long something took, in seconds. `bounds`: other upper bounds than `SECONDS`, growing. */
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

/** What reads figures that nobody reports, such as how full a pool is. Called whenever somebody wants to know. */
export interface Recorder {
  /** Each sets gauges of its own. */
  readonly observers: Set<() => void>
}

/** Null: nothing is measured. */
export const recorder: FiberRef.FiberRef<Recorder | null> = GlobalValue.globalValue(
  "@place-access/domain/shared/Telemetry/recorder",
  () => FiberRef.unsafeMake<Recorder | null>(null)
)

/** Whether this program measures. */
export const isMeasuring: Effect.Effect<boolean> = Effect.map(FiberRef.get(recorder), (found) => found !== null)

/** Runs `record` when this program measures; otherwise it costs the look at one reference. */
export const measure = (record: () => void): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    if (fiber.getFiberRef(recorder) !== null) record()
    return Effect.void
  })

/** Has `read` called whenever figures are wanted, until the scope closes. */
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

/** Says something of the span that this runs in; of what it says, only what is on the list of whoever exports gets out. */
export const annotate = (attributes: Readonly<Record<string, string | number>>): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) =>
    fiber.getFiberRef(FiberRef.currentTracerEnabled) ? Effect.annotateCurrentSpan(attributes) : Effect.void
  )

/**
 * A span around a program that runs often. Without traces it costs the look at one reference; `Effect.withSpan` would note a stack
 * trace all the same. `isRoot`: a trace of its own, whatever it was started from.
 */
export const span =
  (name: string, { isRoot = false }: { readonly isRoot?: boolean } = {}) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((fiber) =>
      fiber.getFiberRef(FiberRef.currentTracerEnabled)
        ? Effect.useSpan(name, { captureStackTrace: false, root: isRoot }, (made) => within(made)(self))
        : self
    )

/**
 * A program that runs often, given its ports, with a `span` around it. Both are one step of the fibre; `yield*` takes two for each port,
 * and a generator four more.
 */
export const program = <R, A, E>(
  name: string,
  run: (ports: Context.Context<R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime<A, E, R>((fiber) =>
    fiber.getFiberRef(FiberRef.currentTracerEnabled)
      ? span(name)(Effect.contextWithEffect(run))
      : run(fiber.currentContext as Context.Context<R>)
  )

/** Runs below `span`. Of a trace that is not kept nothing more is made. */
export const within =
  (span: Tracer.Span) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    span.sampled ? Effect.withParentSpan(self, span) : Effect.withTracerEnabled(self, false)
