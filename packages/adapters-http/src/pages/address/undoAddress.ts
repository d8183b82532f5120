import { Account, PasswordStrength } from "@place-access/domain/accounts"
import { describeUndo, undoAddressChange } from "@place-access/domain/credentials"
import { Effect, Either, Schema } from "effect"
import { takeLink } from "../../credentials/addressLinks.js"
import { addressRule, HttpOptions } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"
import { deadLink } from "./deadLink.js"

const LABELS = { password: "New password" }

const dead = deadLink(
  "It was used already, it is older than 7 days, or an earlier address was brought back.",
  html`<p><a href="/sign-in">Sign in</a></p>`
)

const taken = (email: Account.Email) =>
  respond({
    title: "The address has another account",
    width: "narrow",
    reader: null,
    status: 409,
    main: html`<h1>The address has another account</h1>
      <p>
        ${email} was confirmed for another account since. Delete that account, or give it another address: then this
        link works, until 7 days after the change.
      </p>
      <p><a href="/sign-in">Sign in</a></p>`
  })

/** Opening the link changes nothing: programs that look for viruses in mail open links too. */
const page = (token: string, form: Fields.Shown) =>
  Effect.gen(function* () {
    const { email } = yield* describeUndo(token)
    return yield* Stranger.bound((formToken) =>
      respond({
        title: "Bring your address back",
        width: "narrow",
        reader: null,
        status: form.problems.length === 0 ? 200 : 400,
        main: html`<h1>Bring your address back</h1>
          <p>
            Your account gets ${email} again, and the new password that you type here. Everybody is signed out, in every
            browser. Then you sign in with ${email} and the new password.
          </p>
          ${Fields.problems(form, LABELS)}
          <form method="post" action="/undo-address" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("token", token)} ${Fields.username(email)}
            ${Fields.newPassword(form, "password", LABELS.password)}
            <button class="wide">Undo the change</button>
          </form>
          <p>You changed the address yourself? Then close this page: nothing happens.</p>`
      })
    )
  })

const show = Effect.flatMap(Form.query, (query) => page(query.value("token"), Fields.fresh())).pipe(
  Effect.catchTag("NotFound", () => Effect.succeed(dead))
)

const done = (email: Account.Email, strength: PasswordStrength.PasswordStrength) =>
  respond({
    title: "Your address is back",
    width: "narrow",
    reader: null,
    main: html`<h1>Your address is back</h1>
      <div class="note" role="status"><p>Your password was changed. ${PasswordStrength.words[strength]}</p></div>
      <p>
        Your account has ${email} again, and everybody was signed out. Look at your connected apps and your phones for
        what you do not know.
      </p>
      <p><a class="button" href="/sign-in">Sign in</a></p>`
  })

const undo = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const token = form.value("token")
  yield* takeLink
  const input = Form.decode(Schema.Struct({ password: Account.Password }), { password: form.value("password") })
  if (Either.isLeft(input)) return yield* page(token, Form.shown(form, input.left))
  const { email } = yield* describeUndo(token)
  const { password } = input.right
  return yield* undoAddressChange(token, password, addressRule(yield* HttpOptions)).pipe(
    Effect.as(done(email, PasswordStrength.of(password))),
    Effect.catchTags({
      Invalid: ({ problems }) => page(token, Form.shown(form, problems)),
      Conflict: () => Effect.succeed(taken(email))
    })
  )
}).pipe(Effect.catchTag("NotFound", () => Effect.succeed(dead)))

export const routes = [Routes.get("/undo-address", show), Routes.post("/undo-address", undo)]
