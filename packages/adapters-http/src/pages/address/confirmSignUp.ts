import { Account } from "@place-access/domain/accounts"
import { confirmSignUp, describeSignUp } from "@place-access/domain/credentials"
import { NotFound } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { enter } from "../../accounts/enter.js"
import { takeLink } from "../../credentials/addressLinks.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"
import { deadLink } from "./deadLink.js"

const words = texts.signIn.confirmSignUp

const LABELS = { password: words.password }

const dead = (returnTo: string) =>
  deadLink(
    texts.signIn.deadLink.signUp,
    html`<p>
      <a class="button" href="${ReturnTo.signIn(returnTo)}">${texts.signIn.title}</a>
      <a href="${ReturnTo.signUp(returnTo)}">${words.again}</a>
    </p>`
  )

/**
 * Opening the mailed link only shows this page and changes nothing: programs that look for viruses in mail open links
 * too.
 */
const page = (token: string, form: Fields.Shown, status = 200) =>
  Effect.gen(function* () {
    const { email, returnTo, takesAddress } = yield* describeSignUp(token)
    return yield* Stranger.bound((formToken, zone) =>
      respond({
        title: words.title,
        width: "narrow",
        reader: null,
        zone,
        status,
        main: html`<h1>${words.title}</h1>
          <p>${words.text(email)}</p>
          ${
            takesAddress &&
            html`<div class="note warn">
              <p>${words.takesAddress}</p>
              <p>${words.takesYours}</p>
            </div>`
          }
          ${Fields.problems(form, LABELS)}
          <form method="post" action="/confirm-sign-up" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("token", token)}
            ${Fields.hidden("return_to", returnTo)} ${Fields.username(email)}
            ${Fields.input(form, { name: "password", label: LABELS.password, type: "password", autocomplete: "current-password" })}
            <button class="wide">${words.make}</button>
          </form>
          <p>${words.unknown(ReturnTo.signUp(returnTo))}</p>`
      })
    )
  })

const show = Effect.flatMap(Form.query, (query) => page(query.value("token"), Fields.fresh())).pipe(
  Effect.catchTag("NotFound", () => dead("/"))
)

const Given = Schema.Struct({
  password: Schema.String.pipe(Schema.minLength(1, { message: () => "must be given" }))
})

const confirm = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const token = form.value("token")
  const returnTo = ReturnTo.safe(form.value("return_to"))
  yield* takeLink
  return yield* Effect.gen(function* () {
    const input = Form.decode(Given, { password: form.value("password") })
    if (Either.isLeft(input)) return yield* page(token, Form.shown(form, input.left), 400)
    const { password } = input.right
    const signedUp = yield* confirmSignUp(token, password)
    const { withCookies } = yield* enter({ email: signedUp.account.email, password })
    return withCookies(seeOther(ReturnTo.safe(signedUp.returnTo)))
  }).pipe(
    Effect.catchTags({
      WrongCredentials: () => page(token, Form.shown(form, [{ field: "password", message: words.wrong }]), 403),
      // The account was created, but this browser cannot be signed in: for example, somebody is guessing the account's
      // password.
      FactorRequired: () => Effect.succeed(seeOther(ReturnTo.signIn(returnTo))),
      TooManyAttempts: () => Effect.succeed(seeOther(ReturnTo.signIn(returnTo))),
      Conflict: () => dead(returnTo),
      // Either the link does not work, or the person pressed the button twice. In the second case the first request has
      // created the account, and the browser has dropped the cookie of its session. So this form signs the person in,
      // like the form of the sign-in page.
      NotFound: () =>
        enterMade(form).pipe(
          Effect.map(({ withCookies }) => withCookies(seeOther(returnTo))),
          Effect.catchTags({
            NotFound: () => dead(returnTo),
            WrongCredentials: () => dead(returnTo),
            Forbidden: () => dead(returnTo),
            FactorRequired: () => Effect.succeed(seeOther(ReturnTo.signIn(returnTo))),
            TooManyAttempts: () => Effect.succeed(seeOther(ReturnTo.signIn(returnTo)))
          })
        )
    }),
    Effect.catchTag("NotFound", () => dead(returnTo))
  )
})

const Owner = Schema.Struct({ username: Account.Email, password: Given.fields.password })

const enterMade = (form: Form.Form) =>
  Effect.gen(function* () {
    const owner = Form.decode(Owner, { username: form.value("username"), password: form.value("password") })
    if (Either.isLeft(owner)) return yield* new NotFound({ what: "link" })
    return yield* enter({ email: owner.right.username, password: owner.right.password })
  })

export const routes = [Routes.get("/confirm-sign-up", show), Routes.post("/confirm-sign-up", confirm)]
