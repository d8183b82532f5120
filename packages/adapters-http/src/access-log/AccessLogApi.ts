import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { AppId, PurposeId } from "@place-access/domain/shared"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import { At, paging, QueryAt } from "../wire/Fields.js"

const optional = { exact: true } as const

const Query = Schema.Struct({
  app_id: Schema.optionalWith(AppId, optional).annotations({ description: "What one app asked or was told" }),
  purpose: Schema.optionalWith(PurposeId, optional).annotations({ description: "The id of one, as entries have it" }),
  from: Schema.optionalWith(QueryAt, optional).annotations({ description: "Inclusive" }),
  to: Schema.optionalWith(QueryAt, optional).annotations({ description: "Exclusive" }),
  ...paging(100, 500)
}).annotations({ parseOptions: { errors: "all" } })

export const Entry = Schema.Struct({
  at: At,
  app_id: AppId,
  app_name: Schema.String,
  endpoint: Schema.String.annotations({
    description: "Method and route, or an event that the app wanted to be told, such as `webhook place.enter`"
  }),
  endpoint_description: Schema.NullOr(Schema.String).annotations({ description: "What the app did, in words" }),
  purpose: Schema.NullOr(PurposeId).annotations({
    description: "The id of the purpose that the app named; it says nothing"
  }),
  purpose_description: Schema.NullOr(Schema.String).annotations({
    description: "In the words that the user was shown"
  }),
  outcome: Schema.String.annotations({
    description: "ok, the error code that the app was answered with, or why an event was not sent"
  }),
  outcome_description: Schema.String.annotations({ description: "The same in words" }),
  disclosed: Schema.NullOr(Schema.String).annotations({
    description: "What the app learned, in words; of an event that was not sent, what it would have been"
  })
}).annotations({ identifier: "AccessLogEntry" })

export const AccessLogApi = HttpApiGroup.make("accessLog")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/access-log")
      .annotate(OpenApi.Summary, "What apps asked about the user, newest first")
      .annotate(
        OpenApi.Description,
        "Refused requests are in it too. What is filtered by an app, a purpose or a time stays newest first."
      )
      .setUrlParams(Query)
      .addSuccess(Schema.Struct({ entries: Schema.Array(Entry), nextCursor: Schema.NullOr(Schema.String) }))
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Access log")
  .annotate(OpenApi.Description, "Every request of every app about the signed-in user, and every event that was sent")
