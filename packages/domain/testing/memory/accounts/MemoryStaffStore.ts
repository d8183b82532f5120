import { Effect, Either, Layer, Option } from "effect"
import { EMAIL_TAKEN, hasRole, isPerson } from "../../../src/accounts/Account.js"
import { Conflict } from "../../../src/shared/Errors.js"
import { StaffStore } from "../../../src/staff/StaffStore.js"
import type { AppId, UserId } from "../../../src/shared/Ids.js"
import * as Page from "../../../src/shared/Page.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Teams from "../apps/MemoryTeamStore.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"
import { hasAnotherOfStaff } from "./anotherOfStaff.js"
import { release } from "./MemoryCredentialStore.js"

export const layer: Layer.Layer<StaffStore, never, MemoryDatabase> = Layer.effect(
  StaffStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { accounts, apps, pastSuspensions } = tables
    return StaffStore.of({
      change: (id, step) =>
        Effect.map(Timestamp.now, (now) => {
          const credentials = accounts.get(id)
          if (credentials === undefined || !isPerson(credentials.account)) return Option.none()
          const hasOtherAdmin = !hasRole(credentials.account, "admin") || hasAnotherOfStaff(tables, [id], ["admin"])
          const stepped = step({ account: credentials.account, hasOtherAdmin }, now)
          if (Either.isLeft(stepped)) return Option.some(Either.left(stepped.left))
          if (stepped.right === null) return Option.some(Either.right(credentials.account))
          const { account, audit, ended, notice } = stepped.right
          const addEnded = (of: UserId | AppId) => {
            if (ended !== undefined) pastSuspensions.set(of, [...(pastSuspensions.get(of) ?? []), ended])
          }
          if (account.email !== credentials.account.email) {
            release(tables, account.email, id)
            if ([...accounts.values()].some((one) => one.account.email === account.email)) {
              return Option.some(Either.left(new Conflict({ reason: EMAIL_TAKEN })))
            }
          }
          accounts.set(id, { ...credentials, account })
          addEnded(id)
          for (const [appId, registered] of apps) {
            if (registered.app.ownerId !== id) continue
            apps.set(appId, { ...registered, app: { ...registered.app, suspendedAt: account.suspendedAt } })
            addEnded(appId)
          }
          if (account.suspendedAt !== credentials.account.suspendedAt) {
            Teams.endInvitations(tables, ({ invitedBy }) => invitedBy === id)
          }
          MemoryAuditLog.append(tables, audit)
          MemoryMailOutbox.queue(tables, notice, now)
          return Option.some(Either.right(account))
        }),
      list: (limit, after) =>
        Effect.sync(() => {
          const rows = [...accounts.values()]
            .map(({ account }) => account)
            .filter(isPerson)
            .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
            .filter((account) => Page.isOlder(account.createdAt, account.id, after))
          return Page.of(rows, limit, (last) => [last.createdAt, last.id])
        })
    })
  })
)
