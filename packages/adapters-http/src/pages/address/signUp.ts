import { Account } from "@place-access/domain/accounts"
import { beginSignUp, resendSignUp, SignUpRequest } from "@place-access/domain/credentials"
import { Rate, Subject } from "@place-access/domain/limits"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { enter } from "../../accounts/enter.js"
import { takeLink } from "../../credentials/addressLinks.js"
import { afterAnswer } from "../../edge/afterAnswer.js"
import { clientAddress } from "../../edge/ClientAddress.js"
import { HttpOptions } from "../../HttpOptions.js"
import * as RateLimit from "../../limits/RateLimit.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as AskingApp from "../askingApp.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import * as HistoryChoice from "../kit/HistoryChoice.js"
import * as BrowserLocale from "../../html/BrowserLocale.js"
import { html, type Text } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"

const words = texts.signIn.signUp

const LABELS = {
  email: texts.frame.fields.email,
  password: texts.frame.fields.password,
  display_name: words.name,
  keep_days: words.keep
}

interface SignUpForm {
  readonly returnTo: string
  readonly form: Fields.Shown
  /** A sentence above the form that says why the page is shown again. */
  readonly refused?: Text
  readonly status?: number
}

const NAME = {
  name: "display_name",
  label: LABELS.display_name,
  hint: words.nameHint,
  autocomplete: "name",
  required: false
}

const signUpPage = ({ form, refused, returnTo, status = 200 }: SignUpForm) =>
  Effect.flatMap(AskingApp.note(returnTo), (asking) =>
    Stranger.bound((formToken, zone) =>
      respond({
        title: words.title,
        width: "narrow",
        reader: null,
        zone,
        status,
        main: html`<h1>${words.title}</h1>
          ${asking} ${refused !== undefined && Fields.problemBox(html`<p>${refused}</p>`)}
          ${Fields.problems(form, LABELS)}
          <form method="post" action="/sign-up" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("return_to", returnTo)}
            ${Fields.input(form, { name: "email", label: LABELS.email, type: "email", autocomplete: "username", maxlength: 254 })}
            ${Fields.newPassword(form, "password", LABELS.password)} ${Fields.input(form, NAME)}
            ${Fields.select(form, { name: "keep_days", label: LABELS.keep_days, hint: words.keepHint }, HistoryChoice.OPTIONS)}
            <button class="wide">${words.create}</button>
          </form>
          <p>${words.haveOne(ReturnTo.signIn(returnTo))}</p>`
      })
    )
  )

const HOURS = SignUpRequest.LIFETIME / Timestamp.HOUR

/**
 * The sign-up whose link was mailed. `id` is undefined only when the form comes from a page that was opened before the
 * release that added the hidden field `sign_up`.
 */
interface Mailed {
  readonly email: Account.Email
  readonly id: UserId | undefined
  readonly returnTo: string
}

/**
 * This page is the same whether or not an account has the e-mail address, so nobody learns from it who has an account.
 */
const mailedPage = ({ email, id, returnTo }: Mailed, isResent = false) =>
  Stranger.bound((formToken) =>
    respond({
      title: texts.signIn.mailed.title,
      width: "narrow",
      reader: null,
      main: html`<h1>${texts.signIn.mailed.title}</h1>
        ${
          isResent &&
          html`<div class="note" role="status">
            <p>${words.mailedAgain}</p>
          </div>`
        }
        <p>${words.mailed(email, HOURS)}</p>
        <p class="soft small">${words.noMail}</p>
        <form method="post" action="/sign-up/resend" class="actions">
          ${Fields.hidden("form_token", formToken)} ${Fields.hidden("email", email)}
          ${id !== undefined && Fields.hidden("sign_up", id)} ${Fields.hidden("return_to", returnTo)}
          <button class="second">${words.mailAgain}</button>
          <a href="${ReturnTo.signUp(returnTo)}">${words.another}</a>
        </form>`
    })
  )

const Resend = Schema.Struct({ email: Account.Email, sign_up: Form.OrEmpty(UserId) })

