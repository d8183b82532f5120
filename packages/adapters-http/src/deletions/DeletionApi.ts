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
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Delete one's account")
      .annotate(
        OpenApi.Description,
        "At once and for good: apps are disconnected, phones' tokens are dead, every session has ended; the rest is removed within " +
          "minutes. Own apps are revoked. 403 for a wrong password, which counts as a try to sign in; 409 for the last admin."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Account deletion")
  .annotate(OpenApi.Description, "The signed-in user's own account, and the password once more")
