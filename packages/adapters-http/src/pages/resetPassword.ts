import { Account, PasswordStrength } from "@place-access/domain/accounts"
import { AccountLink, describeReset, resetPassword } from "@place-access/domain/credentials"
import { Rate, Subject } from "@place-access/domain/limits"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { mailResetLink } from "../credentials/mailResetLink.js"
import { staysKnown } from "../credentials/staysKnown.js"
import { clientAddress } from "../edge/ClientAddress.js"
import * as RateLimit from "../limits/RateLimit.js"
import { deadLink } from "./address/deadLink.js"
import { mailedLink } from "./address/mailedLink.js"
import * as Fields from "./kit/Fields.js"
import * as Form from "./kit/Form.js"
import { html } from "./kit/Html.js"
import { respond } from "./kit/Page.js"
import * as Routes from "./kit/Routes.js"
import * as Stranger from "./kit/Stranger.js"

const LABELS = { password: "New password" }

const MINUTES = AccountLink.LIFETIMES.password_reset / Timestamp.MINUTE

const asking = mailedLink({
  path: "/forgot-password",
  title: "Set a new password",
  lead: html`<p>We mail you a link. It works once, for ${MINUTES} minutes.</p>`,
  foot: html`<p>You know your password? <a href="/sign-in">Sign in</a></p>`,
  minutes: MINUTES,
  mail: mailResetLink
})

const deadPage = deadLink(
  `It was used already, it is older than ${MINUTES} minutes, or the password was changed after it was mailed.`,
  html`<p><a class="button" href="/forgot-password">Send me a new link</a></p>`
)

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
    Effect.flatMap((account) => staysKnown(account, donePage(PasswordStrength.of(input.right.password)))),
    Effect.catchTag("Invalid", ({ problems }) => setPage(token, Form.shown(form, problems)))
  )
}).pipe(Effect.catchTag("NotFound", () => Effect.succeed(deadPage)))

export const routes = [...asking, Routes.get("/reset-password", show), Routes.post("/reset-password", set)]
