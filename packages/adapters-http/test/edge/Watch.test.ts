import type { HttpServerRequest } from "@effect/platform"
import * as Watch from "@place-access/adapters-http/edge/Watch"
import type { Cell } from "@place-access/adapters-http/edge/CurrentRequest"
import { Telemetry } from "@place-access/domain/shared"
import { Effect, HashMap, Logger, Metric, MetricState, Tracer } from "effect"
import { expect, it } from "vitest"
import { startWorld } from "../support/World.js"

const request = { method: "GET", headers: {} } as HttpServerRequest.HttpServerRequest
const watched = {
  request,
  cell: { route: { label: "GET /v1/things/{id}" } } as Cell,
  trustsTraceparent: false,
  isLogged: false
}

const answer = (status: number, error: string | null, refusal: string | null = null) =>
  Effect.runSync(
    Watch.around(
      { ...watched, cell: { ...watched.cell, refusal } },
      Effect.succeed({ response: { status }, error })
    ).pipe(Effect.locally(Telemetry.recorder, { observers: new Set<() => void>() }))
  )

/** How many requests were refused, by error code. */
const refusals = () =>
  Object.fromEntries(
    Metric.unsafeSnapshot().flatMap(({ metricKey, metricState }) =>
      metricKey.name === "place_access.refusals" && MetricState.isCounterState(metricState)
        ? [[metricKey.tags.find(({ key }) => key === "error")?.value, metricState.count]]
        : []
    )
  )

it("refusals are counted by the code that was answered; who hung up was not refused", () => {
  answer(429, "rate_limited")
  answer(403, "missing_scope")
  answer(429, "rate_limited")
  answer(200, null)
  answer(499, "client_closed_request")
  expect(refusals()).toEqual({ rate_limited: 2, missing_scope: 1 })
})

it("a refusal that the handler answered itself is counted, logged and traced with its own code", () => {
  answer(400, "status_400", "invalid_grant")
  answer(401, "status_401", "invalid_client")
  expect(refusals()).toMatchObject({ invalid_grant: 1, invalid_client: 1 })
  const cell = { ...watched.cell, refusal: "invalid_grant" }
  const refused = { response: { status: 400 }, error: "status_400" }
  const traced = new Map<string, unknown>()
  const answering = Watch.around({ ...watched, cell, isLogged: true }, Effect.succeed(refused))
  expect(logged(Effect.withTracer(answering, tracerInto(traced)))).toEqual([
    expect.objectContaining({ status: 400, error: "invalid_grant" })
  ])
  expect(traced.get("place_access.refusal")).toBe("invalid_grant")
})

it("a HEAD request has the route of its GET in the log line and in the span", () => {
  const head = { method: "HEAD", headers: {} } as HttpServerRequest.HttpServerRequest
  const answered = Effect.succeed({ response: { status: 200 }, error: null })
  const traced = new Map<string, unknown>()
  const answering = Watch.around({ ...watched, request: head, isLogged: true }, answered)
  expect(logged(Effect.withTracer(answering, tracerInto(traced)))).toEqual([
    expect.objectContaining({ method: "HEAD", route: "/v1/things/{id}" })
  ])
  expect(traced.get("http.route")).toBe("/v1/things/{id}")
})

/** A tracer that puts the attributes of every span into `attributes`. */
const tracerInto = (attributes: Map<string, unknown>) =>
  Tracer.make({
    span: (name, parent, context, links, startTime, kind) => ({
      _tag: "Span",
      name,
      parent,
      context,
      links: [...links],
      kind,
      attributes,
      sampled: true,
      spanId: "span",
      traceId: "trace",
      status: { _tag: "Started", startTime },
      attribute: (key, value) => void attributes.set(key, value),
      event: () => undefined,
      addLinks: () => undefined,
      end: () => undefined
    }),
    context: (run) => run()
  })

/** Runs an effect and returns its log lines. */
const logged = (effect: Effect.Effect<unknown>) => {
  const lines: Array<Record<string, unknown>> = []
  const logger = Logger.make(({ annotations, message }) => {
    lines.push({ message, ...Object.fromEntries(HashMap.toEntries(annotations)) })
  })
  Effect.runSync(Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)))
  return lines
}

it("a logged request is one line: method, route, status, error and milliseconds; without the setting there is none", () => {
  const run = (isLogged: boolean) =>
    logged(
      Watch.around({ ...watched, isLogged }, Effect.succeed({ response: { status: 403 }, error: "missing_scope" }))
    )
  expect(run(false)).toEqual([])
  expect(run(true)).toEqual([
    {
      message: ["request"],
      method: "GET",
      route: "/v1/things/{id}",
      status: 403,
      error: "missing_scope",
      ms: expect.any(Number)
    }
  ])
})

it("a phone that keeps its readings over a 503 has a wrong token, and the service no fault [devices-7-password]", async () => {
  const { invalid_token: before = 0, unavailable: faults } = refusals()
  const world = await startWorld({ isMeasured: true })
  try {
    expect((await world.call("/v1/phone/owntracks", { method: "POST" })).status).toBe(503)
    expect(refusals()).toMatchObject({ invalid_token: Number(before) + 1 })
    expect(refusals()["unavailable"]).toBe(faults)
  } finally {
    await world.close()
  }
})
