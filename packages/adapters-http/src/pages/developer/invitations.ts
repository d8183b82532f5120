import { getAppWithRole } from "@place-access/domain/apps"
import { InvitationId, AppId } from "@place-access/domain/shared"
import {
  acceptInvitation,
  declineInvitation,
  getInvitation,
  type ReceivedInvitation,
  Team,
  TeamNotice
} from "@place-access/domain/teams"
import { Effect } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appPath, DEVELOPER } from "./shared.js"

const words = texts.team

/** A section for the list of apps, with the invitations that the visitor can accept. False without an invitation. */
export const waiting = (invitations: ReadonlyArray<ReceivedInvitation>): Html | false =>
  invitations.length > 0 &&
  html`<section class="card" aria-labelledby="invitations">
    <h2 id="invitations">${words.invitation.waiting}</h2>
    <ul>
      ${invitations.map(
        ({ appId, appName, invitation }) =>
          html`<li>
            <a href="${TeamNotice.invitationPath(appId, invitation.id)}">${words.invitation.open(appName)}</a>
          </li>`
      )}
    </ul>
  </section>`

const named = Effect.gen(function* () {
  const appId = yield* param("app", AppId, "invitation")
  return { appId, id: yield* param("invitation", InvitationId, "invitation") }
})

const rule = Effect.map(HttpOptions, (options) => options.addressRule)

const page = (visitor: Visitor.Visitor, refused?: string) =>
  Effect.gen(function* () {
    const requested = yield* named
    const { appName, by, invitation } = yield* getInvitation(visitor.account, yield* rule, requested)
    const token = yield* Visitor.tokenFor(visitor)
    const path = TeamNotice.invitationPath(requested.appId, requested.id)
    const title = words.invitation.title(appName)
    return yield* respond({
      title,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      width: "middle",
      status: refused === undefined ? 200 : 409,
      main: html`<h1>${title}</h1>
        <p class="lead">
          ${words.invitation.text(by === null ? "—" : by.email === null ? by.displayName : html`${by.displayName} (${by.email})`, appName)}
        </p>
        ${
          refused !== undefined &&
          html`<div class="note warn" role="alert"><p>${words.notDone(ofDomain(refused))}</p></div>`
        }
        <section class="card" aria-labelledby="role">
          <h2 id="role">${words.role}: ${words.roles[invitation.role]}</h2>
          <p>${words.does[invitation.role]}</p>
          <p>${words.invitation.seen}</p>
          <p class="soft">${words.invitation.until(time(Team.endsAt(invitation)))}</p>
          <div class="actions">
            <form method="post" action="${path}/accept">
              ${Fields.hidden("form_token", token)}<button>${words.invitation.accept}</button>
            </form>
            <form method="post" action="${path}/decline">
              ${Fields.hidden("form_token", token)}<button class="second">${words.invitation.decline}</button>
            </form>
          </div>
        </section>`
    })
  })

const show = Visitor.signedIn((visitor) => page(visitor))

const accept = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const requested = yield* named
    return yield* acceptInvitation(visitor.account, yield* rule, requested).pipe(
      // When the person presses the button twice, the second request finds no invitation, because the first request has
      // already added the person to the team.
      Effect.catchTag("NotFound", () => getAppWithRole(visitor.account, requested.appId, "read")),
      Effect.as(seeOther(`${appPath({ id: requested.appId })}?done=team-joined`)),
      Effect.catchTag("Conflict", ({ reason }) => page(visitor, reason))
    )
  })
)

const decline = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const requested = yield* named
    const declined = seeOther(`${DEVELOPER}?done=team-declined`)
    return yield* declineInvitation(visitor.account, yield* rule, requested).pipe(
      Effect.as(declined),
      // The invitation no longer exists: for example, the person pressed the button twice, or accepted the invitation
      // in another tab.
      Effect.catchTag("NotFound", () =>
        getAppWithRole(visitor.account, requested.appId, "read").pipe(
          Effect.map(({ app }) => seeOther(appPath(app))),
          Effect.catchTag("NotFound", () => Effect.succeed(declined))
        )
      )
    )
  })
)

export const routes = [
  Routes.get(`${DEVELOPER}/invitations/:app/:invitation`, show),
  Routes.post(`${DEVELOPER}/invitations/:app/:invitation/accept`, accept),
  Routes.post(`${DEVELOPER}/invitations/:app/:invitation/decline`, decline)
]
