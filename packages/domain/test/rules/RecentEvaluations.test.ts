import { Fix, ingestFixes, UploadEvaluation } from "@place-access/domain/fixes"
import { Place, PlaceStore } from "@place-access/domain/places"
import {
  type EvaluatedRule,
  getEvaluations,
  getEvaluationsOfUser,
  type LiveRule,
  RecentEvaluations,
  RuleEvaluation
} from "@place-access/domain/rules"
import { AppId, ConnectionId, EventId, RuleId, UserId } from "@place-access/domain/shared"
import { MemoryDatabase, RuleSamples } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, type Layer, TestClock } from "effect"
import { at, CIRCLE, DAY, EDGE, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, question, SECOND, time } from "../support/rules.js"
import { UploadStores } from "../support/uploads.js"

const eventOf = (capturedAt: number) => EventId.make(`evt_${capturedAt}`)

interface Upload {
  readonly receivedAt: number
  readonly fixes: ReadonlyArray<Fix.Reading>
}

/**
 * Uploads of different sizes, some of which are sent twice. With these gaps and delays, every outcome of an evaluation
 * occurs.
 */
const uploads: fc.Arbitrary<ReadonlyArray<Upload>> = fc
  .array(
    fc.record({
      steps: fc.array(
        fc.record({
          gap: fc.constantFrom(MINUTE, MINUTE, 2 * MINUTE, 5 * MINUTE, 0, -1, -10 * MINUTE),
          where: fc.constantFrom(INSIDE, INSIDE, OUTSIDE, OUTSIDE, EDGE)
        }),
        { minLength: 1, maxLength: 30 }
      ),
      delay: fc.constantFrom(0, 0, SECOND, 15 * MINUTE, 60 * MINUTE, DAY + HOUR),
      isRepeated: fc.boolean()
    }),
    { minLength: 1, maxLength: 6 }
  )
  .map((parts) => {
    let clock = NOON
    return parts.flatMap(({ delay, isRepeated, steps }) => {
      const fixes = steps.map(({ gap, where }) => ({ capturedAt: time((clock += gap)), ...where, accuracyM: 10 }))
      const upload = { receivedAt: clock + delay, fixes }
      return isRepeated ? [upload, { receivedAt: upload.receivedAt + 1, fixes }] : [upload]
    })
  })

const questions: fc.Arbitrary<RuleEvaluation.Question> = fc
  .tuple(
    fc.constantFrom({ type: "enter" as const }, { type: "exit" as const }, { type: "dwell" as const, dwellMinutes: 5 }),
    fc.constantFrom(null, NOON + 5 * MINUTE),
    fc.constantFrom(null, null, NOON + 30 * MINUTE),
    fc.constantFrom(NOON, NOON + 10 * MINUTE)
  )
  .map(([kind, from, until, firesFrom]) =>
    question({
      ...kind,
      firesFrom: time(firesFrom),
      window: { from: from === null ? null : time(from), until: until === null ? null : time(until) }
    })
  )

const liveRule = (question: RuleEvaluation.Question): LiveRule.LiveRule => ({
  rule: {
    userId: UserId.make("usr_1"),
    id: RuleId.make("rul_1"),
    connectionId: ConnectionId.make("con_1"),
    appId: AppId.make("app_1"),
    type: question.type,
    target: { _tag: "Zone", circle: question.circle, label: "Quay" },
    dwellMinutes: question.dwellMinutes,
    settleS: null,
    silenceS: null,
    webhookUrl: null,
    isLegacy: false,
    window: question.window,
    maxEventAgeS: null,
    createdAt: time(NOON),
    disabledAt: null
  },
  circle: question.circle,
  basis: "1",
  state: RuleEvaluation.unseeded("1"),
  firesFrom: question.firesFrom ?? time(NOON)
})

