import { Effect, Layer, Option } from "effect"
import * as App from "../../../src/apps/App.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import { AccountLimits } from "../../../src/quotas/index.js"
import * as Page from "../../../src/shared/Page.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import { isNewer } from "../isNewer.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as MemoryTeamStore from "./MemoryTeamStore.js"
import * as MemoryReviews from "./MemoryReviews.js"
import * as MemoryRules from "../rules/MemoryRules.js"

export const layer: Layer.Layer<AppStore, never, MemoryDatabase> = Layer.effect(
  AppStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { appLogos, apps } = tables
    const isMember = ({ id }: App.App, userId: UserId) =>
      [...tables.appMembers.values()].some((member) => member.appId === id && member.userId === userId)
    return AppStore.of({
      create: (app) =>
        Effect.sync(() => {
          const owned = [...apps.values()].filter((one) => one.app.ownerId === app.ownerId)
          const owner = tables.accounts.get(app.ownerId)?.account
          if (owner === undefined || owner.suspendedAt !== null) return "NoOwner"
          if (owned.length >= AccountLimits.APPS.most) return "Full"
          apps.set(app.id, { app, secrets: [] })
          return "Made"
        }),
      findLogo: (id, digest) => Effect.sync(() => Option.fromNullable(appLogos.get(`${id} ${digest}`))),
      find: (id) => Effect.sync(() => Option.map(Option.fromNullable(apps.get(id)), ({ app }) => app)),
      findRegistered: (id) => Effect.sync(() => Option.fromNullable(apps.get(id))),
      members: (id) => Effect.sync(() => MemoryTeamStore.teamOf(tables, id)?.members ?? []),
      listOf: (userId, limit, after) =>
        Effect.sync(() => {
          const rows = [...apps.values()]
            .map(({ app }) => app)
            .filter((app) => app.ownerId === userId || isMember(app, userId))
            .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
            .filter((app) => isNewer(app.createdAt, app.id, after))
          return Page.of(rows, limit, (last) => [last.createdAt, last.id])
        }),
      list: (limit, after) =>
        Effect.sync(() => {
          const rows = [...apps.values()]
            .map(({ app }) => app)
            .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
            .filter((app) => Page.isOlder(app.createdAt, app.id, after))
          return Page.of(rows, limit, (last) => [last.createdAt, last.id])
        }),
      update: (id, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const before = apps.get(id)
          if (before === undefined) return Option.none()
          const members = MemoryTeamStore.activeMembersOf(tables, id)
          const { after, audit, logo, outcome, recorded } = decide(before, now, members)
          if (recorded !== undefined) MemoryReviews.record(tables, recorded)
          if (audit !== undefined) MemoryAuditLog.append(tables, audit)
          if (after !== null) {
            MemoryRules.noteScopes(tables, id, App.scopes(before.app), App.scopes(after.app), now)
            const { createdAt, ownerId } = before.app
            apps.set(id, { ...after, app: { ...after.app, id, ownerId, createdAt } })
            if (logo !== undefined) appLogos.set(`${id} ${logo.digest}`, logo.png)
            const named = [after.app.logo, after.app.proposal?.logo].map((digest) => `${id} ${digest}`)
            for (const key of appLogos.keys()) {
              if (key.startsWith(`${id} `) && !named.includes(key)) appLogos.delete(key)
            }
          }
          return Option.some(outcome)
        })
    })
  })
)
