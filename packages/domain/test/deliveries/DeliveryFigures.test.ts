import { Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { Metric } from "effect"
import * as DeliveryFigures from "../../src/deliveries/DeliveryFigures.js"

const T0 = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const { SECOND } = Timestamp
const at = (millis: number) => Timestamp.plus(T0, millis)

interface State {
  readonly count: number
  readonly sum?: number
  readonly buckets?: ReadonlyArray<readonly [number, number]>
}

/** The series of the metric `name`. The key is the value of the tag `label`, or "" for a series without this tag. */
const read = (name: string, label = ""): ReadonlyMap<string, State> => {
  const series = Metric.unsafeSnapshot().filter(({ metricKey }) => metricKey.name === name)
  return new Map(
    series.map(({ metricKey, metricState }) => [
      metricKey.tags.find(({ key }) => key === label)?.value ?? "",
      metricState as unknown as State
    ])
  )
}
/**
 * Runs `record`. Returns by how much `record` raised two numbers of a series: the count, and the sum in milliseconds.
 * The metric itself has the sum in seconds.
 */
const added = (record: () => void, name: string, label = "", value = "") => {
  const before = read(name, label).get(value)
  record()
  const after = read(name, label).get(value)
  return [(after?.count ?? 0) - (before?.count ?? 0), Math.round(((after?.sum ?? 0) - (before?.sum ?? 0)) * 1_000)]
}

describe("what operators read about deliveries", () => {
  const lag = "place_access.delivery.lag"
  const posts = "place_access.webhook.duration"

  it("the lag is from a delivery's creation to its first attempt; later attempts have none", () => {
    expect(added(() => DeliveryFigures.began({ attempt: 1, createdAt: T0 }, at(2 * SECOND)), lag)).toEqual([1, 2_000])
    expect(added(() => DeliveryFigures.began({ attempt: 1, createdAt: T0 }, at(-SECOND)), lag)).toEqual([1, 0])
    expect(added(() => DeliveryFigures.began({ attempt: 2, createdAt: T0 }, at(SECOND)), lag)).toEqual([0, 0])
  })

  it("the lag is counted in steps that are fine below a second and end at an hour", () => {
    DeliveryFigures.began({ attempt: 1, createdAt: T0 }, T0)
    const steps = read(lag)
      .get("")
      ?.buckets?.map(([step]) => step)
    expect(steps?.filter(Number.isFinite)).toEqual([
      0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600
    ])
  })

  it.each([
    [{ _tag: "Answered", status: 100, snippet: "" }, "1xx"],
    [{ _tag: "Answered", status: 204, snippet: "" }, "2xx"],
    [{ _tag: "Answered", status: 599, snippet: "" }, "5xx"],
    [{ _tag: "Unreachable", detail: "" }, "unreachable"],
    [{ _tag: "NotSent", detail: "" }, "not_sent"]
  ] as const)("a post counts by its answer, with the seconds that it took: %j", (answer, label) => {
    const took = (endedAt: Timestamp.Timestamp) => () => DeliveryFigures.posted({ answer, startedAt: T0, endedAt })
    expect(added(took(at(3 * SECOND)), posts, "answer", label)).toEqual([1, 3_000])
    expect(added(took(at(-1)), posts, "answer", label)).toEqual([1, 0])
  })

  it.each([1, 7])("attempt %i has a series of its own", (attempt) => {
    const record = () => DeliveryFigures.attempted({ attempt }, { _tag: "Delivered", at: T0 })
    expect(added(record, "place_access.deliveries", "attempt", String(attempt))[0]).toBe(1)
  })

  it.each([
    [undefined, "lost"],
    [{ _tag: "Delivered", at: T0 }, "delivered"],
    [{ _tag: "Retry", attempt: 2, dueAt: T0 }, "retry"],
    [{ _tag: "Failed", reason: "exhausted", at: T0 }, "failed"],
    [{ _tag: "Failed", reason: "not_authorised", at: T0 }, "not_authorised"],
    [{ _tag: "TooOld", at: T0 }, "too_old"],
    [{ _tag: "Postponed", dueAt: T0, faultsSince: T0 }, "postponed"]
  ] as const)("%j is counted as %s", (how, outcome) => {
    expect(DeliveryFigures.outcomeOf(how)).toBe(outcome)
  })
})
