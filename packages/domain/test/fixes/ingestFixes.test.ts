import { WorkSignal } from "@place-access/domain/events"
import type { Device } from "@place-access/domain/devices"
import { Fix, FixHistory, FixStore, ingestFixes, type UploadCommit } from "@place-access/domain/fixes"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { Place, PlaceStore } from "@place-access/domain/places"
import { type Entropy, StoreError } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryFixHistory, RuleSamples } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer, TestClock } from "effect"
import { travel } from "../support/geodesic.js"
import { at, DAY, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"
import { clockAt } from "../support/clock.js"
import { person, reading, RIDE, run, UploadStores } from "../support/uploads.js"

const outbox = Effect.map(MemoryDatabase, ({ events }) =>
  [...events.values()].map((event) => [event.payload.type, event.occurredAt - NOON] as const)
)

describe("an upload", () => {
  it.effect("stores its fixes and puts what fired into the outbox, with the time of the deciding fix", () =>
    run(
      Effect.gen(function* () {
        const { connection, enter, exit, phone, place } = yield* person
        const answer = yield* ingestFixes(phone, RIDE, [])
        expect(answer).toEqual({ accepted: 3, duplicates: 0, quarantined: 0 })
        const { events } = yield* MemoryDatabase
        const common = { userId: connection.userId, connectionId: connection.id, appId: connection.appId }
        const target = { placeId: place.id, label: "Home" }
        expect([...events.values()]).toEqual([
          {
            ...common,
            id: expect.stringMatching(/^evt_/),
            payload: { type: "place.enter", ruleId: enter.id, target },
            occurredAt: NOON - 10 * MINUTE,
            webhookUrl: "https://a.example/",
            maxEventAgeS: 60,
            fanOutDueAt: NOON,
            fannedOutAt: null
          },
          {
            ...common,
            id: expect.stringMatching(/^evt_/),
            payload: { type: "place.exit", ruleId: exit.id, target },
            occurredAt: NOON - 5 * MINUTE,
            webhookUrl: null,
            maxEventAgeS: null,
            fanOutDueAt: NOON,
            fannedOutAt: null
          }
        ])
      })
    )
  )

  it.effect("is sorted by capture time first [L4]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* ingestFixes(phone, RIDE.toReversed(), [])
        expect(yield* outbox).toEqual([
          ["place.enter", -10 * MINUTE],
          ["place.exit", -5 * MINUTE]
        ])
      })
    )
  )

  it.effect("that is repeated changes nothing, also beside new fixes [M4]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* ingestFixes(phone, RIDE, [])
        const tables = yield* MemoryDatabase
        const version = tables.streamVersions.get(phone.userId)
        expect(yield* ingestFixes(phone, [...RIDE, ...RIDE], [])).toEqual({
          accepted: 0,
          duplicates: 6,
          quarantined: 0
        })
        expect(tables.streamVersions.get(phone.userId)).toBe(version)
        expect(yield* ingestFixes(phone, [...RIDE, reading(-1, OUTSIDE)], [])).toEqual({
          accepted: 1,
          duplicates: 3,
          quarantined: 0
        })
        expect(yield* outbox).toHaveLength(2)
      })
    )
  )

  it.effect("of an empty phone is answered like any other", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        expect(yield* ingestFixes(phone, [], [])).toEqual({ accepted: 0, duplicates: 0, quarantined: 0 })
      })
    )
  )

  it.effect("puts aside what cannot be, once, and never evaluates it [L3]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const impossible = [
          reading(-10 * MINUTE, { lat: 91, lon: 0 }),
          reading(-9 * MINUTE, { lat: 0, lon: 0 }),
          reading(5 * MINUTE + 1, INSIDE),
          reading(-20 * 365 * DAY, INSIDE)
        ]
        const upload = [reading(-14 * MINUTE, OUTSIDE), ...impossible]
        expect(yield* ingestFixes(phone, upload, [])).toEqual({ accepted: 1, duplicates: 0, quarantined: 4 })
        expect(yield* ingestFixes(phone, upload, [])).toEqual({ accepted: 0, duplicates: 1, quarantined: 4 })
        const { fixes, quarantined } = yield* MemoryDatabase
        expect([...quarantined.values()].map((one) => one.reason)).toEqual([
          "out_of_range",
          "null_island",
          "future",
          "too_old"
        ])
        expect(fixes.size).toBe(1)
        expect(yield* outbox).toEqual([])
      })
    )
  )

  it.effect("what is older than its owner keeps is answered as put aside and stored nowhere [M3-aside]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const edge = -30 * DAY
        const left = (at: number) => ({
          arrival: time(NOON + at - MINUTE),
          departure: time(NOON + at),
          ...INSIDE,
          accuracyM: 10
        })
        const open = { ...left(edge), arrival: time(NOON + edge), departure: null }
        const fixes = [reading(edge, INSIDE), reading(edge + 1, INSIDE), reading(-4_000 * DAY, INSIDE)]
        const visits = [left(edge), left(edge + 1), open]
        const store = yield* HistoryStore
        yield* store.choose(phone.userId, 30, time(NOON))
        const { fixes: stored, quarantined, visitReports } = yield* MemoryDatabase
        const rows = () => [stored.size, visitReports.size, quarantined.size]
        expect(yield* ingestFixes(phone, fixes, visits)).toEqual({ accepted: 1, duplicates: 0, quarantined: 3 })
        expect(rows()).toEqual([1, 2, 0])
        expect(yield* ingestFixes(phone, fixes, visits)).toEqual({ accepted: 0, duplicates: 1, quarantined: 3 })
        expect(rows()).toEqual([1, 2, 0])

        yield* store.choose(phone.userId, null, time(NOON))
        expect(yield* ingestFixes(phone, fixes, visits)).toEqual({ accepted: 2, duplicates: 1, quarantined: 0 })
        expect(rows()).toEqual([3, 3, 0])
      })
    )
  )

  it.effect("keeps visits beside the fixes: they fire nothing and are no history [L10]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* ingestFixes(phone, [reading(-14 * MINUTE, OUTSIDE)], [])
        const visit = { arrival: time(NOON - MINUTE), departure: null, ...INSIDE, accuracyM: null }
        const reports = [visit, visit, { ...visit, arrival: null }]
        expect(yield* ingestFixes(phone, [], reports)).toEqual({ accepted: 0, duplicates: 0, quarantined: 1 })
        const { fixes, visitReports } = yield* MemoryDatabase
        expect([visitReports.size, fixes.size]).toEqual([1, 1])
        expect(yield* outbox).toEqual([])
      })
    )
  )

  it.effect("tells workers of new events, after the commit, and only of those", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const { events } = yield* MemoryDatabase
        const raised: Array<number> = []
        const signal = Layer.succeed(
          WorkSignal,
          WorkSignal.of({
            raise: Effect.sync(() => void raised.push(events.size)),
            wait: () => Effect.void,
            subscribe: Effect.succeed(() => Effect.void)
          })
        )
        for (const one of [...RIDE, reading(-4 * MINUTE, OUTSIDE), ...RIDE]) {
          yield* Effect.provide(ingestFixes(phone, [one], []), signal)
        }
        expect(raised).toEqual([1, 2])
      })
    )
  )
})

