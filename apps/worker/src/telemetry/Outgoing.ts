import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import { HttpBody } from "@effect/platform"
import { Telemetry } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import * as TracesProtobuf from "./TracesProtobuf.js"

/**
 * The filter for everything that is sent to the collector. Only the span attributes in this list are sent. All others
 * are removed, including those that a library adds. Above all, the messages of errors are removed, because a database
 * repeats personal data in them.
 */
const SPAN_ATTRIBUTES: ReadonlySet<string> = new Set([
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "error.type",
  "db.system.name",
  "db.operation.name",
  "db.query.text",
  "place_access.request_id",
  "place_access.refusal",
  "place_access.attempt",
  "place_access.outcome"
])

/** The most characters of a text that is sent. Longer texts are cut. */
const TEXT_MAX = 4_096

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string | null }
}

interface Event {
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
}

interface Span extends TracesProtobuf.OtlpSpan {
  readonly events: ReadonlyArray<Event>
}

type Traces = TracesProtobuf.Traces<Span>

interface Points {
  readonly dataPoints: ReadonlyArray<{ readonly attributes: ReadonlyArray<Attribute> }>
}

interface Metrics {
  readonly resourceMetrics: ReadonlyArray<{
    readonly resource: unknown
    readonly scopeMetrics: ReadonlyArray<{
      readonly scope: unknown
      readonly metrics: ReadonlyArray<{
        readonly name: string
        readonly sum?: Points
        readonly gauge?: Points
        readonly histogram?: Points
      }>
    }>
  }>
}

const SERVER = 2
const ERROR = 2

const text = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } })

const find = (attributes: ReadonlyArray<Attribute>, key: string): string | undefined =>
  attributes.find((attribute) => attribute.key === key)?.value.stringValue ?? undefined

const bounded = (attribute: Attribute): Attribute => {
  const { stringValue } = attribute.value
  return typeof stringValue === "string" && stringValue.length > TEXT_MAX
    ? text(attribute.key, stringValue.slice(0, TEXT_MAX))
    : attribute
}

/** The name of the error that an event reports, such as `StoreError`; `Error` when it reports none. */
const errorType = (events: ReadonlyArray<Event>): string => {
  const type = events.flatMap(({ attributes }) => find(attributes, "exception.type") ?? [])[0]
  return type !== undefined && /^[A-Za-z][A-Za-z0-9]{0,49}$/.test(type) ? type : "Error"
}

const span = (one: Span): Span => {
  const attributes = one.attributes.filter(({ key }) => SPAN_ATTRIBUTES.has(key)).map(bounded)
  const given = find(attributes, "error.type")
  const hasFailed = one.status.code === ERROR || given !== undefined
  if (hasFailed && given === undefined) attributes.push(text("error.type", errorType(one.events)))
  const method = find(attributes, "http.request.method")
  const name = one.kind === SERVER && method !== undefined ? [method, find(attributes, "http.route")] : [one.name]
  return {
    ...one,
    name: name.filter((part) => part !== undefined).join(" "),
    attributes,
    events: [],
    links: one.links.map((link) => ({ ...link, attributes: [] })),
    status: { code: hasFailed ? ERROR : 0 }
  }
}

export const traces = ({ resourceSpans }: Traces): Traces => ({
  resourceSpans: resourceSpans.map((resource) => ({
    ...resource,
    scopeSpans: resource.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(span) }))
  }))
})

/**
 * Removes the label with the unit. The service stores the unit in a label because Effect's metrics have no field for
 * it. The exporter has read the label by then, so the collector does not need it.
 */
const points = <P extends Points>(given: P): P => ({
  ...given,
  dataPoints: given.dataPoints.map((point) => ({
    ...point,
    attributes: point.attributes.filter(({ key }) => key !== Telemetry.UNIT_LABEL)
  }))
})

export const metrics = ({ resourceMetrics }: Metrics): Metrics => ({
  resourceMetrics: resourceMetrics.map((resource) => ({
    ...resource,
    scopeMetrics: resource.scopeMetrics.map((scope) => ({
      ...scope,
      metrics: scope.metrics
        .filter(({ name }) => Telemetry.isOurs(name))
        .map((metric) => ({
          ...metric,
          ...(metric.sum === undefined ? {} : { sum: points(metric.sum) }),
          ...(metric.gauge === undefined ? {} : { gauge: points(metric.gauge) }),
          ...(metric.histogram === undefined ? {} : { histogram: points(metric.histogram) })
        }))
    }))
  }))
})

export type Protocol = "http/protobuf" | "http/json"

const encodeTraces = (filtered: Traces): HttpBody.HttpBody =>
  HttpBody.uint8Array(TracesProtobuf.encode(filtered), "application/x-protobuf")

export const layer = (protocol: Protocol): Layer.Layer<OtlpSerialization.OtlpSerialization> =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    Effect.map(OtlpSerialization.OtlpSerialization, (encode) => ({
      traces: (data: unknown) => (protocol === "http/json" ? encode.traces : encodeTraces)(traces(data as Traces)),
      metrics: (data: unknown) => encode.metrics(metrics(data as Metrics)),
      logs: (data: unknown) => encode.logs(data)
    }))
  ).pipe(Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf))
