import { Telemetry } from "@place-access/domain/shared"
import { ConfigReport, Telemetry as TelemetryLive, TelemetrySettings } from "@place-access/worker"
import { ConfigProvider, Effect, FiberRef, Option, Redacted, RuntimeFlags, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import * as Sampler from "../../src/telemetry/Sampler.js"

const read = (environment: Readonly<Record<string, string>>) =>
  ConfigReport.read(TelemetrySettings.config).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))),
    Effect.runSync
  )

describe("settings of telemetry", () => {
  it("without any nothing is measured, traced, shown or sent", () => {
    const settings = read({})
    expect(settings).toMatchObject({ metricsAddress: null, collector: null })
    const found = Effect.all({
      isMeasuring: Telemetry.isMeasuring,
      isTracing: FiberRef.get(FiberRef.currentTracerEnabled),
      countsFibers: Effect.map(Effect.getRuntimeFlags, RuntimeFlags.runtimeMetrics)
    })
    // Effect itself traces and counts fibers by default. The service must switch both off when no telemetry is
    // configured.
    expect(Effect.runSync(found)).toMatchObject({ isTracing: true, countsFibers: true })
    expect(Effect.runSync(Effect.provide(found, TelemetryLive.layer(settings, "test")))).toEqual({
      isMeasuring: false,
      isTracing: false,
      countsFibers: false
    })
  })

  it("each signal can be kept from the collector by itself", () => {
    const of = (name: string) => read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example", [name]: "none" })
    expect(of("OTEL_TRACES_EXPORTER").collector).toMatchObject({ hasTraces: false, hasMetrics: true })
    expect(of("OTEL_METRICS_EXPORTER").collector).toMatchObject({ hasTraces: true, hasMetrics: false })
  })

  it("traceidratio without its share keeps everything, as OpenTelemetry has it", () => {
    expect(read({ OTEL_TRACES_SAMPLER: "traceidratio" }).sampler).toEqual({ ratio: 1, followsParent: false })
    expect(read({ OTEL_TRACES_SAMPLER: "parentbased_traceidratio" }).sampler).toEqual({ ratio: 1, followsParent: true })
  })

  it("/metrics is for this machine alone unless an address is named", () => {
    const here = read({ METRICS_PORT: "9464" })
    expect(here.metricsAddress).toEqual({ host: "127.0.0.1", port: 9464 })
    expect(TelemetrySettings.openAddress(here)).toBeNull()
    const open = read({ METRICS_PORT: "9464", METRICS_HOST: "0.0.0.0" })
    expect(TelemetrySettings.openAddress(open)).toEqual({ host: "0.0.0.0", port: 9464 })
  })

  it("the variables of OpenTelemetry mean what they mean everywhere", () => {
    const { collector, resourceAttributes, sampler, serviceName } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318/",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc,x-scope=1",
      OTEL_TRACES_EXPORTER: "none",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=places,deployment.environment=production"
    })
    expect(collector).toMatchObject({
      endpoint: "http://collector.example:4318",
      protocol: "http/protobuf",
      hasTraces: false,
      hasMetrics: true,
      metricsEveryMillis: 60_000
    })
    expect(Redacted.value(collector!.headers)).toEqual({ authorization: "Basic abc", "x-scope": "1" })
    expect(sampler).toEqual({ ratio: 0.25, followsParent: true })
    expect(serviceName).toBe("places")
    expect(resourceAttributes).toEqual({ "deployment.environment": "production" })
    expect(read({ OTEL_SERVICE_NAME: "a", OTEL_RESOURCE_ATTRIBUTES: "service.name=b" }).serviceName).toBe("a")
  })

  it.each([
    ["a line's end", "authorization=hunter2%0d%0ax-injected: yes"],
    ["a zero", "authorization=hunter2%00"],
    ["a tab", "authorization=hunter2%09"],
    ["a letter beyond ASCII", "authorization=hunter2%C3%A9"],
    ["a space in the name", "author%20ization:x=hunter2"]
  ])("a header that would not go over the wire is refused at the start, without being repeated: %s", (_, given) => {
    const { message } = Effect.runSync(
      Effect.flip(
        Effect.withConfigProvider(
          ConfigReport.read(TelemetrySettings.config),
          ConfigProvider.fromMap(new Map([["OTEL_EXPORTER_OTLP_HEADERS", given]]))
        )
      )
    )
    expect(message).toContain("OTEL_EXPORTER_OTLP_HEADERS must be a list of headers")
    expect(message).not.toContain("hunter2")
  })

  it("names everything that is wrong at once, without repeating a secret", () => {
    const wrong = {
      METRICS_PORT: "metrics",
      METRICS_HOST: "not a host",
      OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "hunter2",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_TRACES_EXPORTER: "zipkin",
      OTEL_TRACES_SAMPLER: "sometimes",
      OTEL_TRACES_SAMPLER_ARG: "1.5",
      OTEL_METRIC_EXPORT_INTERVAL: "5s",
      OTEL_RESOURCE_ATTRIBUTES: "production"
    }
    const message = Effect.runSync(
      Effect.flip(
        Effect.withConfigProvider(
          ConfigReport.read(TelemetrySettings.config),
          ConfigProvider.fromMap(new Map(Object.entries(wrong)))
        )
      )
    ).message
    for (const name of Object.keys(wrong)) expect(message).toContain(`${name} must be`)
    expect(message).not.toContain("hunter2")
  })
})

