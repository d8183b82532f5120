import type { App } from "@place-access/domain/apps"
import { archivePlace, disconnect, endRevoked, getConnection, sharePlaces } from "@place-access/domain/connection"
import { Timestamp } from "@place-access/domain/shared"
import { pauseConnection } from "@place-access/domain/steering"
import { ConsentFlow, MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import { inWorld, pair, place } from "../support/connections.js"
import { CURRENT } from "../support/consents.js"

const WATCH = "location.places.watch"

const revoke = (app: App.App) =>
  Effect.gen(function* () {
    const { apps } = yield* MemoryDatabase
    const revokedAt = yield* Timestamp.now
    apps.set(app.id, { app: { ...app, revokedAt }, secrets: [] })
    return revokedAt
  })

/** A connection whose app was revoked an hour ago. No worker has stored the end of the connection yet. */
const waiting = Effect.gen(function* () {
  const { app, user } = yield* pair()
  const home = yield* place(user, "Home")
  const made = yield* ConsentFlow.connect(app, user, [CURRENT, WATCH], { places: [home.id], standardDays: "1" })
  yield* TestClock.adjust("1 hour")
  const revokedAt = yield* revoke(app)
  yield* TestClock.adjust("1 hour")
  return { ...made, user, home, revokedAt }
})

const stored = ({ connectionId }: Effect.Effect.Success<typeof waiting>) =>
  Effect.map(MemoryDatabase, ({ connections }) => {
    const found = connections.get(connectionId)
    return { endReason: found?.endReason, endedAt: found?.endedAt, placesVersion: found?.placesVersion }
  })

describe("a connection whose app was revoked, before a worker stores the end [reviews-6, connection-3]", () => {
  it("keeps the revocation as its end when the user disconnects, and no mail says that the user did it", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* waiting
        const { mail } = yield* MemoryDatabase
        const before = mail.size
        yield* disconnect(it.user.id, it.connectionId)
        yield* endRevoked()
        expect(yield* stored(it)).toMatchObject({ endReason: "admin_revoked", endedAt: it.revokedAt })
        expect(mail.size).toBe(before)
      })
    ))

  it("that was made after the revocation, by a clock that is behind, has ended when it was made", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const { connectionId } = yield* ConsentFlow.connect(app, user, [CURRENT])
        const { apps } = yield* MemoryDatabase
        const revokedAt = Timestamp.plus(yield* Timestamp.now, -1)
        apps.set(app.id, { app: { ...app, revokedAt }, secrets: [] })
        const seen = Effect.map(getConnection(user.id, connectionId), ({ endedAt, endReason }) => [endedAt, endReason])
        const before = yield* seen
        expect(before).toEqual([Timestamp.plus(revokedAt, 1), "admin_revoked"])
        yield* endRevoked()
        expect(yield* seen).toEqual(before)
      })
    ))

  it("shares no places: the answer is that the connection has ended", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* waiting
        const answer = yield* Effect.either(sharePlaces(it.user.id, it.connectionId, [], "unchecked"))
        expect(Either.getOrThrow(Either.flip(answer))).toMatchObject({ _tag: "Conflict" })
        expect((yield* getConnection(it.user.id, it.connectionId)).places).toHaveLength(1)
        expect(yield* stored(it)).toMatchObject({ endReason: "admin_revoked", endedAt: it.revokedAt })
      })
    ))

  it("ends with the revocation, not as expired, when its standard tier has passed since", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* waiting
        yield* TestClock.adjust("2 days")
        yield* Effect.either(sharePlaces(it.user.id, it.connectionId, [], "unchecked"))
        expect(yield* stored(it)).toMatchObject({ endReason: "admin_revoked", endedAt: it.revokedAt })
      })
    ))

  it("also when the user pauses it", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* waiting
        yield* TestClock.adjust("2 days")
        yield* Effect.either(pauseConnection(it.user.id, it.connectionId, "day"))
        expect(yield* stored(it)).toMatchObject({ endReason: "admin_revoked", endedAt: it.revokedAt })
      })
    ))

  it("also when the user archives a place: the version of its places stays", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* waiting
        yield* archivePlace(it.user.id, it.home.id)
        expect(yield* stored(it)).toEqual({ endReason: "admin_revoked", endedAt: it.revokedAt, placesVersion: 1 })
      })
    ))
})