describe("an upload that waited for its turn [fixes-6]", () => {
  it.effect("is judged by its arrival: a reading that was young enough then fires [fixes-6]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* ingestFixes(phone, [reading(-20 * MINUTE, OUTSIDE)], [])
        yield* TestClock.adjust(10_000)
        const readings = [reading(-15 * MINUTE + 5_000, INSIDE), reading(5 * MINUTE + 3_000, OUTSIDE)]
        expect(yield* ingestFixes(phone, readings, [], time(NOON))).toEqual({
          accepted: 1,
          duplicates: 0,
          quarantined: 1
        })
        expect(yield* outbox).toEqual([["place.enter", -15 * MINUTE + 5_000]])
      })
    )
  )
})

describe("a place that moved [L8]", () => {
  it.effect("re-seeds its rules: no event for the move, and the next crossing fires", () =>
    run(
      Effect.gen(function* () {
        const { phone, place } = yield* person
        yield* ingestFixes(phone, [reading(-14 * MINUTE, OUTSIDE)], [])
        const away = at(1_000)
        yield* (yield* PlaceStore)
          .update(place.userId, place.id, (before) => Place.edited(before, away))
          .pipe(Effect.withClock(clockAt(NOON - 12 * MINUTE)))
        yield* ingestFixes(phone, [reading(-10 * MINUTE, OUTSIDE)], [])
        expect(yield* outbox).toEqual([])
        yield* ingestFixes(phone, [reading(-5 * MINUTE, INSIDE)], [])
        expect(yield* outbox).toEqual([["place.exit", -5 * MINUTE]])
      })
    )
  )
})