/** The new fixes of an upload, in the order in which rules evaluate them. */
const fresh = ({ fixes, receivedAt }: Upload, known: Set<string>): ReadonlyArray<Fix.Fix> => {
  const judged = fixes.map((fix) => Fix.judge(fix, time(receivedAt)))
  const possible = judged.flatMap((one) => (one._tag === "Fix" ? [one.fix] : []))
  const unknown = Fix.sortedAndDistinct(possible).filter((fix) => !known.has(Fix.key(fix)))
  for (const fix of unknown) known.add(Fix.key(fix))
  return unknown
}

/** The evaluations that the product still keeps for the rule after all uploads. */
const kept = (question: RuleEvaluation.Question, life: ReadonlyArray<Upload>) => {
  let live = liveRule(question)
  let recent = RecentEvaluations.none
  const known = new Set<string>()
  for (const upload of life) {
    const { firings, states } = UploadEvaluation.evaluate([live], fresh(upload, known), time(upload.receivedAt))
    const fired = firings.map((firing) => ({ ...firing, eventId: eventOf(firing.at) }))
    const [progress] = UploadEvaluation.withEvents(states, fired)
    if (progress === undefined) continue
    live = { ...live, state: progress.state }
    recent = RecentEvaluations.append(recent, progress.made)
  }
  return recent
}

/**
 * Every evaluation of the rule, in order, and without the limit on how many are kept. The product's list must equal the
 * end of this list.
 */
const log = (question: RuleEvaluation.Question, life: ReadonlyArray<Upload>) => {
  const all: Array<RecentEvaluations.Evaluation> = []
  let state = RuleEvaluation.unseeded("1")
  const known = new Set<string>()
  for (const upload of life) {
    const receivedAt = time(upload.receivedAt)
    for (const fix of fresh(upload, known)) {
      const step = RuleEvaluation.step(question, state, fix, receivedAt)
      state = step.state
      const eventId = step.outcome === "fired" ? eventOf(fix.capturedAt) : null
      all.push({ capturedAt: fix.capturedAt, receivedAt, outcome: step.outcome, eventId })
    }
  }
  return all
}

const run = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof UploadStores>>) =>
  Effect.zipRight(TestClock.setTime(NOON), program).pipe(Effect.provide(UploadStores))

const fixAt = (after: number, where: { readonly lat: number; readonly lon: number }): Fix.Reading => ({
  capturedAt: time(NOON + after),
  ...where,
  accuracyM: 10
})

/** A person whose rules were made an hour ago. */
const person = Effect.gen(function* () {
  yield* TestClock.setTime(NOON - HOUR)
  const made = yield* RuleSamples.sharing()
  const onPlace = RuleSamples.onPlace(made.place)
  const enter = yield* RuleSamples.rule(made.connection, onPlace)
  const exit = yield* RuleSamples.rule(made.connection, onPlace, { type: "exit" })
  yield* TestClock.setTime(NOON)
  return { ...made, enter, exit, phone: yield* RuleSamples.device(made.user.id) }
})

