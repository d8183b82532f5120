import { createPlaceRule, listRules, type RuleCaller, RuleLimitReached } from "@place-access/domain/rules"
import { RuleSamples } from "@place-access/domain/testing"
import { Effect, Either } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, START, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"

const RACERS = 20
const ALL = { limit: 500, cursor: undefined }

describePg("rule creations of one connection at once", () => {
  const run = withStores(migratedPostgres, UploadStores)

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
