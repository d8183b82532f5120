import { endOtherSessions, endSession, type ListedSession, listSessions } from "@place-access/domain/accounts"
import { SessionId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { HttpOptions, portalPath, type ServiceOptions } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Credentials from "../../security/Credentials.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "./notices.js"

const words = texts.settings.sessions

const page = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const sessions = yield* listSessions(visitor.account.id, visitor.cookie)
      const query = yield* Form.query
      const token = yield* Visitor.tokenFor(visitor)
      const others = sessions.filter(({ isCurrent }) => !isCurrent)
      return yield* respond({
        title: words.heading,
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/settings`,
        width: "middle",
        main: html`<p><a href="${portal}/settings">${texts.settings.title}</a></p>
          <h1>${words.heading}</h1>
          <p class="lead">${words.lead}</p>
          ${notice(query.value("done"))}
          <ul class="plain">
            ${sessions.map((one) => card(portal, one, token))}
          </ul>
          ${others.length === 0 ? html`<p>${words.nowhereElse}</p>` : endOthers(portal, token)}
          <p>${words.unknown(`${portal}/settings/password`)}</p>`
      })
    })
  )

/** The browser of a session, such as `Firefox on Linux`, in the reader's language. */
const browserOf = (name: string | null): Html => (name === null ? words.someBrowser : texts.frame.browser(name))

const card = (portal: string, { id, isCurrent, session }: ListedSession, token: string): Html => {
  const name = browserOf(session.browser)
  return html`<li class="card">
    <header>
      <h2>${name}</h2>
      ${isCurrent && html`<span class="badge">${words.thisBrowser}</span>`}
    </header>
    <dl>
      <dt>${words.signedIn}</dt>
      <dd>${time(session.createdAt)}</dd>
      <dt>${words.address}</dt>
      <dd>${session.address ?? words.addressUnknown}</dd>
      <dt>${words.lastUsed}</dt>
      <dd>${isCurrent ? words.now : time(session.seenAt)}</dd>
    </dl>
    <form method="post" action="${portal}/settings/sessions/${id}/end">
      ${Fields.hidden("form_token", token)}
      <button class="second" aria-label="${words.signOutOf(name)}">${words.signOut}</button>
    </form>
  </li>`
}

const endOthers = (portal: string, token: string): Html =>
  html`<form method="post" action="${portal}/settings/sessions/end-others" class="actions">
    ${Fields.hidden("form_token", token)}
    <button>${words.signOutOthers}</button>
  </form>`

const end = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const id = yield* param("id", SessionId, "session")
      const sessions = yield* listSessions(visitor.account.id, visitor.cookie)
      // When an id is not found, the browser may still be signed in: for example, a browser whose person confirmed who
      // they are has a new cookie, and so its session has a new id.
      const done = yield* endSession(visitor.account.id, id).pipe(
        Effect.as("session-ended"),
        Effect.catchTag("NotFound", () => Effect.succeed("session-not-listed"))
      )
      return sessions.some((one) => one.id === id && one.isCurrent)
        ? Credentials.clearSession(seeOther("/"), yield* HttpOptions)
        : seeOther(`${portal}/settings/sessions?done=${done}`)
    })
  )

const endAllOthers = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* endOtherSessions(visitor.account.id, visitor.cookie)
      return seeOther(`${portal}/settings/sessions?done=sessions-ended`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(`${portal}/settings/sessions`, page(portal)),
    Routes.post(`${portal}/settings/sessions/end-others`, endAllOthers(portal)),
    Routes.post(`${portal}/settings/sessions/:id/end`, end(portal))
  ]
}
