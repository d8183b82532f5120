import { recordAccess } from "@place-access/domain/access-log"
import { disconnect, listLoggedApps, listUses, Uses } from "@place-access/domain/connection"
import { refreshTokens } from "@place-access/domain/tokens"
import { reviewConsent } from "@place-access/domain/consent"
import { decidePurpose, updatePurpose } from "@place-access/domain/purposes"
import { Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, Fixtures, MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import { inWorld, pair, place, purpose } from "../support/connections.js"
import { CURRENT, decide, live, LOOKUP, reason, request, sensitivePair } from "../support/consents.js"

const { DAY } = Timestamp
const LATEST = "location.latest.read"
const VISITS = "location.visits.read"

const connected = Effect.gen(function* () {
  const { app, user } = yield* sensitivePair
  const home = yield* place(user, "Home")
  const made = yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP], { places: [home.id], sensitiveDays: "7" })
  return { app, user, home, ...made, before: yield* live(user, app) }
})

type Connected = Effect.Effect.Success<typeof connected>

const ask = ({ app, connectionId, user }: Pick<Connected, "app" | "connectionId" | "user">, used: string | null) =>
  recordAccess({
    owner: { userId: user.id, appId: app.id, connectionId },
    endpoint: "GET /v1/locations/lookup",
    purpose: used,
    status: 200,
    error: null,
    disclosed: null
  })

const mails = Effect.map(MemoryDatabase, ({ mail }) => [...mail.values()])

