import { Account } from "@place-access/domain/accounts"
import { InvitationId, MemberId, Timestamp } from "@place-access/domain/shared"
import {
  changeMemberRole,
  handOver,
  inviteMember,
  leaveTeam,
  type ListedMember,
  readTeam,
  removeMember,
  Role,
  Team,
  withdrawInvitation
} from "@place-access/domain/teams"
import { Effect, Either, Schema } from "effect"
import { flag, type Html, html } from "../../html/Html.js"
import { texts, textsIn } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import * as Errors from "../../wire/Errors.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Removal from "../kit/Removal.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { appHead, appPath, DEVELOPER, may, ownApp, type TeamApp } from "./shared.js"

const words = texts.team

const LABELS = words.labels

const teamPath = (app: Pick<TeamApp, "id">): string => `${appPath(app)}/team`

/** What the page of the team shows after a refusal: the form with its problems, or the reason of the refusal. */
interface FormRefusal {
  readonly form?: Fields.Shown
  readonly refused?: string
}

const page = (visitor: Visitor.Visitor, app: TeamApp, { form, refused }: FormRefusal = {}) =>
  Effect.gen(function* () {
    const team = yield* readTeam(visitor.account, app.id)
    const token = yield* Visitor.tokenFor(visitor)
    const query = yield* Form.query
    const title = words.title(app.name)
    const rules = may(app, "team")
    return yield* respond({
      title,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: refused !== undefined ? 409 : form === undefined ? 200 : 400,
      main: html`${appHead(app, "/team")} ${form === undefined && refused === undefined && notice(query.value("done"))}
        ${
          refused !== undefined &&
          html`<div class="note warn" role="alert"><p>${words.notDone(ofDomain(refused))}</p></div>`
        }
        ${form !== undefined && Fields.problems(form, LABELS)}
        <p class="soft">${words.lead}</p>
        <section aria-labelledby="members">
          <h2 id="members">${words.members}</h2>
          ${Table.stacked(
            [words.name, words.role, words.since, ...(rules ? [words.change] : [])],
            team.members.map((member) => row(app, member, team.isHolder, token))
          )}
        </section>
        ${
          rules &&
          html`${isClosed(app) ? closedNote(app) : inviteForm(app, form, token)}
            <section class="card" aria-labelledby="invitations">
              <h2 id="invitations">${words.invitations}</h2>
              ${
                team.invitations.length === 0
                  ? html`<p class="empty">${words.noInvitations}</p>`
                  : html`<ul>
                      ${team.invitations.map((invitation) => open(app, invitation, token))}
                    </ul>`
              }
            </section>`
        }
        <section class="card" aria-labelledby="leave">
          <h2 id="leave">${words.leave}</h2>
          ${
            team.isHolder
              ? html`<p>${isClosed(app) ? words.holderStaysForGood : words.holderStays}</p>`
              : html`<details>
                  <summary>${words.leave}</summary>
                  <div>
                    <p>${words.leaveText}</p>
                    <form method="post" action="${teamPath(app)}/leave">
                      ${Fields.hidden("form_token", token)}<button class="danger">${words.leave}</button>
                    </form>
                  </div>
                </details>`
          }
        </section>`
    })
  })

/** Whether the service refuses every invitation and every hand-over of the app (`TeamLife.CLOSED`). */
const isClosed = ({ revokedAt, suspendedAt }: TeamApp): boolean => revokedAt !== null || suspendedAt !== null

const closedNote = ({ revokedAt }: TeamApp): Html =>
  html`<p class="soft">${revokedAt === null ? words.closedOnHold : words.closedRevoked}</p>`

const row = (app: TeamApp, member: ListedMember, isReaderHolder: boolean, token: string): Html =>
  html`<tr>
    <td data-label="${words.name}">
      ${member.name}${member.isReader && html` <span class="badge quiet">${words.you}</span>`}${
        member.email !== null && html`<br /><span class="soft small whole">${Table.breakable(member.email)}</span>`
      }
    </td>
    <td data-label="${words.role}">
      ${words.roles[member.role]}${
        member.id === null &&
        html` <span class="badge">${words.holder}</span><br /><span class="soft small">${words.holderText}</span>`
      }
    </td>
    <td data-label="${words.since}">${member.since === null ? "—" : time(member.since, "row")}</td>
    ${
      may(app, "team") &&
      html`<td data-label="${words.change}">
        ${member.id === null ? "—" : changes(app, { ...member, id: member.id }, isReaderHolder, token)}
      </td>`
    }
  </tr>`

