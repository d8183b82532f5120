import { ingestFixes } from "@place-access/domain/fixes"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { createPlace, Place, updatePlace } from "@place-access/domain/places"
import { ConnectionId, type PlaceId, type UserId } from "@place-access/domain/shared"
import { RuleSamples, VisitSamples } from "@place-access/domain/testing"
import { listVisits, VisitWords } from "@place-access/domain/visits"
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer, TestClock } from "effect"
import { CIRCLE, DAY, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"
import { travel } from "../support/geodesic.js"
import { VisitStores } from "../support/visits.js"

const run = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof VisitStores>>) =>
  TestClock.setTime(NOON).pipe(Effect.zipRight(program), Effect.provide(VisitStores))

const ground = Effect.gen(function* () {
  const phone = yield* VisitSamples.phone
  const { userId } = phone
  const home = yield* createPlace(userId, { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE })
  return { phone, userId, home: home.id }
})

/** The arrivals of the visits that an app reads, page by page, in minutes before noon. */
const pages = (userId: UserId, place: PlaceId, limit: number) =>
  Effect.gen(function* () {
    const connection = {
      userId,
      id: ConnectionId.make("con_1"),
      pause: null,
      places: [{ placeId: place, sharedAt: time(NOON), includeEarlierVisits: true }]
    }
    const all: Array<ReadonlyArray<number>> = []
    let cursor: string | undefined
    do {
      const query = { from: null, to: null, limit, cursor }
      const page: Effect.Effect.Success<ReturnType<typeof listVisits>> = yield* listVisits(
        connection,
        time(NOON),
        query
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
  it.effect("are filled past any number of visits elsewhere [visits-9]", () =>
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
        // Each stay of the third phone is too short to be a visit by itself. So the third phone's stay that begins 15
        // minutes before noon is no visit, and the list still has only the visits of the other phones.
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
        yield* updatePlace(userId, other.id, { radiusM: 500 }, "unchecked")
        for (const one of phones.slice(-1)) yield* ingestFixes(one, [seen(INSIDE, 30), seen(OUTSIDE, 10)], [])
        expect(yield* pages(userId, home, 10)).toEqual([[30]])
      })
    )
  )

  describe("at places whose circles overlap", () => {
    const EAST = { ...travel(CIRCLE, 90, 120), radiusM: 150 }
    const seen = (metres: number, ...minutes: ReadonlyArray<number>) =>
      minutes.map((one) => ({
        ...travel(CIRCLE, 90, metres),
        capturedAt: time(NOON - one * MINUTE),
        accuracyM: 10
      }))
    const visitsOf = (
      east: typeof EAST,
      fixes: ReadonlyArray<ReturnType<typeof seen>>,
      shared: ReadonlyArray<string>
    ) =>
      run(
        Effect.gen(function* () {
          const { home, phone, userId } = yield* ground
          const { id } = yield* createPlace(userId, { label: Place.Label.make("East"), kind: "other", circle: east })
          yield* ingestFixes(phone, fixes.flat(), [])
          const places = { Home: home, East: id }
          const connection = {
            userId,
            id: ConnectionId.make("con_1"),
            pause: null,
            places: Object.entries(places)
              .filter(([label]) => shared.includes(label))
              .map(([, placeId]) => ({ placeId, sharedAt: time(NOON), includeEarlierVisits: true }))
          }
          const query = { from: null, to: null, limit: 100, cursor: undefined }
          const { visits } = yield* listVisits(connection, time(NOON), query)
          return visits.map(({ arrival, departure, place }) => [
            place.label,
            (NOON - arrival) / MINUTE,
            departure === null ? null : (NOON - departure) / MINUTE
          ])
        })
      )
    const BOTH = ["Home", "East"]

    it.effect("one stop is listed once, at the place whose centre is nearer at the median of its fixes [M15]", () =>
      Effect.gen(function* () {
        const stop = (metres: number) => [seen(metres, 60, 50, 40), seen(400, 30)]
        expect(yield* visitsOf(EAST, stop(40), BOTH)).toEqual([["Home", 60, 30]])
        expect(yield* visitsOf(EAST, stop(80), BOTH)).toEqual([["East", 60, 30]])
        // An app that knows only one of the places sees the visit at that place, although the other place may be
        // nearer.
        expect(yield* visitsOf(EAST, stop(40), ["East"])).toEqual([["East", 60, 30]])
        expect(yield* visitsOf(EAST, stop(80), ["Home"])).toEqual([["Home", 60, 30]])
      })
    )

    it.effect("one jump does not move it, and of equal distances the smaller circle tells it", () =>
      Effect.gen(function* () {
        const jumps = [seen(40, 60), seen(90, 58), seen(40, 50, 40), seen(400, 30)]
        expect(yield* visitsOf(EAST, jumps, BOTH)).toEqual([["Home", 60, 30]])
        const around = { ...CIRCLE, radiusM: 300 }
        expect(yield* visitsOf(around, [seen(40, 60, 50, 40), seen(400, 30)], BOTH)).toEqual([["Home", 60, 30]])
      })
    )

    it.effect("a stop within a longer one is listed beside it", () =>
      Effect.gen(function* () {
        const campus = { ...travel(CIRCLE, 90, 600), radiusM: 900 }
        const day = [seen(700, 300, 280, 260), seen(0, 200, 190), seen(700, 150, 140, 130, 120), seen(2_000, 60)]
        expect(yield* visitsOf(campus, day, BOTH)).toEqual([
          ["Home", 200, 150],
          ["East", 300, 60]
        ])
      })
    )

    it.effect(
      "the band does not stretch a neighbour's visit: it ends when the stay at the other place begins [M15]",
      () =>
        Effect.gen(function* () {
          const east = { ...travel(CIRCLE, 90, 250), radiusM: 150 }
          // A point 190 m from the centre of Home lies in the band outside Home's boundary, and decisively inside East.
          const night = [seen(0, 600, 580), seen(190, 560, 400, 200, 100), seen(900, 30)]
          expect(yield* visitsOf(east, night, BOTH)).toEqual([
            ["East", 560, 30],
            ["Home", 600, 560]
          ])
        })
    )
  })

  describe("of a phone that tells its visits and sends fixes", () => {
    const at = (minutes: number) => time(NOON - minutes * MINUTE)
    const report = (where: typeof INSIDE, from: number, to: number | null, accuracyM = 10) => ({
      ...where,
      arrival: at(from),
      departure: to === null ? null : at(to),
      accuracyM
    })
    const seen = (where: typeof INSIDE, ...minutes: ReadonlyArray<number>) =>
      minutes.map((one) => ({ ...where, capturedAt: at(one), accuracyM: 10 }))
    /** The arrivals and departures of all visits, in minutes before noon. */
    const whole = (userId: UserId, place: PlaceId) =>
      Effect.map(
        listVisits(
          {
            userId,
            id: ConnectionId.make("con_1"),
            pause: null,
            places: [{ placeId: place, sharedAt: time(NOON), includeEarlierVisits: true }]
          },
          time(NOON),
          { from: null, to: null, limit: 100, cursor: undefined }
        ),
        ({ visits }) =>
          visits.map(({ arrival, departure }) =>
            [arrival, departure].map((one) => (one === null ? null : (NOON - one) / MINUTE))
          )
      )
    const FIXES = [...seen(INSIDE, 300, 250), ...seen(OUTSIDE, 200), ...seen(INSIDE, 100, 80), ...seen(OUTSIDE, 50)]
    const STAYS = [
      [100, 50],
      [300, 200]
    ]

    it.effect.each<[string, ReadonlyArray<ReturnType<typeof report>>, unknown]>([
      ["a visit elsewhere neither deletes nor stops what the fixes show", [report(OUTSIDE, 290, 220)], STAYS],
      ["an open visit elsewhere stops nothing", [report(OUTSIDE, 400, null)], STAYS],
      ["an imprecise visit says nothing", [report(INSIDE, 290, 220, 500)], STAYS],
      [
        "a stop that both show is one visit, as the phone tells it",
        [report(INSIDE, 298, 205)],
        [
          [100, 50],
          [298, 205]
        ]
      ],
      [
        "a visit without a departure ends when the fixes show the phone outside",
        [report(INSIDE, 302, null)],
        [
          [100, 50],
          [302, 200]
        ]
      ],
      [
        "a visit that the fixes do not show is listed beside the stays",
        [report(INSIDE, 180, 150)],
        [
          [100, 50],
          [180, 150],
          [300, 200]
        ]
      ]
    ])("%s", ([, reports, expected]) =>
      run(
        Effect.gen(function* () {
          const { home, phone, userId } = yield* ground
          yield* ingestFixes(phone, FIXES, [])
          expect(yield* whole(userId, home)).toEqual(STAYS)
          yield* ingestFixes(phone, [], reports)
          expect(yield* whole(userId, home)).toEqual(expected)
          for (const limit of [1, 2]) {
            expect((yield* pages(userId, home, limit)).flat()).toEqual(
              (expected as Array<Array<number>>).map(([one]) => one)
            )
          }
        })
      )
    )

    it.effect.each<[string, ReadonlyArray<ReturnType<typeof report>>, ReadonlyArray<unknown>]>([
      ["reported open", [report(INSIDE, 702, null)], [600, true]],
      ["with a reported departure", [report(INSIDE, 702, 500)], [500, false]],
      ["with an earlier next arrival", [report(INSIDE, 702, null), report(OUTSIDE, 650, null)], [650, false]]
    ])("after a silence and a far reading, the end of a visit is as uncertain as its stay's: %s [visits-11]", (row) =>
      run(
        Effect.gen(function* () {
          const [, reports, expected] = row
          const { home, phone, userId } = yield* ground
          const far = travel(CIRCLE, 90, 58_000)
          yield* ingestFixes(phone, [...seen(INSIDE, 700, 600), ...seen(far, 100)], reports)
          const known = { placeId: home, sharedAt: time(NOON), includeEarlierVisits: true }
          const connection = { userId, id: ConnectionId.make("con_1"), pause: null, places: [known] }
          const query = { from: null, to: null, limit: 100, cursor: undefined }
          const { visits } = yield* listVisits(connection, time(NOON), query)
          expect(
            visits.map(({ departure, isUncertain }) => [(NOON - Number(departure)) / MINUTE, isUncertain])
          ).toEqual([expected])
        })
      )
    )

    it.effect("an uncertain end of a reported visit is not final while readings wait [visits-8, visits-11]", () =>
      run(
        Effect.gen(function* () {
          const { home, phone, userId } = yield* ground
          const far = travel(CIRCLE, 90, 58_000)
          yield* ingestFixes(phone, [...seen(INSIDE, 700, 600), ...seen(far, 300)], [report(INSIDE, 702, null)])
          expect(yield* whole(userId, home)).toEqual([[702, 600]])
          // The first answer derives stays from 20,000 of these readings. Later answers derive the others.
          const waiting = Array.from({ length: 30_000 }, (_, index) => 299 - index / 120)
          yield* ingestFixes(phone, seen(far, ...waiting), [])
          expect(yield* whole(userId, home)).toEqual([])
          expect(yield* whole(userId, home)).toEqual([[702, 600]])
        })
      )
    )

    it.effect.each<[string, ReadonlyArray<ReturnType<typeof report>>, readonly [from: number, until: number]]>([
      ["between the stays", [report(INSIDE, 302, null)], [150, 120]],
      ["after both stays", [report(INSIDE, 302, null)], [40, 30]],
      ["before the next arrival", [report(INSIDE, 302, null), report(OUTSIDE, 160, null)], [190, 180]]
    ])(
      "a visit without a departure ends with its stay, also when history is deleted later: %s [visits-1]",
      ([, reports, [from, until]]) =>
        run(
          Effect.gen(function* () {
            const { home, phone, userId } = yield* ground
            yield* ingestFixes(phone, FIXES, reports)
            const expected = [
              [100, 50],
              [302, 200]
            ]
            expect(yield* whole(userId, home)).toEqual(expected)
            const stretch = { from: time(NOON - from * MINUTE), until: time(NOON - until * MINUTE) }
            yield* (yield* HistoryStore).erase(userId, stretch, time(NOON))
            expect(yield* whole(userId, home)).toEqual(expected)
          })
        )
    )
  })

  it.effect(
    "while stays are derived behind an upload: no false open visit, what is final, and complete says so [§4.5.7]",
    () =>
      run(
        Effect.gen(function* () {
          const { home, phone, userId } = yield* ground
          const connection = {
            userId,
            id: ConnectionId.make("con_1"),
            pause: null,
            places: [{ placeId: home, sharedAt: time(NOON), includeEarlierVisits: true }]
          }
          const ask = listVisits(connection, time(NOON), { from: null, to: null, limit: 100, cursor: undefined })
          // Readings that are a minute apart: six hours at home and four hours away, fifty times.
          const seen = Array.from({ length: 30_000 }, (_, index) => ({
            ...(index % 600 < 360 ? INSIDE : OUTSIDE),
            capturedAt: time(NOON - (30_000 - index) * MINUTE),
            accuracyM: 10
          }))
          yield* ingestFixes(phone, seen, [])
          const first = yield* ask
          expect(first.complete).toBe(false)
          expect(first.visits.length).toBeGreaterThan(20)
          expect(first.visits.map(({ departure }) => departure)).not.toContain(null)
          const second = yield* ask
          expect([second.complete, second.visits.length]).toEqual([true, 50])
          expect(second.visits.slice(-first.visits.length)).toEqual(first.visits)

          // The stays at the new place are not derived yet. The stays at the first place are complete and do not
          // change.
          const other = yield* createPlace(userId, { label: Place.Label.make("B"), kind: "other", circle: CIRCLE })
          expect((yield* ask).complete).toBe(true)
          const both = {
            ...connection,
            places: [...connection.places, { ...connection.places[0]!, placeId: other.id }]
          }
          const third = yield* listVisits(both, time(NOON), { from: null, to: null, limit: 200, cursor: undefined })
          const at = (id: PlaceId) => third.visits.filter(({ place }) => place.id === id)
          expect([third.complete, at(home).length]).toEqual([false, 50])
          expect(at(other.id).map(({ departure }) => departure)).not.toContain(null)
        })
      )
  )

  it.effect(
    "while stays are derived behind an upload: no reported visit whose end may still come from a stay [visits-8]",
    () =>
      run(
        Effect.gen(function* () {
          const { home, phone, userId } = yield* ground
          const connection = {
            userId,
            id: ConnectionId.make("con_1"),
            pause: null,
            places: [{ placeId: home, sharedAt: time(NOON), includeEarlierVisits: true }]
          }
          const ask = listVisits(connection, time(NOON), { from: null, to: null, limit: 100, cursor: undefined })
          const at = (before: number) => time(NOON - before * MINUTE)
          // Readings that are a minute apart: at home until ten minutes after the last reported arrival, then away.
          const seen = Array.from({ length: 30_000 }, (_, index) => ({
            ...(index < 29_000 ? INSIDE : OUTSIDE),
            capturedAt: at(30_000 - index),
            accuracyM: 10
          }))
          const report = (arrival: number, departure: number | null) => ({
            ...INSIDE,
            arrival: at(arrival),
            departure: departure === null ? null : at(departure),
            accuracyM: 10
          })
          // The second reported visit has no departure, so it ends when the third visit begins. Both visits are much
          // older than the readings from which no stays are derived yet.
          yield* ingestFixes(phone, seen, [
            report(29_900, 29_800),
            report(29_700, null),
            report(29_600, 29_500),
            report(1_200, 1_100),
            report(1_010, null)
          ])
          const read = Effect.map(ask, ({ complete, visits }) => ({
            complete,
            visits: visits.map(({ arrival, departure }) =>
              [arrival, departure].map((one) => one && (NOON - one) / MINUTE)
            )
          }))
          const reported = [
            [1_200, 1_100],
            [29_600, 29_500],
            [29_700, 29_600],
            [29_900, 29_800]
          ]
          expect(yield* read).toEqual({ complete: false, visits: reported })
          expect(yield* read).toEqual({ complete: true, visits: [[1_010, 1_000], ...reported] })
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
    [["Home"], "1 visit to “Home”"],
    [["Home", "Gym", "Home"], "3 visits to “Gym” and “Home”"],
    [["A", "B", "C", "D"], "4 visits to “A”, “B”, “C” and “D”"],
    [["A", "B", "C", "D", "E", "A"], "6 visits to “A”, “B”, “C” and 2 other places"]
  ])("%j: %s", (labels, words) => {
    expect(VisitWords.of(labels.map((label) => ({ place: { label } })))).toBe(words)
  })
})
