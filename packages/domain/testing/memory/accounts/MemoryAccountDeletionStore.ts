import { Effect, Either, Layer, Option } from "effect"
import { type Account, hasRole } from "../../../src/accounts/Account.js"
import type { App } from "../../../src/apps/App.js"
import * as AccountDeletion from "../../../src/deletions/AccountDeletion.js"
import { AccountDeletionStore } from "../../../src/deletions/AccountDeletionStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { AppId, UserId } from "../../../src/shared/Ids.js"
import * as TeamLife from "../../../src/teams/TeamLife.js"
import * as Teams from "../apps/MemoryTeamStore.js"
import { hasAnotherOfStaff } from "./anotherOfStaff.js"
import * as Leftovers from "./MemoryLeftovers.js"
import { bucketOf } from "../leases/buckets.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"

export const layer: Layer.Layer<AccountDeletionStore, never, MemoryDatabase> = Layer.effect(
  AccountDeletionStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { accountDeletions, accounts } = tables
    const set = (id: Account["id"], lookAt: Timestamp.Timestamp): void => {
      const row = accountDeletions.get(id)
      if (row !== undefined) accountDeletions.set(id, { ...row, lookAt })
    }
    return AccountDeletionStore.of({
      describe: (userId) =>
        Effect.sync(() =>
          Option.map(Option.fromNullable(accounts.get(userId)), ({ account }) => stateOf(tables, account))
        ),
      begin: (userId, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const credentials = accounts.get(userId)
          if (credentials === undefined) return Option.none()
          const state = stateOf(tables, credentials.account)
          const decided = decide(state, now)
          if (Either.isRight(decided)) close(tables, state, decided.right)
          return Option.some(decided)
        }),
      due: (buckets, limit, now) =>
        Effect.sync(() =>
          [...accountDeletions]
            .filter(([userId, { lookAt }]) => lookAt <= now && buckets.includes(bucketOf(userId)))
            .sort(([, a], [, b]) => a.lookAt - b.lookAt)
            .slice(0, limit)
            .map(([userId, { requestedAt }]) => ({ userId, requestedAt }))
        ),
      removeSome: (userId, now, limit) => Effect.sync(() => Leftovers.remove(tables, userId, now, limit)),
      lookAgain: (userId, at) => Effect.sync(() => set(userId, at)),
      finish: (userId) =>
        Effect.sync(() => {
          const key = `${AccountDeletion.NOBODY.id} ${AccountDeletion.receiptKey(userId)}`
          tables.mail.delete(key)
          tables.mailStates.delete(key)
          accountDeletions.delete(userId)
          for (const subject of tables.rateWindows.keys()) {
            if (subject.includes(userId)) tables.rateWindows.delete(subject)
          }
        })
    })
  })
)

const stateOf = (tables: Tables, account: Account): AccountDeletion.Outlook => {
  const { accounts, apps, connections } = tables
  return {
    account,
    isLastAdmin: hasRole(account, "admin") && !hasAnotherOfStaff(tables, [account.id], ["admin"]),
    apps: [...apps.values()]
      .filter(({ app }) => app.ownerId === account.id)
      .sort((a, b) => a.app.createdAt - b.app.createdAt || (a.app.id < b.app.id ? -1 : 1))
      .map(({ app }) => ({
        app,
        people: [...connections.values()].filter(
          (one) =>
            one.appId === app.id &&
            one.endedAt === null &&
            one.userId !== account.id &&
            (accounts.get(one.userId)?.account.testOf ?? null) === null
        ).length,
        heir: heirOf(tables, app.id)
      }))
  }
}

const heirOf = (tables: Tables, id: AppId): UserId | null => {
  const team = Teams.teamOf(tables, id)
  const isSuspended = (userId: UserId) => tables.accounts.get(userId)?.account.suspendedAt !== null
  return (team === undefined ? undefined : TeamLife.heir(team, isSuspended))?.userId ?? null
}

const close = (
  tables: Tables,
  { account: { email, id }, apps: owned }: AccountDeletion.AccountDeletionState,
  { inheritances, lookAt, receipt, requestedAt }: AccountDeletion.Going
): void => {
  const { NOBODY } = AccountDeletion
  const { accounts, apps, connections, devices, endpoints, events, sessions, signInTries } = tables
  if (!accounts.has(NOBODY.id)) accounts.set(NOBODY.id, { account: NOBODY, passwordHash: "", passwordVersion: 0 })
  const revokedIds = new Set(owned.filter(AccountDeletion.isRevoked).map(({ app }) => app.id))
  Teams.endInvitations(tables, (one) => one.email === email || one.invitedBy === id || revokedIds.has(one.appId))
  for (const { app, heir } of owned) {
    const team = Teams.teamOf(tables, app.id)
    if (team !== undefined && heir !== null) {
      const members = team.members.filter(({ userId }) => userId !== heir)
      Teams.write(tables, team, { ...team, holderId: heir, members })
      continue
    }
    if (team !== undefined) Teams.write(tables, team, null)
    const revoked: App = {
      ...app,
      ownerId: NOBODY.id,
      redirectUris: [],
      submission: null,
      proposal: null,
      revokedAt: app.revokedAt ?? requestedAt,
      reviewNote: app.revokedAt === null ? AccountDeletion.REVOKED_NOTE : app.reviewNote
    }
    apps.set(app.id, { app: revoked, secrets: [] })
    for (const endpoint of endpoints.values()) if (endpoint.appId === app.id) endpoints.delete(endpoint.id)
  }
  for (const [key, one] of signInTries) if (one.email === email) signInTries.delete(key)
  for (const [key, one] of tables.pendingAccounts) if (one.email === email) tables.pendingAccounts.delete(key)
  for (const [key, one] of sessions) if (one.userId === id) sessions.delete(key)
  for (const [key, one] of tables.accountLinks) if (one.userId === id) tables.accountLinks.delete(key)
  tables.factors.delete(id)
  for (const [key, one] of devices) {
    if (one.userId === id && one.removedAt === null) devices.set(key, { ...one, removedAt: requestedAt })
  }
  for (const [key, one] of connections) {
    if (one.userId !== id || one.endedAt !== null) continue
    connections.set(key, { ...one, endedAt: requestedAt, endReason: "user_disconnected" })
  }
  for (const [key, one] of events) {
    if (one.userId === id && one.fannedOutAt === null) events.set(key, { ...one, fannedOutAt: requestedAt })
  }
  for (const [key, one] of tables.exports) {
    if (one.export.userId !== id) continue
    tables.exports.delete(key)
    for (const piece of tables.exportPieces.keys()) if (piece.startsWith(`${key} `)) tables.exportPieces.delete(piece)
  }
  for (const [key, one] of tables.appMembers) if (one.userId === id) tables.appMembers.delete(key)
  for (const { audit, notice } of inheritances) {
    MemoryAuditLog.append(tables, audit)
    MemoryMailOutbox.queue(tables, notice, requestedAt)
  }
  if (receipt !== null) MemoryMailOutbox.queue(tables, receipt, requestedAt)
  const appIds = owned
    .filter(AccountDeletion.isRevoked)
    .flatMap(({ app }) => (AccountDeletion.goesEntirely(app) ? [app.id] : []))
  tables.accountDeletions.set(id, { requestedAt, lookAt, appIds })
  accounts.delete(id)
}