describe("the last evaluations of a rule [rules-8]", () => {
  it("are the last 20 of everything that happened, over generated lives in any uploads", () => {
    let full = 0
    const met = new Set<string>()
    fc.assert(
      fc.property(questions, uploads, (question, life) => {
        const all = log(question, life)
        const recent = kept(question, life)
        expect(recent).toEqual(all.slice(-20))
        full += all.length > 20 ? 1 : 0
        for (const { outcome } of recent) met.add(outcome)
      }),
      { numRuns: 2_000 }
    )
    expect(full).toBeGreaterThan(300)
    expect(met.size).toBe(10)
  })

  it("are the last 20 of an upload of thousands, of which no more are written down", () => {
    const ride = Array.from({ length: 5_000 }, (_, index) => ({
      capturedAt: time(NOON + index * 10 * SECOND),
      ...(index % 40 < 20 ? at(0) : at(1_000)),
      accuracyM: 10
    }))
    const { firings, states } = UploadEvaluation.evaluate(
      [liveRule(question())],
      ride,
      time(NOON + 5_000 * 10 * SECOND)
    )
    const recent = states[0]?.made ?? []
    expect(recent.map((one) => one.capturedAt)).toEqual(ride.slice(-20).map((fix) => fix.capturedAt))
    // Some firings are older than the 20 evaluations that are kept. `withEvents` must add no evaluation for them.
    expect(firings.length).toBeGreaterThan(1)
    const fired = firings.map((firing) => ({ ...firing, eventId: eventOf(firing.at) }))
    expect(UploadEvaluation.withEvents(states, fired)[0]?.made).toHaveLength(20)
  })

  it.effect("name the event that was sent, each rule its own", () =>
    run(
      Effect.gen(function* () {
        const { enter, exit, phone } = yield* person
        const ride = [fixAt(-14 * MINUTE, OUTSIDE), fixAt(-10 * MINUTE, INSIDE), fixAt(-5 * MINUTE, OUTSIDE)]
        for (const one of ride) yield* ingestFixes(phone, [one], [])
        const { events, recentEvaluations } = yield* MemoryDatabase
        const eventOf = (type: string) => [...events.values()].find((event) => event.payload.type === type)?.id
        const outcomesOf = (id: typeof enter.id) => recentEvaluations.get(id)?.map((one) => [one.outcome, one.eventId])
        expect(outcomesOf(enter.id)).toEqual([
          ["seeded", null],
          ["fired", eventOf("place.enter")],
          ["crossed", null]
        ])
        expect(outcomesOf(exit.id)).toEqual([
          ["seeded", null],
          ["crossed", null],
          ["fired", eventOf("place.exit")]
        ])
      })
    )
  )

  it.effect("are kept for readings that leave the state as it was, and when the place moves", () =>
    run(
      Effect.gen(function* () {
        const { enter, phone, place } = yield* person
        yield* ingestFixes(phone, [fixAt(-14 * MINUTE, EDGE)], [])
        yield* ingestFixes(phone, [fixAt(-13 * MINUTE, OUTSIDE), fixAt(-14 * MINUTE - 1, INSIDE)], [])
        yield* ingestFixes(phone, [fixAt(-13 * MINUTE - 1, OUTSIDE)], [])
        yield* (yield* PlaceStore).update(place.userId, place.id, (before) => Place.edited(before, at(2_000)))
        yield* ingestFixes(phone, [fixAt(-12 * MINUTE, OUTSIDE)], [])
        const { recentEvaluations } = yield* MemoryDatabase
        expect(recentEvaluations.get(enter.id)?.map((one) => one.outcome)).toEqual([
          "boundary",
          "seeded",
          "crossed",
          "out_of_order",
          "seeded"
        ])
      })
    )
  )

  it.effect("have times and words and nothing else: no coordinate, no distance", () =>
    run(
      Effect.gen(function* () {
        const { enter, phone } = yield* person
        yield* ingestFixes(phone, [fixAt(-14 * MINUTE, OUTSIDE), fixAt(-10 * MINUTE, INSIDE)], [])
        const { recentEvaluations } = yield* MemoryDatabase
        for (const one of recentEvaluations.get(enter.id) ?? []) {
          expect(Object.keys(one).sort()).toEqual(["capturedAt", "eventId", "outcome", "receivedAt"])
        }
      })
    )
  )
})

