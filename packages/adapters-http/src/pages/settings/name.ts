import { Account, changeName } from "@place-access/domain/accounts"
import { Effect, Either, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import type { Row } from "./row.js"

/** The page on which a person changes the name that others read (decision accounts-22). */

const words = texts.settings.name

const LABELS = { display_name: words.field }

/** The row of the name in the settings. */
export const row = (portal: string, { account }: Visitor.Visitor): Row => ({
  heading: words.heading,
  text: words.present(account.displayName),
  to: `${portal}/settings/name`,
  open: words.change
})

const page = (portal: string, visitor: Visitor.Visitor, form: Fields.Shown) =>
  Effect.gen(function* () {
    return yield* respond({
      title: words.heading,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "narrow",
      status: form.problems.length === 0 ? 200 : 400,
      main: html`<p><a href="${portal}/settings">${texts.settings.title}</a></p>
        <h1>${words.heading}</h1>
        <p class="lead">${words.lead}</p>
        ${Fields.problems(form, LABELS)}
        <form class="card" method="post" action="${portal}/settings/name">
          ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))}
          ${Fields.input(form, { name: "display_name", label: words.field, autocomplete: "name", maxlength: 80 })}
          <button>${texts.settings.save}</button>
        </form>`
    })
  })

const Choice = Schema.Struct({ display_name: Account.DisplayName })

const change = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const choice = Form.decode(Choice, { display_name: form.value("display_name").trim() })
      if (Either.isLeft(choice)) return yield* page(portal, visitor, Form.shown(form, choice.left))
      yield* RateOfAccount.take(RateOfAccount.NAME, visitor.account.id)
      yield* changeName(visitor.account.id, choice.right.display_name)
      return seeOther(`${portal}/settings?done=name-changed`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/settings/name`,
      Visitor.signedIn((visitor) => page(portal, visitor, Fields.fresh({ display_name: visitor.account.displayName })))
    ),
    Routes.post(`${portal}/settings/name`, change(portal))
  ]
}
