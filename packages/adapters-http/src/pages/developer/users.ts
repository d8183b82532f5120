import { type ConnectionView, listAppUsers } from "@place-access/domain/connection"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { texts } from "../../languages/index.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appHead, appPath, DEVELOPER, ownApp } from "./shared.js"

const words = texts.developer.users

const PAGE = 50

type User = ConnectionView.AppUser

/**
 * Lists the users who connected the app. The list shows each user's id for this app, and never their account data (Spec
 * §2.1).
 */
const list = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor, "develop")
    const query = yield* Form.query
    const cursor = query.value("cursor")
    const first = { limit: PAGE, cursor: undefined }
    const { nextCursor, users } = yield* listAppUsers(visitor.account, app.id, {
      ...first,
      cursor: cursor === "" ? undefined : cursor
    }).pipe(
      // When somebody has changed the cursor in the address, the page shows the beginning of the list.
      Effect.catchTag("Invalid", () => listAppUsers(visitor.account, app.id, first))
    )
    const path = `${appPath(app)}/users`
    return yield* respond({
      title: words.title(app.name),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      main: html`${appHead(app, "/users")}
        <p class="soft">${words.lead}</p>
        ${users.length === 0 ? html`<p class="empty">${words.empty}</p>` : table(path, users)}
        <p class="actions">
          ${cursor !== "" && html`<a href="${path}">${words.newest}</a>`}
          ${nextCursor !== null && html`<a class="button second" href="${path}?cursor=${nextCursor}">${words.older}</a>`}
        </p>`
    })
  })
)

const table = (path: string, users: ReadonlyArray<User>): Html =>
  Table.stacked(
    [words.user, words.state, words.scopes, words.connected, words.ends],
    users.map(
      (user) =>
        html`<tr>
          <td data-label="${words.user}">
            <code class="whole">${user.sub}</code
            >${user.externalUserId !== null && html`<br /><span class="soft small"><code>external_user_id</code></span> ${user.externalUserId}`}<br /><span
              class="soft small"
              ><code>grant_id</code></span
            >
            <code class="whole">${user.grantId}</code>
          </td>
          <td data-label="${words.state}">
            ${state(user)}${user.live && html`<br /><a href="${path}/${user.grantId}/rules">${words.rules}</a>`}
          </td>
          <td class="whole" data-label="${words.scopes}">${scopes(user)}</td>
          <td data-label="${words.connected}">${time(user.connectedAt)}</td>
          <td data-label="${words.ends}">${ends(user)}</td>
        </tr>`
    )
  )

const state = ({ endReason, live, sensitiveLapsedAt }: User): Html =>
  !live
    ? html`<span class="badge quiet">${words.ended}</span>
        ${endReason !== null && html`<br /><span class="soft small">${words.reasons[endReason]}</span><br />${Table.code(endReason)}`}`
    : sensitiveLapsedAt !== null
      ? html`<span class="badge warn">${words.lapsed}</span>`
      : html`<span class="badge">${words.live}</span>`

/**
 * The scopes that the user granted. While the connection is live, a badge marks each granted scope that the app cannot
 * use because the scope has lapsed.
 */
const scopes = ({ heldScopes, live, scopes: effective }: User): Html =>
  heldScopes.length === 0
    ? html`<span class="soft">${words.noScope}</span>`
    : html`<ul class="plain">
        ${heldScopes.map(
          (scope) =>
            html`<li>
              <code>${Table.breakable(scope)}</code
              >${live && !effective.includes(scope) && html` <span class="badge quiet">${words.notNow}</span>`}
            </li>`
        )}
      </ul>`

const ends = ({ endedAt, grantExpiresAt, renewalGraceEndsAt, sensitiveExpiresAt, sensitiveLapsedAt }: User): Html =>
  endedAt !== null
    ? words.endedAt(time(endedAt))
    : html`${grantExpiresAt === null ? words.noEnd : time(grantExpiresAt)}${
        sensitiveExpiresAt !== null &&
        html`<br /><span class="soft small"
            >${
              sensitiveLapsedAt === null
                ? words.sensitiveUntil(time(Timestamp.earlier(sensitiveExpiresAt, grantExpiresAt)))
                : renewalGraceEndsAt === null
                  ? words.sensitiveLapsed(time(sensitiveLapsedAt))
                  : words.renewable(
                      time(sensitiveLapsedAt),
                      time(Timestamp.earlier(renewalGraceEndsAt, grantExpiresAt))
                    )
            }</span
          >`
      }`

export const routes = [Routes.get(`${DEVELOPER}/apps/:app/users`, list)]
