import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Account, type ListedSession } from "@place-access/domain/accounts"
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

const SessionBody = Schema.Struct({
  id: Schema.String,
  current: Schema.Boolean.annotations({ description: "Whether this request came in the session" }),
  browser: Schema.NullOr(Schema.String).annotations({
    description: "What the sign-in request said of its browser; null if it said nothing known"
  }),
  address: Schema.NullOr(Schema.String).annotations({ description: "The network address that signed in" }),
  signed_in_at: Fields.At,
  last_used_at: Fields.At.annotations({ description: "To the hour: a session in use is renewed once an hour" }),
  expires_at: Fields.At.annotations({ description: "When it ends unless it is used before" })
}).annotations({ identifier: "Session" })

export const toSessionBody = ({ id, isCurrent, session }: ListedSession): typeof SessionBody.Type => ({
  id,
  current: isCurrent,
  browser: session.browser,
  address: session.address,
  signed_in_at: session.createdAt,
  last_used_at: session.seenAt,
  expires_at: session.expiresAt
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
  .add(
    HttpApiEndpoint.get("listSessions", "/v1/user/sessions")
      .addSuccess(Schema.Struct({ sessions: Schema.Array(SessionBody), nextCursor: Schema.Null }))
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Where one is signed in")
      .annotate(
        OpenApi.Description,
        "The live sessions of the account, the one that was used last first. A session ends 14 days after its last use, and 30 days after " +
          "the sign-in."
      )
  )
  .add(
    HttpApiEndpoint.del("endSession", "/v1/user/sessions/:id")
      .setPath(Schema.Struct({ id: Schema.String.pipe(Schema.brand("SessionId")) }))
      .addSuccess(Schema.Void, { status: 204 })
      .addError(Errors.NotFound)
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Sign a browser out")
  )
  .add(
    HttpApiEndpoint.del("endOtherSessions", "/v1/user/sessions")
      .addSuccess(Schema.Struct({ ended: Schema.Int.annotations({ description: "How many sessions ended" }) }))
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Sign every other browser out")
  )
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "The session of a browser, which the routes of users and developers require")
