import { everything } from "@place-access/domain/leases"
import { authenticateAccess, refreshTokens } from "@place-access/domain/tokens"
import { type Connection, disconnect, getConnection, sharePlaces } from "@place-access/domain/connection"
import { reviewConsent } from "@place-access/domain/consent"
import { archivePlace } from "@place-access/domain/connection"
import { Timestamp } from "@place-access/domain/shared"
import { changeConnection, pauseConnection } from "@place-access/domain/steering"
import { sweepTiers } from "@place-access/domain/sweeps"
import { ConsentFlow, MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import { inWorld, pair, place } from "../support/connections.js"
import { CURRENT, decide, live, LOOKUP, reason, request, sensitivePair } from "../support/consents.js"

const { DAY } = Timestamp
const WATCH = "location.places.watch"
const pick = ({ places, placesVersion }: Connection.Connection) => ({ places, placesVersion })

describe("a consent with a live connection", () => {
  const connected = Effect.gen(function* () {
    const { app, user } = yield* sensitivePair
    const home = yield* place(user, "Home")
    const made = yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP], {
      places: [home.id],
      sensitiveDays: "7",
      request: { external_user_id: "user-7" }
    })
    return { app, user, home, ...made, before: yield* live(user, app) }
  })

  it("exactly the held scopes: a renewal; the sensitive date is new, all else stays [consent-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, before, user } = yield* connected
        yield* TestClock.adjust("3 days")
        const consentRequest = yield* request(app, [LOOKUP, CURRENT])
        const review = yield* reviewConsent(consentRequest.id, user)
        expect([review.mode, review.asksPlaces, review.asksStandardDays]).toEqual(["renew_sensitive", false, false])
        yield* decide(consentRequest, user, {
          shown: review.mode,
          scopes: [CURRENT, LOOKUP],
          standardDays: "never",
          sensitiveDays: "90"
        })
        const now = yield* Timestamp.now
        expect(yield* live(user, app)).toEqual({ ...before, familyId: null, sensitiveExpiresAt: now + 90 * DAY })
      })
    ))

  it("a renewal brings lapsed scopes back within the grace, on the same connection", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, before, tokens, user } = yield* connected
        yield* TestClock.adjust("20 days")
        const scopes = () => Effect.map(refreshed, (grant) => grant.scopes)
        const refreshed = refreshTokens(app, tokens.refreshToken)
        expect(yield* scopes()).toEqual([CURRENT])
        const renewed = yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP], { sensitiveDays: "1" })
        expect(renewed.connectionId).toBe(before.id)
        expect(renewed.tokens.scopes).toEqual([CURRENT, LOOKUP])
        expect((yield* live(user, app)).places).toEqual(before.places)
      })
    ))

  it("the review names the pause while it is on, and an approval does not end it [connection-4]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, before, user } = yield* connected
        const review = Effect.flatMap(request(app, [CURRENT, LOOKUP]), ({ id }) => reviewConsent(id, user))
        const pause = Effect.map(review, ({ previous }) => previous?.pause)
        expect(yield* pause).toBeNull()
        const from = yield* Timestamp.now
        yield* pauseConnection(user.id, before.id, "day")
        expect(yield* pause).toEqual({ from, until: from + DAY })
        yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP], { sensitiveDays: "90" })
        expect(yield* pause).toEqual({ from, until: from + DAY })
        yield* TestClock.adjust("1 day")
        expect(yield* pause).toBeNull()
      })
    ))

  it("after the grace the held scopes are the standard ones: asking for the sensitive ones is a change [consent-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* connected
        yield* TestClock.adjust("21 days")
        expect((yield* reviewConsent((yield* request(app, [CURRENT, LOOKUP])).id, user)).mode).toBe("change")
      })
    ))

  it.each(["before", "after"] as const)(
    "what the grace removed stays away after a change without it, which is agreed %s the sweep [connection-6, §3.1]",
    (order) =>
      inWorld(
        Effect.gen(function* () {
          const { app, user } = yield* connected
          yield* TestClock.adjust("21 days")
          if (order === "after") yield* sweepTiers(everything.people)
          yield* ConsentFlow.connect(app, user, [CURRENT, "location.visits.read"])
          const { agreedScopes, id } = yield* getConnection(user.id, (yield* live(user, app)).id)
          expect(agreedScopes).toEqual([CURRENT, "location.visits.read"])
          const change = { scopes: [CURRENT, LOOKUP], shown: "unchecked" } as const
          const back = yield* Effect.flip(changeConnection(user.id, id, change, { isFresh: true }))
          expect(back._tag).toBe("Invalid")
        })
      )
  )

  it.each([
    ["a standard scope", "location.visits.read"],
    ["a sensitive scope before the end of its grace", LOOKUP]
  ] as const)(
    "a change without %s takes it away and leaves it agreed: the user can give it back without the app [connection-6]",
    (_, scope) =>
      inWorld(
        Effect.gen(function* () {
          const { app, user } = yield* sensitivePair
          yield* ConsentFlow.connect(app, user, [CURRENT, scope])
          const changed = yield* request(app, [CURRENT])
          yield* decide(changed, user, { shown: "change", scopes: [CURRENT] })
          const { agreedScopes, heldScopes, id } = yield* live(user, app)
          expect([heldScopes, new Set(agreedScopes)]).toEqual([[CURRENT], new Set([CURRENT, scope])])
          const back = { scopes: [CURRENT, scope], shown: "unchecked" } as const
          yield* changeConnection(user.id, id, back, { isFresh: true })
          expect(new Set((yield* live(user, app)).heldScopes)).toEqual(new Set([CURRENT, scope]))
        })
      )
  )

  it('a renewal page that is answered with "Stop sharing" after the grace leaves the removal to the sweep, which tells the app [connection-6, tiers-3]', () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* connected
        yield* TestClock.adjust(21 * DAY - 1)
        const consentRequest = yield* request(app, [CURRENT, LOOKUP])
        yield* TestClock.adjust(1)
        yield* decide(consentRequest, user, { decision: "stop", shown: "renew_sensitive" })
        expect((yield* live(user, app)).heldScopes).toEqual([CURRENT, LOOKUP])
        yield* sweepTiers(everything.people)
        const after = yield* live(user, app)
        expect([after.heldScopes, after.agreedScopes]).toEqual([[CURRENT], [CURRENT]])
        const { events } = yield* MemoryDatabase
        expect([...events.values()].at(-1)).toMatchObject({ payload: { type: "sensitive.removed" } })
      })
    ))

  it("a change that asks for no scope about places keeps the places, whatever the form names [consent-14, §3.1-change]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, before, user } = yield* connected
        const work = yield* place(user, "Work")
        const consentRequest = yield* request(app, [LOOKUP])
        const review = yield* reviewConsent(consentRequest.id, user)
        expect([review.mode, review.asksPlaces, review.asksStandardDays]).toEqual(["change", false, true])
        yield* decide(consentRequest, user, { shown: review.mode, scopes: [LOOKUP], places: [work.id] })
        expect(pick(yield* live(user, app))).toEqual(pick(before))
      })
    ))

  it("another set: a change; scopes, places and both dates are new, id, sub, time of connecting and external id stay [consent-4]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, before, home, user } = yield* connected
        const work = yield* place(user, "Work")
        yield* TestClock.adjust("3 days")
        const consentRequest = yield* request(app, [CURRENT, "location.visits.read"])
        const review = yield* reviewConsent(consentRequest.id, user)
        expect(review.mode).toBe("change")
        expect(review.scopes.map(({ heldBefore, ticked }) => [heldBefore, ticked])).toEqual([
          [true, true],
          [false, false]
        ])
        expect(review.places.map(({ label, ticked }) => [label, ticked])).toEqual([
          ["Home", true],
          ["Work", false]
        ])
        yield* decide(consentRequest, user, {
          shown: "change",
          scopes: ["location.visits.read"],
          places: [home.id, work.id],
          standardDays: "never"
        })
        const now = yield* Timestamp.now
        const after = yield* live(user, app)
        expect(after).toMatchObject({
          id: before.id,
          sub: before.sub,
          connectedAt: before.connectedAt,
          externalUserId: "user-7",
          heldScopes: ["location.visits.read"],
          placesVersion: 2,
          standardExpiresAt: null,
          sensitiveExpiresAt: null
        })
        expect(after.places.find(({ placeId }) => placeId === home.id)?.sharedAt).toBe(before.connectedAt)
        expect(after.places.find(({ placeId }) => placeId === work.id)?.sharedAt).toBe(now)
      })
    ))

  it("a change that leaves the places as they are leaves their version, whatever became of earlier visits [consent-4]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, home, user } = yield* connected
        yield* ConsentFlow.approve(app, user, [CURRENT], { places: [home.id], earlier: [home.id] })
        const after = yield* live(user, app)
        expect([after.placesVersion, after.places[0]?.includeEarlierVisits]).toEqual([1, true])
      })
    ))

  it("a change and a choice of places keep the archived places that are shared: version, moment and earlier visits stay, no places.changed [§3.1-change, M1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const [home, gym] = [yield* place(user, "Home"), yield* place(user, "Gym")]
        const both = { places: [home.id, gym.id], earlier: [gym.id] }
        yield* ConsentFlow.connect(app, user, [CURRENT, WATCH], both)
        yield* archivePlace(user.id, gym.id)
        const { events, mail } = yield* MemoryDatabase
        const before = yield* live(user, app)
        expect([before.placesVersion, events.size]).toEqual([2, 1])

        const consentRequest = yield* request(app, [CURRENT, WATCH])
        const review = yield* reviewConsent(consentRequest.id, user)
        expect(review.places.map(({ label, ticked }) => [label, ticked])).toEqual([["Home", true]])
        yield* decide(consentRequest, user, { shown: "change", scopes: [CURRENT, WATCH], places: [home.id] })
        expect(pick(yield* live(user, app))).toEqual(pick(before))
        expect([...mail.values()].at(-1)?.body).toContain("It can ask about 1 place of yours.")
        yield* sharePlaces(user.id, before.id, [{ placeId: home.id, includeEarlierVisits: false }], "unchecked")
        expect(pick(yield* live(user, app))).toEqual(pick(before))
        expect(events.size).toBe(1)

        // Now the user names only the archived place. This place stays shared, without earlier visits. Home is not
        // shared any more.
        yield* sharePlaces(user.id, before.id, [{ placeId: gym.id, includeEarlierVisits: false }], "unchecked")
        const { places, placesVersion } = yield* live(user, app)
        expect([placesVersion, places]).toEqual([
          3,
          before.places
            .filter(({ placeId }) => placeId === gym.id)
            .map((one) => ({ ...one, includeEarlierVisits: false }))
        ])
      })
    ))

  it("the same standard scopes: a change, since nothing sensitive is held that could be renewed [consent-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        yield* ConsentFlow.connect(app, user, [CURRENT], { standardDays: "1" })
        const review = yield* reviewConsent((yield* request(app, [CURRENT])).id, user)
        expect(review.mode).toBe("change")
        yield* ConsentFlow.connect(app, user, [CURRENT], { standardDays: "90" })
        expect((yield* live(user, app)).standardExpiresAt).toBe((yield* Timestamp.now) + 90 * DAY)
      })
    ))

  it.each([
    ["a change", ["location.visits.read"]],
    ["a renewal", [CURRENT, LOOKUP]]
  ] as const)(
    "the old tokens end with the decision of %s, not with the exchange of its code [§3.1-change, M7]",
    (_, scopes) =>
      inWorld(
        Effect.gen(function* () {
          const { app, code: old, tokens, user } = yield* connected
          const { code } = yield* ConsentFlow.approve(app, user, scopes)
          for (const when of ["decided", "exchanged"]) {
            if (when === "exchanged") yield* ConsentFlow.exchange(app, code)
            expect(Either.isLeft(yield* Effect.either(authenticateAccess(tokens.accessToken)))).toBe(true)
            expect(reason(yield* Effect.either(refreshTokens(app, tokens.refreshToken)))).toBe("revoked")
            // The old code cannot end the connection, because the user has consented again since then.
            expect(reason(yield* Effect.either(ConsentFlow.exchange(app, old)))).toBe("used")
          }
          expect((yield* live(user, app)).endedAt).toBeNull()
        })
      )
  )

  it("a new connection of the same person and app goes on counting places_version, from the highest there was [§3.1-change, M6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, before, user } = yield* connected
        yield* sharePlaces(user.id, before.id, [], "unchecked")
        yield* disconnect(user.id, before.id)
        yield* ConsentFlow.connect(app, user, [CURRENT], { standardDays: "1" })
        expect((yield* live(user, app)).placesVersion).toBe(3)
        yield* TestClock.adjust("1 day")
        yield* ConsentFlow.connect(app, user, [CURRENT])
        expect((yield* live(user, app)).placesVersion).toBe(4)
      })
    ))

  it("another tab's approval between page and answer: the full page's answers hold, a renewal page is shown again [consent-5]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const [full, stale] = [yield* request(app, [CURRENT, LOOKUP]), yield* request(app, [CURRENT, LOOKUP])]
        expect((yield* reviewConsent(full.id, user)).mode).toBe("new")
        yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP], { standardDays: "90" })
        expect((yield* reviewConsent(stale.id, user)).mode).toBe("renew_sensitive")
        yield* decide(full, user, { shown: "new", scopes: [CURRENT, LOOKUP], standardDays: "1" })
        const connection = yield* live(user, app)
        expect(connection.standardExpiresAt).toBe((yield* Timestamp.now) + DAY)
        yield* disconnect(user.id, connection.id)
        const late = yield* decide(stale, user, { shown: "renew_sensitive", scopes: [CURRENT, LOOKUP] })
        expect(reason(late)).toBe("outdated")
        expect((yield* reviewConsent(stale.id, user)).mode).toBe("new")
      })
    ))

  it("one that expired unnoticed: a new connection with the same sub; the old one ended when its date passed [consent-6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, before, user } = yield* connected
        yield* TestClock.adjust("31 days")
        expect((yield* reviewConsent((yield* request(app, [CURRENT])).id, user)).mode).toBe("new")
        const next = yield* ConsentFlow.connect(app, user, [CURRENT])
        expect([next.connectionId === before.id, next.tokens.sub]).toEqual([false, before.sub])
        expect((yield* MemoryDatabase).connections.get(before.id)).toMatchObject({
          endedAt: before.standardExpiresAt,
          endReason: "expired"
        })
      })
    ))

  it("two apps see the same user under different subs [§4.3-sub]", () =>
    inWorld(
      Effect.gen(function* () {
        const { tokens, user } = yield* connected
        const { app } = yield* pair()
        const other = yield* ConsentFlow.connect(app, user, [CURRENT])
        expect(other.tokens.sub).not.toBe(tokens.sub)
        expect([tokens.sub, other.tokens.sub].some((sub) => sub.includes(user.id))).toBe(false)
      })
    ))
})
