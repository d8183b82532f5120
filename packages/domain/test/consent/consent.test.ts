import { Account } from "@place-access/domain/accounts"
import { type App, RedirectUri } from "@place-access/domain/apps"
import {
  type ConsentChoices,
  ConsentRequest,
  ConsentStore,
  decideConsent,
  reviewConsent
} from "@place-access/domain/consent"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { AuthorizationCode } from "@place-access/domain/tokens"
import { ConsentFlow, Fixtures, MemoryDatabase, MemoryVault } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option, TestClock } from "effect"
import { inWorld, pair, place, purpose } from "../support/connections.js"
import { CURRENT, decide, live, LOOKUP, problems, reason, request, sensitivePair } from "../support/consents.js"

const { DAY } = Timestamp

describe("an address that is not confirmed [accounts-11]", () => {
  it("connects no app, also when the caller has not checked the address; the user can still cancel", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const unconfirmed = { ...user, confirmedAt: null }
        const consentRequest = yield* request(app, [CURRENT])
        const choices = ConsentFlow.choices({ scopes: [CURRENT] })
        const answerAs = (who: Account.Account, rule: Account.AddressRule, more: Partial<ConsentChoices> = {}) =>
          decideConsent(consentRequest.id, who, { ...choices, ...more }, ConsentFlow.ISSUER, rule)
        expect(yield* Effect.flip(answerAs(unconfirmed, "confirmed"))).toMatchObject({
          _tag: "Forbidden",
          reason: Account.UNCONFIRMED
        })
        expect((yield* (yield* ConsentStore).findRequest(consentRequest.id)).pipe(Option.getOrThrow).decided).toBeNull()
        const { redirectTo } = yield* answerAs(unconfirmed, "confirmed", { decision: "cancel" })
        expect(ConsentFlow.answer(redirectTo)).toMatchObject({ error: "access_denied" })
      })
    ))

  it.each(["confirmed", "assumed"] as const)("connects an app where the address counts as confirmed: %s", (rule) =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const who = rule === "assumed" ? { ...user, confirmedAt: null } : user
        const consentRequest = yield* request(app, [CURRENT])
        const choices = ConsentFlow.choices({ scopes: [CURRENT] })
        yield* decideConsent(consentRequest.id, who, choices, ConsentFlow.ISSUER, rule)
        expect(yield* live(user, app)).toMatchObject({ heldScopes: [CURRENT] })
      })
    )
  )
})

