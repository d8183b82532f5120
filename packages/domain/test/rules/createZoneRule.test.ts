import { askZone } from "@place-access/domain/limits"
import { createPlaceRule, createZoneRule, listRules } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryLimitStore, RuleSamples, WebhookFixtures } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, type Layer, TestClock } from "effect"
import { DAY, INSIDE, NOON } from "../support/rules.js"
import { UploadStores } from "../support/uploads.js"

const run = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof UploadStores>>) =>
  Effect.zipRight(TestClock.setTime(NOON), program).pipe(Effect.provide(UploadStores))

const tagOf = <A, E extends { readonly _tag: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(program), (error) => error._tag)

const ALL = { limit: 500, cursor: undefined }
const ZONE = { type: "enter", lat: INSIDE.lat, lon: INSIDE.lon, radiusM: 150, label: "Quay" }

describe("creating a zone rule [§4.6]", () => {
  it.effect("is a rule about what the app drew, with the label as a person would write it [rules-2]", () =>
    run(
      Effect.gen(function* () {
        const { connection } = yield* RuleSamples.sharing({ places: [] })
        const rule = yield* createZoneRule(connection, { ...ZONE, label: "  Quay " })
        const circle = { lat: ZONE.lat, lon: ZONE.lon, radiusM: 150 }
        expect(rule.target).toEqual({ _tag: "Zone", circle, label: "Quay" })
        expect((yield* listRules(connection, "Zone", ALL)).rules).toEqual([{ ...rule, state: "active" }])
      })
    )
  )

  it.effect("what is wrong with the request comes first, then an address that is no endpoint, then the limit", () =>
    run(
      Effect.gen(function* () {
        const { connection } = yield* RuleSamples.sharing()
        const nowhere = { ...ZONE, webhookUrl: "https://nowhere.example/" }
        yield* Effect.replicateEffect(createZoneRule(connection, ZONE), 10)
        expect(yield* tagOf(createZoneRule(connection, { ...nowhere, radiusM: 99 }))).toBe("Invalid")
        expect(yield* tagOf(createZoneRule(connection, nowhere))).toBe("WebhookUrlNotRegistered")
        expect(yield* tagOf(createZoneRule(connection, ZONE))).toBe("RuleLimitReached")
      })
    )
  )

  it.effect("rule 6: place and zone rules fill the same ten; a finished one leaves its slot [§4.6.6, L11]", () =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        const onPlace = createPlaceRule(connection, { type: "exit", placeId: place.id })
        const until = Timestamp.toIso(Timestamp.make(NOON + 1_000))
        yield* Effect.replicateEffect(onPlace, 5)
        yield* Effect.replicateEffect(createZoneRule(connection, ZONE), 4)
        yield* createZoneRule(connection, { ...ZONE, activeUntil: until })
        expect(yield* Effect.flip(onPlace)).toMatchObject({ _tag: "RuleLimitReached", instant: NOON })
        yield* TestClock.adjust(999)
        expect(yield* tagOf(createZoneRule(connection, ZONE))).toBe("RuleLimitReached")
        yield* TestClock.adjust(1)
        yield* createZoneRule(connection, ZONE)
        const { rules } = yield* listRules(connection, "all", ALL)
        expect(rules.map(({ state }) => state).filter((state) => state === "finished")).toHaveLength(1)
      })
    )
  )

  it.effect("rules that an app makes over days for one day share the budget of that day with verify-zone [M8]", () =>
    run(
      Effect.gen(function* () {
        const { connection } = yield* RuleSamples.sharing()
        const activeFrom = Timestamp.toIso(Timestamp.make(NOON + 9 * DAY))
        const large = (radiusM: number) => createZoneRule(connection, { ...ZONE, radiusM, activeFrom })
        for (const radiusM of [3_000, 4_000, 5_000]) {
          yield* large(radiusM)
          yield* TestClock.adjust(2 * DAY)
        }
        expect(yield* tagOf(large(6_000))).toBe("BudgetExceeded")
        const circle = { lat: ZONE.lat, lon: ZONE.lon, radiusM: 6_000 }
        yield* askZone(connection, circle)
        yield* TestClock.adjust(3 * DAY)
        const seven = { ...circle, radiusM: 7_000 }
        expect(yield* tagOf(askZone(connection, seven))).toBe("BudgetExceeded")
        yield* TestClock.adjust(DAY + 1)
        yield* askZone(connection, seven)
      }).pipe(Effect.provide(MemoryLimitStore.layer))
    )
  )

  it.effect("rule 7: only the exact address of an endpoint is one, for either kind [§4.6.7]", () =>
    run(
      Effect.gen(function* () {
        const { app, connection, place } = yield* RuleSamples.sharing()
        const { url } = yield* WebhookFixtures.endpoint(app.id)
        const changed = fc
          .tuple(fc.nat(url.length - 1), fc.constantFrom("", "x", "/", "%2F", "?", " "))
          .map(([index, text]) => url.slice(0, index) + text + url.slice(index + 1))
        const near = fc.sample(fc.oneof(changed, fc.constantFrom(`${url}/`, `${url} `, url.toUpperCase())), 40)
        for (const webhookUrl of near.filter((text) => text !== url)) {
          expect(yield* tagOf(createZoneRule(connection, { ...ZONE, webhookUrl }))).toBe("WebhookUrlNotRegistered")
          expect(yield* tagOf(createPlaceRule(connection, { type: "enter", placeId: place.id, webhookUrl }))).toBe(
            "WebhookUrlNotRegistered"
          )
        }
        expect((yield* createZoneRule(connection, { ...ZONE, webhookUrl: url })).webhookUrl).toBe(url)
      })
    )
  )
})
