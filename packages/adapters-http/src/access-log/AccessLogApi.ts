import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { AppId, PurposeId } from "@place-access/domain/shared"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import { At, paging, QueryAt } from "../wire/Fields.js"

const optional = { exact: true } as const

const Query = Schema.Struct({
  app_id: Schema.optionalWith(AppId, optional).annotations({ description: "Only the entries of this app" }),
  purpose: Schema.optionalWith(PurposeId, optional).annotations({
    description: "Only the entries that name this purpose, by its id"
  }),
  from: Schema.optionalWith(QueryAt, optional).annotations({ description: "Inclusive" }),
  to: Schema.optionalWith(QueryAt, optional).annotations({ description: "Exclusive" }),
  ...paging(100, 500)
}).annotations({ parseOptions: { errors: "all" } })

export const Entry = Schema.Struct({
  at: At,
  app_id: AppId,
  app_name: Schema.String,
  endpoint: Schema.String.annotations({
    description: "Method and route of the request, or an event for the app, such as `webhook place.enter`"
  }),
  endpoint_description: Schema.NullOr(Schema.String).annotations({ description: "What the app asked for, in words" }),
  times: Schema.Int.annotations({
    description:
      "How often it happened since `at`. More than 1 only for calls with a token that no longer works: an hour of them is one entry"
  }),
  purpose: Schema.NullOr(PurposeId).annotations({
    description: "The id of the purpose that the app named. It is opaque"
  }),
  purpose_description: Schema.NullOr(Schema.String).annotations({
    description:
      "The wording of the purpose that was approved last until the time of the entry; before the first approval, the first approved wording; the newest wording when none was ever approved"
  }),
  outcome: Schema.String.annotations({
    description: "`ok`, the error code that the app got, or the reason why an event was not sent"
  }),
  outcome_description: Schema.String.annotations({ description: "The outcome in words" }),
  disclosed: Schema.NullOr(Schema.String).annotations({
    description: "What the app learned, in words. For an event that was not sent: what the app would have learned"
  })
}).annotations({ identifier: "AccessLogEntry" })

export const AccessLogApi = HttpApiGroup.make("accessLog")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/access-log")
      .annotate(OpenApi.Summary, "The requests of apps about the user, newest first")
      .annotate(OpenApi.Description, "Refused requests are included. Filters by app, purpose and time can be combined.")
      .setUrlParams(Query)
      .addSuccess(Schema.Struct({ entries: Schema.Array(Entry), nextCursor: Schema.NullOr(Schema.String) }))
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Access log")
  .annotate(
    OpenApi.Description,
    "Every request of every app about the signed-in user, and the events that tell an app something about the user: each firing of a rule, sent or withheld, and changes of the shared places that were sent"
  )
