import type { HttpServerRequest } from "@effect/platform"
import * as Watch from "@place-access/adapters-http/edge/Watch"
import type { Cell } from "@place-access/adapters-http/edge/CurrentRequest"
import { Telemetry } from "@place-access/domain/shared"
import { Effect, Metric, MetricState } from "effect"
import { expect, it } from "vitest"

const request = { method: "GET", headers: {} } as HttpServerRequest.HttpServerRequest
const watched = { request, cell: { route: { label: "GET /v1/things/{id}" } } as Cell, trustsTraceparent: false }

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
