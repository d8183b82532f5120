import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Account } from "@place-access/domain/accounts"
import { History } from "@place-access/domain/retention-choice"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"
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
    History.Keep.annotations({ description: "How many days history is kept; null or left out: without a limit" })
  )
})

/** Signing in only compares the password. The rules for passwords apply when one is set. */
const SignIn = Fields.request({ email: Account.Email, password: Schema.String })

export const AccountsApi = HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.post("signUp", "/v1/accounts")
      .annotate(WithoutKey, "an e-mail address has one account: the second request learns that it is taken")
      .setPayload(SignUp)
      .addSuccess(AccountBody, { status: 201 })
      .addError(Errors.Forbidden)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Create an account")
      .annotate(OpenApi.Description, "Does not sign in. 403 where sign-up is closed, 409 when the e-mail is taken.")
  )
  .annotate(OpenApi.Title, "Accounts")
  .annotate(OpenApi.Description, "The accounts of people: users, some of whom also develop apps")

export const SessionApi = HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("signIn", "/v1/session")
      .annotate(WithoutKey, "the answer is a cookie; a session that nobody holds ends by itself")
      .setPayload(SignIn)
      .addSuccess(AccountBody, { status: 201 })
      .addError(Errors.NotSignedIn)
      .addError(Errors.Forbidden)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Sign in")
      .annotate(
        OpenApi.Description,
        "Sets the session cookie. 401 does not say whether the account exists. 429 after five failures for one account " +
          "or fifty from one address in 15 minutes."
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
      .annotate(OpenApi.Description, "Ends the session on the server and clears the cookie. Idempotent.")
  )
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "The session of a browser, which the routes of users and developers require")
