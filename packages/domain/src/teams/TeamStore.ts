import { Context, type Option } from "effect"
import type { Email } from "../accounts/Account.js"
import type { AppId, MemberId, StoreEffect, UserId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Invitation, Team } from "./Team.js"
import type { Taker, TeamOutcome } from "./TeamLife.js"

/** An invitation with the app that it is for, as the invited person reads it. */
export interface ReceivedInvitation {
  readonly appId: AppId
  readonly appName: string
  readonly invitation: Invitation
}

/** Members and invitations of apps. The role of an account in a team is `Team.roleOf`. */
export class TeamStore extends Context.Tag("@place-access/domain/teams/TeamStore")<
  TeamStore,
  {
    /** An app's team. None when there is no such app. */
    readonly find: (appId: AppId) => StoreEffect<Option.Option<Team>>
    /**
     * The open invitations of this address to apps that are not revoked, newest first, then by id in descending order.
     * At most 100 are returned. With `appId`, only invitations to that app.
     */
    readonly listInvited: (
      email: Email,
      now: Timestamp,
      appId?: AppId
    ) => StoreEffect<ReadonlyArray<ReceivedInvitation>>
    /**
     * Locks the app, gives its team to `decide` and commits the team, audit event and mails that `decide` returns.
     * Mails about invitations that are no longer in the team are deleted, if they are not sent yet. `decide` is a plain
     * function. `taker` is the member who takes the app over, if the change is a handover. The store locks the account
     * of this member and gives the account's state to `decide`. When `taker` is left out, `decide` gets `NO_TAKER`.
     * `suspended` has the accounts of the team, the holder's included, that are suspended. None when there is no such
     * app, or when the account of a new member was deleted meanwhile.
     */
    readonly update: <E>(
      appId: AppId,
      decide: (team: Team, now: Timestamp, taker: Taker, suspended: ReadonlyArray<UserId>) => TeamOutcome<E>,
      taker?: MemberId
    ) => StoreEffect<Option.Option<TeamOutcome<E>>>
  }
>() {}