const changes = (
  app: TeamApp,
  { id, isReader, name, role }: ListedMember & { readonly id: MemberId },
  isReaderHolder: boolean,
  token: string
): Html => {
  const path = `${teamPath(app)}/members/${id}`
  return html`<details>
      <summary aria-label="${words.changeRole}: ${name}">${words.changeRole}</summary>
      <form method="post" action="${path}/role">
        ${Fields.hidden("form_token", token)}
        <div class="field">
          <label for="role-${id}">${words.newRole(name)}</label>
          <select id="role-${id}" name="role">
            ${Role.TeamRole.literals.map(
              (one) => html`<option value="${one}" ${flag("selected", one === role)}>${words.roles[one]}</option>`
            )}
          </select>
        </div>
        <button class="second" aria-label="${words.save}: ${name}">${words.save}</button>
      </form>
    </details>
    ${
      isReaderHolder &&
      !isClosed(app) &&
      role === "owner" &&
      html`<details>
        <summary aria-label="${words.handOver}: ${name}">${words.handOver}</summary>
        <form method="post" action="${path}/hand-over">
          ${Fields.hidden("form_token", token)}
          <p>${words.handOverText}</p>
          <button class="danger" aria-label="${words.handOver}: ${name}">${words.handOver}</button>
        </form>
      </details>`
    }
    ${
      !isReader &&
      html`<details>
        <summary aria-label="${words.remove}: ${name}">${words.remove}</summary>
        <form method="post" action="${path}/remove">
          ${Fields.hidden("form_token", token)}<button class="danger" aria-label="${words.remove}: ${name}">
            ${words.remove}
          </button>
        </form>
      </details>`
    }`
}

const inviteForm = (app: TeamApp, form: Fields.Shown | undefined, token: string): Html => {
  const shown = form ?? Fields.fresh({ role: "developer" })
  const roles = Role.TeamRole.literals.map((value) => ({ value, text: html`${words.roles[value]}` }))
  return html`<section class="card" aria-labelledby="invite">
    <h2 id="invite">${words.invite}</h2>
    <p>${words.inviteText(Team.INVITATION_LIFETIME / Timestamp.DAY)}</p>
    <dl>
      ${Role.TeamRole.literals.map(
        (role) =>
          html`<dt>${words.roles[role]}</dt>
            <dd>${words.does[role]}</dd>`
      )}
    </dl>
    <form method="post" action="${teamPath(app)}/invitations">
      ${Fields.hidden("form_token", token)}
      ${Fields.input(shown, { name: "email", label: LABELS.email, type: "email", autocomplete: "off", maxlength: 254 })}
      ${Fields.select(shown, { name: "role", label: LABELS.role, hint: words.roleHint }, roles)}
      <button>${words.send}</button>
    </form>
  </section>`
}

const open = (app: TeamApp, invitation: Team.Invitation, token: string): Html =>
  html`<li>
    ${invitation.email}: ${words.roles[invitation.role]}.
    <span class="soft small">${words.ends}: ${time(Team.endsAt(invitation))}</span>
    <form method="post" action="${teamPath(app)}/invitations/${invitation.id}/withdraw">
      ${Fields.hidden("form_token", token)}<button class="second" aria-label="${words.withdraw}: ${invitation.email}">
        ${words.withdraw}
      </button>
    </form>
  </li>`

const show = Visitor.signedIn((visitor) => Effect.flatMap(ownApp(visitor, "read"), (app) => page(visitor, app)))

const Draft = Schema.Struct({ email: Account.Email, role: Role.TeamRole })

const invite = Visitor.fresh((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "team")
    const showAgain = (problems: Fields.Shown["problems"]) => page(visitor, app, { form: Form.shown(form, problems) })
    const draft = Form.decode(Draft, { email: form.value("email"), role: form.value("role") })
    if (Either.isLeft(draft)) return yield* showAgain(draft.left)
    yield* RateOfAccount.take(RateOfAccount.INVITATION, visitor.account.id)
    const invited = seeOther(`${teamPath(app)}?done=team-invited`)
    return yield* inviteMember(visitor.account, app.id, draft.right).pipe(
      Effect.as(invited),
      Effect.catchTag("Conflict", ({ reason }) =>
        Effect.gen(function* () {
          const { invitations } = yield* readTeam(visitor.account, app.id)
          const now = yield* Timestamp.now
          if (Team.wasJustInvited(invitations, visitor.account.id, draft.right, now)) return invited
          return yield* showAgain([{ field: "email", message: words.cannotBeInvited(ofDomain(reason)) }])
        })
      )
    )
  })
)

/**
 * Handles a button of the page: checks the form's token, and shows the page again with the reason of a refusal. `act`
 * returns the address to go to.
 */
