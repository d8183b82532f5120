import { Account, PasswordStrength } from "@place-access/domain/accounts"
import { AccountLink, describeReset, resetPassword } from "@place-access/domain/credentials"
import { Rate, Subject } from "@place-access/domain/limits"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { mailResetLink } from "../credentials/mailResetLink.js"
import { clientAddress } from "../edge/ClientAddress.js"
import * as RateLimit from "../limits/RateLimit.js"
import * as Fields from "./kit/Fields.js"
import * as Form from "./kit/Form.js"
import { html } from "./kit/Html.js"
import { respond } from "./kit/Page.js"
import * as Routes from "./kit/Routes.js"
import * as Stranger from "./kit/Stranger.js"

const LABELS = { email: "Email", password: "New password" }

const MINUTES = AccountLink.LIFETIMES.password_reset / Timestamp.MINUTE

const askPage = (form: Fields.Shown) =>
  Stranger.bound((formToken) =>
    respond({
      title: "Set a new password",
      width: "narrow",
      reader: null,
      status: form.problems.length === 0 ? 200 : 400,
      main: html`<h1>Set a new password</h1>
        <p>We mail you a link. It works once, for ${MINUTES} minutes.</p>
        ${Fields.problems(form, LABELS)}
        <form method="post" action="/forgot-password" class="card">
          ${Fields.hidden("form_token", formToken)}
          ${Fields.input(form, { name: "email", label: "Email", type: "email", autocomplete: "username", maxlength: 254 })}
          <button class="wide">Send me a link</button>
        </form>
        <p>You know your password? <a href="/sign-in">Sign in</a></p>`
    })
  )

/** The same for every address: nobody learns from this page who has an account. */
const askedPage = (email: Account.Email) =>
  respond({
    title: "Look into your mail",
    width: "narrow",
    reader: null,
    main: html`<h1>Look into your mail</h1>
      <p>If ${email} has an account here, a mail with a link is on its way. The link works for ${MINUTES} minutes.</p>
      <p>
        No mail after some minutes? Look into the spam folder, and whether the address above is the one that you sign in
        with. We send at most three links in half an hour.
      </p>
      <p><a href="/forgot-password">Try another address</a></p>`
  })

const ask = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const input = Form.decode(Schema.Struct({ email: Account.Email }), { email: form.value("email") })
  if (Either.isLeft(input)) return yield* askPage(Form.shown(form, input.left))
  yield* mailResetLink(input.right.email)
  return askedPage(input.right.email)
})

const deadPage = respond({
  title: "This link does not work",
  width: "narrow",
  reader: null,
  status: 404,
  main: html`<h1>This link does not work any more</h1>
    <p>It was used already, it is older than ${MINUTES} minutes, or the password was changed after it was mailed.</p>
    <p><a class="button" href="/forgot-password">Send me a new link</a></p>`
})

/** Opening the link changes nothing: programs that look for viruses in mail open links too. */
const setPage = (token: string, form: Fields.Shown) =>
  Effect.gen(function* () {
    const account = yield* describeReset(token)
    return yield* Stranger.bound((formToken) =>
      respond({
        title: "Set a new password",
        width: "narrow",
        reader: null,
        status: form.problems.length === 0 ? 200 : 400,
        main: html`<h1>Set a new password</h1>
          <p>For ${account.email}. Setting it signs you out everywhere; then you sign in with the new password.</p>
          ${Fields.problems(form, LABELS)}
          <form method="post" action="/reset-password" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("token", token)} ${Fields.username(account.email)}
            ${Fields.newPassword(form, "password", "New password")}
            <button class="wide">Set the password</button>
          </form>`
      })
    )
  })

const show = Effect.flatMap(Form.query, (query) =>
  setPage(query.value("token"), Fields.fresh()).pipe(Effect.catchTag("NotFound", () => Effect.succeed(deadPage)))
)

const donePage = (strength: PasswordStrength.PasswordStrength) =>
  respond({
    title: "Your password was changed",
    width: "narrow",
    reader: null,
    main: html`<h1>Your password was changed</h1>
      <div class="note" role="status"><p>${PasswordStrength.words[strength]}</p></div>
      <p>Every browser was signed out. A mail confirms the change.</p>
      <p><a class="button" href="/sign-in">Sign in</a></p>`
  })

const set = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const token = form.value("token")
  const input = Form.decode(Schema.Struct({ password: Account.Password }), { password: form.value("password") })
  yield* RateLimit.take(Subject.reset(yield* clientAddress), Rate.RESETS)
  if (Either.isLeft(input)) return yield* setPage(token, Form.shown(form, input.left))
  return yield* resetPassword(token, input.right.password).pipe(
    Effect.as(donePage(PasswordStrength.of(input.right.password))),
    Effect.catchTag("Invalid", ({ problems }) => setPage(token, Form.shown(form, problems)))
  )
}).pipe(Effect.catchTag("NotFound", () => Effect.succeed(deadPage)))

export const routes = [
  Routes.get("/forgot-password", askPage(Fields.fresh())),
  Routes.post("/forgot-password", ask),
  Routes.get("/reset-password", show),
  Routes.post("/reset-password", set)
]
