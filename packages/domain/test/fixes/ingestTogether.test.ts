import { DeviceStore } from "@place-access/domain/devices"
import {
  type Fix,
  FixStore,
  ingestFixes,
  ingestTogether,
  type ArrivedUpload,
  type VisitReport
} from "@place-access/domain/fixes"
import { type History, HistoryStore } from "@place-access/domain/retention-choice"
import { MemoryDatabase, RuleSamples } from "@place-access/domain/testing"
import { Array as Arr, Effect, Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { clockAt } from "../support/clock.js"
import { travel } from "../support/geodesic.js"
import { DAY, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, SECOND, time } from "../support/rules.js"
import { person, reading, UploadStores } from "../support/uploads.js"

/** An upload of one of the person's phones, by the position of the phone. */
interface SentUpload {
  readonly phone: number
  readonly readings: ReadonlyArray<Fix.Reading>
  readonly reports: ReadonlyArray<VisitReport.VisitReport>
  /** Milliseconds from noon to the arrival. */
  readonly after: number
}

const somewhere = fc.constantFrom(INSIDE, OUTSIDE, travel(INSIDE, 70, 99.5), travel(INSIDE, 70, 201), {
  lat: 91,
  lon: 0
})
/**
 * There are few distinct times. So uploads often repeat a reading, overtake each other, or confirm an earlier reading
 * that was quarantined because its time was in the future.
 */
const someReading = fc
  .tuple(
    fc.constantFrom(-40 * DAY, -2 * HOUR, -14 * MINUTE, -10 * MINUTE, -8 * MINUTE, -3 * MINUTE, 0, MINUTE, 6 * MINUTE),
    somewhere,
    fc.constantFrom(10, 51, null)
  )
  .map(([after, where, accuracyM]) => reading(after, where, { accuracyM }))
const someReport = fc
  .tuple(fc.constantFrom(null, -3 * HOUR, -HOUR), fc.constantFrom(null, -2 * HOUR, -MINUTE))
  .map(([arrival, departure]) => ({
    arrival: arrival === null ? null : time(NOON + arrival),
    departure: departure === null ? null : time(NOON + departure),
    ...INSIDE,
    accuracyM: null
  }))
const uploads = fc
  .array(
    fc.record({
      phone: fc.nat(3),
      readings: fc.array(someReading, { maxLength: 4 }),
      reports: fc.array(someReport, { maxLength: 1 }),
      gap: fc.constantFrom(0, 0, 1, SECOND, 3 * MINUTE)
    }),
    { minLength: 1, maxLength: 10 }
  )
  .map((list) => {
    let after = 0
    return list.map(({ gap, ...one }): SentUpload => ({ ...one, after: (after += gap) }))
  })
const settings = fc.record({
  keepsDays: fc.constantFrom<History.Keep>(null, 30),
  isErased: fc.boolean(),
  isTabletAtHome: fc.boolean()
})

/** A person whose rules are of all types. The person has three phones, and a fourth phone that was removed. */
const somebody = ({ isErased, isTabletAtHome, keepsDays }: typeof settings extends fc.Arbitrary<infer A> ? A : never) =>
  Effect.gen(function* () {
    const { connection, phone, place, user } = yield* person
    const onPlace = RuleSamples.onPlace(place)
    yield* Effect.all([
      RuleSamples.rule(connection, onPlace, { type: "dwell", dwellMinutes: 5 }),
      RuleSamples.rule(connection, onPlace, { settleS: 120 }),
      RuleSamples.rule(connection, onPlace, { type: "dwell", dwellMinutes: 1, silenceS: 600 })
    ])
    const tablet = yield* RuleSamples.device(user.id, { staysAtHome: isTabletAtHome })
    const [other, lost] = [yield* RuleSamples.device(user.id), yield* RuleSamples.device(user.id)]
    yield* (yield* DeviceStore).remove(user.id, lost.id, time(NOON))
    if (isErased) {
      const stretch = { from: time(NOON - 11 * MINUTE), until: time(NOON - 9 * MINUTE) }
      yield* (yield* HistoryStore).erase(user.id, stretch, time(NOON))
    }
    yield* (yield* HistoryStore).choose(user.id, keepsDays, time(NOON))
    return { user, phones: [phone, tablet, other, lost] as const }
  })

/** Everything that uploads write, except the version, which counts commits. */
const stored = Effect.map(MemoryDatabase, (tables) => ({
  fixes: tables.fixes,
  quarantined: tables.quarantined,
  visits: tables.visitReports,
  visitTellers: tables.visitTellers,
  staysDueFrom: tables.staysDueFrom,
  devices: tables.devices,
  events: tables.events,
  states: tables.ruleStates,
  evaluations: tables.recentEvaluations
}))

const inWorld = <A, E>(program: Effect.Effect<A, E, Effect.Effect.Context<typeof stored> | Ports>) =>
  program.pipe(Effect.provide(UploadStores), Effect.withClock(clockAt(NOON)), Effect.runSync)
type Ports = Effect.Effect.Context<ReturnType<typeof somebody>> | Effect.Effect.Context<ReturnType<typeof ingestFixes>>

type World = Parameters<typeof somebody>[0]

const oneByOne = (world: World, sent: ReadonlyArray<SentUpload>) =>
  inWorld(
    Effect.gen(function* () {
      const { phones } = yield* somebody(world)
      const outcomes = yield* Effect.forEach(sent, ({ after, phone, readings, reports }) =>
        Effect.either(ingestFixes(phones[phone] ?? phones[0], readings, reports, time(NOON + after)))
      )
      return { outcomes, stored: yield* stored, commits: outcomes.length }
    })
  )

const together = (world: World, sent: ReadonlyArray<SentUpload>) =>
  inWorld(
    Effect.gen(function* () {
      const { phones, user } = yield* somebody(world)
      let waiting = sent.map(({ after, phone, readings, reports }): ArrivedUpload => ({
        deviceId: (phones[phone] ?? phones[0]).id,
        readings,
        reports,
        arrivedAt: time(NOON + after)
      }))
      const outcomes = []
      let commits = 0
      while (Arr.isNonEmptyReadonlyArray(waiting)) {
        const done = yield* ingestTogether(user.id, waiting)
        outcomes.push(...done)
        waiting = waiting.slice(done.length)
        commits++
      }
      return { outcomes, stored: yield* stored, commits }
    })
  )

describe("uploads that are stored in one commit [fixes-10]", () => {
  it("store, fire and answer what they do one after another", () => {
    const seen = { spared: 0, events: 0, quarantined: 0, refused: 0 }
    fc.assert(
      fc.property(settings, uploads, (world, sent) => {
        const [expected, actual] = [oneByOne(world, sent), together(world, sent)]
        expect(actual.outcomes).toEqual(expected.outcomes)
        expect(actual.stored).toEqual(expected.stored)
        seen.spared += expected.commits - actual.commits
        seen.events += actual.stored.events.size
        seen.quarantined += actual.stored.quarantined.size
        seen.refused += actual.outcomes.filter(Either.isLeft).length
      }),
      { numRuns: 150 }
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(30)
  })

  it("need one read and one write, and an upload with a quarantined reading is the last of its commit", () => {
    const calls: Array<string> = []
    inWorld(
      Effect.gen(function* () {
        const { phones, user } = yield* somebody({ keepsDays: null, isErased: false, isTabletAtHome: false })
        const store = yield* FixStore
        const counting = FixStore.of({
          ...store,
          view: (...args) =>
            Effect.zipRight(
              Effect.sync(() => calls.push("view")),
              store.view(...args)
            ),
          commit: (commit) =>
            Effect.zipRight(
              Effect.sync(() => calls.push(`commit of ${commit.uploads.length}`)),
              store.commit(commit)
            )
        })
        const upload = (index: number, readings: ReadonlyArray<Fix.Reading>): ArrivedUpload => ({
          deviceId: (phones[index % 2] ?? phones[0]).id,
          readings,
          reports: [],
          arrivedAt: time(NOON)
        })
        const sent: Arr.NonEmptyReadonlyArray<ArrivedUpload> = [
          upload(0, [reading(-3 * MINUTE, OUTSIDE)]),
          upload(1, [reading(-2 * MINUTE, OUTSIDE)]),
          upload(2, [reading(6 * MINUTE, INSIDE)]),
          upload(3, [reading(-MINUTE, OUTSIDE)])
        ]
        const outcomes = yield* Effect.provideService(ingestTogether(user.id, sent), FixStore, counting)
        expect(outcomes).toHaveLength(3)
      })
    )
    expect(calls).toEqual(["view", "commit of 3"])
  })

  it("begin anew with an upload whose phone has readings from the future that may be accepted", () => {
    const ahead = reading(6 * MINUTE, INSIDE)
    const { outcomes, stored: tables } = together({ keepsDays: null, isErased: false, isTabletAtHome: false }, [
      { phone: 0, readings: [ahead], reports: [], after: 0 },
      // This reading contradicts the earlier reading with a capture time in the future, because the phone's clock was
      // set back.
      { phone: 0, readings: [reading(MINUTE, INSIDE)], reports: [], after: 1 },
      { phone: 0, readings: [reading(7 * MINUTE, INSIDE)], reports: [], after: 3 * MINUTE }
    ])
    expect(outcomes.map(Either.isRight)).toEqual([true, true, true])
    expect([...tables.quarantined.values()].map(({ reading: one }) => one)).toEqual([ahead])
    expect(tables.fixes.size).toBe(2)
  })

  it("keep the history that the user keeps when the latest of them arrives, in whatever order they come", () => {
    const early = { phone: 0, readings: [reading(-3 * MINUTE, OUTSIDE)], reports: [], after: 0 }
    const old = reading(MINUTE - 30 * DAY, INSIDE)
    const late = { phone: 1, readings: [reading(-2 * MINUTE, OUTSIDE), old], reports: [], after: 3 * MINUTE }
    for (const sent of [
      [early, late],
      [late, early]
    ]) {
      const { commits, stored: tables } = together({ keepsDays: 30, isErased: false, isTabletAtHome: false }, sent)
      expect(commits).toBe(1)
      expect([...tables.fixes.values()].map(({ capturedAt }) => capturedAt - NOON).toSorted((a, b) => a - b)).toEqual([
        -3 * MINUTE,
        -2 * MINUTE
      ])
    }
    // The reading `old` is also dropped if it came with the earlier upload: the service determines only once which
    // history the user keeps, at the time of the latest arrival.
    const { stored: tables } = together({ keepsDays: 30, isErased: false, isTabletAtHome: false }, [
      { ...early, readings: [old] },
      { ...late, readings: [reading(-2 * MINUTE, OUTSIDE)] }
    ])
    expect([...tables.fixes.values()].map(({ capturedAt }) => capturedAt - NOON)).toEqual([-2 * MINUTE])
  })

  it("are at most 32, and at most 1,000 entries", () => {
    const taken = (entries: ReadonlyArray<number>) =>
      inWorld(
        Effect.gen(function* () {
          const { phones, user } = yield* somebody({ keepsDays: null, isErased: false, isTabletAtHome: false })
          let next = 0
          const sent = entries.map((count): ArrivedUpload => ({
            deviceId: phones[0].id,
            readings: Array.from({ length: count }, () => reading(-HOUR + next++, OUTSIDE)),
            reports: [],
            arrivedAt: time(NOON)
          }))
          return Arr.isNonEmptyReadonlyArray(sent) ? (yield* ingestTogether(user.id, sent)).length : 0
        })
      )
    expect(taken(Array.from({ length: 33 }, () => 1))).toBe(32)
    expect(taken([400, 600, 1])).toBe(2)
    expect(taken([400, 601, 1])).toBe(1)
    expect(taken([1_001, 1])).toBe(1)
  })
})
