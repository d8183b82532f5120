import { Telemetry } from "@place-access/domain/shared"
import { Metric, MetricState, Option } from "effect"

/** The content type of `render`'s text. */
export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const UNITS: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes", "1": "" }

/**
 * Converts the name of a metric: `http.server.request.duration` in seconds becomes
 * `http_server_request_duration_seconds` for Prometheus.
 */
const nameOf = (name: string, unit: string, isCounter: boolean): string => {
  const plain = name.replace(/[^A-Za-z0-9_:]/g, "_")
  const suffix = UNITS[unit] ?? ""
  const withUnit = plain.endsWith(suffix) ? plain : `${plain}${suffix}`
  return isCounter ? `${withUnit}_total` : withUnit
}

const escaped = (text: string): string => text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"')

const number = (value: number): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : Number.isNaN(value) ? "NaN" : String(value)

type Labels = ReadonlyArray<readonly [string, string]>

const sample = (name: string, labels: Labels, value: number | bigint): string => {
  const inside = labels.map(([key, text]) => `${key.replace(/[^A-Za-z0-9_]/g, "_")}="${escaped(text)}"`).join(",")
  return `${name}${inside === "" ? "" : `{${inside}}`} ${number(Number(value))}`
}

interface Family {
  readonly type: string
  readonly help: string
  readonly samples: Array<string>
}

/** Returns the metrics that the service declared (`Telemetry.isOurs`), in the text format of Prometheus. */
export const render = (): string => {
  const families = new Map<string, Family>()
  const family = (name: string, type: string, help: Option.Option<string>): Array<string> => {
    const found = families.get(name)
    if (found !== undefined) return found.samples
    const samples: Array<string> = []
    families.set(name, { type, help: Option.getOrElse(help, () => ""), samples })
    return samples
  }
  for (const { metricKey, metricState } of Metric.unsafeSnapshot()) {
    const { description, name, tags } = metricKey
    if (!Telemetry.isOurs(name)) continue
    const unit = tags.find(({ key }) => key === Telemetry.UNIT_LABEL)?.value ?? "1"
    const labels: Labels = tags.flatMap(({ key, value }) => (key === Telemetry.UNIT_LABEL ? [] : [[key, value]]))
    if (MetricState.isCounterState(metricState)) {
      const full = nameOf(name, unit, true)
      family(full, "counter", description).push(sample(full, labels, metricState.count as number | bigint))
    } else if (MetricState.isGaugeState(metricState)) {
      const full = nameOf(name, unit, false)
      family(full, "gauge", description).push(sample(full, labels, metricState.value as number | bigint))
    } else if (MetricState.isHistogramState(metricState)) {
      const full = nameOf(name, unit, false)
      const samples = family(full, "histogram", description)
      for (const [bound, count] of metricState.buckets) {
        if (Number.isFinite(bound)) samples.push(sample(`${full}_bucket`, [...labels, ["le", number(bound)]], count))
      }
      samples.push(
        sample(`${full}_bucket`, [...labels, ["le", "+Inf"]], metricState.count),
        sample(`${full}_sum`, labels, metricState.sum),
        sample(`${full}_count`, labels, metricState.count)
      )
    }
  }
  return Array.from(families)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { help, samples, type }]) =>
      [
        `# HELP ${name} ${help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}`,
        `# TYPE ${name} ${type}`,
        ...samples,
        ""
      ].join("\n")
    )
    .join("")
}
