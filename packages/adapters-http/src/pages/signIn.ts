import { Account, signOut } from "@place-access/domain/accounts"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Option, Schema } from "effect"
import { enter } from "../accounts/enter.js"
import { HttpOptions } from "../HttpOptions.js"
import { canHavePasskeys } from "../factors/passkeyOptions.js"
import * as Credentials from "../security/Credentials.js"
import type { FieldProblem } from "../wire/Issues.js"
import * as AskingApp from "./askingApp.js"
import * as Fields from "./kit/Fields.js"
import * as Form from "./kit/Form.js"
import { html, type Text } from "../html/Html.js"
import { texts } from "../languages/index.js"
import { identityOf, respond, seeOther } from "./kit/Page.js"
import * as ReturnTo from "./kit/ReturnTo.js"
import * as Routes from "./kit/Routes.js"
import * as Stranger from "./kit/Stranger.js"
import * as Visitor from "./kit/Visitor.js"

const words = texts.signIn

const LABELS = { email: texts.frame.fields.email, password: texts.frame.fields.password }

interface SignInForm {
  readonly returnTo: string
  readonly form: Fields.Shown
  /** A sentence above the form that says why the page is shown again. */
  readonly refused?: Text
  /**
   * Whether the service refused the attempt because there were too many attempts: at the account, from the network, or
   * from this browser if it is known. The page then offers to mail a link that makes this browser known to the account.
   * A known browser has a limit of its own.
   */
  readonly isClosed?: boolean
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

const refusedNote = (refused: Text | undefined) => refused !== undefined && Fields.problemBox(html`<p>${refused}</p>`)

const signInPage = ({ form, headers = {}, isClosed = false, refused, returnTo, status = 200 }: SignInForm) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const already = yield* Visitor.current
    const asking = yield* AskingApp.note(returnTo)
    return yield* Stranger.bound((formToken, zone) =>
      respond({
        title: words.title,
        width: "narrow",
        reader: null,
        zone,
        status,
        headers,
        main: html`<h1>${words.title}</h1>
          ${asking}
          ${Option.isSome(already) && html`<p class="note">${words.already(identityOf(already.value.account))}</p>`}
          ${refusedNote(refused)}
          ${
            status === 401 &&
            options.addressRule === "confirmed" &&
            html`<p class="soft small">${words.openTheLink}</p>`
          }
          ${Fields.problems(form, LABELS)}
          <form method="post" action="/sign-in" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("return_to", returnTo)}
            ${Fields.input(form, { name: "email", label: LABELS.email, type: "email", autocomplete: "username", maxlength: 254 })}
            ${Fields.input(form, { name: "password", label: LABELS.password, type: "password", autocomplete: "current-password" })}
            <button class="wide">${words.title}</button>
          </form>
          ${canHavePasskeys(options) && html`<p><a href="/sign-in/passkey?return_to=${encodeURIComponent(returnTo)}">${words.withPasskey}</a></p>`}
          <p><a href="${ReturnTo.forgotPassword(returnTo)}">${words.forgotten}</a></p>
          ${isClosed && html`<p>${words.unlock(ReturnTo.unlockLink(returnTo))}</p>`}
          ${options.signUp === "open" && html`<p>${words.noAccount(ReturnTo.signUp(returnTo))}</p>`}`
      })
    )
  })

const getSignIn = Effect.flatMap(Form.query, (query) =>
  signInPage({ returnTo: ReturnTo.safe(query.value("return_to")), form: Fields.fresh() })
)

const SignIn = Schema.Struct({ email: Account.Email, password: Schema.String })

const postSignIn = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const returnTo = ReturnTo.safe(form.value("return_to"))
  const showAgain = (options: Omit<SignInForm, "returnTo" | "form">, problems: ReadonlyArray<FieldProblem> = []) =>
    signInPage({ returnTo, form: Form.shown(form, problems), ...options })
  const input = Form.decode(SignIn, { email: form.value("email"), password: form.value("password") })
  if (Either.isLeft(input)) return yield* showAgain({ status: 400 }, input.left)
  return yield* enter(input.right).pipe(
    Effect.map(({ withCookies }) => withCookies(seeOther(returnTo))),
    Effect.catchTag("Forbidden", ({ reason }) => showAgain({ status: 403, refused: html`${Fields.said(reason)}.` })),
    Effect.catchTag("FactorRequired", ({ pending }) =>
      Effect.map(HttpOptions, (options) =>
        Credentials.setPending(seeOther(ReturnTo.secondStep(returnTo)), pending, options)
      )
    ),
    Effect.catchTag("WrongCredentials", () => showAgain({ status: 401, refused: words.wrong })),
    Effect.catchTag("TooManyAttempts", ({ retryAfterMillis }) =>
      showAgain({
        status: 429,
        isClosed: true,
        headers: { "retry-after": String(Math.ceil(retryAfterMillis / 1000)) },
        refused: words.tooOften(Math.ceil(retryAfterMillis / Timestamp.MINUTE))
      })
    )
  )
})

/**
 * Signs the person out. With `return_to`, the person switches accounts in the middle of a task: they go to the sign-in
 * page, and after the sign-in to the page in `return_to`. Without `return_to`, they go to the front page.
 */
const postSignOut = Effect.gen(function* () {
  const options = yield* HttpOptions
  const cookie = yield* Credentials.sessionCookie
  // Without a session cookie there is no session to end, so the form needs no token.
  const form = Option.isNone(cookie) ? yield* Form.read : yield* Visitor.checked(cookie.value)
  if (Option.isSome(cookie)) yield* signOut(cookie.value)
  const returnTo = ReturnTo.safe(form.value("return_to"))
  return Credentials.clearSession(seeOther(returnTo === "/" ? "/" : ReturnTo.signIn(returnTo)), options)
})

export const routes = [
  Routes.get("/sign-in", getSignIn),
  Routes.post("/sign-in", postSignIn),
  Routes.post("/sign-out", Visitor.backWhenStale(postSignOut))
]
