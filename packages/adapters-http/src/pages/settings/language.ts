import { chooseLanguage } from "@place-access/domain/accounts"
import { Language } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import type { Row } from "./row.js"

const words = texts.settings.language

const LABELS = { language: words.field }

/**
 * The name of a language, written in that language. So people find their language even when they cannot read the rest
 * of the page.
 */
const nameOf = (language: Language.Language): string =>
  new Intl.DisplayNames(language, { type: "language" }).of(language) ?? language

/** The value that the form has when the account has not chosen a language. */
const BROWSER = "browser"

const OPTIONS = [
  { value: BROWSER, text: words.browser },
  ...Language.all.map((value) => ({ value, text: nameOf(value) }))
]

/**
 * The row of the language in the settings. It shows the chosen language, or says that pages are in the language of the
 * browser.
 */
export const row = (portal: string, { account: { language } }: Visitor.Visitor): Row => ({
  heading: words.heading,
  text:
    language === null ? words.ofBrowser : words.present(html`<strong lang="${language}">${nameOf(language)}</strong>`),
  to: `${portal}/settings/language`,
  open: words.choose
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
        <form class="card" method="post" action="${portal}/settings/language">
          ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))}
          ${Fields.select(form, { name: "language", label: words.field }, OPTIONS)}
          <button>${texts.settings.save}</button>
        </form>`
    })
  })

const Choice = Schema.Struct({ language: Schema.Literal(BROWSER, ...Language.all) })

const present = ({ account }: Visitor.Visitor) => Fields.fresh({ language: account.language ?? BROWSER })

const choose = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const choice = Form.decode(Choice, { language: form.value("language") })
      if (Either.isLeft(choice)) return yield* page(portal, visitor, { ...present(visitor), problems: choice.left })
      const { language } = choice.right
      yield* chooseLanguage(visitor.account.id, language === BROWSER ? null : language)
      return seeOther(`${portal}/settings?done=language-chosen`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/settings/language`,
      Visitor.signedIn((visitor) => page(portal, visitor, present(visitor)))
    ),
    Routes.post(`${portal}/settings/language`, choose(portal))
  ]
}
