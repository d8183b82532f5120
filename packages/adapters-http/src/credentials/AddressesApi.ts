import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Account } from "@place-access/domain/accounts"
import { Schema } from "effect"
import { AccountBody } from "../accounts/AccountsApi.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

export const AddressesApi = HttpApiGroup.make("addresses")
  .add(
    HttpApiEndpoint.post("requestAddressChange", "/v1/user/account/email")
      .annotate(WithoutKey, "a repeated request mails another link, and few are mailed")
      .setPayload(Fields.request({ email: Account.Email }))
      .addSuccess(Schema.Void, { status: 202 })
      .addError(Errors.ConfirmationRequired)
      .addError(Errors.RateLimited)
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Ask for another address")
      .annotate(
        OpenApi.Description,
        "Mails a link to the new address, which works once, for 24 hours; until then nothing changes. Needs a fresh sign-in. The answer is " +
          "the same whether or not another account has the address. At most three links to one address in 24 hours."
      )
  )
  .add(
    HttpApiEndpoint.post("requestConfirmation", "/v1/user/account/email/confirmations")
      .annotate(WithoutKey, "a repeated request mails another link, and few are mailed")
      .addSuccess(Schema.Void, { status: 202 })
      .addError(Errors.RateLimited)
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Ask for a link that confirms one's address")
      .annotate(
        OpenApi.Description,
        "Mails nothing when the address is confirmed. At most three links in half an hour."
      )
  )
  .add(
    HttpApiEndpoint.post("confirmAddress", "/v1/user/account/email/confirmations/use")
      .annotate(WithoutKey, "the link works once: the second request learns that it was used")
      .setPayload(Fields.request({ token: Fields.LinkToken }))
      .addSuccess(AccountBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Confirm an address with the mailed link")
      .annotate(
        OpenApi.Description,
        "`token` is the end of the link. The account then has the address that the link was mailed to. If the old address was confirmed, it gets a link " +
          "that undoes the change for 7 days. 404 also for a link of another account."
      )
  )
  .add(
    HttpApiEndpoint.post("undoAddressChange", "/v1/email-undos/use")
      .annotate(WithoutKey, "the link works once: the second request learns that it was used")
      .setPayload(Fields.request({ token: Fields.LinkToken, password: Account.Password }))
      .addSuccess(Schema.Void, { status: 204 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Undo a change of the address")
      .annotate(
        OpenApi.Description,
        "`token` is the end of the link that the old address got, `password` a new one. Ends every session and every other link, except older links of this kind. Removes all recovery codes, and every passkey and every app for one-time codes that was added in the 24 hours before the change or after it. The answer's cookie makes the browser a known one. 409 when " +
          "another account has the address by now."
      )
  )
  .add(
    HttpApiEndpoint.post("requestUnlock", "/v1/unlock-links")
      .annotate(WithoutKey, "a repeated request mails another link, and few are mailed")
      .setPayload(Fields.request({ email: Account.Email }))
      .addSuccess(Schema.Void, { status: 202 })
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Ask for a link that opens sign-in")
      .annotate(
        OpenApi.Description,
        "For who cannot sign in because others typed wrong passwords. The link works once, for 30 minutes. The answer is the same, and as " +
          "fast, whether or not the address has an account."
      )
  )
  .add(
    HttpApiEndpoint.post("useUnlock", "/v1/unlock-links/use")
      .annotate(WithoutKey, "the link works once: the second request learns that it was used")
      .setPayload(Fields.request({ token: Fields.LinkToken }))
      .addSuccess(Schema.Void, { status: 204 })
      .addError(Errors.NotFound)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Open sign-in for this browser")
      .annotate(
        OpenApi.Description,
        "Sets the cookie of a known browser, whose attempts to sign in are counted apart. Does not sign in."
      )
  )
  .annotate(OpenApi.Title, "Addresses")
  .annotate(OpenApi.Description, "Confirming and changing the address of an account, and signing in while others guess")
