import { Account, PasswordStrength } from "@place-access/domain/accounts"
import { describeUndo, undoAddressChange } from "@place-access/domain/credentials"
import { Effect, Either, Schema } from "effect"
import { takeLink } from "../../credentials/addressLinks.js"
import { staysKnown } from "../../credentials/staysKnown.js"
import { HttpOptions } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"
import { ofDomain } from "../kit/Time.js"
import { deadLink } from "./deadLink.js"

const words = texts.signIn.undo

const LABELS = { password: texts.signIn.reset.password }

const dead = deadLink(texts.signIn.deadLink.undo, html`<p><a href="/sign-in">${texts.signIn.title}</a></p>`)

const taken = (email: Account.Email) =>
  respond({
    title: texts.signIn.confirmAddress.taken,
    width: "narrow",
    reader: null,
    status: 409,
    main: html`<h1>${texts.signIn.confirmAddress.taken}</h1>
      <p>${words.takenText(email)}</p>
      <p><a href="/sign-in">${texts.signIn.title}</a></p>`
  })

/**
 * Opening the mailed link only shows this page and changes nothing: programs that look for viruses in mail open links
 * too.
 */
const page = (token: string, form: Fields.Shown) =>
  Effect.gen(function* () {
    const { email } = yield* describeUndo(token)
    return yield* Stranger.bound((formToken) =>
      respond({
        title: words.title,
        width: "narrow",
        reader: null,
        status: form.problems.length === 0 ? 200 : 400,
        main: html`<h1>${words.title}</h1>
          <p>${words.text(email)}</p>
          <p>${words.factors}</p>
          ${Fields.problems(form, LABELS)}
          <form method="post" action="/undo-address" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("token", token)} ${Fields.username(email)}
            ${Fields.newPassword(form, "password", LABELS.password)}
            <button class="wide">${words.undo}</button>
          </form>
          <p>${words.yourself}</p>`
      })
    )
  })

const show = Effect.flatMap(Form.query, (query) => page(query.value("token"), Fields.fresh())).pipe(
  Effect.catchTag("NotFound", () => dead)
)

const done = (email: Account.Email, losesFactors: boolean, strength: PasswordStrength.PasswordStrength) =>
  respond({
    title: words.done,
    width: "narrow",
    reader: null,
    main: html`<h1>${words.done}</h1>
      <div class="note" role="status"><p>${words.passwordChanged(ofDomain(PasswordStrength.words[strength]))}</p></div>
      <p>${words.doneText(email)}</p>
      ${losesFactors && html`<p>${words.factorsRemoved}</p>`}
      <p>${words.look}</p>
      <p><a class="button" href="/sign-in">${texts.signIn.title}</a></p>`
  })

const undo = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const token = form.value("token")
  yield* takeLink
  const input = Form.decode(Schema.Struct({ password: Account.Password }), { password: form.value("password") })
  if (Either.isLeft(input)) return yield* page(token, Form.shown(form, input.left))
  const { password } = input.right
  const { email } = yield* describeUndo(token)
  return yield* undoAddressChange(token, password, (yield* HttpOptions).addressRule).pipe(
    Effect.flatMap((restored) =>
      Effect.flatMap(done(email, restored.losesFactors, PasswordStrength.of(password)), (page) =>
        staysKnown(restored, page)
      )
    ),
    Effect.catchTags({
      Invalid: ({ problems }) => page(token, Form.shown(form, problems)),
      Conflict: () => taken(email)
    })
  )
}).pipe(Effect.catchTag("NotFound", () => dead))

export const routes = [Routes.get("/undo-address", show), Routes.post("/undo-address", undo)]
