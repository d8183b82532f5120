import { Fix, ingestFixes, UploadEvaluation } from "@place-access/domain/fixes"
import { Place, PlaceStore } from "@place-access/domain/places"
import { type LiveRule, type RecentEvaluations, RuleEvaluation } from "@place-access/domain/rules"
import { EventId } from "@place-access/domain/shared"
import { MemoryDatabase, RuleSamples } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, type Layer, TestClock } from "effect"
import { questions, uploads } from "../support/histories.js"
import type { ReferenceFix } from "../support/referenceRules.js"
import { liveRule, reading } from "../support/replay.js"
import { at, CIRCLE, EDGE, INSIDE, MINUTE, NOON, OUTSIDE, SECOND, time } from "../support/rules.js"
import { UploadStores } from "../support/uploads.js"

const eventOf = (capturedAt: number) => EventId.make(`evt_${capturedAt}`)

/** New fixes of an upload in the order of evaluation. */
const fresh = (upload: ReadonlyArray<ReferenceFix>, known: Set<string>, receivedAt: number): ReadonlyArray<Fix.Fix> => {
  const judged = upload.map((fix) => Fix.judge(reading(fix), time(receivedAt)))
  const fixes = judged.flatMap((one) => (one._tag === "Fix" ? [one.fix] : []))
  const unknown = Fix.sortedAndDistinct(fixes).filter((fix) => !known.has(Fix.key(fix)))
  for (const fix of unknown) known.add(Fix.key(fix))
  return unknown
}

/** As uploads keep it. */
const kept = (question: RuleEvaluation.Question, lives: ReadonlyArray<ReadonlyArray<ReferenceFix>>) => {
  let live: LiveRule.LiveRule = liveRule(question)
  const known = new Set<string>()
  for (const upload of lives) {
    const receivedAt = time(upload[0]?.receivedAt ?? NOON)
    const { firings, states } = UploadEvaluation.evaluate([live], fresh(upload, known, receivedAt), receivedAt)
    const fired = firings.map((firing) => ({ ...firing, eventId: eventOf(firing.at) }))
    const [progress] = UploadEvaluation.withEvents(states, fired)
    if (progress !== undefined) live = { ...live, state: progress.state, recent: progress.recent }
  }
  return live.recent
}

/** Everything that ever happened, in a list without end. */
const log = (question: RuleEvaluation.Question, lives: ReadonlyArray<ReadonlyArray<ReferenceFix>>) => {
  const all: Array<RecentEvaluations.Evaluation> = []
  let state = RuleEvaluation.unseeded("1")
  const known = new Set<string>()
  for (const upload of lives) {
    const receivedAt = time(upload[0]?.receivedAt ?? NOON)
    for (const fix of fresh(upload, known, receivedAt)) {
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

const person = Effect.gen(function* () {
  const made = yield* RuleSamples.sharing()
  const onPlace = RuleSamples.onPlace(made.place)
  const enter = yield* RuleSamples.rule(made.connection, onPlace)
  const exit = yield* RuleSamples.rule(made.connection, onPlace, { type: "exit" })
  return { ...made, enter, exit, phone: yield* RuleSamples.device(made.user.id) }
})

describe("the last evaluations of a rule", () => {
  it("are the last 20 of everything that happened, over generated lives in any uploads", () => {
    let full = 0
    let fired = 0
    fc.assert(
      fc.property(questions, uploads, (question, lives) => {
        const all = log(question, lives)
        const recent = kept(question, lives)
        expect(recent).toEqual(all.slice(-20))
        full += all.length > 20 ? 1 : 0
        fired += recent.filter((one) => one.eventId !== null).length
      }),
      { numRuns: 3_000 }
    )
    expect(full).toBeGreaterThan(1_000)
    expect(fired).toBeGreaterThan(1_000)
  })

  it("are the last 20 of an upload of thousands, of which no more are written down", () => {
    const ride = Array.from({ length: 5_000 }, (_, index) => ({
      capturedAt: time(NOON + index * 10 * SECOND),
      ...(index % 40 < 20 ? at(0) : at(1_000)),
      accuracyM: 10
    }))
    const live = liveRule({ type: "enter", circle: CIRCLE, dwellMinutes: null, window: { from: null, until: null } })
    const { firings, states } = UploadEvaluation.evaluate([live], ride, time(NOON + 5_000 * 10 * SECOND))
    const recent = states[0]?.recent ?? []
    expect(recent.map((one) => one.capturedAt)).toEqual(ride.slice(-20).map((fix) => fix.capturedAt))
    // Firings that are older than what is kept lose nothing by it.
    expect(firings.length).toBeGreaterThan(1)
    const fired = firings.map((firing) => ({ ...firing, eventId: eventOf(firing.at) }))
    expect(UploadEvaluation.withEvents(states, fired)[0]?.recent).toHaveLength(20)
  })

  it.effect("name the event that was sent, each rule its own", () =>
    run(
      Effect.gen(function* () {
        const { enter, exit, phone } = yield* person
        const ride = [fixAt(-14 * MINUTE, OUTSIDE), fixAt(-10 * MINUTE, INSIDE), fixAt(-5 * MINUTE, OUTSIDE)]
        for (const one of ride) yield* ingestFixes(phone, [one], [])
        const { events, recentEvaluations } = yield* MemoryDatabase
        const eventOf = (type: string) => [...events.values()].find((event) => event.payload.type === type)?.id
        const told = (id: typeof enter.id) => recentEvaluations.get(id)?.map((one) => [one.outcome, one.eventId])
        expect(told(enter.id)).toEqual([
          ["seeded", null],
          ["fired", eventOf("place.enter")],
          ["crossed", null]
        ])
        expect(told(exit.id)).toEqual([
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
