import { Telemetry } from "@place-access/domain/shared"
import { Context, Effect, Layer, Metric, type MetricPair, Option, Tracer } from "effect"
import { describe, expect, it } from "vitest"

/** What the registry has of one instrument. */
const seriesOf = (name: string): ReadonlyArray<MetricPair.MetricPair.Untyped> =>
  Metric.unsafeSnapshot().filter(({ metricKey }) => metricKey.name === name)

const labelsOf = (name: string) =>
  seriesOf(name).map(({ metricKey }) => Object.fromEntries(metricKey.tags.map(({ key, value }) => [key, value])))

const recording: Telemetry.Recorder = { observers: new Set() }

describe("measurements", () => {
  it("a label is one of its words; anything else, such as an id, is told to nobody", () => {
    const made = Telemetry.counter("test.words", { description: "", labels: { kind: ["cat", "dog"] } })
    made.record(1, { kind: "cat" })
    made.record(1, { kind: "usr_7f3k" as "cat" })
    made.record(1, { kind: "someone@example.test" as "cat" })
    expect(labelsOf("test.words").map(({ kind }) => kind)).toEqual(["cat", Telemetry.OTHER])
    expect(JSON.stringify(seriesOf("test.words"))).not.toMatch(/usr_|example/)
  })

  it("an instrument has a bounded number of series, whatever it is told", () => {
    const made = Telemetry.counter("test.bounded", { description: "", labels: { route: null } })
    for (let index = 0; index < Telemetry.MAX_SERIES * 2; index++) made.record(1, { route: `/v1/${index}` })
    expect(seriesOf("test.bounded")).toHaveLength(Telemetry.MAX_SERIES + 1)
    const total = seriesOf("test.bounded").reduce(
      (sum, { metricState }) => sum + Number((metricState as { readonly count?: number }).count),
      0
    )
    expect(total).toBe(Telemetry.MAX_SERIES * 2)
  })

  it("nothing is recorded and nothing observed unless the program measures", () => {
    let recorded = 0
    let observed = 0
    const program = Effect.scoped(
      Effect.gen(function* () {
        yield* Telemetry.measure(() => recorded++)
        yield* Telemetry.observe(() => observed++)
        for (const observer of recording.observers) observer()
      })
    )
    Effect.runSync(program)
    expect([recorded, observed]).toEqual([0, 0])
    Effect.runSync(Effect.locally(program, Telemetry.recorder, recording))
    expect([recorded, observed]).toEqual([1, 1])
    expect(recording.observers.size).toBe(0)
  })

  it("every fiber of a program measures when the program does", async () => {
    const inside = Effect.flatMap(Effect.fork(Telemetry.isMeasuring), (fiber) => fiber.await)
    const found = await Effect.runPromise(
      Effect.provide(inside, Layer.scopedDiscard(Effect.locallyScoped(Telemetry.recorder, recording)))
    )
    expect(found).toMatchObject({ value: true })
  })
})

describe("spans", () => {
  const names: Array<string> = []
  let sampled = true
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      names.push(`${Option.isSome(parent) ? "child" : "root"} ${name}`)
      return {
        _tag: "Span",
        name,
        spanId: "1",
        traceId: "2",
        parent,
        context,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        links,
        sampled,
        kind,
        end: () => undefined,
        attribute: (key, value) => void names.push(`${key}=${String(value)}`),
        event: () => undefined,
        addLinks: () => undefined
      }
    },
    context: (f) => f()
  })
  const program = Telemetry.annotate({ attempt: 2 }).pipe(Telemetry.span("inner"), Telemetry.span("outer"))
  const run = (isOn: boolean, traced: Effect.Effect<unknown> = program) => {
    names.length = 0
    Effect.runSync(traced.pipe(Effect.withTracer(tracer), Effect.withTracerEnabled(isOn)))
    return [...names]
  }

  it("are made where somebody traces", () => {
    expect(run(true)).toEqual(["root outer", "child inner", "attempt=2"])
  })

  it("are not made below one that the sampler left out", () => {
    sampled = false
    expect(run(true)).toEqual(["root outer"])
    sampled = true
  })

  it("are not made at all where nobody does", () => {
    expect(run(false)).toEqual([])
  })

  it("a program that is given its ports has one like any other, and what it says is said of it", () => {
    class Port extends Context.Tag("test/Port")<Port, { readonly attempt: number }>() {}
    const given: Array<number> = []
    const inner = Telemetry.program("inner", (ports: Context.Context<Port>) => {
      const { attempt } = Context.get(ports, Port)
      given.push(attempt)
      return Telemetry.annotate({ attempt })
    })
    const outer = Effect.provideService(Telemetry.span("outer")(inner), Port, { attempt: 3 })
    expect(run(true, outer)).toEqual(["root outer", "child inner", "attempt=3"])
    expect(run(false, outer)).toEqual([])
    expect(given).toEqual([3, 3])
  })
})