describe("who may read the evaluations of a rule [rules-9, rules-10]", () => {
  const recent: RecentEvaluations.RecentEvaluations = [
    { capturedAt: time(NOON), receivedAt: time(NOON), outcome: "boundary", eventId: null }
  ]

  it.each([
    [null, 0, false, recent],
    [null, 19, false, recent],
    [null, 20, false, []],
    [time(NOON), 0, false, []],
    [null, 0, true, []]
  ] as const)(
    "disabled at %s, %i zone rules within the hour before it, paused: %s",
    (disabledAt, zonesBefore, isPaused, read) => {
      const made = { recent, zonesBefore, firesFrom: time(NOON), suspensions: [], isPaused }
      expect(RecentEvaluations.forApp({ disabledAt }, made)).toEqual(read)
    }
  )

  it.each([
    [-1, 0, recent],
    [0, 1, []],
    [-1, 1, []],
    [1, 2, recent]
  ] as const)(
    "the app reads no reading from a past suspension: suspended from %i until %i [rules-9, staff-1]",
    (from, until, read) => {
      const suspensions = [{ from: time(NOON + from), until: time(NOON + until) }]
      const made = { recent, zonesBefore: 0, firesFrom: time(NOON - 9), suspensions, isPaused: false }
      expect(RecentEvaluations.forApp({ disabledAt: null }, made)).toEqual(read)
    }
  )

  it.effect("of a zone, the app reads nothing but firings of readings less accurate than 200 m [rules-10, M8]", () =>
    run(
      Effect.gen(function* () {
        const { connection, enter, phone, user } = yield* person
        const zone = { _tag: "Zone", circle: CIRCLE, label: "Quay" } as const
        const onZone = yield* RuleSamples.rule(connection, zone)
        const ride = [
          { ...fixAt(0, at(2_000)), accuracyM: 200 },
          { ...fixAt(MINUTE, at(2_000)), accuracyM: 1_000 },
          { ...fixAt(2 * MINUTE, INSIDE), accuracyM: 1_000 },
          { ...fixAt(3 * MINUTE, INSIDE), accuracyM: 10 }
        ]
        yield* TestClock.adjust(4 * MINUTE)
        yield* ingestFixes(phone, ride, [])
        const outcomes = ({ recent }: EvaluatedRule) => recent.map(({ outcome }) => outcome)
        const all = ["seeded", "no_change", "boundary", "fired"]
        expect(outcomes(yield* getEvaluations(connection, onZone.id, "Zone"))).toEqual(["seeded", "fired"])
        expect(outcomes(yield* getEvaluationsOfUser(user.id, connection.id, onZone.id))).toEqual(all)
        expect(outcomes(yield* getEvaluations(connection, enter.id, "Place"))).toEqual(all)
      })
    )
  )

  it("an inaccurate reading that fired a zone rule is listed: the app has its event [rules-10]", () => {
    const inaccurate = { capturedAt: time(NOON), receivedAt: time(NOON), eventId: null, isTooCoarse: true } as const
    const recent = [{ ...inaccurate, outcome: "crossed" } as const, { ...inaccurate, outcome: "fired" } as const]
    const made = { recent, zonesBefore: 0, firesFrom: time(NOON), suspensions: [], isPaused: false }
    expect(RecentEvaluations.forApp({ disabledAt: null }, made)).toEqual(recent.slice(1))
  })

  it.effect("the app reads no reading from before the rule began, the user reads all [rules-9, M5]", () =>
    run(
      Effect.gen(function* () {
        const { connection, phone, place, user } = yield* person
        const late = yield* RuleSamples.rule(connection, RuleSamples.onPlace(place))
        const at = [-HOUR, -50 * MINUTE, -40 * MINUTE, 0]
        const where = [OUTSIDE, INSIDE, OUTSIDE, INSIDE]
        yield* ingestFixes(
          phone,
          at.map((after, index) => fixAt(after, where[index] ?? INSIDE)),
          []
        )
        const outcomes = ({ recent }: EvaluatedRule) => recent.map(({ outcome }) => outcome)
        expect(outcomes(yield* getEvaluations(connection, late.id, "Place"))).toEqual(["fired"])
        expect(outcomes(yield* getEvaluationsOfUser(user.id, connection.id, late.id))).toEqual([
          "seeded",
          "stale",
          "crossed",
          "fired"
        ])
      })
    )
  )

  it("a rule begins to see fixes at its creation, or when its window opens if that is later", () => {
    const createdAt = time(NOON)
    const begins = (from: number | null) =>
      RecentEvaluations.beginning({ createdAt, window: { from: from === null ? null : time(from), until: null } })
    expect([null, NOON - 1, NOON, NOON + 1].map(begins)).toEqual([NOON, NOON, NOON, NOON + 1])
  })
})
