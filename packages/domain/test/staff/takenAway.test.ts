import { narrowApp } from "@place-access/domain/apps"
import { revokeApp } from "@place-access/domain/staff"
import { authenticateAccess, refreshTokens } from "@place-access/domain/tokens"
import { ConnectionStore, endRevoked, listConnections } from "@place-access/domain/connection"
import { Verdict } from "@place-access/domain/reviews"
import { StoreError } from "@place-access/domain/shared"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { Effect, TestClock } from "effect"
import { describe, expect, it } from "vitest"
import { inWorld, people, refused } from "../support/reviews.js"

const reason = Verdict.Note.make("It sold what it saw.")

describe("what an admin takes away is gone at once [§5.6, §6.3.5]", () => {
  const connected = Effect.gen(function* () {
    const { owner, admin } = yield* people
    const { app, clientSecret } = yield* Fixtures.registeredApp(owner, { status: "production" })
    const user = yield* Fixtures.user
    const { tokens, connectionId } = yield* ConsentFlow.connect(app, user, [
      "location.place.current",
      "location.visits.read"
    ])
    return { admin, app, clientSecret, user, connectionId, token: tokens.accessToken, refresh: tokens.refreshToken }
  })
  const scopes = (token: string) => Effect.map(authenticateAccess(token), (caller) => caller.scopes)

  it("narrowing narrows live tokens, and lifting it widens them again", () =>
    inWorld(
      Effect.gen(function* () {
        const { admin, app, token } = yield* connected
        yield* narrowApp(admin, app.id, ["location.visits.read", "location.lookup"], "unchecked")
        expect(yield* scopes(token)).toEqual(["location.visits.read"])
        yield* narrowApp(admin, app.id, [], "unchecked")
        expect(yield* scopes(token)).toEqual([])
        yield* narrowApp(admin, app.id, null, "unchecked")
        expect(yield* scopes(token)).toEqual(["location.place.current", "location.visits.read"])
      })
    ))

  it("revoking stops every token with its own commit, even when no connection could be ended yet [reviews-6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { admin, app, clientSecret, user, token, refresh } = yield* connected
        const store = yield* ConnectionStore
        const away = { ...store, listRevoked: () => Effect.fail(StoreError.unavailable("away")) }
        const revoked = yield* Effect.provideService(revokeApp(admin, app.id, reason), ConnectionStore, away)
        expect(revoked.revokedAt).not.toBeNull()
        expect(yield* refused(authenticateAccess(token))).toBe("InvalidToken")
        const client = yield* Fixtures.authenticateClient(app.id, clientSecret)
        expect(yield* refused(refreshTokens(client, refresh))).toBe("InvalidGrant")
        // Even before any sweep has run, the user sees that the connection ended, and why.
        const shown = { live: false, endedAt: revoked.revokedAt, endReason: "admin_revoked", scopes: [] }
        yield* TestClock.adjust("1 minute")
        expect(yield* listConnections(user.id)).toMatchObject([shown])
        expect(yield* endRevoked()).toBe(1)
        expect(yield* listConnections(user.id)).toMatchObject([shown])
      })
    ))

  it("the first hundred connections are ended with the answer, the rest by the worker that goes on; one that fails holds up no other [reviews-6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { admin, app, user } = yield* connected
        for (let count = 0; count < 101; count++) {
          yield* ConsentFlow.connect(app, yield* Fixtures.user, ["location.place.current"])
        }
        yield* revokeApp(admin, app.id, reason)
        const store = yield* ConnectionStore
        const left = yield* store.listRevoked({ appId: app.id, limit: 500, after: undefined })
        expect(left).toHaveLength(2)
        const broken: typeof store = {
          ...store,
          change: (id, decide) =>
            id === left[0] ? Effect.fail(StoreError.unavailable("away")) : store.change(id, decide)
        }
        expect(yield* Effect.provideService(endRevoked(), ConnectionStore, broken)).toBe(1)
        expect(yield* endRevoked()).toBe(1)
        expect(yield* endRevoked()).toBe(0)
        const [mine] = yield* listConnections(user.id)
        expect(mine?.endReason).toBe("admin_revoked")
      })
    ))

  it("when none can be ended, each is tried once and left to the next run", () =>
    inWorld(
      Effect.gen(function* () {
        const { admin, app } = yield* connected
        for (let count = 0; count < 204; count++) {
          yield* ConsentFlow.connect(app, yield* Fixtures.user, ["location.place.current"])
        }
        yield* revokeApp(admin, app.id, reason)
        const store = yield* ConnectionStore
        const tried: Array<string> = []
        const broken: typeof store = {
          ...store,
          change: (id) =>
            tried.push(id) > 500 ? Effect.dieMessage("again and again") : Effect.fail(StoreError.unavailable("away"))
        }
        expect(yield* Effect.provideService(endRevoked(), ConnectionStore, broken)).toBe(0)
        expect(new Set(tried).size).toBe(105)
        expect(tried).toHaveLength(105)
      })
    ))
})