describe("a renewal [§4.1]", () => {
  it("shows the uses of the last 90 days by purpose, in the user's words, most used first, unused ones too [§4.1-renew-sensitive, consent-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected
        const tea = yield* purpose(it.app, "drink_tea", [LOOKUP])
        yield* purpose(it.app, "other_scope", [LATEST])
        const gone = yield* purpose(it.app, "gone", [LOOKUP], "approved", { archivedAt: it.before.connectedAt })
        yield* ConsentFlow.connect(it.app, it.user, [CURRENT, LOOKUP], { shown: "change", standardDays: "never" })
        yield* ask(it, "find_coffee")
        yield* TestClock.adjust("1 hours")
        yield* ask(it, "find_coffee")
        yield* ask(it, "find_coffee")
        yield* ask(it, "gone")
        yield* ask(it, null)
        yield* TestClock.adjust(30 * DAY)
        const consentRequest = yield* request(it.app, [CURRENT, LOOKUP])
        const now = yield* Timestamp.now
        expect((yield* reviewConsent(consentRequest.id, it.user)).uses).toEqual({
          since: now - Uses.WINDOW,
          byPurpose: [
            { id: expect.any(String), description: "To find coffee (find_coffee)", count: 3 },
            { id: gone.id, description: "To find coffee (gone)", count: 1 },
            { id: tea.id, description: "To find coffee (drink_tea)", count: 0 }
          ],
          withoutPurpose: 1
        })
        // The first use is now exactly 90 days old, so it still counts as a use of the last 90 days. A millisecond
        // later it must not count.
        yield* TestClock.adjust(60 * DAY - Timestamp.HOUR)
        const count = Effect.map(listUses(it.user.id, it.connectionId), ({ byPurpose }) => byPurpose[0]?.count)
        expect(yield* count).toBe(3)
        yield* TestClock.adjust(1)
        expect(yield* count).toBe(2)
        const stranger = yield* Effect.either(listUses((yield* pair()).user.id, it.connectionId))
        expect(Either.isLeft(stranger)).toBe(true)
      })
    ))

  it("uses and filters name a purpose by its approved wording while an edit waits for a reviewer, then by the new one [§2.4, M13]", () =>
    inWorld(
      Effect.gen(function* () {
        const [owner, user] = [yield* Fixtures.user, yield* Fixtures.user]
        const reviewer = yield* Fixtures.userWith({ roles: ["reviewer"] })
        const app = yield* Fixtures.app(owner.id, { status: "production" })
        const { id } = yield* Fixtures.purpose(app.id, "find_phone", {
          status: "in_review",
          terms: { description: "Finds your phone", scopes: [LOOKUP], expectedDailyVolume: 10 },
          submission: { at: yield* Timestamp.now, revision: 1 }
        })
        const approve = decidePurpose(reviewer, id, { decision: "approve", note: null, revision: "unchecked" })
        yield* approve
        const { connectionId } = yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP])
        const shown = Effect.gen(function* () {
          const { byPurpose } = yield* listUses(user.id, connectionId)
          const filters = (yield* listLoggedApps(user.id)).flatMap(({ purposes }) => purposes)
          return [byPurpose, filters].map((all) => all.map(({ description }) => description))
        })
        yield* updatePurpose(owner, app.id, id, { description: "Warns you of rain" }, "assumed", "unchecked")
        expect(yield* shown).toEqual([["Finds your phone"], ["Finds your phone"]])
        yield* approve
        expect(yield* shown).toEqual([["Warns you of rain"], ["Warns you of rain"]])
      })
    ))

  it("only the page of a renewal counts uses", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* connected
        expect((yield* reviewConsent((yield* request(app, [CURRENT])).id, user)).uses).toBeNull()
      })
    ))

  it("a form that names no scope renews all sensitive ones; one that names some renews only those [consent-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        yield* purpose(app, "find_tea", [LATEST])
        const all = [CURRENT, LATEST, LOOKUP] as const
        yield* ConsentFlow.connect(app, user, all)
        yield* decide(yield* request(app, all), user, { sensitiveDays: "90" })
        expect((yield* live(user, app)).heldScopes).toEqual(all)
        yield* decide(yield* request(app, all), user, { scopes: [CURRENT, LOOKUP] })
        expect((yield* live(user, app)).heldScopes).toEqual([CURRENT, LOOKUP])
      })
    ))

  it("an answer that names standard scopes only is no renewal: mail and history call it a change [consent-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, user } = yield* connected
        const said = Effect.map(MemoryDatabase, ({ consentHistory, mail }) => ({
          change: consentHistory.get(connectionId)?.at(-1)?.change,
          subject: [...mail.values()].at(-1)?.subject
        }))
        yield* TestClock.adjust(DAY)
        yield* decide(yield* request(app, [CURRENT, LOOKUP]), user, { scopes: [CURRENT, LOOKUP] })
        expect(yield* said).toEqual({
          change: "renewed",
          subject: "You let Coffee Finder go on using your exact location"
        })
        yield* TestClock.adjust(DAY)
        yield* decide(yield* request(app, [CURRENT, LOOKUP]), user, { scopes: [CURRENT] })
        expect(yield* live(user, app)).toMatchObject({ heldScopes: [CURRENT], sensitiveExpiresAt: null })
        expect(yield* said).toEqual({ change: "changed", subject: "You changed what Coffee Finder can do" })
      })
    ))

  it("keeps every standard scope, whatever the form names: a crafted form takes none away [consent-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* connected
        yield* decide(yield* request(app, [CURRENT, LOOKUP]), user, { scopes: [LOOKUP] })
        expect((yield* live(user, app)).heldScopes).toEqual([CURRENT, LOOKUP])
      })
    ))

  it("keeps a standard scope that the app may not use for a moment, and prolongs no sensitive scope that the page did not show [consent-3, apps-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        yield* purpose(app, "find_tea", [LATEST])
        yield* ConsentFlow.connect(app, user, [CURRENT, VISITS, LATEST, LOOKUP])
        const { apps } = yield* MemoryDatabase
        apps.set(app.id, { app: { ...app, allowedScopes: [CURRENT, LOOKUP] }, secrets: [] })
        const consentRequest = yield* request(app, [CURRENT, LOOKUP])
        expect((yield* reviewConsent(consentRequest.id, user)).mode).toBe("renew_sensitive")
        yield* decide(consentRequest, user, {})
        expect((yield* live(user, app)).heldScopes).toEqual([CURRENT, VISITS, LOOKUP])
        // The mailed receipt may list only scopes that the page showed.
        expect((yield* mails).at(-1)?.body).not.toContain("See your visits")
      })
    ))
})

