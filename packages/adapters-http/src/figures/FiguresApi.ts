import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import {
  type AppDay,
  type AppFigures,
  COUNTED_MAX,
  EndpointFigures,
  type EndpointOverview
} from "@place-access/domain/figures"
import { Schema } from "effect"
import { AppPath } from "../apps/AppsApi.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

// The numbers that developers read: daily numbers of an app, the log of its calls, and the state of its endpoints
// (decisions figures-1 to figures-3).

/** How many days the answer about an app's daily numbers covers. Today is one of them. */
export const DAYS = 14

const Day = Schema.Struct({
  from: Fields.at("The beginning of the day in UTC"),
  calls: Schema.Int.annotations({ description: "How many calls the app made" }),
  refused: Schema.Int.annotations({ description: "Calls that were answered with 4xx, 429 included" }),
  limited: Schema.Int.annotations({ description: "Calls that were answered with 429" }),
  failed: Schema.Int.annotations({ description: "Calls that were answered with 5xx" }),
  rate_percent: Schema.Int.annotations({
    description: "The greatest share of its rate limit that one user's connection used within a minute, in percent"
  }),
  firings: Schema.Int.annotations({ description: "Rules that fired" }),
  connected: Schema.Int.annotations({ description: "How many people connected the app" })
}).annotations({ identifier: "AppDay" })

const Figures = Schema.Struct({
  users: Schema.Int.annotations({
    description: `How many connections have not ended, of the newest ${COUNTED_MAX.toLocaleString("en-GB")}`
  }),
  days: Schema.Array(Day).annotations({ description: "Oldest first" })
}).annotations({ identifier: "AppFigures" })

export const toDay = (day: AppDay): typeof Day.Type => ({
  from: day.from,
  calls: day.calls,
  refused: day.refused,
  limited: day.limited,
  failed: day.failed,
  rate_percent: day.peakPercent,
  firings: day.firings,
  connected: day.connected
})

const Call = Schema.Struct({
  at: Fields.At,
  request_id: Schema.String.annotations({ description: "`X-Request-Id` of the answer" }),
  endpoint: Schema.String.annotations({ description: "Method and route, with the names of its parameters" }),
  status: Schema.Int.annotations({ description: "The HTTP status of the answer" }),
  error: Schema.NullOr(Schema.String).annotations({
    description: "The error code; null when the call was not refused and did not fail"
  })
}).annotations({ identifier: "AppCall" })

export const toCall = ({ at, endpoint, error, requestId, status }: AppFigures.LoggedCall): typeof Call.Type => ({
  at,
  request_id: requestId,
  endpoint,
  status,
  error
})

const Attempts = Schema.Struct({
  attempts: Schema.Int,
  succeeded: Schema.Int,
  p95_ms: Schema.NullOr(Schema.Int).annotations({
    description: `95 of 100 attempts took at most this many milliseconds; ${EndpointFigures.BOUNDS_MILLIS.at(-1)} when more than 5 of 100 took longer than ${EndpointFigures.BOUNDS_MILLIS.at(-2)}; null without attempts`
  })
}).annotations({ identifier: "AttemptSummary" })

const EndpointFiguresBody = Schema.Struct({
  health: Schema.Literal("unknown", "healthy", "failing").annotations({
    description:
      "`failing` from the first failed attempt on, until an attempt succeeds; `unknown`: no attempt in the last 7 days"
  }),
  last_success_at: Fields.NullableAt,
  last_failure_at: Fields.NullableAt.annotations({
    description: "When the newest attempt failed; null unless the endpoint is failing"
  }),
  last_error: Schema.NullOr(Schema.String).annotations({
    description: "Why the newest attempt failed; null unless the endpoint is failing"
  }),
  waiting: Schema.Int.annotations({
    description: `Deliveries that wait for an attempt, counted up to ${COUNTED_MAX.toLocaleString("en-GB")}`
  }),
  last_day: Attempts,
  last_week: Attempts,
  hours: Schema.Array(
    Schema.Struct({ from: Fields.At, succeeded: Schema.Int, failed: Schema.Int }).annotations({
      identifier: "EndpointHour"
    })
  ).annotations({ description: "The last 24 hours, oldest first" })
}).annotations({ identifier: "EndpointFigures" })

const HEALTH = { Unknown: "unknown", Healthy: "healthy", Failing: "failing" } as const

const toAttempts = ({ attempts, p95Millis, succeeded }: EndpointFigures.AttemptSummary): typeof Attempts.Type => ({
  attempts,
  succeeded,
  p95_ms: p95Millis
})

export const toEndpointFigures = (found: EndpointOverview): typeof EndpointFiguresBody.Type => {
  const { health } = found
  return {
    health: HEALTH[health._tag],
    last_success_at: health._tag === "Healthy" ? health.at : health._tag === "Failing" ? health.succeededAt : null,
    last_failure_at: health._tag === "Failing" ? health.at : null,
    last_error: health._tag === "Failing" ? health.error : null,
    waiting: found.waiting,
    last_day: toAttempts(found.lastDay),
    last_week: toAttempts(found.lastWeek),
    hours: found.hours
  }
}

const CallQuery = Fields.request({
  only: Schema.optionalWith(Schema.Literal("errors"), { exact: true }).annotations({
    description: "`errors`: only calls that were refused or failed"
  }),
  ...Fields.paging(50, 200)
})

export const FiguresApi = HttpApiGroup.make("figures")
  .add(
    HttpApiEndpoint.get("app", "/v1/developer/apps/:app_id/figures")
      .setPath(AppPath)
      .addSuccess(Figures)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, `An app's numbers of the last ${DAYS} days`)
      .annotate(
        OpenApi.Description,
        "Days in UTC. Counted in memory and stored once a second, so the numbers may lack what a crash lost."
      )
  )
  .add(
    HttpApiEndpoint.get("calls", "/v1/developer/apps/:app_id/calls")
      .setPath(AppPath)
      .setUrlParams(CallQuery)
      .addSuccess(Schema.Struct({ calls: Schema.Array(Call), nextCursor: Schema.NullOr(Schema.String) }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The app's own calls of the last 7 days, newest first")
      .annotate(
        OpenApi.Description,
        "Without people: no user, no query, no address. When an app calls more than about 30 times a second, not every call is listed; errors have room of their own. A call appears within about a second."
      )
  )
  .add(
    HttpApiEndpoint.get("endpoint", "/v1/developer/apps/:app_id/webhooks/:endpoint_id/figures")
      .setPath(Schema.Struct({ ...AppPath.fields, endpoint_id: Schema.String.pipe(Schema.brand("EndpointId")) }))
      .addSuccess(EndpointFiguresBody)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "How attempts at a webhook endpoint went")
      .annotate(OpenApi.Description, "Retries and replays count, tests do not.")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Figures")
  .annotate(OpenApi.Description, "For developers: the numbers of their apps, and the log of an app's own calls")
