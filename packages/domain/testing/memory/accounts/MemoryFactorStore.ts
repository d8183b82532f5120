import { Effect, Layer, Option } from "effect"
import * as Factors from "../../../src/factors/Factors.js"
import { FactorStore } from "../../../src/factors/FactorStore.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"

export const layer: Layer.Layer<FactorStore, never, MemoryDatabase> = Layer.effect(
  FactorStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { accounts, factors, passkeyChallenges, sessions } = tables
    const stateOf = (userId: UserId): Factors.FactorState | undefined => {
      const credentials = accounts.get(userId)
      if (credentials === undefined) return undefined
      const { account, passwordVersion } = credentials
      return { account, passwordVersion, factors: factors.get(userId) ?? Factors.NONE }
    }
    return FactorStore.of({
      read: (userId) => Effect.sync(() => Option.fromNullable(stateOf(userId))),
      change: (userId, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const state = stateOf(userId)
          if (state === undefined) return Option.none()
          const [outcome, change] = decide(state, now)
          if (change === null) return Option.some(outcome)
          factors.set(userId, change.factors)
          for (const mail of change.mails) MemoryMailOutbox.queue(tables, mail, now)
          for (const event of change.audit) MemoryAuditLog.append(tables, event)
          if (change.endsSessions) {
            for (const [hash, one] of sessions) if (one.userId === userId) sessions.delete(hash)
          }
          return Option.some(outcome)
        }),
      keepChallenge: (digest, expiresAt) => Effect.sync(() => void passkeyChallenges.set(digest, expiresAt)),
      takeChallenge: (digest, now) =>
        Effect.sync(() => {
          const expiresAt = passkeyChallenges.get(digest)
          passkeyChallenges.delete(digest)
          return expiresAt !== undefined && now < expiresAt
        })
    })
  })
)
