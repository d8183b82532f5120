import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { History } from "@place-access/domain/history"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Fields from "../wire/Fields.js"

const KeepDays = History.Keep.annotations({ description: "null: for ever" })

export const HistoryBody = Schema.Struct({
  keep_days: KeepDays,
  kept_since: Fields.NullableAt.annotations({
    description:
      "What happened then or before is in no answer any more and is deleted within the hour; null: nothing is"
  })
}).annotations({ identifier: "History" })

export const HistoryApi = HttpApiGroup.make("history")
  .add(
    HttpApiEndpoint.get("get", "/v1/user/history")
      .addSuccess(HistoryBody)
      .annotate(OpenApi.Summary, "How long history is kept")
  )
  .add(
    HttpApiEndpoint.put("choose", "/v1/user/history")
      .setPayload(Fields.request({ keep_days: KeepDays }))
      .addSuccess(HistoryBody)
      .annotate(OpenApi.Summary, "Choose how long history is kept")
      .annotate(OpenApi.Description, "Counts at once. What a shorter time leaves out is deleted for good.")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "History")
  .annotate(OpenApi.Description, "For how long the service keeps where the signed-in user was; for ever unless chosen")
