import { Config, Either, Option, Redacted } from "effect"
import type { ListeningAddress } from "../process/Listening.js"
import { isLoopback } from "../process/Loopback.js"
import { decodePercent } from "../settings/decodePercent.js"
import * as Setting from "../settings/Setting.js"
import type { Protocol } from "./Outgoing.js"
import * as Sampler from "./Sampler.js"

const metricsPort = Setting.optional("METRICS_PORT", {
  description:
    "The port on which this process answers GET /metrics, in Prometheus' text format, and a worker also GET /healthz. Each process needs a port of its own.",
  fallback: "none: there is no /metrics",
  parse: Setting.integer(1, 65_535)
})

const metricsHost = Setting.withDefault("METRICS_HOST", {
  description:
    "The network address of METRICS_PORT. /metrics has no password: everybody who can reach this address can read how much the service is used.",
  fallback: "127.0.0.1",
  parse: Setting.hostName
})

const endpoint = Setting.optional("OTEL_EXPORTER_OTLP_ENDPOINT", {
  description: "The collector of traces and metrics (OTLP over HTTP), such as http://localhost:4318.",
  fallback: "none: nothing is exported",
  secret: true,
  parse: Setting.httpUrl
})

/** Reads percent-encoded pairs such as `a=1,b=2`, the format of OpenTelemetry's variables. */
const parsePairs: Setting.Parse<Readonly<Record<string, string>>> = (given) => {
  const pairs: Record<string, string> = {}
  for (const part of given.split(",").filter((one) => one.trim() !== "")) {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(part) ?? []
    const decoded = value === undefined ? undefined : decodePercent(value)
    if (key === undefined || decoded === undefined) return Either.left("a list such as key=value,key=value")
    pairs[key] = decoded
  }
  return Either.right(pairs)
}

const parseHeaders: Setting.Parse<Redacted.Redacted<Readonly<Record<string, string>>>> = (given) =>
  Either.flatMap(parsePairs(given), (pairs) =>
    Object.entries(pairs).every(
      ([key, value]) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(key) && /^[\x20-\x7e]*$/.test(value)
    )
      ? Either.right(Redacted.make(pairs))
      : Either.left("a list of headers such as key=value,key=value")
  )

const headers = Setting.optional("OTEL_EXPORTER_OTLP_HEADERS", {
  description: "Headers for the collector, such as its password: key=value,key=value, percent-encoded.",
  fallback: "none",
  secret: true,
  parse: parseHeaders
})

const protocol = Setting.withDefault("OTEL_EXPORTER_OTLP_PROTOCOL", {
  description: "The format of telemetry for the collector: http/protobuf or http/json.",
  fallback: "http/protobuf" as const,
  parse: Setting.oneOf("http/protobuf", "http/json")
})

const exporter = (signal: "traces" | "metrics", name: string) =>
  Setting.withDefault(name, {
    description: `Whether ${signal} are sent to the collector: otlp or none.`,
    fallback: "otlp" as const,
    parse: Setting.oneOf("otlp", "none")
  })

const tracesExporter = exporter("traces", "OTEL_TRACES_EXPORTER")
const metricsExporter = exporter("metrics", "OTEL_METRICS_EXPORTER")

const exportInterval = Setting.withDefault("OTEL_METRIC_EXPORT_INTERVAL", {
  description: "The milliseconds between two exports of metrics.",
  fallback: 60_000,
  parse: Setting.integer(1_000, 3_600_000)
})

const sampler = Setting.withDefault("OTEL_TRACES_SAMPLER", {
  description:
    "Which traces are kept: always_on, always_off or traceidratio (a share). With parentbased_ before it, a trace that the caller began is kept when the caller keeps it.",
  fallback: "parentbased_always_on" as const,
  parse: Sampler.parseName
})

const samplerArgument = Setting.optional("OTEL_TRACES_SAMPLER_ARG", {
  description: "The share of traces that traceidratio keeps, from 0 to 1.",
  fallback: "1",
  parse: Sampler.parseRatio
})

const serviceName = Setting.optional("OTEL_SERVICE_NAME", {
  description: "What this process is called in traces and metrics.",
  fallback: "place-access-server or place-access-worker",
  parse: Setting.anyText
})

const resourceAttributes = Setting.optional("OTEL_RESOURCE_ATTRIBUTES", {
  description:
    "Further attributes of this process in traces and metrics, such as deployment.environment=production, percent-encoded.",
  fallback: "nothing",
  parse: parsePairs
})

/** The settings in the order in which the documentation and `--help` list them. */
export const all = [
  metricsPort,
  metricsHost,
  endpoint,
  headers,
  protocol,
  tracesExporter,
  metricsExporter,
  exportInterval,
  sampler,
  samplerArgument,
  serviceName,
  resourceAttributes
]

export interface Collector {
  /** The address of the collector, without a slash at the end; `/v1/traces` and `/v1/metrics` are appended. */
  readonly endpoint: string
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly protocol: Protocol
  readonly hasTraces: boolean
  readonly hasMetrics: boolean
  readonly metricsEveryMillis: number
}

/** The settings for telemetry. When `metricsAddress` and `collector` are both null, nothing is measured or traced. */
export interface TelemetrySettings {
  readonly metricsAddress: ListeningAddress | null
  readonly collector: Collector | null
  readonly sampler: Sampler.Sampler
  /** The name under which the process reports; null: the program's own name. */
  readonly serviceName: string | null
  readonly resourceAttributes: Readonly<Record<string, string>>
}

export const config: Config.Config<TelemetrySettings> = Config.all({
  port: metricsPort.config,
  host: metricsHost.config,
  endpoint: endpoint.config,
  headers: headers.config,
  protocol: protocol.config,
  traces: tracesExporter.config,
  metrics: metricsExporter.config,
  interval: exportInterval.config,
  sampler: sampler.config,
  ratio: samplerArgument.config,
  serviceName: serviceName.config,
  attributes: resourceAttributes.config
}).pipe(
  Config.map((given): TelemetrySettings => {
    const { "service.name": named, ...resourceAttributes } = Option.getOrElse(
      given.attributes,
      () => ({}) as Readonly<Record<string, string>>
    )
    return {
      metricsAddress: Option.getOrNull(Option.map(given.port, (port) => ({ host: given.host, port }))),
      collector: Option.getOrNull(
        Option.map(given.endpoint, (address) => ({
          endpoint: address,
          headers: Option.getOrElse(given.headers, () => Redacted.make({})),
          protocol: given.protocol,
          hasTraces: given.traces === "otlp",
          hasMetrics: given.metrics === "otlp",
          metricsEveryMillis: given.interval
        }))
      ),
      sampler: Sampler.make(given.sampler, given.ratio),
      serviceName: Option.getOrElse(given.serviceName, () => named ?? null),
      resourceAttributes
    }
  })
)

/**
 * The address of /metrics if other machines can reach it, else null. A program warns about this address when it starts.
 */
export const openAddress = ({ metricsAddress }: TelemetrySettings): ListeningAddress | null =>
  metricsAddress === null || isLoopback(metricsAddress.host) ? null : metricsAddress