describe("a rule that is made while the phone holds readings back [M5]", () => {
  /**
   * The firings of an enter rule that was made `madeAgo` milliseconds before noon. At noon the phone uploads its stored
   * readings.
   */
  const firedBy = (madeAgo: number, target: "place" | "zone") =>
    Effect.gen(function* () {
      const { connection, enter, phone, place } = yield* person
      const about =
        target === "place"
          ? RuleSamples.onPlace(place)
          : ({ _tag: "Zone", circle: RuleSamples.CIRCLE, label: "Quay" } as const)
      const late = yield* RuleSamples.rule(connection, about).pipe(Effect.withClock(clockAt(NOON - madeAgo)))
      yield* ingestFixes(phone, RIDE, [])
      yield* TestClock.adjust(HOUR)
      yield* ingestFixes(phone, [reading(HOUR, INSIDE)], [])
      const { events } = yield* MemoryDatabase
      const of = (id: string) =>
        [...events.values()].flatMap(({ occurredAt, payload }) =>
          "ruleId" in payload && payload.ruleId === id ? [occurredAt - NOON] : []
        )
      return { older: of(enter.id), late: of(late.id) }
    })

  for (const target of ["place", "zone"] as const) {
    it.effect(`${target}: an arrival a millisecond before it was made seeds it; one at the instant fires it [M5]`, () =>
      Effect.gen(function* () {
        const both = [-10 * MINUTE, HOUR]
        expect(yield* run(firedBy(10 * MINUTE - 1, target))).toEqual({ older: both, late: [HOUR] })
        expect(yield* run(firedBy(10 * MINUTE, target))).toEqual({ older: both, late: both })
      })
    )
  }

  it.effect("a place that was moved fires for nothing captured before the move", () =>
    run(
      Effect.gen(function* () {
        const { phone, place } = yield* person
        yield* (yield* PlaceStore)
          .update(place.userId, place.id, (before) => Place.edited(before, { radiusM: 151 }))
          .pipe(Effect.withClock(clockAt(NOON - 10 * MINUTE + 1)))
        yield* ingestFixes(phone, RIDE, [])
        expect(yield* outbox).toEqual([["place.exit", -5 * MINUTE]])
      })
    )
  )
})

describe("uploads of one user that race", () => {
  /** The store with a replacement for `commit`. The replacement gets the upload and the real store. */
  const committing = (
    commit: (upload: UploadCommit, real: typeof FixStore.Service) => Effect.Effect<boolean, StoreError>
  ) =>
    Layer.effect(
      FixStore,
      Effect.map(FixStore, (real) => FixStore.of({ ...real, commit: (upload) => commit(upload, real) }))
    )

  it.effect("the one that came second evaluates again, on what the first one stored [fixes-6]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const context = yield* Effect.context<FixStore | Entropy.Entropy | WorkSignal>()
        // Another upload of the same user stores the same fixes, and fires the same rules, just before the program's
        // first commit. So the program's commit fails, and the program must evaluate the rules once more.
        const rival = Effect.orDie(Effect.provide(ingestFixes(phone, RIDE, []), context))
        let rounds = 0
        const store = committing((upload, real) =>
          rounds++ > 0 ? real.commit(upload) : Effect.zipRight(rival, real.commit(upload))
        )
        const answer = yield* Effect.provide(ingestFixes(phone, [...RIDE, reading(-1, OUTSIDE)], []), store)
        expect(answer).toEqual({ accepted: 1, duplicates: 3, quarantined: 0 })
        expect(rounds).toBe(2)
        expect(yield* outbox).toHaveLength(2)
      })
    )
  )

  it.effect("one that never gets through gets an answer that asks for a retry [fixes-6]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const never = committing(() => Effect.succeed(false))
        const error = yield* Effect.flip(Effect.provide(ingestFixes(phone, RIDE, []), never))
        expect(error).toBeInstanceOf(StoreError)
        expect(error).toMatchObject({ transient: true })
      })
    )
  )
})

