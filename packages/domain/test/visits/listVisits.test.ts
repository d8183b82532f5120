import { ingestFixes } from "@place-access/domain/fixes"
import { HistoryStore } from "@place-access/domain/history"
import { createPlace, Place, updatePlace } from "@place-access/domain/places"
import { ConnectionId, type PlaceId, type UserId } from "@place-access/domain/shared"
import { RuleSamples, VisitSamples } from "@place-access/domain/testing"
import { listVisits, VisitWords } from "@place-access/domain/visits"
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer, TestClock } from "effect"
import { CIRCLE, DAY, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"
import { VisitStores } from "../support/visits.js"

const run = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof VisitStores>>) =>
  TestClock.setTime(NOON).pipe(Effect.zipRight(program), Effect.provide(VisitStores))

const ground = Effect.gen(function* () {
  const phone = yield* VisitSamples.phone
  const { userId } = phone
  const home = yield* createPlace(userId, { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE })
  return { phone, userId, home: home.id }
})

/** Arrivals in minutes before noon, page by page. */
const pages = (userId: UserId, place: PlaceId, limit: number) =>
  Effect.gen(function* () {
    const connection = {
      userId,
      id: ConnectionId.make("con_1"),
      places: [{ placeId: place, sharedAt: time(NOON), includeEarlierVisits: true }]
    }
    const all: Array<ReadonlyArray<number>> = []
    let cursor: string | undefined
    do {
      const asked = { from: null, to: null, limit, cursor }
      const page: Effect.Effect.Success<ReturnType<typeof listVisits>> = yield* listVisits(
        connection,
        time(NOON),
        asked
      )
      all.push(page.visits.map(({ arrival }) => (NOON - arrival) / MINUTE))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return all
  })

const visit = (where: typeof INSIDE, minutes: number) => ({
  ...where,
  arrival: time(NOON - minutes * MINUTE),
  departure: time(NOON - minutes * MINUTE + 1),
  accuracyM: 10
})

describe("pages of visits", () => {
  it.effect("are filled past any number of visits elsewhere", () =>
    run(
      Effect.gen(function* () {
        const { home, phone, userId } = yield* ground
        const elsewhere = Array.from({ length: 1_200 }, (_, index) => visit(OUTSIDE, 10.5 + index))
        yield* ingestFixes(phone, [], [...elsewhere, visit(INSIDE, 5), visit(INSIDE, 700), visit(INSIDE, 1_205)])
        expect(yield* pages(userId, home, 2)).toEqual([[5, 700], [1_205]])
        expect(yield* pages(userId, home, 1)).toEqual([[5], [700], [1_205]])
      })
    )
  )

  it.effect("hold one visit for two phones that arrived together, on whichever page it lies", () =>
    run(
      Effect.gen(function* () {
        const { home, phone, userId } = yield* ground
        const [second, third] = [yield* RuleSamples.device(userId), yield* RuleSamples.device(userId)]
        for (const one of [phone, second]) {
          yield* ingestFixes(one, [], [visit(INSIDE, 30), visit(INSIDE, 20), visit(INSIDE, 10)])
        }
        const seen = [30, 20, 15, 10].map((minutes) => ({
          ...INSIDE,
          capturedAt: time(NOON - minutes * MINUTE),
          accuracyM: 5
        }))
        yield* ingestFixes(
          third,
          seen.flatMap((fix) => [fix, { ...fix, ...OUTSIDE, capturedAt: time(fix.capturedAt + 5 * MINUTE - 1) }]),
          []
        )
        // The third phone's are too short to be told but by the visits of the others.
        for (const limit of [1, 2, 3, 10]) {
          expect((yield* pages(userId, home, limit)).flat()).toEqual([10, 20, 30])
        }
      })
    )
  )

  it.effect("tell what the newest upload brought, however many phones a move of any place has set back", () =>
    run(
      Effect.gen(function* () {
        const { home, phone, userId } = yield* ground
        const more = yield* Effect.replicateEffect(RuleSamples.device(userId), 6)
        const phones = [phone, ...more].sort((a, b) => (a.id < b.id ? -1 : 1))
        const other = yield* createPlace(userId, { label: Place.Label.make("B"), kind: "other", circle: CIRCLE })
        const seen = (where: typeof INSIDE, minutes: number) => ({
          ...where,
          capturedAt: time(NOON - minutes * MINUTE),
          accuracyM: 10
        })
        for (const one of phones) yield* ingestFixes(one, [seen(OUTSIDE, 60)], [])
        yield* Effect.replicateEffect(pages(userId, home, 10), 4)
        yield* updatePlace(userId, other.id, { radiusM: 500 })
        for (const one of phones.slice(-1)) yield* ingestFixes(one, [seen(INSIDE, 30), seen(OUTSIDE, 10)], [])
        expect(yield* pages(userId, home, 10)).toEqual([[30]])
      })
    )
  )

  it.effect(
    "tell nothing that is past the user's choice of history: what ended then, and what a silent phone left open",
    () =>
      run(
        Effect.gen(function* () {
          const { home, phone, userId } = yield* ground
          const teller = yield* RuleSamples.device(userId)
          const at = (before: number) => time(NOON - before)
          const fix = (where: typeof INSIDE, before: number) => ({ ...where, capturedAt: at(before), accuracyM: 10 })
          yield* TestClock.setTime(NOON - 30 * DAY)
          yield* ingestFixes(teller, [], [{ ...INSIDE, arrival: at(32 * DAY), departure: null, accuracyM: 10 }])
          yield* TestClock.setTime(NOON - 30 * DAY + 1)
          yield* ingestFixes(
            phone,
            [fix(INSIDE, 31 * DAY), fix(OUTSIDE, 30 * DAY + HOUR), fix(INSIDE, 30 * DAY + MINUTE)],
            []
          )
          yield* TestClock.setTime(NOON)
          const history = yield* HistoryStore
          yield* history.choose(userId, null, time(NOON))
          expect((yield* pages(userId, home, 10)).flat()).toHaveLength(3)
          yield* history.choose(userId, 30, time(NOON))
          expect((yield* pages(userId, home, 10)).flat()).toEqual([(30 * DAY) / MINUTE + 1])
        })
      )
  )
})

describe("what the user reads of a page of visits", () => {
  it.each([
    [[], "that there were no visits to tell of"],
    [["Home"], "1 visit to Home"],
    [["Home", "Gym", "Home"], "3 visits to Gym and Home"],
    [["A", "B", "C", "D"], "4 visits to A, B, C and D"],
    [["A", "B", "C", "D", "E", "A"], "6 visits to A, B, C and 2 other places"]
  ])("%j: %s", (labels, words) => {
    expect(VisitWords.of(labels.map((label) => ({ place: { label } })))).toBe(words)
  })
})
