import { NoticeKind } from "@place-access/domain/accounts"
import { chooseNotices, listChosenNotices } from "@place-access/domain/owner-notices"
import { Effect, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import { flag, type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"

/** Which mails a person gets (decision owner-notices-1). */

const WORDS: Readonly<Record<NoticeKind, { readonly name: string; readonly hint: string }>> = {
  asked_often: {
    name: "An app asks unusually often",
    hint: "At least 50 requests in a day, and more than three times its busiest day of the two weeks before."
  },
  phone_silent: { name: "My phone is silent", hint: "It has sent no location for a day. One mail for each silence." },
  ends: {
    name: "Something ends",
    hint: "Two days before a connection ends, or an app loses your exact location."
  },
  weekly: { name: "A summary of my week", hint: "On Monday morning: which apps asked, and how often." }
}

const KINDS = NoticeKind.literals

/** The chosen mails in the settings. */
export const section = (portal: string, { account }: Visitor.Visitor) =>
  Effect.map(
    listChosenNotices(account.id),
    (chosen): Html =>
      html`<section class="card" aria-labelledby="notices">
        <h2 id="notices">Which mails you get</h2>
        <p>
          ${
            chosen.length === 0
              ? "Mails about your decisions and about the safety of your account, nothing else."
              : html`Beside mails about your decisions and about the safety of your account:
                ${chosen.map((kind) => WORDS[kind].name.toLowerCase()).join(", ")}.`
          }
        </p>
        <p><a class="button second" href="${portal}/settings/notices">Choose mails…</a></p>
      </section>`
  )

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
      <label for="notice-${kind}">${WORDS[kind].name}</label>
      <p class="hint" id="notice-${kind}-hint">${WORDS[kind].hint}</p>
    </div>
  </div>`

const page = (portal: string, visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const chosen = yield* listChosenNotices(visitor.account.id)
    return respond({
      title: "Which mails you get",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "narrow",
      main: html`<p><a href="${portal}/settings">Settings</a></p>
        <h1>Which mails you get</h1>
        <p class="lead">Tick what you want to know about. Of each kind you get one mail a day at most.</p>
        <form class="card" method="post" action="${portal}/settings/notices">
          ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))}
          <fieldset>
            <legend>Mail me when</legend>
            <div class="choices">${KINDS.map((kind) => box(kind, chosen))}</div>
          </fieldset>
          <button>Save</button>
        </form>
        <div class="note">
          <h2>Always sent</h2>
          <p>
            A sign-in from a new browser, a new password, address or second factor, and a receipt for each of your
            decisions about apps. Somebody who uses your account without you must not be able to switch these mails off.
          </p>
        </div>`
    })
  })

const choose = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      yield* chooseNotices(visitor.account.id, form.all("notice").filter(Schema.is(NoticeKind)))
      return seeOther(`${portal}/settings?done=notices-chosen`)
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