const resend = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const returnTo = ReturnTo.safe(form.value("return_to"))
  const input = Form.decode(Resend, { email: form.value("email"), sign_up: form.value("sign_up") })
  if (Either.isLeft(input)) return seeOther(ReturnTo.signUp(returnTo))
  yield* takeLink
  const { email, sign_up } = input.right
  const { signUp } = yield* HttpOptions
  const id = sign_up ?? undefined
  const asking = { address: yield* clientAddress, language: yield* BrowserLocale.language }
  const resending = resendSignUp({ email, userId: id, ...asking }, signUp)
  yield* afterAnswer("A sign-up's link could not be mailed", resending)
  return yield* mailedPage({ email, id, returnTo }, true)
})

const getSignUp = Effect.gen(function* () {
  const { signUp } = yield* HttpOptions
  const returnTo = ReturnTo.safe((yield* Form.query).value("return_to"))
  if (signUp === "closed") return yield* closed(returnTo)
  return yield* signUpPage({ returnTo, form: Fields.fresh({ keep_days: "forever" }) })
})

const closed = (returnTo: string) =>
  respond({
    title: words.closed,
    width: "narrow",
    reader: null,
    status: 403,
    main: html`<h1>${words.closed}</h1>
      <p>${words.closedText}</p>
      <p><a href="${ReturnTo.signIn(returnTo)}">${texts.signIn.title}</a></p>`
  })

const SignUp = Schema.Struct({
  email: Account.Email,
  password: Account.Password,
  display_name: Form.OrEmpty(Account.DisplayName),
  keep_days: HistoryChoice.Value
})

const postSignUp = Effect.gen(function* () {
  const options = yield* HttpOptions
  const form = yield* Stranger.posted
  const returnTo = ReturnTo.safe(form.value("return_to"))
  const showAgain = (options: Omit<SignUpForm, "returnTo" | "form">, problems: ReadonlyArray<FieldProblem> = []) =>
    signUpPage({ returnTo, form: Form.shown(form, problems), ...options })
  if (options.signUp === "closed") return yield* closed(returnTo)
  const input = Form.decode(SignUp, {
    email: form.value("email"),
    password: form.value("password"),
    display_name: form.value("display_name").trim(),
    // The field `keep_days` is missing if the page was opened before the release that added the field.
    keep_days: form.value("keep_days") || "forever"
  })
  if (Either.isLeft(input)) return yield* showAgain({ status: 400 }, input.left)
  const address = yield* clientAddress
  yield* RateLimit.take(Subject.signUp(address), Rate.SIGN_UPS)
  const { display_name, email, keep_days, password } = input.right
  const person = { email, password, displayName: display_name ?? undefined, keep: HistoryChoice.keepOf(keep_days) }
  const asking = { address, returnTo, language: yield* BrowserLocale.language }
  return yield* beginSignUp({ ...person, ...asking }, options.signUp, options.addressRule).pipe(
    Effect.flatMap((begun) =>
      begun._tag === "Mailed"
        ? mailedPage({ email, id: begun.userId, returnTo })
        : Effect.map(enter({ email, password }), ({ withCookies }) => withCookies(seeOther(returnTo)))
    ),
    Effect.catchTags({
      Invalid: ({ problems }) => showAgain({ status: 400 }, problems),
      Conflict: () => showAgain({ status: 409, refused: words.taken }),
      // Errors of the sign-in are rare for an account that was created a moment ago, but possible: for example, too
      // many sign-ins from the person's network have failed. The person then continues on the sign-in page.
      WrongCredentials: () => Effect.succeed(seeOther(ReturnTo.signIn(returnTo))),
      FactorRequired: () => Effect.succeed(seeOther(ReturnTo.signIn(returnTo))),
      TooManyAttempts: () => Effect.succeed(seeOther(ReturnTo.signIn(returnTo)))
    })
  )
})

export const routes = [
  Routes.get("/sign-up", getSignUp),
  Routes.post("/sign-up", postSignUp),
  Routes.post("/sign-up/resend", resend)
]