describe("Stop sharing, on a renewal page", () => {
  it("takes the sensitive scopes off at once, keeps the rest with its tokens, and tells the app access_denied [consent-8]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, before, tokens, user } = yield* connected
        yield* TestClock.adjust("3 days")
        const consentRequest = yield* request(app, [CURRENT, LOOKUP])
        const answer = yield* decide(consentRequest, user, { decision: "stop", shown: "renew_sensitive" })
        const { redirectTo } = Either.getOrThrow(answer)
        expect(ConsentFlow.answer(redirectTo)).toMatchObject({ error: "access_denied", state: ConsentFlow.STATE })
        expect(yield* live(user, app)).toEqual({ ...before, heldScopes: [CURRENT], sensitiveExpiresAt: null })
        expect((yield* refreshTokens(app, tokens.refreshToken)).scopes).toEqual([CURRENT])
        // A consent is decided once. If the form is posted again, even with other content, the service gives the same
        // answer as to the first post.
        expect(Either.getOrThrow(yield* decide(consentRequest, user, { scopes: [CURRENT, LOOKUP] })).redirectTo).toBe(
          redirectTo
        )
        const stopped = (yield* mails).filter(({ subject }) => subject.startsWith("You stopped"))
        expect(stopped.map(({ dedupeKey, to }) => [dedupeKey, to])).toEqual([
          [`consent_receipt ${consentRequest.id}`, user.id]
        ])
      })
    ))

  it("works in the grace, too: a lapsed scope is not held any more", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* connected
        yield* TestClock.adjust("8 days")
        yield* decide(yield* request(app, [CURRENT, LOOKUP]), user, { decision: "stop", shown: "renew_sensitive" })
        expect((yield* live(user, app)).heldScopes).toEqual([CURRENT])
      })
    ))

  it("when nothing else is shared, the connection is over", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const { connectionId } = yield* ConsentFlow.connect(app, user, [LOOKUP])
        yield* decide(yield* request(app, [LOOKUP]), user, { decision: "stop", shown: "renew_sensitive" })
        expect((yield* MemoryDatabase).connections.get(connectionId)?.endReason).toBe("user_disconnected")
        expect((yield* mails).filter(({ body }) => body.includes("so it was disconnected")).length).toBe(1)
      })
    ))

  it("after another tab disconnected: nothing is left to stop, the answer is the same", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, user } = yield* connected
        const consentRequest = yield* request(app, [CURRENT, LOOKUP])
        yield* disconnect(user.id, connectionId)
        const sent = (yield* mails).length
        const answer = yield* decide(consentRequest, user, { decision: "stop", shown: "renew_sensitive" })
        expect(Either.getOrThrow(answer).redirectTo).toContain("error=access_denied")
        expect((yield* mails).length).toBe(sent)
      })
    ))

  it("is no answer to the other pages, which do not offer it", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* connected
        const consentRequest = yield* request(app, [CURRENT])
        const answer = yield* decide(consentRequest, user, { decision: "stop", shown: "change", scopes: [CURRENT] })
        expect(reason(Either.mapLeft(answer, (error) => ({ _tag: error._tag, reason: error._tag })))).toBe("Invalid")
        expect((yield* live(user, app)).heldScopes).toEqual([CURRENT, LOOKUP])
      })
    ))
})

describe("a change page", () => {
  it("marks what is new and what goes, and begins with the choices made before [consent-4]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, home, user } = yield* connected
        yield* place(user, "Work")
        yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP], {
          shown: "change",
          places: [home.id],
          earlier: [home.id],
          standardDays: "never"
        })
        const review = yield* reviewConsent((yield* request(app, [CURRENT, VISITS])).id, user)
        expect(review.mode).toBe("change")
        expect(review.scopes.map(({ heldBefore, scope, ticked }) => [scope, heldBefore, ticked])).toEqual([
          [CURRENT, true, true],
          [VISITS, false, false]
        ])
        expect(review.leaving).toEqual([
          { scope: LOOKUP, sensitive: true, description: "See your exact location at a given moment" }
        ])
        expect(review.places.map(({ earlierTicked, label, ticked }) => [label, ticked, earlierTicked])).toEqual([
          ["Home", true, true],
          ["Work", false, false]
        ])
        expect(review.standardOptions.filter(({ preselected }) => preselected).map(({ days }) => days)).toEqual([
          "never"
        ])
        expect(review.sensitiveOptions.filter(({ preselected }) => preselected).map(({ days }) => days)).toEqual([30])
      })
    ))

  it("scopes whose grace is over are new again, have no end date before the sweep either, and none is said to go [tiers-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* connected
        yield* TestClock.adjust("21 days")
        const back = yield* reviewConsent((yield* request(app, [CURRENT, LOOKUP])).id, user)
        expect(back.scopes.map(({ heldBefore, ticked }) => [heldBefore, ticked])).toEqual([
          [true, true],
          [false, false]
        ])
        expect(back.previous).toMatchObject({ sensitiveExpiresAt: null })
        expect((yield* reviewConsent((yield* request(app, [CURRENT])).id, user)).leaving).toEqual([])
      })
    ))
})

