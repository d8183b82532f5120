import { createPlaceRule, createZoneRule, listRules } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { RuleSamples, WebhookFixtures } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, type Layer, TestClock } from "effect"
import { INSIDE, NOON } from "../support/rules.js"
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
