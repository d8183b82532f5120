import { Account, PasswordStrength } from "@place-access/domain/accounts"
import { AccountLink, describeReset, resetPassword, SignUpRequest } from "@place-access/domain/credentials"
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
import { html } from "../html/Html.js"
import { texts } from "../languages/index.js"
import { identityOf, respond } from "./kit/Page.js"
import * as ReturnTo from "./kit/ReturnTo.js"
import * as Routes from "./kit/Routes.js"
import * as Stranger from "./kit/Stranger.js"
import { ofDomain } from "./kit/Time.js"

const words = texts.signIn.reset

const LABELS = { password: words.password }

const MINUTES = AccountLink.LIFETIMES.password_reset / Timestamp.MINUTE

const asking = mailedLink({
  path: "/forgot-password",
  title: words.title,
  lead: html`<p>${words.lead(MINUTES)}</p>`,
  foot: (returnTo) => html`<p>${words.known(ReturnTo.signIn(returnTo))}</p>`,
  minutes: MINUTES,
  mail: mailResetLink
})

const deadPage = deadLink(
  texts.signIn.deadLink.reset(MINUTES),
  html`<p><a class="button" href="/forgot-password">${texts.signIn.deadLink.sendNew}</a></p>`
)

/**
 * Opening the mailed link only shows this page and changes nothing: programs that look for viruses in mail open links
 * too.
 */
const setPage = (token: string, form: Fields.Shown) =>
  Effect.gen(function* () {
    const account = yield* describeReset(token)
    return yield* Stranger.bound((formToken) =>
      respond({
        title: words.title,
        width: "narrow",
        reader: null,
        status: form.problems.length === 0 ? 200 : 400,
        main: html`<h1>${words.title}</h1>
          <p>${words.text(identityOf(account))}</p>
          ${Fields.problems(form, LABELS)}
          <form method="post" action="/reset-password" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("token", token)}
            ${Fields.username(SignUpRequest.addressOf(account))}
            ${Fields.newPassword(form, "password", LABELS.password)}
            <button class="wide">${words.set}</button>
          </form>`
      })
    )
  })

const show = Effect.flatMap(Form.query, (query) =>
  setPage(query.value("token"), Fields.fresh()).pipe(Effect.catchTag("NotFound", () => deadPage))
)

const donePage = (strength: PasswordStrength.PasswordStrength) =>
  respond({
    title: words.done,
    width: "narrow",
    reader: null,
    main: html`<h1>${words.done}</h1>
      <div class="note" role="status"><p>${ofDomain(PasswordStrength.words[strength])}</p></div>
      <p>${words.doneText}</p>
      <p><a class="button" href="/sign-in">${texts.signIn.title}</a></p>`
  })

const set = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const token = form.value("token")
  const input = Form.decode(Schema.Struct({ password: Account.Password }), { password: form.value("password") })
  yield* RateLimit.take(Subject.reset(yield* clientAddress), Rate.RESETS)
  if (Either.isLeft(input)) return yield* setPage(token, Form.shown(form, input.left))
  const { password } = input.right
  return yield* resetPassword(token, password).pipe(
    Effect.flatMap((account) =>
      Effect.flatMap(donePage(PasswordStrength.of(password)), (page) => staysKnown(account, page))
    ),
    Effect.catchTag("Invalid", ({ problems }) => setPage(token, Form.shown(form, problems)))
  )
}).pipe(Effect.catchTag("NotFound", () => deadPage))

export const routes = [...asking, Routes.get("/reset-password", show), Routes.post("/reset-password", set)]
