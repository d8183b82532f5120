import { Account } from "@place-access/domain/accounts"
import { Effect, Either, Schema } from "effect"
import type { mailUnlockLink } from "../../credentials/addressLinks.js"
import type { mailResetLink } from "../../credentials/mailResetLink.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html, type Value } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"

interface MailedLink {
  readonly path: `/${string}`
  readonly title: string
  /** What the link is for. */
  readonly lead: Value
  /** Where somebody goes who needs something else. */
  readonly foot: Value
  /** How long the link works. */
  readonly minutes: number
  readonly mail: typeof mailResetLink | typeof mailUnlockLink
}

/** The routes of a page on which somebody who is not signed in asks for a link by mail. */
export const mailedLink = ({ foot, lead, mail, minutes, path, title }: MailedLink) => {
  const askPage = (form: Fields.Shown) =>
    Stranger.bound((formToken) =>
      respond({
        title,
        width: "narrow",
        reader: null,
        status: form.problems.length === 0 ? 200 : 400,
        main: html`<h1>${title}</h1>
          ${lead} ${Fields.problems(form, { email: "Email" })}
          <form method="post" action="${path}" class="card">
            ${Fields.hidden("form_token", formToken)}
            ${Fields.input(form, { name: "email", label: "Email", type: "email", autocomplete: "username", maxlength: 254 })}
            <button class="wide">Send me a link</button>
          </form>
          ${foot}`
      })
    )

  /** The same for every address: nobody learns from this page who has an account. */
  const askedPage = (email: Account.Email) =>
    respond({
      title: "Look into your mail",
      width: "narrow",
      reader: null,
      main: html`<h1>Look into your mail</h1>
        <p>If ${email} has an account here, a mail with a link is on its way. The link works for ${minutes} minutes.</p>
        <p>
          No mail after some minutes? Look into the spam folder, and whether the address above is the one that you sign
          in with. We send at most three links in half an hour.
        </p>
        <p><a href="${path}">Try another address</a></p>`
    })

  const ask = Effect.gen(function* () {
    const form = yield* Stranger.posted
    const input = Form.decode(Schema.Struct({ email: Account.Email }), { email: form.value("email") })
    if (Either.isLeft(input)) return yield* askPage(Form.shown(form, input.left))
    yield* mail(input.right.email)
    return askedPage(input.right.email)
  })

  return [Routes.get(path, askPage(Fields.fresh())), Routes.post(path, ask)] as const
}
