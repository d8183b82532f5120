import {
  createPlaceRule,
  createZoneRule,
  listRules,
  type RuleCaller,
  RuleLimitReached
} from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { Effect, Either } from "effect"
import { expect, it } from "vitest"
import { migratedOn, START, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"

const RACERS = 20
const ALL = { limit: 500, cursor: undefined }

describeServers("rule creations of one connection at once", (server) => {
  const run = withStores(migratedOn(server), UploadStores)

  const createMany = (caller: RuleCaller, placeId: string, count: number) =>
    Effect.forEach(
      Array.from({ length: count }, (_, index) => (index % 2 === 0 ? "enter" : "exit")),
      (type) => Effect.either(createPlaceRule(caller, { type, placeId })),
      { concurrency: "unbounded" }
    )

  it("twenty for one free slot: exactly one is made, the others hear of the limit at this instant", () =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        yield* createMany(connection, place.id, 9)
        const outcomes = yield* createMany(connection, place.id, RACERS)
        const refused = outcomes.filter(Either.isLeft).map(({ left }) => left)
        expect(refused).toHaveLength(RACERS - 1)
        for (const error of refused) {
          expect(error).toBeInstanceOf(RuleLimitReached)
          expect(error).toMatchObject({ instant: START })
        }
        expect((yield* listRules(connection, "Place", ALL)).rules).toHaveLength(10)
      })
    ))

  it("place and zone rules race for the same slots: of forty ten are made, whatever their kinds [§4.6.6]", () =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        const zone = { type: "enter", lat: 1, lon: 2, radiusM: 100, label: "Quay" }
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 2 * RACERS }, (_, index) => index % 2 === 0),
          (isZone) =>
            Effect.either(
              Effect.gen(function* () {
                if (isZone) return (yield* createZoneRule(connection, zone)).id
                return (yield* createPlaceRule(connection, { type: "exit", placeId: place.id })).id
              })
            ),
          { concurrency: "unbounded" }
        )
        for (const error of outcomes.filter(Either.isLeft)) {
          expect(error.left).toMatchObject({ _tag: "RuleLimitReached", instant: START })
        }
        const made = outcomes.filter(Either.isRight).map(({ right }) => right)
        expect(made).toHaveLength(10)
        const stored = yield* listRules(connection, "all", ALL)
        expect(stored.rules.map((rule) => rule.id).sort()).toEqual(made.sort())
      })
    ))

  it("windows that meet at one instant race too: the loser hears of that instant [rules-3]", () =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        yield* createMany(connection, place.id, 9)
        const at = (millis: number) => Timestamp.toIso(Timestamp.make(START + millis))
        const windows = [
          { activeUntil: at(2_000) },
          { activeFrom: at(1_000), activeUntil: at(3_000) },
          { activeFrom: at(2_000) },
          { activeFrom: at(3_000) }
        ]
        const outcomes = yield* Effect.forEach(
          windows,
          (window) => Effect.either(createPlaceRule(connection, { type: "enter", placeId: place.id, ...window })),
          { concurrency: "unbounded" }
        )
        const present = (yield* listRules(connection, "all", ALL)).rules.map(({ window }) => window)
        for (const instant of [0, 1_000, 2_000, 3_000]) {
          const active = present.filter(
            ({ from, until }) => (from ?? START) <= START + instant && START + instant < (until ?? Infinity)
          )
          expect(active.length).toBeLessThanOrEqual(10)
        }
        for (const error of outcomes.filter(Either.isLeft)) {
          expect(error.left).toMatchObject({ _tag: "RuleLimitReached" })
          expect([1_000, 2_000, 3_000].map((after) => START + after)).toContainEqual(
            "instant" in error.left ? error.left.instant : null
          )
        }
        expect(outcomes.filter(Either.isRight).length).toBeGreaterThanOrEqual(2)
      })
    ))

  it("two connections do not share their slots", () =>
    run(
      Effect.gen(function* () {
        const [one, other] = [yield* RuleSamples.sharing(), yield* RuleSamples.sharing()]
        const outcomes = yield* Effect.all(
          [createMany(one.connection, one.place.id, 10), createMany(other.connection, other.place.id, 10)],
          { concurrency: "unbounded" }
        )
        expect(outcomes.flat().every(Either.isRight)).toBe(true)
      })
    ))
})
