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
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import * as HistoryChoice from "../kit/HistoryChoice.js"
import { flag, type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { count, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as NoticeChoice from "../settings/notices.js"
import * as TimeZonePage from "../settings/timeZone.js"
import { notice } from "./notices.js"

const LABELS = { keep_days: "How long" }

const settings = (portal: string, visitor: Visitor.Visitor, problems: Fields.Shown["problems"] = []) =>
  Effect.gen(function* () {
    const history = yield* describeHistory(visitor.account.id)
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    return respond({
      title: "Settings",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: problems.length === 0 ? 200 : 400,
      main: html`<h1>Settings</h1>
        ${problems.length === 0 && notice(query.value("done"))}
        ${Fields.problems({ values: () => "", problems }, LABELS)}
        <section class="card" aria-labelledby="history">
          <h2 id="history">How long your history is kept</h2>
          <p>
            Your history is where your phones were, and when you came to your places and left. It is kept for ever
            unless you choose otherwise here. Apps that you allowed to look back see no further than you choose. What is
            older is deleted for good, every hour, and what a phone sends that is older is not stored.
          </p>
          <p class="soft small">Your access log is kept separately: you can read the requests of apps for 400 days.</p>
          ${present(history)}
          <form method="post" action="${portal}/settings/history">
            ${Fields.hidden("form_token", token)}
            <fieldset id="keep_days">
              <legend>Keep my history for</legend>
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
            <button>Save</button>
          </form>
        </section>
        ${TimeZonePage.section(portal, visitor)} ${yield* NoticeChoice.section(portal, visitor)}
        <section class="card" aria-labelledby="address">
          <h2 id="address">Your e-mail address</h2>
          <p>${visitor.account.email}. You sign in with it, and we write there.</p>
          <p><a class="button second" href="${portal}/settings/email">Change or confirm it…</a></p>
        </section>
        <section class="card" aria-labelledby="password">
          <h2 id="password">Your password</h2>
          <p>A new password signs out every other browser. We tell you by mail.</p>
          <p><a class="button second" href="${portal}/settings/password">Change my password…</a></p>
        </section>
        <section class="card" aria-labelledby="factor">
          <h2 id="factor">Your second factor</h2>
          <p>A passkey or a one-time code beside your password, so that the password alone signs nobody in.</p>
          <p><a class="button second" href="${portal}/settings/second-factor">Passkeys and codes…</a></p>
        </section>
        <section class="card" aria-labelledby="sessions">
          <h2 id="sessions">Where you are signed in</h2>
          <p>The browsers in which you are signed in, each with a button that signs it out.</p>
          <p><a class="button second" href="${portal}/settings/sessions">Show them</a></p>
        </section>
        <section class="card" aria-labelledby="export">
          <h2 id="export">Take your data along</h2>
          <p>Download one file with everything that this service has about you.</p>
          <p><a class="button second" href="${portal}/settings/export">Take my data along…</a></p>
        </section>
        <section class="card" aria-labelledby="account">
          <h2 id="account">Delete your account</h2>
          <p>Deletes all your data and disconnects every app. The next page says exactly what, before you decide.</p>
          <p><a class="button second" href="${portal}/settings/delete-account">Delete my account…</a></p>
        </section>`
    })
  })

const present = ({ fixes, keep, nextDeletionAt, oldestAt, visits }: Described): Html =>
  fixes + visits === 0
    ? html`<p class="note">You have no history at the moment.</p>`
    : html`<dl>
        <dt>Stored</dt>
        <dd>${extent({ fixes, visits })}</dd>
        ${
          oldestAt !== null &&
          html`<dt>Since</dt>
            <dd>${time(oldestAt)}</dd>`
        }
        <dt>Next deletion</dt>
        <dd>
          ${keep === null ? "Never, unless you choose a limit" : html`${nextDeletionAt === null ? "Every hour" : time(nextDeletionAt)}: what is ${HistoryChoice.textOf(keep)} old by then`}
        </dd>
      </dl>`

const extent = ({ fixes, visits }: Pick<Extent, "fixes" | "visits">): string =>
  `${count(fixes)} ${fixes === 1 ? "location" : "locations"} and ${count(visits)} ${visits === 1 ? "visit" : "visits"}`

/** Asks for confirmation and changes nothing yet: the deleted history cannot be brought back. */
const confirm = (portal: string, visitor: Visitor.Visitor, keep: History.Keep, value: string, going: Extent) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    return respond({
      title: "Keep less of your history?",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      main: html`<h1>Keep ${HistoryChoice.textOf(keep)} only?</h1>
        <div class="note warn">
          <p>
            <strong>${extent(going)} would be deleted for good</strong
            >${going.oldestAt !== null && html`, the oldest from ${time(going.oldestAt)}`}. Apps stop seeing them at
            once; nobody can bring them back.
          </p>
        </div>
        <form method="post" action="${portal}/settings/history" class="actions">
          ${Fields.hidden("form_token", token)} ${Fields.hidden("keep_days", value)}
          ${Fields.hidden("confirmed", "yes")}
          <button class="danger">Delete them and keep ${HistoryChoice.textOf(keep)}</button>
          <a href="${portal}/settings">Change nothing</a>
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
