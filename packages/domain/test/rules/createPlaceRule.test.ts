import { TokenStore } from "@place-access/domain/tokens"
import { archivePlace } from "@place-access/domain/connection"
import {
  createPlaceRule,
  getEvaluationsOfUser,
  listRules,
  listRulesOfUser,
  removeRule,
  removeRuleOfUser
} from "@place-access/domain/rules"
import { ConnectionId, RuleId, Timestamp } from "@place-access/domain/shared"
import { ConnectionSamples, MemoryDatabase, RuleSamples, WebhookFixtures } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer, TestClock } from "effect"
import { NOON } from "../support/rules.js"
import { UploadStores } from "../support/uploads.js"

const run = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof UploadStores>>) =>
  Effect.zipRight(TestClock.setTime(NOON), program).pipe(Effect.provide(UploadStores))

const ALL = { limit: 500, cursor: undefined }

const tagOf = <A, E extends { readonly _tag: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(program), (error) => error._tag)

/** Creates a rule whose window is the given minute after noon. */
const inMinute =
  ({ connection, place }: Effect.Effect.Success<ReturnType<typeof RuleSamples.sharing>>) =>
  (minute: number) =>
    createPlaceRule(connection, {
      type: "enter",
      placeId: place.id,
      activeFrom: new Date(NOON + minute * 60_000).toISOString(),
      activeUntil: new Date(NOON + (minute + 1) * 60_000).toISOString()
    })

describe("creating a place rule [§4.6]", () => {
  it.effect("what is wrong with the request comes before everything else [rules-1]", () =>
    run(
      Effect.gen(function* () {
        const { connection } = yield* RuleSamples.sharing()
        const error = yield* Effect.flip(
          createPlaceRule(connection, { type: "dwell", placeId: "plc_none", webhookUrl: "https://nowhere.example/" })
        )
        expect(error).toMatchObject({ _tag: "Invalid", problems: [{ field: "dwell_minutes" }] })
      })
    )
  )

  it.effect("an address that is no endpoint comes before a place that is not there", () =>
    run(
      Effect.gen(function* () {
        const { connection } = yield* RuleSamples.sharing()
        const request = { type: "enter", placeId: "plc_none", webhookUrl: "https://nowhere.example/" }
        expect(yield* tagOf(createPlaceRule(connection, request))).toBe("WebhookUrlNotRegistered")
        expect(yield* tagOf(createPlaceRule(connection, { ...request, webhookUrl: null }))).toBe("NotFound")
      })
    )
  )

  it.effect("an endpoint counts although it is disabled; another app's does not", () =>
    run(
      Effect.gen(function* () {
        const { app, connection, place } = yield* RuleSamples.sharing()
        const disabledAt = yield* Timestamp.now
        const own = yield* WebhookFixtures.endpoint(app.id, { disabledAt })
        const foreign = yield* WebhookFixtures.endpoint((yield* WebhookFixtures.ownedApp).id)
        const request = { type: "enter", placeId: place.id }
        const rule = yield* createPlaceRule(connection, { ...request, webhookUrl: own.url })
        expect(rule.webhookUrl).toBe(own.url)
        expect(yield* tagOf(createPlaceRule(connection, { ...request, webhookUrl: foreign.url }))).toBe(
          "WebhookUrlNotRegistered"
        )
      })
    )
  )

  it.effect("a place that is not shared or archived does not exist for the app", () =>
    run(
      Effect.gen(function* () {
        const { connection, place, user } = yield* RuleSamples.sharing()
        const unshared = yield* RuleSamples.place(user.id)
        expect(yield* tagOf(createPlaceRule(connection, { type: "enter", placeId: unshared.id }))).toBe("NotFound")
        yield* archivePlace(user.id, place.id)
        expect(yield* tagOf(createPlaceRule(connection, { type: "enter", placeId: place.id }))).toBe("NotFound")
      })
    )
  )

  it.effect("a place withdrawn while the request was on its way does not exist for the app any more [rules-1]", () =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        yield* ConnectionSamples.change(connection.id, { _tag: "SetPlaces", places: [], placesVersion: 2 })
        expect(yield* tagOf(createPlaceRule(connection, { type: "enter", placeId: place.id }))).toBe("NotFound")
        expect((yield* listRulesOfUser(connection.userId, connection.id, ALL)).rules).toEqual([])
      })
    )
  )

  it.effect("a connection that ended while the request was on its way: the token is worth nothing any more", () =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        const now = yield* Timestamp.now
        yield* (yield* TokenStore).change(connection.id, {}, () => ({
          outcome: undefined,
          writes: [{ _tag: "End", reason: "user_disconnected", at: now }]
        }))
        expect(yield* tagOf(createPlaceRule(connection, { type: "enter", placeId: place.id }))).toBe("InvalidToken")
      })
    )
  )

  it.effect("a connection can have 500 rules whose windows do not meet: a deleted one makes room [rules-15]", () =>
    run(
      Effect.gen(function* () {
        const sharing = yield* RuleSamples.sharing()
        const createIn = inMinute(sharing)
        const rules = yield* Effect.forEach(
          Array.from({ length: 500 }, (_, index) => index),
          createIn
        )
        expect(yield* Effect.flip(createIn(500))).toMatchObject({
          _tag: "Conflict",
          reason:
            "a connection can have 500 rules, each counted until a day after the end of its window; remove one, or wait"
        })
        yield* removeRule(sharing.connection, rules[0]!.id, "Place")
        expect((yield* createIn(500)).type).toBe("enter")
      })
    )
  )

  it.effect("a request that breaks both limits learns the instant of the eleventh active rule [rules-15]", () =>
    run(
      Effect.gen(function* () {
        const createIn = inMinute(yield* RuleSamples.sharing())
        yield* Effect.replicateEffect(createIn(1_000), 10, { discard: true })
        yield* Effect.forEach(
          Array.from({ length: 490 }, (_, index) => index),
          createIn,
          { discard: true }
        )
        expect(yield* Effect.flip(createIn(1_000))).toMatchObject({
          _tag: "RuleLimitReached",
          instant: NOON + 60_000_000
        })
        expect(yield* tagOf(createIn(2_000))).toBe("Conflict")
      })
    )
  )

  it.effect("rules whose window ended less than a day ago count, because uploads still evaluate them [rules-15]", () =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        const createBrief = Effect.gen(function* () {
          const now = yield* Timestamp.now
          const made = yield* createPlaceRule(connection, {
            type: "enter",
            placeId: place.id,
            activeFrom: new Date(now).toISOString(),
            activeUntil: new Date(now + 1_000).toISOString()
          })
          yield* TestClock.adjust("2 seconds")
          return made
        })
        yield* Effect.replicateEffect(createBrief, 500, { discard: true })
        expect(yield* tagOf(createBrief)).toBe("Conflict")
        // More than a day after the end of the first window, the limit has room for one more rule.
        yield* TestClock.setTime(NOON + 1_000 + 86_400_000)
        expect(yield* tagOf(createBrief)).toBe("Conflict")
        yield* TestClock.adjust("1 millis")
        expect((yield* createBrief).type).toBe("enter")
      })
    )
  )

  it.effect("the eleventh is refused with the instant, a deleted one makes room", () =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        const create = createPlaceRule(connection, { type: "enter", placeId: place.id })
        const rules = yield* Effect.replicateEffect(create, 10)
        expect(yield* Effect.flip(create)).toMatchObject({ _tag: "RuleLimitReached", instant: NOON })
        yield* removeRule(connection, rules[0]!.id, "Place")
        const created = yield* create
        expect((yield* listRules(connection, "Place", ALL)).rules.map((rule) => rule.id)).toContain(created.id)
      })
    )
  )
})

