import { authenticateAccess, Caller, refreshTokens } from "@place-access/domain/tokens"
import {
  ConnectionView,
  describeConnection,
  disconnect,
  getConnection,
  InvalidToken,
  listConnections
} from "@place-access/domain/connection"
import { PlaceStore } from "@place-access/domain/places"
import { type Scope, Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option, TestClock } from "effect"
import { inWorld, pair, place, purpose } from "../support/connections.js"

const { DAY } = Timestamp
const CURRENT = "location.place.current"
const LOOKUP = "location.lookup"

/** A connection whose standard tier has no end, and whose sensitive tier lasts 7 days. */
const connected = (scopes: ReadonlyArray<Scope.Scope> = [CURRENT, LOOKUP]) =>
  Effect.gen(function* () {
    const { app, user } = yield* pair()
    yield* purpose(app, "find_coffee", [LOOKUP])
    const made = yield* ConsentFlow.connect(app, user, scopes, {
      standardDays: "never",
      sensitiveDays: "7",
      request: { external_user_id: "user-7" }
    })
    return { app, user, ...made }
  })

const state = (id: string) =>
  Effect.map(MemoryDatabase, ({ apps, connections }) => {
    const connection = connections.get(id as never)!
    return { connection, app: apps.get(connection.appId)!.app }
  })

describe("an access token", () => {
  it("opens for 3,600 s, exclusive; afterwards it still names whose it was [§2.1-access-token, §5.9, §8-access-token]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, tokens, user } = yield* connected()
        yield* TestClock.adjust(3_599_999)
        const caller = yield* authenticateAccess(tokens.accessToken)
        expect([caller.connection.id, caller.scopes]).toEqual([connectionId, [CURRENT, LOOKUP]])
        yield* TestClock.adjust(1)
        const refused = Either.getOrThrow(Either.flip(yield* Effect.either(authenticateAccess(tokens.accessToken))))
        expect(refused).toEqual(new InvalidToken({ known: { userId: user.id, connectionId, appId: app.id } }))
      })
    ))

  it("of a family that another has taken the place of is refused, however young, though nobody has revoked it yet", () =>
    inWorld(
      Effect.gen(function* () {
        const { tokens } = yield* connected()
        const caller = yield* authenticateAccess(tokens.accessToken)
        const { accessTokens } = yield* MemoryDatabase
        const token = [...accessTokens.values()].find(({ connectionId }) => connectionId === caller.connection.id)!
        expect(Either.isRight(Caller.admit({ ...caller, token }, caller.at))).toBe(true)
        const connection = { ...caller.connection, familyId: "fam_of_a_reconnection" as typeof token.familyId }
        expect(Either.isLeft(Caller.admit({ ...caller, connection, token }, caller.at))).toBe(true)
      })
    ))

  it("of an ended connection names it; one that was never issued names nobody", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId, tokens, user } = yield* connected()
        yield* disconnect(user.id, connectionId)
        const known = (token: string) =>
          Effect.map(Effect.flip(authenticateAccess(token)), (error) =>
            error._tag === "InvalidToken" ? (error.known?.connectionId ?? null) : error._tag
          )
        expect(yield* known(tokens.accessToken)).toBe(connectionId)
        for (const text of [tokens.refreshToken, `${tokens.accessToken.slice(0, -1)}!`, "", "nonsense"]) {
          expect(yield* known(text)).toBeNull()
        }
        const forged = tokens.accessToken.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
        expect(yield* known(forged)).toBeNull()
      })
    ))

  it("dies at the standard tier's end, exclusive", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const approved = yield* ConsentFlow.approve(app, user, [CURRENT], { standardDays: "1" })
        const { connection } = yield* state(approved.connectionId)
        const end = connection.standardExpiresAt ?? 0
        const tokens = yield* ConsentFlow.exchange(app, approved.code)
        yield* TestClock.setTime(end - 1)
        const fresh = yield* refreshTokens(app, tokens.refreshToken)
        yield* authenticateAccess(fresh.accessToken)
        yield* TestClock.setTime(end)
        expect(Either.isLeft(yield* Effect.either(authenticateAccess(fresh.accessToken)))).toBe(true)
      })
    ))
})

