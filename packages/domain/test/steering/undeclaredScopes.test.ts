import { getConnection, listConsentHistory, sharePlaces } from "@place-access/domain/connection"
import { type Scope, Timestamp } from "@place-access/domain/shared"
import { changeConnection, endExactLocation, pauseConnection, resumeConnection } from "@place-access/domain/steering"
import { ConsentFlow, MemoryDatabase } from "@place-access/domain/testing"
import { Effect, TestClock } from "effect"
import { describe, expect, it } from "vitest"
import { inWorld, place, purpose } from "../support/connections.js"
import { CURRENT, decide, live, LOOKUP, request, sensitivePair } from "../support/consents.js"

// Tests of a scope that the user granted and that the app does not declare now. The scope stays granted (decision
// apps-2), and it works again when the app declares it again.

const LATEST = "location.latest.read"
const HISTORY = "location.history.read"
const VISITS = "location.visits.read"
const FRESH = { isFresh: true }

/**
 * A user who granted `scopes` to an app: standard scopes for 90 days, and exact location for 7 days. Then the app
 * declares only `declared`.
 */
const undeclared = (scopes: ReadonlyArray<Scope.Scope>, declared: ReadonlyArray<Scope.Scope>) =>
  Effect.gen(function* () {
    const { app, user } = yield* sensitivePair
    yield* purpose(app, "find_tea", [LATEST, HISTORY])
    const choices = { standardDays: "90", sensitiveDays: "7" }
    const { connectionId: id } = yield* ConsentFlow.connect(app, user, scopes, choices)
    const after = { ...app, declaredScopes: declared }
    const { apps } = yield* MemoryDatabase
    apps.set(app.id, { app: after, secrets: [] })
    return { app: after, user, id }
  })

const endOf = (id: string) =>
  Effect.map(MemoryDatabase, ({ connections }) => [...connections.values()].find((one) => one.id === id)?.endReason)

describe("the end of exact location, when nothing else is left that the app declares", () => {
  it("by the button in the portal: the connection ends, as the page says [connection-6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { id, user } = yield* undeclared([VISITS, LATEST], [LATEST])
        yield* endExactLocation(user.id, id)
        expect(yield* endOf(id)).toBe("user_disconnected")
        const { mail } = yield* MemoryDatabase
        expect([...mail.values()].at(-1)?.body).toContain("so it was disconnected")
      })
    ))

  it("by Stop sharing on the renewal page: the same [consent-8]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, id, user } = yield* undeclared([VISITS, LATEST], [LATEST])
        yield* decide(yield* request(app, [LATEST]), user, { decision: "stop", shown: "renew_sensitive" })
        expect(yield* endOf(id)).toBe("user_disconnected")
      })
    ))

  it("a standard scope that the app declares keeps the connection [connection-6, consent-8]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, id, user } = yield* undeclared([CURRENT, VISITS, LATEST], [CURRENT, LATEST])
        yield* endExactLocation(user.id, id)
        expect((yield* live(user, app)).heldScopes).toEqual([CURRENT, VISITS])
      })
    ))
})

describe("a new end of exact location", () => {
  it("takes away a sensitive scope that the page did not show, and keeps a standard one [connection-6, consent-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, id, user } = yield* undeclared([CURRENT, VISITS, LATEST, HISTORY], [CURRENT, LATEST])
        const held = Effect.map(live(user, app), ({ heldScopes }) => heldScopes)
        yield* changeConnection(user.id, id, { scopes: [CURRENT, LATEST], standardDays: 30, shown: "unchecked" }, FRESH)
        expect(yield* held).toEqual([CURRENT, VISITS, LATEST, HISTORY])
        yield* TestClock.adjust("8 days")
        yield* changeConnection(user.id, id, { sensitiveDays: 90, shown: "unchecked" }, FRESH)
        expect(yield* held).toEqual([CURRENT, VISITS, LATEST])
      })
    ))

  it("cannot be chosen while the app declares no sensitive scope that it has [connection-6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, id, user } = yield* undeclared([CURRENT, LATEST], [CURRENT])
        const before = yield* live(user, app)
        const refused = yield* Effect.either(
          changeConnection(user.id, id, { sensitiveDays: 90, shown: "unchecked" }, FRESH)
        )
        expect(refused).toMatchObject({ left: { _tag: "Invalid", problems: [{ field: "sensitive_days" }] } })
        expect(yield* live(user, app)).toEqual(before)
      })
    ))
})

describe("scopes that the user takes away although the app does not declare them [connection-6]", () => {
  it("are removed, and with the last sensitive scope the end of exact location", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, id, user } = yield* undeclared([CURRENT, VISITS, LATEST], [CURRENT])
        expect(yield* getConnection(user.id, id)).toMatchObject({
          heldScopes: [CURRENT],
          limitedScopes: [VISITS, LATEST]
        })
        const change = { scopes: [CURRENT], withoutLimited: [LATEST], shown: [CURRENT] } as const
        yield* changeConnection(user.id, id, change, FRESH)
        expect(yield* live(user, app)).toMatchObject({ heldScopes: [CURRENT, VISITS], sensitiveExpiresAt: null })
      })
    ))

  it("are no others: a scope that the app declares stays, and one after its grace period waits for the sweep", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, id, user } = yield* undeclared([CURRENT, VISITS, LATEST], [CURRENT, VISITS])
        yield* TestClock.adjust("22 days")
        expect((yield* getConnection(user.id, id)).limitedScopes).toEqual([])
        yield* changeConnection(user.id, id, { withoutLimited: [VISITS, LATEST], shown: "unchecked" }, FRESH)
        expect((yield* live(user, app)).heldScopes).toEqual([CURRENT, VISITS, LATEST])
      })
    ))
})

it("the mail about a change says nothing of exact location when the app declares no sensitive scope [connection-8]", () =>
  inWorld(
    Effect.gen(function* () {
      const { mail } = yield* MemoryDatabase
      for (const [declared, isExact] of [
        [[CURRENT, LATEST], true],
        [[CURRENT], false]
      ] as const) {
        const { id, user } = yield* undeclared([CURRENT, LATEST], declared)
        yield* changeConnection(user.id, id, { standardDays: 30, shown: "unchecked" }, FRESH)
        expect([...mail.values()].at(-1)?.body.includes("Your exact location: until")).toBe(isExact)
      }
    })
  ))

it("between the end of the grace period and its sweep, no entry of the history has exact location [connection-7, tiers-1]", () =>
  inWorld(
    Effect.gen(function* () {
      const { app, user } = yield* sensitivePair
      const home = yield* place(user, "Home")
      const { connectionId: id } = yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP], {
        standardDays: "90",
        sensitiveDays: "1"
      })
      yield* TestClock.adjust(15 * Timestamp.DAY)
      const steps = [
        pauseConnection(user.id, id, "hour"),
        resumeConnection(user.id, id),
        sharePlaces(user.id, id, [{ placeId: home.id, includeEarlierVisits: false }], "unchecked")
      ]
      for (const step of steps) {
        yield* step
        const [entry] = yield* listConsentHistory(user.id, id)
        expect([entry?.scopes, entry?.sensitiveExpiresAt]).toEqual([[CURRENT], null])
        yield* TestClock.adjust(1)
      }
      // The sweep must still find the sensitive scope, and tell the app that this scope is removed.
      expect((yield* live(user, app)).heldScopes).toEqual([CURRENT, LOOKUP])
    })
  ))
