import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

export const ConfirmationApi = HttpApiGroup.make("confirmation")
  .add(
    HttpApiEndpoint.post("confirmSession", "/v1/session/confirmation")
      .annotate(
        WithoutKey,
        "a stored answer would contain the session's new cookie, and a repeated request has the old one, which opens nothing"
      )
      .setPayload(
        Fields.request({
          password: Schema.String,
          code: Fields.optional(
            Schema.String.annotations({
              description: "For an account with a second factor: a code of its app, or a recovery code"
            })
          )
        })
      )
      .addSuccess(Schema.Void, { status: 204 })
      .addError(Errors.SecondFactorRequired)
      .addError(Errors.RateLimited)
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Confirm that it is you")
      .annotate(
        OpenApi.Description,
        "Opens for 15 minutes what otherwise answers 403 `confirmation_required`. A sign-in does the same. 403 `forbidden` when the " +
          "password or the code is wrong, which counts as a failed sign-in. The answer sets a new cookie for the session; the cookie before it opens nothing from then on."
      )
  )
  .annotate(OpenApi.Title, "Confirmation")
  .annotate(OpenApi.Description, "Proving once more who one is, before something dangerous")
