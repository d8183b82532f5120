import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Account } from "@place-access/domain/accounts"
import { History } from "@place-access/domain/history"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

export const AccountBody = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  display_name: Schema.String,
  roles: Schema.Array(Account.Role)
}).annotations({ identifier: "Account" })

export const toBody = (account: Account.Account): typeof AccountBody.Type => ({
  id: account.id,
  email: account.email,
  display_name: account.displayName,
  roles: account.roles
})

const SignUp = Fields.request({
  email: Account.Email,
  password: Account.Password,
  display_name: Fields.optional(Account.DisplayName),
  keep_days: Fields.optional(
    History.Keep.annotations({ description: "For how long history is kept; null or left out: for ever" })
  )
})

/** A password is only compared here: what rules it keeps is asked when it is set. */
const SignIn = Fields.request({ email: Account.Email, password: Schema.String })

export const AccountsApi = HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.post("signUp", "/v1/accounts")
      .setPayload(SignUp)
      .addSuccess(AccountBody, { status: 201 })
      .addError(Errors.Forbidden)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Make an account")
      .annotate(OpenApi.Description, "Does not sign in. 403 where sign-up is closed, 409 when the e-mail is taken.")
  )
  .annotate(OpenApi.Title, "Accounts")
  .annotate(OpenApi.Description, "People: users, and those of them who develop apps")

export const SessionApi = HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("signIn", "/v1/session")
      .setPayload(SignIn)
      .addSuccess(AccountBody, { status: 201 })
      .addError(Errors.NotSignedIn)
      .addError(Errors.Forbidden)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Sign in")
      .annotate(
        OpenApi.Description,
        "Sets the session cookie. 401 says nothing about whether the account exists; 429 after five failures of one account " +
          "or fifty of one address in 15 minutes."
      )
  )
  .add(
    HttpApiEndpoint.get("whoAmI", "/v1/session")
      .addSuccess(AccountBody)
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Who is signed in")
  )
  .add(
    HttpApiEndpoint.del("signOut", "/v1/session")
      .addSuccess(Schema.Void, { status: 204 })
      .addError(Errors.Forbidden)
      .annotate(OpenApi.Summary, "Sign out")
      .annotate(OpenApi.Description, "Ends the session on the server and takes the cookie away. Can be repeated.")
  )
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "A browser's session: what the routes of users and developers ask for")