describe("uploads cut into pieces", () => {
  interface Cut {
    readonly fixes: ReadonlyArray<Fix.Reading>
    readonly ends: ReadonlyArray<number>
    readonly repeats: ReadonlyArray<number>
  }

  const somewhere = fc
    .constantFrom(0, 99.5, 101, 150, 199.5, 201, 700)
    .map((metres) => travel(RuleSamples.CIRCLE, 70, metres))
  const life = fc
    .array(
      fc.record({
        gap: fc.constantFrom(0, 1, 59_999, 60_000, 119_999, 120_000, 120_001, 300_000),
        where: somewhere,
        accuracyM: fc.constantFrom(null, 10, 51, 120)
      }),
      { minLength: 1, maxLength: 25 }
    )
    .map((steps) => {
      const total = steps.reduce((sum, step) => sum + step.gap, 0)
      let after = -total
      return steps.map(({ accuracyM, gap, where }) => reading((after += gap), where, { accuracyM }))
    })
  const cut: fc.Arbitrary<Cut> = fc.record({
    fixes: life,
    ends: fc.array(fc.nat(25), { maxLength: 6 }),
    repeats: fc.array(fc.nat(6), { maxLength: 4 })
  })

  /**
   * Cuts the fixes into pieces at `ends`. The pieces keep the order of capture, and some of them are sent again later.
   */
  const pieces = ({ ends, fixes, repeats }: Cut): ReadonlyArray<ReadonlyArray<Fix.Reading>> => {
    const judged = fixes.flatMap((one) => {
      const outcome = Fix.judge(one, time(NOON))
      return outcome._tag === "Fix" ? [outcome.fix] : []
    })
    const ordered = Fix.sortedAndDistinct(judged)
    const bounds = [0, ...[...ends].sort((a, b) => a - b), ordered.length]
    const parts = bounds.slice(1).map((end, index) => ordered.slice(bounds[index], end))
    return parts.flatMap((part, index) => [
      part,
      ...repeats.filter((again) => again <= index).map((again) => parts[again] ?? [])
    ])
  }

  const after = (uploads: ReadonlyArray<ReadonlyArray<Fix.Reading>>) =>
    Effect.gen(function* () {
      const { connection, enter, exit, phone, place } = yield* person
      const dwell = yield* RuleSamples.rule(connection, RuleSamples.onPlace(place), { type: "dwell", dwellMinutes: 5 })
      for (const upload of uploads) yield* ingestFixes(phone, upload, [])
      const { fixes, ruleStates } = yield* MemoryDatabase
      return {
        events: (yield* outbox).toSorted((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)),
        states: [enter, exit, dwell].map((rule) => ruleStates.get(rule.id)),
        fixes: fixes.size
      }
    }).pipe(Effect.provide(UploadStores), Effect.withClock(clockAt(NOON)), Effect.runSync)

  it("end like one upload: the same states, events and fixes, however cut and repeated [L4]", () => {
    let fired = 0
    fc.assert(
      fc.property(cut, (one) => {
        const whole = after([one.fixes])
        expect(after(pieces(one))).toEqual(whole)
        fired += whole.events.length
      }),
      { numRuns: 150 }
    )
    expect(fired).toBeGreaterThan(60)
  })
})

