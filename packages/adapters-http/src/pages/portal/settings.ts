import { SignUpRequest } from "@place-access/domain/credentials"
import {
  chooseHistory,
  describeHistory,
  type Described,
  type Extent,
  type History,
  previewChoice
} from "@place-access/domain/retention-choice"
import { Effect, Either, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import * as HistoryChoice from "../kit/HistoryChoice.js"
import { flag, type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as LanguagePage from "../settings/language.js"
import * as NamePage from "../settings/name.js"
import * as NoticeChoice from "../settings/notices.js"
import { group, type Row } from "../settings/row.js"
import * as TimeZonePage from "../settings/timeZone.js"
import { getsMail } from "../settings/unconfirmed.js"
import { notice } from "./notices.js"

const words = texts.settings

const LABELS = { keep_days: words.history.field }

const settings = (portal: string, visitor: Visitor.Visitor, problems: Fields.Shown["problems"] = []) =>
  Effect.gen(function* () {
    const history = yield* describeHistory(visitor.account.id)
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: problems.length === 0 ? 200 : 400,
      main: html`<h1>${words.title}</h1>
        ${problems.length === 0 && notice(query.value("done"))}
        ${Fields.problems({ values: () => "", problems }, LABELS)} ${yield* groups(portal, visitor, history)}
        <section class="card" aria-labelledby="history">
          <h2 id="history">${words.history.heading}</h2>
          <p>${words.history.text}</p>
          <p class="soft small">${words.history.log}</p>
          ${present(history)}
          <form method="post" action="${portal}/settings/history">
            ${Fields.hidden("form_token", token)}
            <fieldset id="keep_days" ${Fields.describedByFaults({ values: () => "", problems }, "keep_days")}>
              <legend>${words.history.legend}</legend>
              ${Fields.groupFault({ values: () => "", problems }, "keep_days", LABELS.keep_days)}
              <div class="choices four">
                ${HistoryChoice.OPTIONS.map(
                  ({ keep, text, value }) =>
                    html`<div class="choice">
                      <input
                        type="radio"
                        name="keep_days"
                        value="${value}"
                        id="keep-${value}"
                        ${flag("checked", keep === history.keep)}
                      />
                      <div><label for="keep-${value}">${text}</label></div>
                    </div>`
                )}
              </div>
            </fieldset>
            <button>${words.save}</button>
          </form>
        </section>`
    })
  })

/**
 * Groups of links to the settings. The setting how long history is kept is on this page, and every other setting has a
 * page of its own.
 */
const groups = (portal: string, visitor: Visitor.Visitor, { keep }: Described) =>
  Effect.map(NoticeChoice.row(portal, visitor), (notices) => {
    const row = (heading: Html, text: Html, to: string, open: Html): Row => ({ heading, text, to, open })
    const at = (page: string) => `${portal}/settings/${page}`
    const { address, deletion, export: archive, factor, history, imports, password, sessions } = words
    const { lead, title } = texts.portal.exports
    const isMailed = getsMail(visitor.account)
    return html`${group("data", words.groups.data, [
      row(title, lead, at("export"), archive.open),
      row(history.heading, history.present(HistoryChoice.textOf(keep)), "#history", history.open),
      row(imports.heading, imports.text, `${portal}/imports/new`, imports.open),
      row(deletion.heading, deletion.text, at("delete-account"), deletion.open)
    ])}
    ${group("account", words.groups.account, [
      NamePage.row(portal, visitor),
      row(
        address.heading,
        SignUpRequest.isReleased(visitor.account)
          ? texts.signIn.address.none
          : address.text(visitor.account.email, isMailed),
        at("email"),
        address.open
      ),
      row(password.heading, password.text(isMailed), at("password"), password.open),
      row(factor.heading, factor.text, at("second-factor"), factor.open),
      row(sessions.heading, sessions.text, at("sessions"), sessions.open)
    ])}
    ${group("pages", words.groups.pages, [
      notices,
      LanguagePage.row(portal, visitor),
      TimeZonePage.row(portal, visitor)
    ])}`
  })

const present = ({ fixes, keep, nextDeletionAt, oldestAt, visits }: Described): Html =>
  fixes + visits === 0
    ? html`<p class="note">${words.history.none}</p>`
    : html`<dl>
        <dt>${words.history.stored}</dt>
        <dd>${extent({ fixes, visits })}</dd>
        ${
          oldestAt !== null &&
          html`<dt>${words.history.since}</dt>
            <dd>${time(oldestAt)}</dd>`
        }
        <dt>${words.history.nextDeletion}</dt>
        <dd>${nextDeletion(keep, nextDeletionAt)}</dd>
      </dl>`

const nextDeletion = (keep: History.Keep, at: Described["nextDeletionAt"]): Html => {
  if (keep === null) return words.history.never
  const age = HistoryChoice.textOf(keep)
  return at === null ? words.history.hourly(age) : words.history.next(time(at), age)
}

const extent = ({ fixes, visits }: Pick<Extent, "fixes" | "visits">): Html => words.history.extent(fixes, visits)

/**
 * Asks the person to confirm the change, because deleted history cannot be restored. Nothing is changed before the
 * confirmation.
 */
const confirm = (portal: string, visitor: Visitor.Visitor, keep: History.Keep, value: string, going: Extent) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    return yield* respond({
      title: words.keepLess.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      main: html`<h1>${words.keepLess.heading(HistoryChoice.textOf(keep))}</h1>
        <div class="note warn">
          <p>${words.keepLess.going(extent(going), going.oldestAt === null ? null : time(going.oldestAt))}</p>
        </div>
        <form method="post" action="${portal}/settings/history" class="actions">
          ${Fields.hidden("form_token", token)} ${Fields.hidden("keep_days", value)}
          ${Fields.hidden("confirmed", "yes")}
          <button class="danger">${words.keepLess.confirm(HistoryChoice.textOf(keep))}</button>
          <a href="${portal}/settings">${words.keepLess.cancel}</a>
        </form>`
    })
  })

const Choice = Schema.Struct({ keep_days: HistoryChoice.Value })

const choose = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const choice = Form.decode(Choice, { keep_days: form.value("keep_days") })
      if (Either.isLeft(choice)) return yield* settings(portal, visitor, choice.left)
      const value = choice.right.keep_days
      const keep = HistoryChoice.keepOf(value)
      const going = form.value("confirmed") === "yes" ? undefined : yield* previewChoice(visitor.account.id, keep)
      if (going !== undefined && going.fixes + going.visits > 0)
        return yield* confirm(portal, visitor, keep, value, going)
      yield* chooseHistory(visitor.account.id, keep)
      return seeOther(`${portal}/settings?done=history-chosen`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/settings`,
      Visitor.signedIn((visitor) => settings(portal, visitor))
    ),
    Routes.post(`${portal}/settings/history`, choose(portal))
  ]
}