describe("the sampler", () => {
  const parent = (sampled: boolean, traceId = "0".repeat(24) + "80000000") =>
    Option.some(Tracer.externalSpan({ traceId, spanId: "1".repeat(16), sampled }))
  const make = (name: Sampler.SamplerName, ratio?: number) => Sampler.make(name, Option.fromNullable(ratio))

  it("keeps all, nothing, or a share of what begins here", () => {
    const kept = (sampler: Sampler.Sampler) =>
      Array.from({ length: 20_000 }, () => Sampler.isKept(sampler, Option.none())).filter(Boolean).length
    expect(kept(make("always_on"))).toBe(20_000)
    expect(kept(make("parentbased_always_off"))).toBe(0)
    // The number of kept traces has a standard deviation of about 61. The allowed difference of 1,300 is about twenty
    // times as large, so the test does not fail by chance.
    expect(Math.abs(kept(make("traceidratio", 0.25)) - 5_000)).toBeLessThan(1_300)
  })

  it("parentbased_ follows the caller, the others do not ask", () => {
    expect(Sampler.isKept(make("parentbased_always_off"), parent(true))).toBe(true)
    expect(Sampler.isKept(make("parentbased_always_on"), parent(false))).toBe(false)
    expect(Sampler.isKept(make("always_on"), parent(false))).toBe(true)
    expect(Sampler.isKept(make("always_off"), parent(true))).toBe(false)
  })

  it("a share of callers' traces is picked by the trace's id, the same everywhere", () => {
    expect(Sampler.isKept(make("traceidratio", 0.5), parent(true))).toBe(false)
    expect(Sampler.isKept(make("traceidratio", 0.51), parent(false))).toBe(true)
  })

  it("a trace is kept as a whole or not at all: below a span of ours nothing is decided anew", () => {
    const ours = (sampled: boolean, traceId: string) =>
      Option.map(parent(sampled, traceId), (span) => ({ ...span, _tag: "Span" }) as unknown as Tracer.Span)
    for (const name of ["always_on", "always_off", "traceidratio", "parentbased_traceidratio"] as const) {
      // Below a span of ours, only the decision of that span counts. If the sampler decided by its ratio of one half,
      // it would keep every trace of the first id and no trace of the second.
      for (const traceId of ["0".repeat(32), "f".repeat(32)]) {
        expect(Sampler.isKept(make(name, 0.5), ours(true, traceId))).toBe(true)
        expect(Sampler.isKept(make(name, 0.5), ours(false, traceId))).toBe(false)
      }
    }
  })
})
