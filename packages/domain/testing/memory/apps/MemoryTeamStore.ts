import { Effect, Either, Layer, Option } from "effect"
import { isGone } from "../../../src/apps/App.js"
import type { AppId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Team from "../../../src/teams/Team.js"
import { NO_TAKER, type Taker } from "../../../src/teams/TeamLife.js"
import { invitationKey } from "../../../src/teams/TeamNotice.js"
import { TeamStore } from "../../../src/teams/TeamStore.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"

/** The largest number of invitations that `listInvited` returns. */
const LISTED = 100

export const layer: Layer.Layer<TeamStore, never, MemoryDatabase> = Layer.effect(
  TeamStore,
  Effect.map(MemoryDatabase, (tables) =>
    TeamStore.of({
      find: (appId) => Effect.sync(() => Option.fromNullable(teamOf(tables, appId))),
      listInvited: (email, now, appId) =>
        Effect.sync(() =>
          inOrder([...tables.appInvitations.values()], ({ createdAt }) => createdAt)
            .toReversed()
            .filter((one) => one.email === email && Team.isOpen(one, now))
            .filter((one) => appId === undefined || one.appId === appId)
            .flatMap(({ appId: of, ...invitation }) => {
              const app = tables.apps.get(of)?.app
              return app === undefined || app.revokedAt !== null ? [] : [{ appId: of, appName: app.name, invitation }]
            })
            .slice(0, LISTED)
        ),
      update: (appId, decide, taker) =>
        Effect.map(Timestamp.now, (now) => {
          const before = teamOf(tables, appId)
          if (before === undefined) return Option.none()
          const takes = before.members.find(({ id }) => id === taker)?.userId
          const suspended = [before.holderId, ...before.members.map(({ userId }) => userId)].filter(
            (userId) => takerOf(tables, userId).isSuspended
          )
          const outcome = decide(before, now, takes === undefined ? NO_TAKER : takerOf(tables, takes), suspended)
          if (Either.isRight(outcome) && outcome.right !== null) {
            const { audit, mails, team } = outcome.right
            if (team.members.some(({ userId }) => !tables.accounts.has(userId))) return Option.none()
            endInvitations(tables, (one) => one.appId === appId && !team.invitations.some(({ id }) => id === one.id))
            write(tables, before, team)
            MemoryAuditLog.append(tables, audit)
            for (const mail of mails) MemoryMailOutbox.queue(tables, mail, now)
          }
          return Option.some(outcome)
        })
    })
  )
)

const takerOf = (tables: Tables, userId: UserId): Taker => ({
  held: [...tables.apps.values()].filter(({ app }) => app.ownerId === userId).length,
  isSuspended: (tables.accounts.get(userId)?.account.suspendedAt ?? null) !== null
})

/** The team of an app; undefined when the app does not exist. */
export const teamOf = (tables: Tables, appId: AppId): Team.Team | undefined => {
  const app = tables.apps.get(appId)?.app
  if (app === undefined) return undefined
  const own = <A extends { readonly appId: AppId }>(rows: Iterable<A>) =>
    [...rows]
      .filter((row) => row.appId === appId)
      .map((row) => {
        const { appId: _, ...rest } = row
        return rest
      })
  return {
    appId,
    appName: app.name,
    holderId: app.ownerId,
    isClosed: isGone(app),
    members: inOrder(own(tables.appMembers.values()), ({ since }) => since),
    invitations: inOrder(own(tables.appInvitations.values()), ({ createdAt }) => createdAt)
  }
}

/** The members of an app, without its holder and without members whose accounts are suspended. */
export const activeMembersOf = (tables: Tables, appId: AppId): ReadonlyArray<Team.Member> =>
  (teamOf(tables, appId)?.members ?? []).filter(({ userId }) => !takerOf(tables, userId).isSuspended)

/**
 * Replaces the members, the invitations and the holder of the app by those of the team `after`. If `after` is null,
 * removes the members and invitations.
 */
export const write = (tables: Tables, { appId }: Pick<Team.Team, "appId">, after: Team.Team | null): void => {
  for (const [key, one] of tables.appMembers) if (one.appId === appId) tables.appMembers.delete(key)
  for (const [key, one] of tables.appInvitations) if (one.appId === appId) tables.appInvitations.delete(key)
  if (after === null) return
  for (const member of after.members) tables.appMembers.set(member.id, { ...member, appId })
  for (const invitation of after.invitations) tables.appInvitations.set(invitation.id, { ...invitation, appId })
  const registered = tables.apps.get(appId)
  if (registered === undefined) return
  tables.apps.set(appId, { ...registered, app: { ...registered.app, ownerId: after.holderId } })
}

/**
 * Deletes the invitations for which `isEnded` is true. Also deletes their waiting mails, because these mails would
 * contain an invitation that nobody can accept.
 */
export const endInvitations = (
  { accounts, appInvitations, mail, mailStates }: Tables,
  isEnded: (invitation: Team.Invitation & { readonly appId: AppId }) => boolean
): void => {
  for (const [key, one] of appInvitations) {
    if (!isEnded(one)) continue
    appInvitations.delete(key)
    const invitee = [...accounts.values()].find(({ account }) => account.email === one.email)?.account.id
    const mailKey = `${invitee} ${invitationKey(one.id)}`
    const state = mailStates.get(mailKey)
    if (state === undefined || !MemoryMailOutbox.isOpen(state)) continue
    mail.delete(mailKey)
    mailStates.delete(mailKey)
  }
}

const inOrder = <A extends { readonly id: string }>(
  rows: ReadonlyArray<A>,
  at: (row: A) => Timestamp.Timestamp
): ReadonlyArray<A> => [...rows].sort((a, b) => at(a) - at(b) || (a.id < b.id ? -1 : 1))
