import { HttpServerRequest } from "@effect/platform"
import { Account, signIn, signOut, signUp } from "@place-access/domain/accounts"
import { Rate, Subject } from "@place-access/domain/limits"
import { Effect, Either, Option, Schema } from "effect"
import { clientAddress } from "../edge/ClientAddress.js"
import * as RateLimit from "../limits/RateLimit.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Browser from "../security/Browser.js"
import * as Credentials from "../security/Credentials.js"
import type { FieldProblem } from "../wire/Issues.js"
import * as Fields from "./kit/Fields.js"
import * as Form from "./kit/Form.js"
import * as HistoryChoice from "./kit/HistoryChoice.js"
import { html } from "./kit/Html.js"
import { respond, seeOther } from "./kit/Page.js"
import * as ReturnTo from "./kit/ReturnTo.js"
import * as Routes from "./kit/Routes.js"
import * as Stranger from "./kit/Stranger.js"
import * as Visitor from "./kit/Visitor.js"

const LABELS = { email: "Email", password: "Password", display_name: "Name", keep_days: "Keep my history" }

interface SignInForm {
  readonly returnTo: string
  readonly form: Fields.Shown
  /** A sentence above the form that says why the page is shown again. */
  readonly refused?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

const refusedNote = (refused: string | undefined) =>
  refused !== undefined && html`<div class="problems" role="alert"><p>${refused}</p></div>`

const signInPage = ({ form, headers = {}, refused, returnTo, status = 200 }: SignInForm) =>
  Effect.gen(function* () {
    const { signUp } = yield* HttpOptions
    const already = yield* Visitor.current
    return yield* Stranger.bound((formToken) =>
      respond({
        title: "Sign in",
        width: "narrow",
        reader: null,
        status,
        headers,
        main: html`<h1>Sign in</h1>
          ${Option.isSome(already) && html`<p class="note">You are signed in as ${already.value.account.email}. Sign in here to use another account.</p>`}
          ${refusedNote(refused)} ${Fields.problems(form, LABELS)}
          <form method="post" action="/sign-in" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("return_to", returnTo)}
            ${Fields.input(form, { name: "email", label: "Email", type: "email", autocomplete: "username", maxlength: 254 })}
            ${Fields.input(form, { name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
            <button class="wide">Sign in</button>
          </form>
          <p><a href="/forgot-password">Forgot your password?</a></p>
          ${signUp === "open" && html`<p>No account yet? <a href="/sign-up?return_to=${encodeURIComponent(returnTo)}">Create one</a></p>`}`
      })
    )
  })

const signUpPage = ({ form, refused, returnTo, status = 200 }: SignInForm) =>
  Stranger.bound((formToken) =>
    respond({
      title: "Create an account",
      width: "narrow",
      reader: null,
      status,
      main: html`<h1>Create an account</h1>
        ${refusedNote(refused)} ${Fields.problems(form, LABELS)}
        <form method="post" action="/sign-up" class="card">
          ${Fields.hidden("form_token", formToken)} ${Fields.hidden("return_to", returnTo)}
          ${Fields.input(form, { name: "email", label: "Email", type: "email", autocomplete: "username", maxlength: 254 })}
          ${Fields.newPassword(form, "password", "Password")}
          ${Fields.input(form, { name: "display_name", label: "Name", hint: "How we address you. Optional.", autocomplete: "name", required: false })}
          ${Fields.select(form, { name: "keep_days", label: "Keep my history", hint: "Your history is where your phones were, and your visits. Apps that may look back see only what is kept. You can change this in the settings at any time." }, HistoryChoice.OPTIONS)}
          <button class="wide">Create account</button>
        </form>
        <p>You have an account? <a href="/sign-in?return_to=${encodeURIComponent(returnTo)}">Sign in</a></p>`
    })
  )

/**
 * Starts a new session and ends the browser's earlier one, so that a cookie that was planted before sign-in never
 * becomes a session (session fixation).
 */
const enter = (credentials: { readonly email: Account.Email; readonly password: string }, returnTo: string) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const before = Credentials.sessionToken(yield* HttpServerRequest.HttpServerRequest, options)
    const { cookie } = yield* signIn({ ...credentials, ...(yield* Browser.client) })
    if (before !== undefined) yield* signOut(before)
    return Credentials.setSession(seeOther(returnTo), cookie, options)
  })