describe("what could not be taken", () => {
  const device = (id: Device.Device["id"]) => Effect.map(MemoryDatabase, ({ devices }) => devices.get(id))

  it.effect("is counted on its device by reason, whatever else the upload brought [fixes-3]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const bad = [
          reading(10 * MINUTE, INSIDE),
          reading(11 * MINUTE, INSIDE),
          reading(0, { lat: 0, lon: 0 }),
          reading(0, { lat: Number.NaN, lon: 1 }),
          { ...reading(0, INSIDE), capturedAt: time(0) }
        ]
        const report = { arrival: null, departure: null, ...INSIDE, accuracyM: null }
        expect(yield* ingestFixes(phone, [...bad, reading(0, INSIDE)], [report])).toEqual({
          accepted: 1,
          duplicates: 0,
          quarantined: 6
        })
        const found = yield* device(phone.id)
        expect(found?.putAside.map(({ count, reason }) => [reason, count])).toEqual([
          ["future", 2],
          ["no_stay", 1],
          ["null_island", 1],
          ["unreadable", 2]
        ])
        expect(found?.lastKeptAt).toBe(NOON)
      })
    )
  )

  it.effect("what is older than the owner keeps history is put aside: counted, and stored nowhere [M3, fixes-2]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const tables = yield* MemoryDatabase
        tables.historyChoices.set(phone.userId, 30)
        const report = { arrival: time(NOON - 40 * DAY), departure: time(NOON - 30 * DAY), ...INSIDE, accuracyM: null }
        const answer = yield* ingestFixes(
          phone,
          [reading(-30 * DAY, INSIDE), reading(-30 * DAY + 1, INSIDE)],
          [report, { ...report, departure: null }]
        )
        expect(answer).toEqual({ accepted: 1, duplicates: 0, quarantined: 2 })
        expect([...tables.fixes.values()].map(({ capturedAt }) => capturedAt - NOON)).toEqual([-30 * DAY + 1])
        expect([tables.quarantined.size, tables.visitReports.size]).toEqual([0, 1])
        expect((yield* device(phone.id))?.putAside).toEqual([{ reason: "not_kept", count: 2, lastAt: NOON }])
      })
    )
  )

  it.effect("puts nothing aside that says a time in a deleted stretch, and counts it [retention-choice-4]", () =>
    run(
      Effect.gen(function* () {
        const { phone, user } = yield* person
        const tables = yield* MemoryDatabase
        const [from, until] = [time(NOON - 60 * MINUTE), time(NOON - 30 * MINUTE)]
        yield* (yield* HistoryStore).erase(user.id, { from, until }, time(NOON))
        const impossible = (after: number) => reading(after, { lat: 95, lon: 5 })
        const sent = [impossible(-61 * MINUTE), impossible(-60 * MINUTE), impossible(-31 * MINUTE), impossible(0)]
        const answer = yield* ingestFixes(phone, sent, [])
        expect(answer).toEqual({ accepted: 0, duplicates: 0, quarantined: 4 })
        const kept = [...tables.quarantined.values()].map(({ reading: one }) =>
          "capturedAt" in one ? one.capturedAt : 0
        )
        expect(kept).toEqual([time(NOON - 61 * MINUTE), time(NOON)])
        expect((yield* device(phone.id))?.putAside).toContainEqual({ reason: "not_kept", count: 2, lastAt: NOON })
      })
    )
  )

  it.effect("as from the future is taken when the server's clock is right again, in the order of time", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const tables = yield* MemoryDatabase
        yield* ingestFixes(phone, [reading(-1, OUTSIDE)], [])
        // The server's clock is an hour behind. So readings that are captured now seem to be an hour in the future and
        // are quarantined. When the clock is right again, the service must accept these readings at a later upload.
        yield* ingestFixes(phone, [reading(HOUR, INSIDE), reading(HOUR + MINUTE, OUTSIDE)], [])
        yield* ingestFixes(phone, [reading(HOUR + 2 * MINUTE, INSIDE)], [])
        expect([tables.fixes.size, tables.quarantined.size]).toEqual([1, 3])
        yield* TestClock.setTime(NOON + HOUR + 5 * MINUTE)
        expect(yield* ingestFixes(phone, [reading(HOUR + 5 * MINUTE, OUTSIDE)], [])).toEqual({
          accepted: 1,
          duplicates: 0,
          quarantined: 0
        })
        expect([tables.fixes.size, tables.quarantined.size]).toEqual([5, 0])
        expect(yield* outbox).toEqual([
          ["place.enter", HOUR],
          ["place.exit", HOUR + MINUTE],
          ["place.enter", HOUR + 2 * MINUTE],
          ["place.exit", HOUR + 5 * MINUTE]
        ])
        const version = tables.streamVersions.get(phone.userId)
        yield* ingestFixes(phone, [reading(HOUR + 5 * MINUTE, OUTSIDE)], [])
        expect(tables.streamVersions.get(phone.userId)).toBe(version)
      })
    )
  )

  it.effect("as from the future is taken by a later upload when one upload takes as many as it may", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const tables = yield* MemoryDatabase
        const sizes = () => [tables.fixes.size, tables.quarantined.size]
        // The server's clock shows 12:00 and is an hour behind. So the phone's 1,200 readings from 12:10 to 13:00 seem
        // to come from the future, and the server quarantines them. When the clock is right again, the server accepts
        // at most 500 of these readings with each later upload (`FutureReading.MOST`).
        const many = Array.from({ length: 1_200 }, (_, index) => reading(10 * MINUTE + index * 2_500, INSIDE))
        for (const part of [many.slice(0, 600), many.slice(600)]) yield* ingestFixes(phone, part, [])
        expect(sizes()).toEqual([0, 1_200])
        const taken = []
        for (let after = 1; after <= 4; after++) {
          const at = HOUR + after * MINUTE
          yield* TestClock.setTime(NOON + at)
          yield* ingestFixes(phone, [reading(at, INSIDE)], [])
          taken.push(sizes())
        }
        expect(taken).toEqual([
          [501, 700],
          [1_002, 200],
          [1_203, 0],
          [1_204, 0]
        ])
      })
    )
  )

  it.effect("as from the future is taken in whatever order the parts of an upload arrived", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const { quarantined } = yield* MemoryDatabase
        // The server's clock is an hour behind, so the service quarantines the readings. The upload with the earlier
        // readings is lost at first, and arrives only after the upload with the later readings.
        const part = (from: number, length: number) =>
          Array.from({ length }, (_, index) => reading(from + index * 1_000, INSIDE))
        yield* ingestFixes(phone, part(40 * MINUTE, 700), [])
        yield* TestClock.setTime(NOON + MINUTE)
        yield* ingestFixes(phone, part(20 * MINUTE, 500), [])
        const left = []
        for (let after = 1; after <= 3; after++) {
          const at = HOUR + after * MINUTE
          yield* TestClock.setTime(NOON + at)
          yield* ingestFixes(phone, [reading(at, INSIDE)], [])
          left.push(quarantined.size)
        }
        expect(left).toEqual([700, 200, 0])
      })
    )
  )

  it.effect("as from the future stays aside when it was the phone's clock that somebody set back", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const tables = yield* MemoryDatabase
        yield* ingestFixes(phone, [reading(2 * HOUR, INSIDE)], [])
        for (const after of [10 * MINUTE, 3 * HOUR]) {
          yield* TestClock.setTime(NOON + after)
          yield* ingestFixes(phone, [reading(after, OUTSIDE)], [])
        }
        expect([tables.fixes.size, tables.quarantined.size]).toEqual([2, 1])
      })
    )
  )
})

