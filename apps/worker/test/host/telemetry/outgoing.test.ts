import { Telemetry } from "@place-access/domain/shared"
import { expect, it } from "vitest"
import * as Outgoing from "../../../src/host/telemetry/Outgoing.js"

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

/** Something that must not leave, wherever it stands. */
const SECRET = "someone@example.test"

const out = (span: object) => {
  const given = {
    name: "deliver",
    kind: 1,
    attributes: [],
    events: [],
    links: [],
    status: { code: 1 },
    ...span
  }
  const { resourceSpans } = Outgoing.traces({
    resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans: [given] }] }]
  })
  return resourceSpans[0]?.scopeSpans[0]?.spans[0]
}

it("of a span that failed only the kind of the error leaves: messages repeat what people sent", () => {
  const span = out({
    status: { code: 2, message: `Key (email)=(${SECRET}) already exists` },
    attributes: [text("user.email", SECRET), text("db.query.text", "SELECT 1"), text("code.stacktrace", SECRET)],
    events: [
      { name: "exception", attributes: [text("exception.type", "StoreError"), text("exception.message", SECRET)] },
      { name: SECRET, attributes: [] }
    ],
    links: [{ traceId: "1", spanId: "2", attributes: [text("who", SECRET)] }]
  })
  expect(JSON.stringify(span)).not.toContain(SECRET)
  expect(span).toMatchObject({
    attributes: [text("db.query.text", "SELECT 1"), text("error.type", "StoreError")],
    events: [],
    status: { code: 2 }
  })
})

it("what is no name of an error is not told as one", () => {
  const events = [{ name: "exception", attributes: [text("exception.type", `${SECRET} was here`)] }]
  expect(out({ status: { code: 2 }, events })).toMatchObject({ attributes: [text("error.type", "Error")] })
})

it("a request is called by its method and route, and has failed when it is our fault", () => {
  const request = [text("http.request.method", "GET"), text("http.route", "/v1/places/{place_id}/presence")]
  expect(out({ kind: 2, name: "request", attributes: request })).toMatchObject({
    name: "GET /v1/places/{place_id}/presence",
    status: { code: 0 }
  })
  expect(
    out({ kind: 2, name: "request", attributes: [...request, text("error.type", "internal_error")] })
  ).toMatchObject({
    status: { code: 2 }
  })
})

it("a text of any length leaves as a short one", () => {
  const span = out({ attributes: [text("db.query.text", "x".repeat(100_000))] })
  expect(span?.attributes[0]?.value.stringValue?.length).toBe(4_096)
})

it("of measurements ours leave, without the label that carries the unit", () => {
  Telemetry.duration("test.outgoing.duration", { description: "" })
  const points = { dataPoints: [{ attributes: [text("unit", "s"), text("outcome", "ok")] }] }
  const given = [
    { name: "test.outgoing.duration", histogram: points },
    { name: "effect_fiber_started", sum: points }
  ]
  const { resourceMetrics } = Outgoing.metrics({
    resourceMetrics: [{ resource: {}, scopeMetrics: [{ scope: {}, metrics: given }] }]
  })
  expect(resourceMetrics[0]?.scopeMetrics[0]?.metrics).toEqual([
    { name: "test.outgoing.duration", histogram: { dataPoints: [{ attributes: [text("outcome", "ok")] }] } }
  ])
})