describe("the user's view of rules [decisions §10]", () => {
  it.effect("place and zone rules alike; another user's connection is not there", () =>
    run(
      Effect.gen(function* () {
        const { connection, place, user } = yield* RuleSamples.sharing()
        yield* RuleSamples.rule(connection, RuleSamples.onPlace(place))
        yield* RuleSamples.rule(connection, RuleSamples.ZONE)
        expect((yield* listRulesOfUser(user.id, connection.id, ALL)).rules).toHaveLength(2)
        const other = yield* RuleSamples.sharing()
        expect(yield* tagOf(listRulesOfUser(other.user.id, connection.id, ALL))).toBe("NotFound")
        expect(yield* tagOf(listRulesOfUser(user.id, ConnectionId.make("con_none"), ALL))).toBe("NotFound")
      })
    )
  )

  it.effect.each(["its standard tier has passed", "its app was revoked"])(
    "a connection has no rules once %s, also before a worker stores that [rules-6, connection-3, tiers-3]",
    (why) =>
      run(
        Effect.gen(function* () {
          const standardExpiresAt = Timestamp.plus(yield* Timestamp.now, 2)
          const { app, connection, place, user } = yield* RuleSamples.sharing({ standardExpiresAt })
          const { id } = yield* RuleSamples.rule(connection, RuleSamples.onPlace(place))
          const readEvaluations = getEvaluationsOfUser(user.id, connection.id, id)
          yield* TestClock.adjust(1)
          expect((yield* listRulesOfUser(user.id, connection.id, ALL)).rules.map((rule) => rule.id)).toEqual([id])
          expect((yield* readEvaluations).rule.id).toBe(id)

          if (why === "its app was revoked") {
            const { apps } = yield* MemoryDatabase
            apps.set(app.id, { app: { ...app, revokedAt: yield* Timestamp.now }, secrets: [] })
          } else {
            yield* TestClock.adjust(1)
          }
          expect(yield* listRulesOfUser(user.id, connection.id, ALL)).toEqual({ rules: [], nextCursor: null })
          expect(yield* tagOf(readEvaluations)).toBe("NotFound")
        })
      )
  )

  it.effect("the user stops any of their rules; what is not there is not found", () =>
    run(
      Effect.gen(function* () {
        const { connection, user } = yield* RuleSamples.sharing()
        const rule = yield* RuleSamples.rule(connection, RuleSamples.ZONE)
        expect(yield* tagOf(removeRule(connection, rule.id, "Place"))).toBe("NotFound")
        yield* removeRuleOfUser(user.id, null, rule.id)
        expect(yield* tagOf(removeRuleOfUser(user.id, connection.id, rule.id))).toBe("NotFound")
        expect(yield* tagOf(removeRuleOfUser(user.id, null, RuleId.make("rul_none")))).toBe("NotFound")
      })
    )
  )
})