const acted =
  <E, R>(
    act: (
      visitor: Visitor.Visitor,
      app: TeamApp,
      form: Form.Form
    ) => Effect.Effect<string, E | { readonly _tag: "Conflict"; readonly reason: string }, R>
  ) =>
  (visitor: Visitor.Visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const app = yield* ownApp(visitor, "read")
      return yield* act(visitor, app, form).pipe(
        Effect.map(seeOther),
        Effect.catchIf(isConflict, ({ reason }) => page(visitor, app, { refused: reason }))
      )
    })

const isConflict = (error: unknown): error is { readonly _tag: "Conflict"; readonly reason: string } =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "Conflict"

const memberId = param("member", MemberId, "member")

/** The visitor's membership in the team. Undefined when `id` is the id of another membership. */
const ownMembership = (visitor: Visitor.Visitor, app: TeamApp, id: MemberId) =>
  Effect.map(readTeam(visitor.account, app.id), ({ members }) => members.find((one) => one.id === id && one.isReader))

const setRole = Visitor.fresh(
  acted((visitor, app, form) =>
    Effect.gen(function* () {
      const role = yield* Schema.decodeUnknown(Role.TeamRole)(form.value("role")).pipe(
        Effect.mapError(() => Errors.invalidRequest(textsIn("en").frame.messages.unknownRole))
      )
      const id = yield* memberId
      yield* changeMemberRole(visitor.account, app.id, id, role).pipe(
        // When owners give up their own role and press the button twice, the second request is refused, because they
        // may not change the team any more. The first request has already given them the chosen role, so the refusal is
        // no error.
        Effect.catchTag("Forbidden", (error) =>
          Effect.flatMap(ownMembership(visitor, app, id), (own) => (own?.role === role ? Effect.void : error))
        )
      )
      return `${teamPath(app)}?done=team-role-changed`
    })
  )
)

const remove = Visitor.fresh(
  acted((visitor, app) =>
    Effect.gen(function* () {
      const id = yield* memberId
      // In the row of the visitor, the page has no button that removes the member. But a page of an earlier release,
      // which may still be open, has such a button.
      const own = yield* ownMembership(visitor, app, id)
      yield* Removal.once("member", removeMember(visitor.account, app.id, id))
      return own === undefined ? `${teamPath(app)}?done=team-member-removed` : `${DEVELOPER}?done=team-left`
    })
  )
)

const give = Visitor.fresh(
  acted((visitor, app) =>
    Effect.gen(function* () {
      const id = yield* memberId
      // Only a request of the holder counts against the limit, because only the holder can hand the app over. When the
      // holder presses the button twice, somebody else holds the app at the second request, so the second request does
      // not count.
      if (app.ownerId === visitor.account.id) yield* RateOfAccount.take(RateOfAccount.HAND_OVER, visitor.account.id)
      yield* handOver(visitor.account, app.id, id)
    }).pipe(
      Effect.as(`${teamPath(app)}?done=team-handed-over`),
      // The person who pressed the button is not the app's holder any more: for example, the holder pressed the button
      // twice. The first request made another member the holder, and left this person an owner. The page then shows who
      // the holder is.
      Effect.catchTag("Forbidden", (error) =>
        app.role === "owner" ? Effect.succeed(teamPath(app)) : Effect.fail(error)
      )
    )
  )
)

const withdraw = Visitor.signedIn(
  acted((visitor, app) =>
    Effect.flatMap(param("invitation", InvitationId, "invitation"), (id) =>
      Effect.as(
        Removal.once("invitation", withdrawInvitation(visitor.account, app.id, id)),
        `${teamPath(app)}?done=team-withdrawn`
      )
    )
  )
)

const leaveOnce = acted((visitor, app) => Effect.as(leaveTeam(visitor.account, app.id), `${DEVELOPER}?done=team-left`))

/**
 * When a person presses the button twice, the person is not in the team any more at the second request. The answer is
 * the same for every app in whose team the person is not, so the answer does not show which apps exist.
 */
const leave = Visitor.signedIn((visitor) =>
  Effect.catchTag(leaveOnce(visitor), "NotFound", () => Effect.succeed(seeOther(DEVELOPER)))
)

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app/team`, show),
  Routes.post(`${DEVELOPER}/apps/:app/team/invitations`, invite),
  Routes.post(`${DEVELOPER}/apps/:app/team/invitations/:invitation/withdraw`, withdraw),
  Routes.post(`${DEVELOPER}/apps/:app/team/members/:member/role`, setRole),
  Routes.post(`${DEVELOPER}/apps/:app/team/members/:member/remove`, remove),
  Routes.post(`${DEVELOPER}/apps/:app/team/members/:member/hand-over`, give),
  Routes.post(`${DEVELOPER}/apps/:app/team/leave`, leave)
]