describe("a receipt by e-mail", () => {
  it.each([
    ["new", "You connected Coffee Finder"],
    ["renew_sensitive", "You let Coffee Finder go on using your exact location"],
    ["change", "You changed what Coffee Finder can do"]
  ] as const)("after an approval in mode %s, written with it, one for each request [consent-9]", (mode, subject) =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* mode === "new" ? sensitivePair : connected
        const home = yield* place(it.user, "Surgery of Dr Miller")
        const before = (yield* mails).length
        const scopes = mode === "change" ? ([CURRENT, VISITS] as const) : ([CURRENT, LOOKUP] as const)
        const consentRequest = yield* request(it.app, scopes)
        expect((yield* reviewConsent(consentRequest.id, it.user)).mode).toBe(mode)
        const choices = { scopes, places: [home.id], standardDays: "never", sensitiveDays: "7" }
        yield* decide(consentRequest, it.user, choices)
        yield* decide(consentRequest, it.user, choices)
        const [receipt, ...more] = (yield* mails).slice(before)
        expect(more).toEqual([])
        expect(receipt).toMatchObject({ to: it.user.id, dedupeKey: `consent_receipt ${consentRequest.id}`, subject })
        expect(receipt?.body).toContain("See which of the places you share you are at now")
        expect(receipt?.body.includes("Your exact location: until 22 January 2026")).toBe(mode !== "change")
        expect(receipt?.body.includes("has no end date")).toBe(mode !== "renew_sensitive")
        expect(receipt?.body).toContain("1 place of yours")
        // The label of a place may reveal more than an e-mail should say.
        expect(receipt?.body).not.toContain("Miller")
      })
    )
  )

  it("names the end of the connection when it is before that of exact location [consent-9, tiers-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const choices = { scopes: [CURRENT, LOOKUP], standardDays: "7", sensitiveDays: "30" }
        yield* decide(yield* request(app, [CURRENT, LOOKUP]), user, choices)
        const [receipt] = yield* mails
        expect(receipt?.body).toMatch(
          /Your exact location: until 22 January 2026 .*\nThe connection ends on 22 January/
        )
      })
    ))

  it("none after a refusal, an invalid form or Cancel [consent-9]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const consentRequest = yield* request(app, [CURRENT])
        yield* decide(consentRequest, user, { scopes: [] })
        yield* decide(consentRequest, user, { decision: "cancel" })
        yield* decide(consentRequest, user, { scopes: [CURRENT] })
        expect(yield* mails).toEqual([])
      })
    ))

  it("after a disconnection by the user, once; none when the connection had ended by itself", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair({ name: "Two\nlines" as never })
        const { connectionId } = yield* ConsentFlow.connect(app, user, [CURRENT], { standardDays: "1" })
        const farewells = Effect.map(mails, (all) =>
          all.filter(({ dedupeKey }) => dedupeKey === `disconnected ${connectionId}`).map(({ subject }) => subject)
        )
        yield* disconnect(user.id, connectionId)
        yield* disconnect(user.id, connectionId)
        expect(yield* farewells).toEqual(["You disconnected Two lines"])
        const second = yield* ConsentFlow.connect(app, user, [CURRENT], { standardDays: "1" })
        yield* TestClock.adjust("2 days")
        yield* disconnect(user.id, second.connectionId)
        expect((yield* mails).some(({ dedupeKey }) => dedupeKey === `disconnected ${second.connectionId}`)).toBe(false)
      })
    ))
})
