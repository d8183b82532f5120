import { endOtherSessions, endSession, type ListedSession, listSessions } from "@place-access/domain/accounts"
import { SessionId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { HttpOptions, portalPath, type ServiceOptions } from "../../HttpOptions.js"
import * as Credentials from "../../security/Credentials.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "./notices.js"

const page = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const sessions = yield* listSessions(visitor.account.id, visitor.cookie)
      const query = yield* Form.query
      const token = yield* Visitor.tokenFor(visitor)
      const others = sessions.filter(({ isCurrent }) => !isCurrent)
      return respond({
        title: "Where you are signed in",
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/settings`,
        width: "middle",
        main: html`<p><a href="${portal}/settings">Settings</a></p>
          <h1>Where you are signed in</h1>
          <p class="lead">
            A browser that is not used is signed out after 14 days, and every browser 30 days after it signed in.
          </p>
          ${notice(query.value("done"))}
          <ul class="plain">
            ${sessions.map((one) => card(portal, one, token))}
          </ul>
          ${others.length === 0 ? html`<p>You are signed in nowhere else.</p>` : endOthers(portal, token)}
          <p>
            Do you see a browser that you do not know? Sign it out, then
            <a href="${portal}/settings/password">change your password</a>.
          </p>`
      })
    })
  )

const card = (portal: string, { id, isCurrent, session }: ListedSession, token: string): Html => {
  const name = session.browser ?? "A browser or a program"
  return html`<li class="card">
    <header>
      <h2>${name}</h2>
      ${isCurrent && html`<span class="badge">This browser</span>`}
    </header>
    <dl>
      <dt>Signed in</dt>
      <dd>${time(session.createdAt)}</dd>
      <dt>Network address at sign-in</dt>
      <dd>${session.address ?? "Not known"}</dd>
      <dt>Last used, to the hour</dt>
      <dd>${isCurrent ? "Now" : time(session.seenAt)}</dd>
    </dl>
    <form method="post" action="${portal}/settings/sessions/${id}/end">
      ${Fields.hidden("form_token", token)}
      <button class="second" aria-label="Sign out ${name}">Sign out</button>
    </form>
  </li>`
}

const endOthers = (portal: string, token: string): Html =>
  html`<form method="post" action="${portal}/settings/sessions/end-others" class="actions">
    ${Fields.hidden("form_token", token)}
    <button>Sign out everywhere else</button>
  </form>`

const end = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const id = yield* param("id", SessionId, "session")
      const sessions = yield* listSessions(visitor.account.id, visitor.cookie)
      // A session that is over already is what the person wants.
      yield* Effect.catchTag(endSession(visitor.account.id, id), "NotFound", () => Effect.void)
      return sessions.some((one) => one.id === id && one.isCurrent)
        ? Credentials.clearSession(seeOther("/"), yield* HttpOptions)
        : seeOther(`${portal}/settings/sessions?done=session-ended`)
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
