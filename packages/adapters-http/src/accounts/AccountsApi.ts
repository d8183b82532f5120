import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Account, type ListedSession, Session } from "@place-access/domain/accounts"
import { SignUpRequest } from "@place-access/domain/credentials"
import { History } from "@place-access/domain/retention-choice"
import { Language, TimeZone } from "@place-access/domain/shared"
import { Schema } from "effect"
import { NAME, RateOfAccount } from "../security/RateOfAccount.js"
import { SessionAuth } from "../security/SessionAuth.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

const EMAIL = "Null after another account confirmed the address that this account had never confirmed"

export const AccountBody = Schema.Struct({
  id: Schema.String,
  email: Schema.NullOr(Schema.String).annotations({ description: EMAIL }),
  display_name: Schema.String,
  roles: Schema.Array(Account.Role),
  email_confirmed: Schema.Boolean.annotations({
    description: "Whether the owner proved to read mail to this address. No mail is sent to an address that is not"
  }),
  time_zone: Schema.NullOr(Schema.String).annotations({
    description: "The IANA name of the zone in which pages show times; null: no browser named one, so UTC"
  }),
  language: Schema.NullOr(Language.Language).annotations({
    description: "The language that the person chose for pages and mails; null: none, so pages follow the browser"
  })
}).annotations({ identifier: "Account" })

export const toBody = (account: Account.Account): typeof AccountBody.Type => ({
  id: account.id,
  email: SignUpRequest.addressOf(account),
  display_name: account.displayName,
  roles: account.roles,
  email_confirmed: account.confirmedAt !== null,
  time_zone: account.timeZone,
  language: account.language
})

/** The answer to a sign-up when the person has to complete the sign-up with a mailed link. */
const MailedBody = Schema.Struct({
  message: Schema.String.annotations({ description: "What to do next, the same for every address" })
}).annotations({ identifier: "Mailed" })

export const MAILED = { message: "Look into your mail: a link there makes the account. It works for 24 hours." }

const SessionBody = Schema.Struct({
  id: Schema.String,
  current: Schema.Boolean.annotations({ description: "Whether this request came in the session" }),
  browser: Schema.NullOr(Schema.String).annotations({
    description: "What the sign-in request said of its browser; null if it said nothing known"
  }),
  address: Schema.NullOr(Schema.String).annotations({ description: "The network address that signed in" }),
  signed_in_at: Fields.At,
  last_used_at: Fields.at("When it was last used, to the hour: a session in use is renewed once an hour"),
  expires_at: Fields.at("When it ends unless it is used before")
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

/**
 * Accepts any text as a password, because a sign-in only compares the text with the account's password. The rules for
 * passwords apply only when a person sets a new password.
 */
const SignIn = Fields.request({
  email: Account.Email,
  password: Schema.String,
  code: Fields.optional(
    Schema.String.annotations({
      description: "For an account with a second factor: a code of its app, or a recovery code"
    })
  )
})

export const AccountsApi = HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.post("signUp", "/v1/accounts")
      .annotate(WithoutKey, "an e-mail address has one account: a repeated request makes no second one")
      .setPayload(SignUp)
      .addSuccess(AccountBody, { status: 201 })
      .addSuccess(MailedBody, { status: 202 })
      .addError(Errors.Forbidden)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Create an account")
      .annotate(
        OpenApi.Description,
        "Does not sign in. 403 where sign-up is closed. 202 where the service sends mail: a link in it makes the account, and the answer is " +
          "the same whether or not the e-mail has an account. Where it sends none: 201, and 409 when the e-mail is taken."
      )
  )
  .add(
    HttpApiEndpoint.post("resendConfirmation", "/v1/accounts/confirmations")
      .annotate(WithoutKey, "a repeated request mails another link, and few are mailed")
      .setPayload(Fields.request({ email: Account.Email }))
      .addSuccess(Schema.Void, { status: 202 })
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Ask for the link of a sign-up again")
      .annotate(
        OpenApi.Description,
        "The answer is the same, and as fast, whether or not somebody signed up with the address. At most three links in half an hour are " +
          "mailed to one address for one network, and none while sign-up is closed."
      )
  )
  .add(
    HttpApiEndpoint.post("confirm", "/v1/accounts/confirmations/use")
      .annotate(WithoutKey, "the link works once: the second request learns that it was used")
      .setPayload(Fields.request({ token: Fields.LinkToken, password: Schema.String }))
      .addSuccess(AccountBody, { status: 201 })
      .addError(Errors.Forbidden)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Make the account with the mailed link")
      .annotate(
        OpenApi.Description,
        "`token` is the end of the link, `password` the one of the sign-up. Does not sign in. 403 for another password. 404 when the link " +
          "was used, is older than 24 hours or never existed. 409 when the e-mail has an account by now."
      )
  )
  .add(
    HttpApiEndpoint.put("changeName", "/v1/user/name")
      .setPayload(Fields.request({ display_name: Account.DisplayName }))
      .addSuccess(AccountBody)
      .addError(Errors.RateLimited)
      .middleware(SessionAuth)
      .annotate(RateOfAccount, NAME)
      .annotate(OpenApi.Summary, "Change the name that others read")
      .annotate(
        OpenApi.Description,
        "The name that teams, reviewers and, for the person who holds an app, the consent page show. Every place shows it at once."
      )
  )
  .add(
    HttpApiEndpoint.put("chooseTimeZone", "/v1/user/time-zone")
      .setPayload(Fields.request({ time_zone: TimeZone.Name }))
      .addSuccess(AccountBody)
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Choose the time zone of the pages")
      .annotate(OpenApi.Description, "An IANA name, such as `Europe/Amsterdam`. The times of the API stay in UTC.")
  )
  .add(
    HttpApiEndpoint.put("chooseLanguage", "/v1/user/language")
      .setPayload(Fields.request({ language: Schema.NullOr(Language.Language) }))
      .addSuccess(AccountBody)
      .middleware(SessionAuth)
      .annotate(OpenApi.Summary, "Choose the language of pages and mails")
      .annotate(
        OpenApi.Description,
        "`null`: pages are in the browser's language, mails in that of the first browser. The texts of the API stay in English."
      )
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
      .addError(Errors.SecondFactorRequired)
      .addError(Errors.Forbidden)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Sign in")
      .annotate(
        OpenApi.Description,
        "Sets the session cookie. 401 does not say whether the account exists. 403 `second_factor_required` when the " +
          "password is right and `code` is missing. 429, in 15 minutes: after five wrong passwords or five wrong codes " +
          "for one account, after fifty wrong ones from one network address, and beyond 120 attempts at one account or " +
          "600 from one address, right ones too. 429 with `Retry-After: 1`: the server checks too many other attempts " +
          "at this moment."
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
          `the sign-in. The list has one page: a sign-in beyond ${Session.MOST} sessions ends the one that was used least recently.`
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
