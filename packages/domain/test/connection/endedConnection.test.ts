import { disconnect, getConnection, listAppUsers, listConsentHistory } from "@place-access/domain/connection"
import { ConsentFlow, MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { inWorld } from "../support/connections.js"
import { CURRENT, LOOKUP, sensitivePair } from "../support/consents.js"

/**
 * A connection that shared the exact location for one day. The user ended the connection an hour after its creation.
 * That was 60 days ago.
 */
const ended = Effect.gen(function* () {
  const { app, user } = yield* sensitivePair
  const made = yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP], { standardDays: "90", sensitiveDays: "1" })
  yield* TestClock.adjust("1 hour")
  yield* disconnect(user.id, made.connectionId)
  yield* TestClock.adjust("60 days")
  return { ...made, app, user }
})

describe("a connection that ended long ago [connection-1, connection-2, connection-7]", () => {
  it("shows what it had at its end, although the grace period of exact location would be over by now", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, user } = yield* ended
        const view = yield* getConnection(user.id, connectionId)
        expect(view).toMatchObject({ live: false, scopes: [], heldScopes: [CURRENT, LOOKUP], sensitiveLapsedAt: null })
        expect(view.sensitiveExpiresAt).not.toBeNull()
        const [owner] = [...(yield* MemoryDatabase).accounts.values()].filter(
          ({ account }) => account.id === app.ownerId
        )
        if (owner === undefined) throw new Error("nobody owns the app")
        const { users } = yield* listAppUsers(owner.account, app.id, { limit: 1, cursor: undefined })
        expect(users[0]).toMatchObject({ live: false, scopes: [], heldScopes: [CURRENT, LOOKUP] })
      })
    ))

  it("its history says which permissions ended, also those that the app no longer declares", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, user } = yield* ended
        const { apps } = yield* MemoryDatabase
        apps.set(app.id, { app: { ...app, declaredScopes: [CURRENT] }, secrets: [] })
        const [end] = yield* listConsentHistory(user.id, connectionId)
        expect(end).toMatchObject({ change: "ended", scopes: [], removed: { scopes: [CURRENT, LOOKUP] } })
      })
    ))
})
