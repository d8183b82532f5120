import { Telemetry } from "@place-access/domain/shared"
import { Metric } from "effect"
import { expect, it } from "vitest"
import * as Prometheus from "../../src/telemetry/Prometheus.js"

it("names, units, labels and buckets are as Prometheus wants them", () => {
  const took = Telemetry.duration(
    "test.render.duration",
    { description: "How\nlong", labels: { route: null } },
    [0.1, 1]
  )
  took.record(0.05, { route: '/a"b\\c\n' })
  took.record(5, { route: '/a"b\\c\n' })
  Telemetry.counter("test.render.calls", { description: "Calls" }).record(3, {})
  Telemetry.gauge("test.render.memory", { description: "Memory", unit: "By" }).record(12.5, {})
  Metric.counter("test_of_somebody_else").unsafeUpdate(1, [])
  const lines = Prometheus.render()
    .split("\n")
    .filter((line) => /test_(?:render|of_somebody_else)/.test(line))
  const labels = 'route="/a\\"b\\\\c\\n"'
  expect(lines).toEqual([
    "# HELP test_render_calls_total Calls",
    "# TYPE test_render_calls_total counter",
    "test_render_calls_total 3",
    "# HELP test_render_duration_seconds How\\nlong",
    "# TYPE test_render_duration_seconds histogram",
    `test_render_duration_seconds_bucket{${labels},le="0.1"} 1`,
    `test_render_duration_seconds_bucket{${labels},le="1"} 1`,
    `test_render_duration_seconds_bucket{${labels},le="+Inf"} 2`,
    `test_render_duration_seconds_sum{${labels}} 5.05`,
    `test_render_duration_seconds_count{${labels}} 2`,
    "# HELP test_render_memory_bytes Memory",
    "# TYPE test_render_memory_bytes gauge",
    "test_render_memory_bytes 12.5"
  ])
})

it("a family says what it is once, whatever the number of its series", () => {
  const counted = Telemetry.counter("test.family.calls", { description: "Calls", labels: { kind: ["cat", "dog"] } })
  const took = Telemetry.duration(
    "test.family.duration",
    { description: "How long", labels: { kind: ["cat", "dog"] } },
    [1]
  )
  for (const kind of ["cat", "dog"] as const) {
    counted.record(1, { kind })
    took.record(0.5, { kind })
  }
  const lines = Prometheus.render()
    .split("\n")
    .filter((line) => line.includes("test_family_"))
  const series = (kind: string) => [
    `test_family_duration_seconds_bucket{kind="${kind}",le="1"} 1`,
    `test_family_duration_seconds_bucket{kind="${kind}",le="+Inf"} 1`,
    `test_family_duration_seconds_sum{kind="${kind}"} 0.5`,
    `test_family_duration_seconds_count{kind="${kind}"} 1`
  ]
  expect(lines).toEqual([
    "# HELP test_family_calls_total Calls",
    "# TYPE test_family_calls_total counter",
    'test_family_calls_total{kind="cat"} 1',
    'test_family_calls_total{kind="dog"} 1',
    "# HELP test_family_duration_seconds How long",
    "# TYPE test_family_duration_seconds histogram",
    ...series("cat"),
    ...series("dog")
  ])
})