describe("a first consent", () => {
  it("makes a connection of what the user chose, version 1, and sends code and state back", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const [home, work] = [yield* place(user, "Home"), yield* place(user, "Work")]
        const now = yield* Timestamp.now
        const consentRequest = yield* request(app, [CURRENT, LOOKUP], { external_user_id: "user-7" })
        yield* TestClock.adjust(5_000)
        const answer = yield* decide(consentRequest, user, {
          scopes: [LOOKUP, CURRENT],
          places: [home.id, work.id],
          earlier: [work.id, "plc_unticked"],
          standardDays: "90",
          sensitiveDays: "7"
        })
        const { redirectTo } = Either.getOrThrow(answer)
        expect(Object.keys(ConsentFlow.answer(redirectTo))).toEqual(["code", "state"])
        const decidedAt = Timestamp.plus(now, 5_000)
        const connection = yield* live(user, app)
        expect(connection).toMatchObject({
          heldScopes: [CURRENT, LOOKUP],
          externalUserId: "user-7",
          placesVersion: 1,
          standardExpiresAt: decidedAt + 90 * DAY,
          sensitiveExpiresAt: decidedAt + 7 * DAY,
          connectedAt: decidedAt,
          endedAt: null,
          familyId: null
        })
        expect(new Set(connection.places)).toEqual(
          new Set([
            { placeId: home.id, sharedAt: decidedAt, includeEarlierVisits: false },
            { placeId: work.id, sharedAt: decidedAt, includeEarlierVisits: true }
          ])
        )
      })
    ))

  it("fewer scopes than asked for, no place, no expiry: all allowed; without a sensitive scope no sensitive date [§4.1-choices]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const consentRequest = yield* request(app, [CURRENT, LOOKUP])
        yield* decide(consentRequest, user, { scopes: [CURRENT], standardDays: "never", sensitiveDays: "junk" })
        expect(yield* live(user, app)).toMatchObject({
          heldScopes: [CURRENT],
          places: [],
          standardExpiresAt: null,
          sensitiveExpiresAt: null
        })
      })
    ))

  it.each([
    ["1", 1],
    ["7", 7],
    ["30", 30],
    ["90", 90],
    [undefined, 30],
    ["", 30]
  ])("standard_days %j counts %d days of 24 hours from the decision [§4.2-standard]", (standardDays, days) =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        yield* decide(yield* request(app, [CURRENT]), user, { scopes: [CURRENT], standardDays })
        expect((yield* live(user, app)).standardExpiresAt).toBe((yield* Timestamp.now) + days * DAY)
      })
    )
  )

  it("everything wrong with the form at once, and nothing is decided [consent-7]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const stranger = yield* Fixtures.user
        const theirs = yield* place(stranger, "Theirs")
        const old = yield* place(user, "Old", { archivedAt: yield* Timestamp.now })
        const consentRequest = yield* request(app, [CURRENT, LOOKUP])
        const check = (choices: Partial<ConsentChoices>, ...fields: ReadonlyArray<string>) =>
          Effect.map(decide(consentRequest, user, choices), (answer) => expect(problems(answer)).toEqual(fields))
        yield* check(
          { decision: "maybe", scopes: [], places: [theirs.id], standardDays: "2" },
          "decision",
          "scope",
          "place",
          "standard_days"
        )
        yield* check({ scopes: [LOOKUP], sensitiveDays: "never" }, "sensitive_days")
        yield* check({ scopes: [CURRENT, "location.visits.read"] }, "scope")
        yield* check({ scopes: [CURRENT, "nonsense"] }, "scope")
        yield* check({ scopes: [CURRENT], places: [old.id] }, "place")
        for (const standardDays of ["0", "030", "7.0", "1e1", "-1", "Never"]) {
          yield* check({ scopes: [CURRENT], standardDays }, "standard_days")
        }
        const tables = yield* MemoryDatabase
        expect([
          tables.connections.size,
          tables.codes.size,
          tables.consentRequests.get(consentRequest.id)?.decided
        ]).toEqual([0, 0, null])
      })
    ))

  it("a scope that the app lost since it asked cannot be granted [consent-7]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const consentRequest = yield* request(app, [CURRENT, LOOKUP])
        const tables = yield* MemoryDatabase
        tables.apps.set(app.id, { app: { ...app, allowedScopes: [LOOKUP] }, secrets: [] })
        expect(problems(yield* decide(consentRequest, user, { scopes: [CURRENT] }))).toEqual(["scope"])
        tables.purposes.splice(0)
        expect(problems(yield* decide(consentRequest, user, { scopes: [LOOKUP] }))).toEqual(["scope"])
      })
    ))

  it("an app that was closed while the page was open: revoked for good, or suspended for the moment [reviews-6, staff-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const consentRequest = yield* request(app, [CURRENT])
        const { apps } = yield* MemoryDatabase
        const now = yield* Timestamp.now
        for (const [closed, why] of [
          [{ suspendedAt: now }, "app_suspended"],
          [{ revokedAt: now }, "app_revoked"],
          [{ suspendedAt: now, revokedAt: now }, "app_revoked"]
        ] as const) {
          apps.set(app.id, { app: { ...app, ...closed }, secrets: [] })
          expect(reason(yield* Effect.either(reviewConsent(consentRequest.id, user)))).toBe(why)
          expect(reason(yield* decide(consentRequest, user, { scopes: [CURRENT] }))).toBe(why)
        }
        apps.set(app.id, { app, secrets: [] })
        expect(Either.isRight(yield* decide(consentRequest, user, { scopes: [CURRENT] }))).toBe(true)
      })
    ))

  it("a redirect URI that the owner removed while the page was open gets no code, no error and no page [apps-5, consent-7]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const { apps } = yield* MemoryDatabase
        const uris = (redirectUris: App.App["redirectUris"]) =>
          apps.set(app.id, { app: { ...app, redirectUris }, secrets: [] })
        const moved = [RedirectUri.RedirectUri.make("https://coffee.example/other")]
        const consentRequest = yield* request(app, [CURRENT])
        uris(moved)
        expect(reason(yield* Effect.either(reviewConsent(consentRequest.id, user)))).toBe("outdated")
        expect(reason(yield* decide(consentRequest, user, { scopes: [CURRENT] }))).toBe("outdated")
        expect(reason(yield* decide(consentRequest, user, { decision: "cancel" }))).toBe("outdated")
        uris([...moved, ...app.redirectUris])
        expect(yield* reviewConsent(consentRequest.id, user)).toMatchObject({
          redirectOrigin: "https://coffee.example"
        })
        expect(Either.isRight(yield* decide(consentRequest, user, { scopes: [CURRENT] }))).toBe(true)
        uris(moved)
        expect(reason(yield* decide(consentRequest, user, { scopes: [CURRENT] }))).toBe("outdated")
      })
    ))

  it("cancel: access_denied with the state, iss when response_type was sent, and no connection [O3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const consentRequest = yield* request(app, [CURRENT], { response_type: "code" })
        const { redirectTo } = Either.getOrThrow(yield* decide(consentRequest, user, { decision: "cancel" }))
        expect(ConsentFlow.answer(redirectTo)).toMatchObject({
          error: "access_denied",
          state: ConsentFlow.STATE,
          iss: ConsentFlow.ISSUER
        })
        // A consent is decided once. So a second decision changes nothing, and its result is the redirect of the first
        // decision.
        const second = Either.getOrThrow(yield* decide(consentRequest, user, { scopes: [CURRENT] }))
        expect(second.redirectTo).toBe(redirectTo)
        expect((yield* MemoryDatabase).connections.size).toBe(0)
      })
    ))

  it("the same form again, whatever it says now and after a key rotation: the same answer and code [consent-6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const consentRequest = yield* request(app, [CURRENT])
        const olderKey = MemoryVault.make(["k1"])
        const first = yield* Effect.provideService(
          decide(consentRequest, user, { scopes: [CURRENT] }),
          Vault.Vault,
          olderKey
        )
        yield* TestClock.adjust(AuthorizationCode.LIFETIME - 1)
        expect(yield* decide(consentRequest, user, { decision: "cancel" })).toEqual(first)
        expect((yield* MemoryDatabase).codes.size).toBe(1)
        expect(reason(yield* decide(consentRequest, yield* Fixtures.user, { scopes: [CURRENT] }))).toBe("decided")
        expect(Either.isLeft(yield* Effect.either(reviewConsent(consentRequest.id, user)))).toBe(true)
      })
    ))

  it("a code that the app has exchanged is not repeated, so the connection does not end as a leak [consent-6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const consentRequest = yield* request(app, [CURRENT])
        const again = decide(consentRequest, user, { scopes: [CURRENT] })
        const { redirectTo } = Either.getOrThrow(yield* again)
        expect(Either.getOrThrow(yield* again).redirectTo).toBe(redirectTo)
        yield* ConsentFlow.exchange(app, ConsentFlow.answer(redirectTo)["code"] ?? "")
        expect(reason(yield* again)).toBe("decided")
        expect(yield* live(user, app)).toMatchObject({ heldScopes: [CURRENT] })
      })
    ))

  it("a code of more than 60 seconds is not repeated; after Cancel the first answer is [consent-6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const [approved, denied] = [yield* request(app, [CURRENT]), yield* request(app, [CURRENT])]
        yield* decide(approved, user, { scopes: [CURRENT] })
        const cancelled = yield* decide(denied, user, { decision: "cancel" })
        yield* TestClock.adjust(AuthorizationCode.LIFETIME)
        expect(reason(yield* decide(approved, user, { scopes: [CURRENT] }))).toBe("decided")
        yield* TestClock.adjust(ConsentRequest.LIFETIME - AuthorizationCode.LIFETIME - 1)
        expect(yield* decide(denied, user, { scopes: [CURRENT] })).toEqual(cancelled)
      })
    ))

  it("no answer is repeated after the request's hour, nor for an app that was revoked or suspended since [consent-6]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const { apps } = yield* MemoryDatabase
        const [approved, denied] = [yield* request(app, [CURRENT]), yield* request(app, [CURRENT])]
        const again = (consentRequest: ConsentRequest.ConsentRequest) =>
          decide(consentRequest, user, { scopes: [CURRENT] })
        yield* again(approved)
        yield* decide(denied, user, { decision: "cancel" })
        const now = yield* Timestamp.now
        for (const one of [approved, denied]) {
          for (const [closed, why] of [
            [{ suspendedAt: now }, "app_suspended"],
            [{ revokedAt: now }, "app_revoked"]
          ] as const) {
            apps.set(app.id, { app: { ...app, ...closed }, secrets: [] })
            expect(reason(yield* again(one))).toBe(why)
          }
          apps.set(app.id, { app, secrets: [] })
          expect(Either.isRight(yield* again(one))).toBe(true)
        }
        yield* TestClock.adjust(ConsentRequest.LIFETIME)
        for (const one of [approved, denied]) expect(reason(yield* again(one))).toBe("expired")
      })
    ))

  it("a sandbox app is connected by its developer only [A1]", () =>
    inWorld(
      Effect.gen(function* () {
        const developer = yield* Fixtures.user
        const app = yield* Fixtures.app(developer.id)
        const consentRequest = yield* request(app, [CURRENT])
        const stranger = yield* Fixtures.user
        expect(reason(yield* Effect.either(reviewConsent(consentRequest.id, stranger)))).toBe("sandbox")
        expect(reason(yield* decide(consentRequest, stranger, { scopes: [CURRENT] }))).toBe("sandbox")
        yield* reviewConsent(consentRequest.id, developer)
        expect(Either.isRight(yield* decide(consentRequest, developer, { scopes: [CURRENT] }))).toBe(true)
      })
    ))

  it("the page stays open for an hour, exclusive [consent-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair()
        const consentRequest = yield* request(app, [CURRENT])
        yield* TestClock.adjust(ConsentRequest.LIFETIME - 1)
        yield* reviewConsent(consentRequest.id, user)
        yield* TestClock.adjust(1)
        expect(reason(yield* decide(consentRequest, user, { scopes: [CURRENT] }))).toBe("expired")
        expect(reason(yield* Effect.either(reviewConsent(consentRequest.id, user)))).toBe("expired")
      })
    ))
})