describe("a tablet that stays at home and a phone on the way [M14]", () => {
  it.effect("fire once when the phone leaves and once when it comes back, not to and fro [devices-4]", () =>
    run(
      Effect.gen(function* () {
        const { phone, user } = yield* person
        const tablet = yield* RuleSamples.device(user.id, { staysAtHome: true })
        for (let after = 0; after < 30; after++) {
          yield* TestClock.setTime(NOON + after * MINUTE)
          const isAway = after >= 10 && after < 20
          yield* ingestFixes(phone, [reading(after * MINUTE, isAway ? OUTSIDE : INSIDE)], [])
          yield* ingestFixes(tablet, [reading(after * MINUTE + 1, INSIDE)], [])
        }
        expect(yield* outbox).toEqual([
          ["place.exit", 10 * MINUTE],
          ["place.enter", 20 * MINUTE]
        ])
      })
    )
  )

  it.effect(
    "nobody marked the tablet, and it comes first or last: the same, from the first time the phone leaves [M14]",
    () =>
      run(
        Effect.gen(function* () {
          const { phone, user } = yield* person
          const tablet = yield* RuleSamples.device(user.id)
          for (let after = 0; after < 40; after++) {
            yield* TestClock.setTime(NOON + after * MINUTE)
            const isAway = after >= 10 && after < 24
            const sent = [
              [phone, reading(after * MINUTE, isAway ? OUTSIDE : INSIDE)],
              [tablet, reading(after * MINUTE + (after % 2), INSIDE)]
            ] as const
            for (const [device, one] of after % 3 === 0 ? sent.toReversed() : sent)
              yield* ingestFixes(device, [one], [])
          }
          expect(yield* outbox).toEqual([
            ["place.exit", 10 * MINUTE],
            ["place.enter", 24 * MINUTE]
          ])
        })
      )
  )

  it.effect("the tablet is believed from the reading on with which it is carried away itself", () =>
    run(
      Effect.gen(function* () {
        const { phone, user } = yield* person
        const tablet = yield* RuleSamples.device(user.id)
        const history = yield* FixHistory
        const newest = Effect.map(
          history.newest(user.id, time(NOON), { from: null, until: null }, 1),
          ([fix]) => fix?.deviceId
        )
        yield* ingestFixes(tablet, [reading(-3 * HOUR, INSIDE)], [])
        yield* ingestFixes(
          phone,
          [reading(-2 * HOUR, INSIDE), reading(-HOUR, OUTSIDE), reading(-30 * MINUTE, OUTSIDE)],
          []
        )
        yield* ingestFixes(tablet, [reading(-20 * MINUTE, INSIDE)], [])
        expect(yield* newest).toBe(phone.id)
        yield* ingestFixes(tablet, [reading(-10 * MINUTE, at(400))], [])
        expect(yield* newest).toBe(tablet.id)
        yield* ingestFixes(phone, [reading(-5 * MINUTE, OUTSIDE)], [])
        expect(yield* newest).toBe(tablet.id)
      }).pipe(Effect.provide(Layer.provideMerge(MemoryFixHistory.layer, UploadStores)))
    )
  )

  it.effect("what the tablet sends meanwhile is history and decides nothing; alone it decides [devices-4]", () =>
    run(
      Effect.gen(function* () {
        const { phone, user } = yield* person
        const tablet = yield* RuleSamples.device(user.id, { staysAtHome: true })
        yield* ingestFixes(tablet, [reading(-3 * HOUR, INSIDE)], [])
        const history = yield* FixHistory
        const offsetsOf = (fixes: ReadonlyArray<Fix.StoredFix>) => fixes.map(({ capturedAt }) => capturedAt - NOON)
        const now = time(NOON)
        const newest = Effect.map(history.newest(user.id, now, { from: null, until: null }, 1), offsetsOf)
        expect(yield* newest).toEqual([-3 * HOUR])
        yield* ingestFixes(phone, [reading(-2 * HOUR, INSIDE), reading(-HOUR, OUTSIDE)], [])
        yield* ingestFixes(tablet, [reading(-MINUTE, INSIDE)], [])
        expect(yield* newest).toEqual([-HOUR])
        expect(offsetsOf(yield* history.around(user.id, now, time(NOON - MINUTE), 2 * HOUR))).toEqual([-HOUR])
        const { items } = yield* history.range(user.id, now, { from: time(NOON - DAY), until: now }, 10, undefined)
        expect(offsetsOf(items)).toEqual([-3 * HOUR, -2 * HOUR, -HOUR, -MINUTE])
      }).pipe(Effect.provide(Layer.provideMerge(MemoryFixHistory.layer, UploadStores)))
    )
  )
})
