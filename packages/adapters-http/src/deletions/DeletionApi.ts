import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

export const DeletionApi = HttpApiGroup.make("deletion")
  .add(
    HttpApiEndpoint.del("deleteAccount", "/v1/user/account")
      .setPayload(Fields.request({ password: Schema.String }))
      .addSuccess(Schema.Void, { status: 204 })
      .addError(Errors.ConfirmationRequired)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Delete one's account")
      .annotate(
        OpenApi.Description,
        "At once and permanently. Apps are disconnected, tokens of phones stop working, and every session ends. The rest is removed within " +
          "minutes. An app that only this account owns is revoked; an app with another owner goes on. 403 for a wrong password, which counts as a failed sign-in. 409 for the last admin."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Account deletion")
  .annotate(OpenApi.Description, "Deletes the account of the signed-in user, who gives the password again")
