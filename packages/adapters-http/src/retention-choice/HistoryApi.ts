import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { History } from "@place-access/domain/retention-choice"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

const KeepDays = History.Keep.annotations({ description: "null: for ever" })

export const HistoryBody = Schema.Struct({
  keep_days: KeepDays,
  kept_since: Fields.NullableAt.annotations({
    description:
      "Readings and visits up to this moment appear in no answer and are deleted within the hour; null: nothing is deleted"
  })
}).annotations({ identifier: "History" })

export const ErasuresBody = Schema.Struct({
  erasures: Schema.Array(
    Schema.Struct({
      from: Fields.At,
      until: Fields.at("Exclusive: this instant is not deleted"),
      erased_at: Fields.At
    })
  ).annotations({ description: "By time. Stretches that touch are one" })
}).annotations({ identifier: "Erasures" })

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
      .annotate(OpenApi.Description, "Takes effect at once. A shorter time deletes the older history permanently.")
  )
  .add(
    HttpApiEndpoint.get("erasures", "/v1/user/history/erasures")
      .addSuccess(ErasuresBody)
      .annotate(OpenApi.Summary, "The stretches of time that were deleted")
  )
  .add(
    HttpApiEndpoint.post("erase", "/v1/user/history/erasures")
      .setPayload(
        Fields.request({
          from: Fields.At,
          until: Fields.at("Exclusive; at most 31 days later, not in the future")
        })
      )
      .addSuccess(ErasuresBody)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Delete a stretch of history")
      .annotate(
        OpenApi.Description,
        "Deletes readings and visits of this time permanently, also those that a phone sends later. Apps keep what they learned, and apps that may ask about the past can tell that this time was deleted."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "History")
  .annotate(
    OpenApi.Description,
    "How long the service keeps the history of the signed-in user: without a limit, unless the user chooses one"
  )
