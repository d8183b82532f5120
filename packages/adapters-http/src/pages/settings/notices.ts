import { NoticeKind } from "@place-access/domain/accounts"
import { chooseNotices, listChosenNotices } from "@place-access/domain/owner-notices"
import { Effect, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import { flag, type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import type { Row } from "./row.js"
import { getsMail, noMail } from "./unconfirmed.js"

/** The page on which a person chooses which mails to get (decision owner-notices-1). */

const words = texts.settings.mails

const KINDS = NoticeKind.literals

/** The row of the mails in the settings, with the kinds of mails that the person has chosen. */
export const row = (portal: string, { account }: Visitor.Visitor) =>
  Effect.map(listChosenNotices(account.id), (chosen): Row => ({
    heading: words.heading,
    text:
      chosen.length === 0
        ? words.none
        : words.present(html`${chosen.map((kind, index) => html`${index > 0 && ", "}${words.kinds[kind].inLine}`)}`),
    to: `${portal}/settings/notices`,
    open: words.choose
  }))

const box = (kind: NoticeKind, chosen: ReadonlyArray<NoticeKind>): Html =>
  html`<div class="choice">
    <input
      type="checkbox"
      name="notice"
      value="${kind}"
      id="notice-${kind}"
      aria-describedby="notice-${kind}-hint"
      ${flag("checked", chosen.includes(kind))}
    />
    <div>
      <label for="notice-${kind}">${words.kinds[kind].name}</label>
      <p class="hint" id="notice-${kind}-hint">${words.kinds[kind].hint}</p>
    </div>
  </div>`

const page = (portal: string, visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const chosen = yield* listChosenNotices(visitor.account.id)
    return yield* respond({
      title: words.heading,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "narrow",
      main: html`<p><a href="${portal}/settings">${texts.settings.title}</a></p>
        <h1>${words.heading}</h1>
        <p class="lead">${words.lead}</p>
        ${!getsMail(visitor.account) && (yield* noMail(portal))}
        <form class="card" method="post" action="${portal}/settings/notices">
          ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))}
          <fieldset>
            <legend>${words.legend}</legend>
            <div class="choices">${KINDS.map((kind) => box(kind, chosen))}</div>
          </fieldset>
          <button>${texts.settings.save}</button>
        </form>
        <div class="note">
          <h2>${words.always.heading}</h2>
          <p>${words.always.text}</p>
        </div>`
    })
  })

const choose = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      yield* chooseNotices(visitor.account.id, form.all("notice").filter(Schema.is(NoticeKind)))
      return seeOther(
        `${portal}/settings?done=${getsMail(visitor.account) ? "notices-chosen" : "notices-chosen-no-mail"}`
      )
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/settings/notices`,
      Visitor.signedIn((visitor) => page(portal, visitor))
    ),
    Routes.post(`${portal}/settings/notices`, choose(portal))
  ]
}
