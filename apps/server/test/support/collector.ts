import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

/** A request that the collector received. */
export interface Exported {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A substitute for an OpenTelemetry collector, on the loopback interface. */
export interface Collector {
  readonly url: string
  readonly exported: ReadonlyArray<Exported>
  readonly close: () => Promise<void>
}

export const startCollector = async (): Promise<Collector> => {
  const exported: Array<Exported> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        exported.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) })
        response.end("{}")
      })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exported,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly status: { readonly code: number }
}

export interface Metric {
  readonly name: string
  readonly sum?: Points
  readonly gauge?: Points
  readonly histogram?: Points
}

interface Points {
  readonly dataPoints: ReadonlyArray<{ readonly attributes: ReadonlyArray<Attribute> }>
}

/** The spans of exports in JSON. */
export const spansOf = (exported: ReadonlyArray<Exported>): ReadonlyArray<Span> =>
  exported
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ body }) => JSON.parse(body.toString("utf8")).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans as ReadonlyArray<Span>)

/** The metrics of exports in JSON. Every export repeats the metrics of the exports before it. */
export const metricsOf = (exported: ReadonlyArray<Exported>): ReadonlyArray<Metric> =>
  exported
    .filter(({ path }) => path === "/v1/metrics")
    .flatMap(({ body }) => JSON.parse(body.toString("utf8")).resourceMetrics)
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics as ReadonlyArray<Metric>)

export const attribute = ({ attributes }: { readonly attributes: ReadonlyArray<Attribute> }, key: string) =>
  attributes.find((one) => one.key === key)?.value.stringValue

/** Every value that a label of the metric has had. */
export const labels = (metrics: ReadonlyArray<Metric>, name: string, key: string): ReadonlySet<string> =>
  new Set(
    metrics
      .filter((metric) => metric.name === name)
      .flatMap(({ gauge, histogram, sum }) => (sum ?? gauge ?? histogram)?.dataPoints ?? [])
      .flatMap((point) => attribute(point, key) ?? [])
  )
