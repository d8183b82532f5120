import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Account } from "@place-access/domain/accounts"
import { AccountLimits } from "@place-access/domain/quotas"
import { Role } from "@place-access/domain/teams"
import { Schema } from "effect"
import { RepeatAction } from "../idempotency/RepeatAction.js"
import { HAND_OVER, INVITATION, RateOfAccount } from "../security/RateOfAccount.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"
import { AppPath } from "./AppsApi.js"

const FRESH = "Needs a sign-in or a confirmation of the last 15 minutes."

const TeamRole = Role.TeamRole.annotations({
  identifier: "TeamRole",
  description:
    "`owner`: everything; `developer`: everything but client secrets, redirect URIs and the team; `viewer`: reads figures, logs and deliveries"
})

/** Both path schemas here accept any text as an id, so that a malformed id gets 404, like an unknown id, not 400. */
const MemberPath = Schema.Struct({
  ...AppPath.fields,
  member_id: Schema.String.pipe(Schema.brand("MemberId"))
})
const InvitationPath = Schema.Struct({
  ...AppPath.fields,
  invitation_id: Schema.String.pipe(Schema.brand("InvitationId"))
})

const Member = Schema.Struct({
  id: Schema.NullOr(Schema.String).annotations({
    description: "Names the membership, not the account. Null: the holder, in whose name the app is registered"
  }),
  name: Schema.String.annotations({ description: "The display name of the account" }),
  email: Schema.NullOr(Schema.String).annotations({
    description: "Null for readers who are not owners, and for an account without an address"
  }),
  role: TeamRole,
  since: Fields.NullableAt.annotations({ description: "When the member joined; null for the holder" }),
  is_you: Schema.Boolean.annotations({ description: "Whether it is the signed-in account" })
}).annotations({ identifier: "TeamMember" })

const InvitationBody = Schema.Struct({
  id: Schema.String.annotations({ description: "The id of the invitation" }),
  email: Schema.String.annotations({ description: "The invited address; it may have no account" }),
  role: TeamRole,
  created_at: Fields.at("When the invitation was made"),
  expires_at: Fields.at("Exclusive: 7 days after it was made")
}).annotations({ identifier: "TeamInvitation" })

const TeamBody = Schema.Struct({
  role: TeamRole,
  members: Schema.Array(Member).annotations({
    description: `The holder first, then by age; at most ${AccountLimits.MEMBERS.most}`
  }),
  invitations: Schema.Array(InvitationBody).annotations({
    description: `The open ones; none for readers who are not owners; at most ${AccountLimits.INVITATIONS.most}`
  })
}).annotations({ identifier: "Team" })

const Received = Schema.Struct({
  app_id: Schema.String.annotations({ description: "The id of the app" }),
  app_name: Schema.String.annotations({ description: "The name of the app" }),
  ...InvitationBody.fields
}).annotations({ identifier: "ReceivedInvitation" })

export const TeamApi = HttpApiGroup.make("team")
  .add(
    HttpApiEndpoint.get("get", "/v1/developer/apps/:app_id/team")
      .setPath(AppPath)
      .addSuccess(TeamBody)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The team of an app")
  )
  .add(
    HttpApiEndpoint.post("invite", "/v1/developer/apps/:app_id/team/invitations")
      .setPath(AppPath)
      .setPayload(Fields.request({ email: Account.Email, role: TeamRole }))
      .addSuccess(InvitationBody, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.ConfirmationRequired)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, INVITATION)
      .annotate(RepeatAction, "team")
      .annotate(OpenApi.Summary, "Invite somebody into the team")
      .annotate(
        OpenApi.Description,
        `For owners. The answer is the same whether the address has an account or not; an account with this confirmed address gets a mail if your own address is confirmed, at most two an hour from all teams. 409 when the person is a member or invited already, and at the limits. ${FRESH}`
      )
  )
  .add(
    HttpApiEndpoint.del("withdraw", "/v1/developer/apps/:app_id/team/invitations/:invitation_id")
      .setPath(InvitationPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Withdraw an invitation")
  )
  .add(
    HttpApiEndpoint.get("received", "/v1/developer/invitations")
      .addSuccess(
        Schema.Struct({
          invitations: Schema.Array(Received).annotations({ description: "Newest first, at most 100" }),
          nextCursor: Schema.Null
        })
      )
      .annotate(OpenApi.Summary, "The open invitations of the signed-in account")
      .annotate(
        OpenApi.Description,
        "Those to its e-mail address, once the address is confirmed. The list has one page."
      )
  )
  .add(
    HttpApiEndpoint.post("accept", "/v1/developer/apps/:app_id/team/invitations/:invitation_id/accept")
      .setPath(InvitationPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Accept an invitation and join the team")
      .annotate(
        OpenApi.Description,
        `404 for an invitation to another address, and for an invitation that has ended. 409 when you are in the team already, the team has ${AccountLimits.MEMBERS.most} people, the app was revoked, or its holder is suspended.`
      )
  )
  .add(
    HttpApiEndpoint.post("decline", "/v1/developer/apps/:app_id/team/invitations/:invitation_id/decline")
      .setPath(InvitationPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Decline an invitation")
  )
  .add(
    HttpApiEndpoint.patch("changeRole", "/v1/developer/apps/:app_id/team/members/:member_id")
      .setPath(MemberPath)
      .setPayload(Fields.request({ role: TeamRole }))
      .addSuccess(TeamBody)
      .addError(Errors.NotFound)
      .addError(Errors.ConfirmationRequired)
      .annotate(OpenApi.Summary, "Give a member another role")
      .annotate(OpenApi.Description, `For owners. Nobody changes the role of the holder. ${FRESH}`)
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/developer/apps/:app_id/team/members/:member_id")
      .setPath(MemberPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .addError(Errors.ConfirmationRequired)
      .annotate(OpenApi.Summary, "Remove a member")
      .annotate(OpenApi.Description, `For owners; a member can remove itself. Nobody removes the holder. ${FRESH}`)
  )
  .add(
    HttpApiEndpoint.post("handOver", "/v1/developer/apps/:app_id/team/members/:member_id/hand-over")
      .setPath(MemberPath)
      .addSuccess(TeamBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.ConfirmationRequired)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, HAND_OVER)
      .annotate(RepeatAction, "team")
      .annotate(OpenApi.Summary, "Hand the app over to another owner")
      .annotate(
        OpenApi.Description,
        `For the holder, who stays as an owner. 409 when the member is no owner, has ${AccountLimits.APPS.most} apps, or the app was revoked. 429 after ${AccountLimits.HAND_OVERS.most} hand-overs in a day. ${FRESH}`
      )
  )
  .add(
    HttpApiEndpoint.post("leave", "/v1/developer/apps/:app_id/team/leave")
      .setPath(AppPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Leave the team")
      .annotate(OpenApi.Description, "409 for the holder, who hands the app over first.")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Teams")
  .annotate(OpenApi.Description, "For developers: who works on an app, with which role")