const getSignIn = Effect.flatMap(Form.query, (query) =>
  signInPage({ returnTo: ReturnTo.safe(query.value("return_to")), form: Fields.fresh() })
)

const SignIn = Schema.Struct({ email: Account.Email, password: Schema.String })

const postSignIn = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const returnTo = ReturnTo.safe(form.value("return_to"))
  const again = (asked: Omit<SignInForm, "returnTo" | "form">, problems: ReadonlyArray<FieldProblem> = []) =>
    signInPage({ returnTo, form: Form.shown(form, problems), ...asked })
  const input = Form.decode(SignIn, { email: form.value("email"), password: form.value("password") })
  if (Either.isLeft(input)) return yield* again({ status: 400 }, input.left)
  return yield* enter(input.right, returnTo).pipe(
    Effect.catchTag("WrongCredentials", () => again({ status: 401, refused: "Email or password is wrong." })),
    Effect.catchTag("TooManyAttempts", ({ retryAfterMillis }) =>
      again({
        status: 429,
        headers: { "retry-after": String(Math.ceil(retryAfterMillis / 1000)) },
        refused: `Too many attempts. Wait ${minutes(retryAfterMillis)}, then try again.`
      })
    )
  )
})

const minutes = (millis: number): string => {
  const count = Math.ceil(millis / 60_000)
  return count === 1 ? "a minute" : `${count} minutes`
}

const getSignUp = Effect.gen(function* () {
  const { signUp } = yield* HttpOptions
  if (signUp === "closed") return closed
  const query = yield* Form.query
  const form = Fields.fresh({ keep_days: "forever" })
  return yield* signUpPage({ returnTo: ReturnTo.safe(query.value("return_to")), form })
})

const closed = respond({
  title: "No new accounts",
  width: "narrow",
  reader: null,
  status: 403,
  main: html`<h1>No new accounts</h1>
    <p>Only the people who run this service can create accounts. Ask them for one.</p>
    <p><a href="/sign-in">Sign in</a></p>`
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
  const again = (asked: Omit<SignInForm, "returnTo" | "form">, problems: ReadonlyArray<FieldProblem> = []) =>
    signUpPage({ returnTo, form: Form.shown(form, problems), ...asked })
  if (options.signUp === "closed") return closed
  const input = Form.decode(SignUp, {
    email: form.value("email"),
    password: form.value("password"),
    display_name: form.value("display_name").trim(),
    // The field is missing if the page was opened before a release that added it.
    keep_days: form.value("keep_days") || "forever"
  })
  if (Either.isLeft(input)) return yield* again({ status: 400 }, input.left)
  yield* RateLimit.take(Subject.signUp(yield* clientAddress), Rate.SIGN_UPS)
  const { display_name: displayName, email, keep_days, password } = input.right
  const keep = HistoryChoice.keepOf(keep_days)
  return yield* signUp({ email, password, displayName: displayName ?? undefined, keep }, options.signUp).pipe(
    Effect.zipRight(enter({ email, password }, returnTo)),
    Effect.catchTags({
      Invalid: ({ problems }) => again({ status: 400 }, problems),
      Conflict: () => again({ status: 409, refused: "An account with this email exists already. Sign in instead." }),
      // Neither error can happen to an account that was created a moment ago. If one does, the person goes on at the
      // sign-in page.
      WrongCredentials: () => Effect.succeed(seeOther(ReturnTo.signIn(returnTo))),
      TooManyAttempts: () => Effect.succeed(seeOther(ReturnTo.signIn(returnTo)))
    })
  )
})

/**
 * With `return_to` the sign-in page comes next, then the page in `return_to`: the person switches accounts in the
 * middle of a task.
 */
const postSignOut = Effect.gen(function* () {
  const options = yield* HttpOptions
  const cookie = Credentials.sessionToken(yield* HttpServerRequest.HttpServerRequest, options)
  if (cookie === undefined) return Credentials.clearSession(seeOther("/"), options)
  const form = yield* Visitor.checked(cookie)
  yield* signOut(cookie)
  const returnTo = ReturnTo.safe(form.value("return_to"))
  return Credentials.clearSession(seeOther(returnTo === "/" ? "/" : ReturnTo.signIn(returnTo)), options)
})

export const routes = [
  Routes.get("/sign-in", getSignIn),
  Routes.post("/sign-in", postSignIn),
  Routes.get("/sign-up", getSignUp),
  Routes.post("/sign-up", postSignUp),
  Routes.post("/sign-out", postSignOut)
]
