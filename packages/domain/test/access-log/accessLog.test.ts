import { AccessLogStore, listAccessLog, recordAccess } from "@place-access/domain/access-log"
import type { App } from "@place-access/domain/apps"
import { decidePurpose, type Purpose, updatePurpose } from "@place-access/domain/purposes"
import { ConnectionId, PurposeId, StoreError, Timestamp, type UserId } from "@place-access/domain/shared"
import { ConsentFlow, Fixtures, MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import { inWorld, pair, purpose } from "../support/connections.js"

const access = (userId: UserId, app: App.App, overrides: Partial<Parameters<typeof recordAccess>[0]> = {}) =>
  recordAccess({
    owner: { userId, appId: app.id, connectionId: ConnectionId.make("con_a") },
    endpoint: "GET /v1/me",
    purpose: null,
    status: 200,
    error: null,
    disclosed: null,
    ...overrides
  })

const list = (userId: UserId, limit = 100, cursor?: string, filter: Parameters<typeof listAccessLog>[1] = {}) =>
  listAccessLog(userId, filter, limit, cursor)

describe("access log", () => {
  it("an entry has the moment of its recording and an id of its own; the same call twice is two entries", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        yield* access(user.id, app)
        yield* TestClock.adjust(1_500)
        yield* access(user.id, app, { status: 403, error: "missing_scope" })
        const { entries } = yield* list(user.id)
        expect(entries.map(({ error }) => error)).toEqual(["missing_scope", null])
        expect(entries[0]!.at - entries[1]!.at).toBe(1_500)
        expect(new Set(entries.map(({ id }) => id)).size).toBe(2)
      })
    ))

  it("an entry that cannot be written is an error of the request", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const broken = AccessLogStore.of({
          record: () => Effect.fail(StoreError.unavailable("planted")),
          recordRepeat: () => Effect.fail(StoreError.unavailable("planted")),
          recordUnless: () => Effect.fail(StoreError.unavailable("planted")),
          list: () => Effect.fail(StoreError.unavailable("planted")),
          countUses: () => Effect.fail(StoreError.unavailable("planted")),
          tally: () => Effect.fail(StoreError.unavailable("planted")),
          lastAnswered: () => Effect.fail(StoreError.unavailable("planted"))
        })
        const answer = yield* Effect.either(access(user.id, app)).pipe(Effect.provideService(AccessLogStore, broken))
        expect(Either.isLeft(answer)).toBe(true)
      })
    ))

  it("pages through everything once; a cursor is of one user and one filter", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const { app: other, user: stranger } = yield* pair()
        for (let index = 0; index < 5; index++) {
          yield* access(user.id, index % 2 === 0 ? app : other)
          yield* TestClock.adjust(index % 2)
        }
        const first = yield* list(user.id, 2)
        const second = yield* list(user.id, 2, first.nextCursor ?? "")
        const third = yield* list(user.id, 2, second.nextCursor ?? "")
        expect(third.nextCursor).toBeNull()
        const ids = [first, second, third].flatMap(({ entries }) => entries.map(({ id }) => id))
        expect(ids).toEqual((yield* list(user.id)).entries.map(({ id }) => id))
        const cursor = first.nextCursor ?? ""
        for (const answer of [
          yield* Effect.either(list(stranger.id, 2, cursor)),
          yield* Effect.either(list(user.id, 2, cursor, { appId: app.id })),
          yield* Effect.either(list(user.id, 2, cursor, { purposeId: PurposeId.make("pps_unknown") })),
          yield* Effect.either(list(user.id, 2, `${cursor}x`)),
          yield* Effect.either(list(user.id, 0)),
          yield* Effect.either(list(user.id, 501)),
          yield* Effect.either(list(user.id, 1.5))
        ]) {
          expect(Either.isLeft(answer) && answer.left._tag).toBe("Invalid")
        }
      })
    ))

  it("a purpose is known by its words and an id that says nothing; the id filters, with its own app only [M13]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const { app: other } = yield* pair()
        const coffee = yield* purpose(app, "find_coffee", ["location.lookup"])
        const gone = yield* purpose(app, "gone", ["location.lookup"], "approved", { archivedAt: Timestamp.make(0) })
        const namesake = yield* purpose(other, "find_coffee", ["location.lookup"])
        for (const purpose of ["find_coffee", "gone", null]) yield* access(user.id, app, { purpose })
        yield* access(user.id, other, { purpose: "find_coffee" })
        const { entries } = yield* list(user.id)
        const named = [coffee, gone, null, namesake].map(
          (one) => one && { id: one.id, description: one.terms.description }
        )
        expect(entries.map(({ purpose }) => JSON.stringify(purpose)).sort()).toEqual(
          named.map((one) => JSON.stringify(one)).sort()
        )
        expect(coffee.id).not.toContain("coffee")
        const found = (filter: Parameters<typeof listAccessLog>[1]) =>
          Effect.map(list(user.id, 100, undefined, filter), (page) => page.entries.map((entry) => entry.purpose?.id))
        expect(yield* found({ purposeId: coffee.id })).toEqual([coffee.id])
        expect(yield* found({ purposeId: gone.id, appId: app.id })).toEqual([gone.id])
        expect(yield* found({ purposeId: namesake.id })).toEqual([namesake.id])
        expect(yield* found({ purposeId: coffee.id, appId: other.id })).toEqual([])
        expect(yield* found({ purposeId: PurposeId.make("find_coffee") })).toEqual([])
      })
    ))

  it("an entry keeps the wording that was in force at its time, also after a reviewer approved another wording [M13]", () =>
    inWorld(
      Effect.gen(function* () {
        const owner = yield* Fixtures.user
        const app = yield* Fixtures.app(owner.id, { status: "production" })
        const user = yield* Fixtures.user
        const reviewer = yield* Fixtures.userWith({ roles: ["reviewer"] })
        const terms: Purpose.PurposeTerms = {
          description: "Finds your phone",
          scopes: ["location.lookup"],
          expectedDailyVolume: 10
        }
        const { id } = yield* Fixtures.purpose(app.id, "find_phone", {
          status: "in_review",
          terms,
          submission: { at: yield* Timestamp.now, revision: 1 }
        })
        const approve = decidePurpose(reviewer, id, { decision: "approve", note: null, revision: "unchecked" })
        const edit = (description: string) => updatePurpose(owner, app.id, id, { description }, "assumed", "unchecked")
        const read = access(user.id, app, { purpose: "find_phone" })
        yield* approve
        yield* TestClock.adjust(1)
        yield* read
        yield* edit("Warns you of rain")
        yield* TestClock.adjust(1)
        yield* read
        yield* TestClock.adjust(1)
        yield* approve
        yield* TestClock.adjust(1)
        yield* read
        yield* edit("Shows you shops")
        const { entries } = yield* list(user.id)
        expect(entries.map(({ purpose }) => purpose)).toEqual([
          { id, description: "Warns you of rain" },
          { id, description: "Finds your phone" },
          { id, description: "Finds your phone" }
        ])
      })
    ))

  it("names apps as they are called now, and outlives connections [P3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const { connectionId } = yield* ConsentFlow.connect(app, user, ["location.place.current"])
        yield* access(user.id, app)
        const tables = yield* MemoryDatabase
        tables.connections.delete(connectionId)
        tables.apps.set(app.id, { app: { ...app, name: "Renamed" as typeof app.name }, secrets: [] })
        expect((yield* list(user.id)).entries.map(({ appName }) => appName)).toEqual(["Renamed"])
      })
    ))
})
