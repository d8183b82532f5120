import { type ConnectionView, listAppUsers } from "@place-access/domain/connection"
import { Effect } from "effect"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appHead, appPath, DEVELOPER, ownApp } from "./shared.js"

const PAGE = 50

type User = ConnectionView.AppUser

/** The users who connected the app, under the ids that the app knows, never with their account data (Spec §2.1). */
const list = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor)
    const query = yield* Form.query
    const cursor = query.value("cursor")
    const first = { limit: PAGE, cursor: undefined }
    const { nextCursor, users } = yield* listAppUsers(visitor.account, app.id, {
      ...first,
      cursor: cursor === "" ? undefined : cursor
    }).pipe(
      // A cursor that somebody has tampered with: the list starts at its beginning.
      Effect.catchTag("Invalid", () => listAppUsers(visitor.account, app.id, first))
    )
    const path = `${appPath(app)}/users`
    return respond({
      title: `${app.name}: users`,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      main: html`${appHead(app, "/users")}
        <p class="soft">
          Everybody who connected the app, the newest first, ended connections included. You know users by the
          <code>sub</code> that your app gets and by the <code>external_user_id</code> that it sent.
        </p>
        ${users.length === 0 ? html`<p class="empty">Nobody has connected the app yet. Send a user to the authorize address under Overview.</p>` : table(path, users)}
        <p class="actions">
          ${cursor !== "" && html`<a href="${path}">Newest</a>`}
          ${nextCursor !== null && html`<a class="button second" href="${path}?cursor=${nextCursor}">Older</a>`}
        </p>`
    })
  })
)

const table = (path: string, users: ReadonlyArray<User>): Html =>
  Table.stacked(
    ["User", "State", "Scopes", "Connected", "Ends"],
    users.map(
      (user) =>
        html`<tr>
          <td data-label="User">
            <code>${user.sub}</code
            >${user.externalUserId !== null && html`<br /><span class="soft small">external_user_id</span> ${user.externalUserId}`}<br /><span
              class="soft small"
              >grant_id</span
            >
            <code>${user.grantId}</code>
          </td>
          <td data-label="State">
            ${state(user)}${user.live && html`<br /><a href="${path}/${user.grantId}/rules">Rules</a>`}
          </td>
          <td data-label="Scopes">${scopes(user)}</td>
          <td data-label="Connected">${time(user.connectedAt)}</td>
          <td data-label="Ends">${ends(user)}</td>
        </tr>`
    )
  )

const state = ({ endReason, live, sensitiveLapsedAt }: User): Html =>
  !live
    ? html`<span class="badge quiet">Ended</span> ${endReason !== null && html`<br /><code>${endReason}</code>`}`
    : sensitiveLapsedAt !== null
      ? html`<span class="badge warn">Sensitive lapsed</span>`
      : html`<span class="badge">Live</span>`

/** Scopes that are held but not effective: they lapsed, or the connection has ended. */
const scopes = ({ heldScopes, scopes: effective }: User): Html =>
  heldScopes.length === 0
    ? html`<span class="soft">None</span>`
    : html`<ul class="plain">
        ${heldScopes.map(
          (scope) =>
            html`<li>
              <code>${scope}</code>${!effective.includes(scope) && html` <span class="badge quiet">Not now</span>`}
            </li>`
        )}
      </ul>`

const ends = ({ endedAt, grantExpiresAt, renewalGraceEndsAt, sensitiveExpiresAt, sensitiveLapsedAt }: User): Html =>
  endedAt !== null
    ? html`Ended ${time(endedAt)}`
    : html`${grantExpiresAt === null ? "No end date" : time(grantExpiresAt)}${
        sensitiveExpiresAt !== null &&
        html`<br /><span class="soft small"
            >${
              sensitiveLapsedAt === null
                ? html`Sensitive until ${time(sensitiveExpiresAt)}`
                : html`Sensitive lapsed
                  ${time(sensitiveLapsedAt)}${renewalGraceEndsAt !== null && html`, renewable until ${time(renewalGraceEndsAt)}`}`
            }</span
          >`
      }`

export const routes = [Routes.get(`${DEVELOPER}/apps/:app/users`, list)]
