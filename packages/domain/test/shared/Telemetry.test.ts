import { Telemetry } from "@place-access/domain/shared"
import { Effect, Layer, Metric, type MetricPair } from "effect"
import { describe, expect, it } from "vitest"

/** The series of one instrument in the registry. */
const seriesOf = (name: string): ReadonlyArray<MetricPair.MetricPair.Untyped> =>
  Metric.unsafeSnapshot().filter(({ metricKey }) => metricKey.name === name)

const labelsOf = (name: string) =>
  seriesOf(name).map(({ metricKey }) => Object.fromEntries(metricKey.tags.map(({ key, value }) => [key, value])))

const recording: Telemetry.Recorder = { observers: new Set() }

describe("measurements", () => {
  it("a label is one of its words; anything else, such as an id, is reported to nobody", () => {
    const made = Telemetry.counter("test.words", { description: "", labels: { kind: ["cat", "dog"] } })
    made.record(1, { kind: "cat" })
    made.record(1, { kind: "usr_7f3k" as "cat" })
    made.record(1, { kind: "someone@example.test" as "cat" })
    expect(labelsOf("test.words").map(({ kind }) => kind)).toEqual(["cat", Telemetry.OTHER])
    expect(JSON.stringify(seriesOf("test.words"))).not.toMatch(/usr_|example/)
  })

  it("an instrument has a bounded number of series, whatever labels it gets", () => {
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