describe("a required scope [§3.1, §7]", () => {
  const check = (id: string, scope: Scope.Scope) =>
    Effect.gen(function* () {
      const answer = Caller.requireScope(yield* state(id), scope, yield* Timestamp.now)
      return Either.isRight(answer) ? "allowed" : answer.left._tag
    })

  it("sensitive: allowed, from its date on scope_expired, 14 days later missing_scope; standard ones go on [§3.1-lapse, §8-grace]", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId } = yield* connected()
        const start = yield* Timestamp.now
        const at = (time: number) =>
          Effect.gen(function* () {
            yield* TestClock.setTime(start + time)
            return [yield* check(connectionId, LOOKUP), yield* check(connectionId, CURRENT)]
          })
        expect(yield* at(7 * DAY - 1)).toEqual(["allowed", "allowed"])
        expect(yield* at(7 * DAY)).toEqual(["ScopeExpired", "allowed"])
        expect(yield* at(21 * DAY - 1)).toEqual(["ScopeExpired", "allowed"])
        expect(yield* at(21 * DAY)).toEqual(["MissingScope", "allowed"])
      })
    ))

  it("scope_expired carries when it expired and until when it can be renewed [§7-scope-expired]", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId } = yield* connected()
        const start = yield* Timestamp.now
        yield* TestClock.adjust("8 days")
        const answer = Caller.requireScope(yield* state(connectionId), LOOKUP, yield* Timestamp.now)
        expect(Either.getOrThrow(Either.flip(answer))).toMatchObject({
          scope: LOOKUP,
          sensitiveExpiredAt: start + 7 * DAY,
          renewalGraceEndsAt: start + 21 * DAY
        })
      })
    ))

  it("never granted, or taken from the app: missing_scope at once, lapsed or not [tiers-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId } = yield* connected()
        expect(yield* check(connectionId, "location.visits.read")).toBe("MissingScope")
        ;(yield* MemoryDatabase).apps.set(app.id, { app: { ...app, allowedScopes: [] }, secrets: [] })
        expect(yield* check(connectionId, CURRENT)).toBe("MissingScope")
        yield* TestClock.adjust("8 days")
        expect(yield* check(connectionId, LOOKUP)).toBe("MissingScope")
      })
    ))

  it("any standard scope: a sensitive one is not enough", () =>
    inWorld(
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        const both = yield* state((yield* connected()).connectionId)
        const sensitive = yield* state((yield* connected([LOOKUP])).connectionId)
        expect(Either.isRight(Caller.requireAnyStandard(both, now))).toBe(true)
        expect(Either.isRight(Caller.requireAnyStandard(sensitive, now))).toBe(false)
      })
    ))
})

describe("GET /v1/me [§2.2]", () => {
  const me = (id: string) => Effect.flatMap(state(id), describeConnection)

  it("through the sensitive tier: active, lapsed, removed [tokens-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId, tokens } = yield* connected()
        const start = yield* Timestamp.now
        const always = {
          sub: tokens.sub,
          externalUserId: "user-7",
          placesVersion: 1,
          grantExpiresAt: null,
          connectedAt: start
        }
        const sensitive = { sensitiveExpiresAt: start + 7 * DAY, renewalGraceEndsAt: start + 21 * DAY }
        const held = { heldScopes: [CURRENT, LOOKUP] }
        expect(yield* me(connectionId)).toEqual({
          ...always,
          ...held,
          ...sensitive,
          scopes: [CURRENT, LOOKUP],
          sensitiveLapsedAt: null
        })
        yield* TestClock.adjust(7 * DAY)
        expect(yield* me(connectionId)).toEqual({
          ...always,
          ...held,
          ...sensitive,
          scopes: [CURRENT],
          sensitiveLapsedAt: start + 7 * DAY
        })
        yield* TestClock.adjust(14 * DAY)
        expect(yield* me(connectionId)).toEqual({
          ...always,
          scopes: [CURRENT],
          heldScopes: [CURRENT],
          sensitiveExpiresAt: null,
          sensitiveLapsedAt: null,
          renewalGraceEndsAt: null
        })
      })
    ))

  it("without a sensitive scope held_scopes equal scopes, narrowed apps included [tokens-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId } = yield* connected([CURRENT, "location.visits.read"])
        ;(yield* MemoryDatabase).apps.set(app.id, { app: { ...app, allowedScopes: [CURRENT] }, secrets: [] })
        expect(yield* me(connectionId)).toMatchObject({
          scopes: [CURRENT],
          heldScopes: [CURRENT],
          sensitiveExpiresAt: null,
          renewalGraceEndsAt: null
        })
      })
    ))
})

describe("the user's view", () => {
  it("shows shared places by label, archived ones too, never what the app calls the user", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const [work, home] = [yield* place(user, "Work"), yield* place(user, "Home")]
        const made = yield* ConsentFlow.connect(app, user, [CURRENT], { places: [work.id, home.id] })
        const archivedAt = yield* Timestamp.now
        yield* (yield* PlaceStore).update(user.id, home.id, (before) => ({ ...before, archivedAt }))
        const view = yield* getConnection(user.id, made.connectionId)
        expect(view.places.map(({ archivedAt: archived, label }) => [label, archived])).toEqual([
          ["Home", archivedAt],
          ["Work", null]
        ])
        expect(JSON.stringify(view)).not.toContain(made.tokens.sub)
      })
    ))

  it("one that expired unnoticed reads as ended, when its date passed", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const made = yield* ConsentFlow.connect(app, user, [CURRENT], { standardDays: "1" })
        yield* TestClock.adjust("25 hours")
        const [view] = yield* listConnections(user.id)
        expect([view?.live, view?.endReason, view?.endedAt]).toEqual([
          false,
          "expired",
          made.tokens.refreshTokenExpiresAt
        ])
        yield* disconnect(user.id, made.connectionId)
        expect(Option.getOrThrow(Option.fromNullable((yield* listConnections(user.id))[0])).endReason).toBe("expired")
        expect(ConnectionView.forUser(yield* state(made.connectionId), [], null, yield* Timestamp.now).live).toBe(false)
      })
    ))
})
