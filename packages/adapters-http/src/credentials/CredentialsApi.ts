import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Account } from "@place-access/domain/accounts"
import { Schema } from "effect"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

export const CredentialsApi = HttpApiGroup.make("credentials")
  .add(
    HttpApiEndpoint.put("changePassword", "/v1/user/account/password")
      .setPayload(Fields.request({ password: Schema.String, new_password: Account.Password }))
      .addSuccess(Schema.Void, { status: 204 })
      .addError(Errors.ConfirmationRequired)
      .addError(Errors.NotFound)
      .addError(Errors.RateLimited)
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Change one's password")
      .annotate(
        OpenApi.Description,
        "Ends every other session, sets a new cookie for this one, and tells the owner by mail. 403 when `password`, the present one, is wrong, which counts as a failed " +
          "sign-in. 400 when the new one is among those that attackers try first."
      )
  )
  .add(
    HttpApiEndpoint.post("requestPasswordReset", "/v1/password-resets")
      .annotate(WithoutKey, "a repeated request mails another link, and few are mailed")
      .setPayload(Fields.request({ email: Account.Email }))
      .addSuccess(Schema.Void, { status: 202 })
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Ask for a link to set a new password")
      .annotate(
        OpenApi.Description,
        "Mails a link that works once, for 30 minutes. The answer is the same, and as fast, whether or not the address has an account. At " +
          "most three links in half an hour are mailed to one address."
      )
  )
  .add(
    HttpApiEndpoint.post("resetPassword", "/v1/password-resets/use")
      .annotate(WithoutKey, "the link works once: the second request learns that it was used")
      .setPayload(Fields.request({ token: Fields.LinkToken, password: Account.Password }))
      .addSuccess(Schema.Void, { status: 204 })
      .addError(Errors.NotFound)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Set a new password with a mailed link")
      .annotate(
        OpenApi.Description,
        "`token` is the end of the link. Ends every session of the account, and does not sign in. 404 when the link was used, expired or " +
          "never existed."
      )
  )
  .annotate(OpenApi.Title, "Passwords")
  .annotate(OpenApi.Description, "How the owner of an account replaces its password")
