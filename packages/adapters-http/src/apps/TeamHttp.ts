import {
  acceptInvitation,
  changeMemberRole,
  declineInvitation,
  handOver,
  inviteMember,
  leaveTeam,
  listInvitations,
  type ListedTeam,
  readTeam,
  removeMember,
  Team,
  withdrawInvitation
} from "@place-access/domain/teams"
import type { AppId, InvitationId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import { requireFreshSignIn } from "../security/FreshSignIn.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"

const rule = Effect.map(HttpOptions, (options) => options.addressRule)

const named = ({
  app_id: appId,
  invitation_id: id
}: {
  readonly app_id: AppId
  readonly invitation_id: InvitationId
}) => ({
  appId,
  id
})

const toInvitation = ({ createdAt, email, id, role }: Team.Invitation) => ({
  id,
  email,
  role,
  created_at: createdAt,
  expires_at: Team.endsAt({ createdAt })
})

const toBody = ({ invitations, members, role }: ListedTeam) => ({
  role,
  members: members.map(({ isReader, ...member }) => ({ ...member, is_you: isReader })),
  invitations: invitations.map(toInvitation)
})

const uninterruptible = { uninterruptible: true } as const

export const layer = Group.group(Api, "team", (handlers) =>
  handlers
    .handle("get", ({ path }) =>
      Effect.gen(function* () {
        return toBody(yield* readTeam(yield* SignedIn, path.app_id))
      }).pipe(toWire)
    )
    .handle(
      "invite",
      ({ path, payload }) =>
        Effect.gen(function* () {
          yield* requireFreshSignIn
          return toInvitation(yield* inviteMember(yield* SignedIn, path.app_id, payload))
        }).pipe(toWire),
      uninterruptible
    )
    .handle(
      "withdraw",
      ({ path }) =>
        Effect.gen(function* () {
          yield* withdrawInvitation(yield* SignedIn, path.app_id, path.invitation_id)
        }).pipe(toWire),
      uninterruptible
    )
    .handle("received", () =>
      Effect.gen(function* () {
        const received = yield* listInvitations(yield* SignedIn, yield* rule)
        return {
          invitations: received.map(({ appId, appName, invitation }) => ({
            app_id: appId,
            app_name: appName,
            ...toInvitation(invitation)
          })),
          nextCursor: null
        }
      }).pipe(toWire)
    )
    .handle(
      "accept",
      ({ path }) =>
        Effect.gen(function* () {
          yield* acceptInvitation(yield* SignedIn, yield* rule, named(path))
        }).pipe(toWire),
      uninterruptible
    )
    .handle(
      "decline",
      ({ path }) =>
        Effect.gen(function* () {
          yield* declineInvitation(yield* SignedIn, yield* rule, named(path))
        }).pipe(toWire),
      uninterruptible
    )
    .handle(
      "changeRole",
      ({ path, payload: { role } }) =>
        Effect.gen(function* () {
          yield* requireFreshSignIn
          const account = yield* SignedIn
          yield* changeMemberRole(account, path.app_id, path.member_id, role)
          return toBody(yield* readTeam(account, path.app_id))
        }).pipe(toWire),
      uninterruptible
    )
    .handle(
      "remove",
      ({ path }) =>
        Effect.gen(function* () {
          yield* requireFreshSignIn
          yield* removeMember(yield* SignedIn, path.app_id, path.member_id)
        }).pipe(toWire),
      uninterruptible
    )
    .handle(
      "handOver",
      ({ path }) =>
        Effect.gen(function* () {
          yield* requireFreshSignIn
          const account = yield* SignedIn
          yield* handOver(account, path.app_id, path.member_id)
          return toBody(yield* readTeam(account, path.app_id))
        }).pipe(toWire),
      uninterruptible
    )
    .handle(
      "leave",
      ({ path }) =>
        Effect.gen(function* () {
          yield* leaveTeam(yield* SignedIn, path.app_id)
        }).pipe(toWire),
      uninterruptible
    )
)
