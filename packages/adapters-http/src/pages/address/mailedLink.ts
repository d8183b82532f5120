import { Account } from "@place-access/domain/accounts"
import { Effect, Either, Schema } from "effect"
import type { mailUnlockLink } from "../../credentials/addressLinks.js"
import type { mailResetLink } from "../../credentials/mailResetLink.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html, type Text, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"

const words = texts.signIn.mailed
const LABELS = { email: texts.frame.fields.email }

interface MailedLink {
  readonly path: `/${string}`
  readonly title: Text
  /** A paragraph above the form that says what the mailed link is for. */
  readonly lead: Value
  /** A paragraph below the form, with a link for a reader who needs another page. The link keeps `returnTo`. */
  readonly foot: (returnTo: string) => Value
  /** How long the link works. */
  readonly minutes: number
  readonly mail: typeof mailResetLink | typeof mailUnlockLink
}

/** The routes of a page on which somebody who is not signed in asks for a link by mail. */
export const mailedLink = ({ foot, lead, mail, minutes, path, title }: MailedLink) => {
  const askPage = (returnTo: string, form: Fields.Shown) =>
    Stranger.bound((formToken) =>
      respond({
        title,
        width: "narrow",
        reader: null,
        status: form.problems.length === 0 ? 200 : 400,
        main: html`<h1>${title}</h1>
          ${lead} ${Fields.problems(form, LABELS)}
          <form method="post" action="${path}" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("return_to", returnTo)}
            ${Fields.input(form, { name: "email", label: LABELS.email, type: "email", autocomplete: "username", maxlength: 254 })}
            <button class="wide">${words.send}</button>
          </form>
          ${foot(returnTo)}`
      })
    )

  /**
   * This page is the same whether or not an account has the e-mail address, so nobody learns from it who has an
   * account.
   */
  const sentPage = (returnTo: string, email: Account.Email) =>
    respond({
      title: words.title,
      width: "narrow",
      reader: null,
      main: html`<h1>${words.title}</h1>
        <p>${words.text(email, minutes)}</p>
        <p>${words.noMail}</p>
        ${returnTo !== "/" && html`<p>${words.back(ReturnTo.signIn(returnTo))}</p>`}
        <p><a href="${ReturnTo.before(path)(returnTo)}">${words.another}</a></p>`
    })

  const ask = Effect.gen(function* () {
    const form = yield* Stranger.posted
    const returnTo = ReturnTo.safe(form.value("return_to"))
    const input = Form.decode(Schema.Struct({ email: Account.Email }), { email: form.value("email") })
    if (Either.isLeft(input)) return yield* askPage(returnTo, Form.shown(form, input.left))
    yield* mail(input.right.email)
    return yield* sentPage(returnTo, input.right.email)
  })

  const show = Effect.flatMap(Form.query, (query) => askPage(ReturnTo.safe(query.value("return_to")), Fields.fresh()))

  return [Routes.get(path, show), Routes.post(path, ask)] as const
}
