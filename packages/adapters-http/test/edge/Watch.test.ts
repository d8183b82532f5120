import type { HttpServerRequest } from "@effect/platform"
import * as Watch from "@place-access/adapters-http/edge/Watch"
import type { Cell } from "@place-access/adapters-http/edge/CurrentRequest"
import { Telemetry } from "@place-access/domain/shared"
import { Effect, HashMap, Logger, Metric, MetricState } from "effect"
import { expect, it } from "vitest"

const request = { method: "GET", headers: {} } as HttpServerRequest.HttpServerRequest
const watched = {
  request,
  cell: { route: { label: "GET /v1/things/{id}" } } as Cell,
  trustsTraceparent: false,
  isLogged: false
}

const answer = (status: number, error: string | null) =>
  Effect.runSync(
    Watch.around(watched, Effect.succeed({ response: { status }, error })).pipe(
      Effect.locally(Telemetry.recorder, { observers: new Set<() => void>() })
    )
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

it("a logged request is one line: method, route, status, error and milliseconds; without the setting there is none", () => {
  const lines: Array<Record<string, unknown>> = []
  const logger = Logger.make(({ annotations, message }) => {
    lines.push({ message, ...Object.fromEntries(HashMap.toEntries(annotations)) })
  })
  const run = (isLogged: boolean) =>
    Effect.runSync(
      Watch.around(
        { ...watched, isLogged },
        Effect.succeed({ response: { status: 403 }, error: "missing_scope" })
      ).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    )
  run(false)
  expect(lines).toEqual([])
  run(true)
  expect(lines).toEqual([
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