describe("the consent page", () => {
  it("shows the app, its developer, where it leads, its usable purposes verbatim, places, dates and the phone", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        yield* purpose(app, "drafted", [LOOKUP], "draft")
        const edited = yield* purpose(app, "edited", [LOOKUP])
        const tables = yield* MemoryDatabase
        tables.purposes.splice(tables.purposes.indexOf(edited), 1, {
          ...edited,
          status: "in_review",
          archivedAt: null,
          terms: { ...edited.terms, description: "A wording that nobody approved" }
        })
        const home = yield* place(user, "Home")
        yield* place(user, "Old", { archivedAt: yield* Timestamp.now })
        const now = yield* Timestamp.now
        const review = yield* reviewConsent((yield* request(app, [LOOKUP, CURRENT])).id, user)
        expect(review).toMatchObject({
          mode: "new",
          app: { id: app.id, name: app.name, description: app.description, homepageUrl: null, status: "production" },
          developerName: "Ada",
          redirectOrigin: "https://coffee.example",
          asksPlaces: true,
          asksStandardDays: true,
          places: [{ id: home.id, label: "Home", ticked: false, earlierTicked: false }],
          previous: null,
          phoneHasSent: false
        })
        expect(review.scopes).toEqual([
          expect.objectContaining({ scope: CURRENT, sensitive: false, purposes: [], heldBefore: null, ticked: true }),
          expect.objectContaining({
            scope: LOOKUP,
            sensitive: true,
            heldBefore: null,
            ticked: false,
            purposes: ["To find coffee (edited)", "To find coffee (find_coffee)"]
          })
        ])
        expect(review.standardOptions).toEqual([
          { days: 1, endsAt: now + DAY, preselected: false },
          { days: 7, endsAt: now + 7 * DAY, preselected: false },
          { days: 30, endsAt: now + 30 * DAY, preselected: true },
          { days: 90, endsAt: now + 90 * DAY, preselected: false },
          { days: "never", endsAt: null, preselected: false }
        ])
        expect(review.sensitiveOptions.map(({ days }) => days)).toEqual([1, 7, 30, 90])
      })
    ))

  it.each([
    ["https://coffee.example:8443/a/b?c=d", "https://coffee.example:8443"],
    ["http://localhost/cb", "http://localhost"],
    ["http://[::1]:3000/cb", "http://[::1]:3000"],
    ["com.example.app:/callback", "com.example.app:"]
  ])("the origin of %s is %s", (uri, origin) =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* pair({ redirectUris: [RedirectUri.RedirectUri.make(uri)] })
        expect((yield* reviewConsent((yield* request(app, [CURRENT])).id, user)).redirectOrigin).toBe(origin)
      })
    )
  )
})
