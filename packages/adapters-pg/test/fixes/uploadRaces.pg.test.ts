import { Bucket } from "@place-access/domain/leases"
import { Event } from "@place-access/domain/events"
import { EventStore } from "@place-access/domain/deliveries"
import { type Fix, FixStore, ingestFixes } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryWorkSignal, RuleSamples } from "@place-access/domain/testing"
import { Effect, Layer, TestClock } from "effect"
import { expect, it } from "vitest"
import { travel } from "../../../domain/test/support/geodesic.js"
import { referenceFirings } from "../../../domain/test/support/referenceRules.js"
import { migratedOn, START, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"

const UPLOADS = 20
const MINUTE = 60_000

/**
 * Fourteen minutes in which a phone leaves and enters the place, with a fix every 20 s: outside for a minute, inside
 * for two.
 */
const ride: ReadonlyArray<Fix.Reading> = Array.from({ length: 42 }, (_, index) => ({
  capturedAt: Timestamp.make(START - 14 * MINUTE + index * 20_000),
  ...travel(RuleSamples.CIRCLE, 90, index % 9 < 3 ? 700 : 5),
  accuracyM: 10
}))

describeServers("uploads of one user at once", (server) => {
  const run = withStores(migratedOn(server), Layer.merge(UploadStores, MemoryWorkSignal.layer))

  /**
   * Sends all `uploads` of a user with rules at the same time. `firings` has for each rule the times of its events, in
   * order.
   */
  const race = (uploads: ReadonlyArray<ReadonlyArray<Fix.Reading>>) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(START - 15 * MINUTE)
      const { connection, place, user } = yield* RuleSamples.sharing()
      const phone = yield* RuleSamples.device(user.id)
      // A zone with the same circle as the place. Half of the rules are about the place, and the other rules are about
      // this zone.
      const zone = { _tag: "Zone", circle: RuleSamples.CIRCLE, label: "Quay" } as const
      const rules = yield* Effect.forEach([RuleSamples.onPlace(place), zone], (target) =>
        Effect.forEach(["enter", "exit"] as const, (type) => RuleSamples.rule(connection, target, { type }))
      )
      yield* TestClock.setTime(START)
      const answers = yield* Effect.forEach(uploads, (upload) => ingestFixes(phone, upload, []), {
        concurrency: "unbounded"
      })
      const now = yield* Timestamp.now
      const { events: pending } = yield* (yield* EventStore).pending(Bucket.ALL, 10_000, now)
      const firings = rules.flat().map(({ id, type }) => ({
        type,
        at: pending
          .filter(({ payload }) => Event.ruleIdOf(payload) === id)
          .map((event) => event.occurredAt)
          .sort((a, b) => a - b)
      }))
      return { answers, firings, stored: yield* (yield* FixStore).latest(user.id, 10_000) }
    })

  const expected = (["enter", "exit", "enter", "exit"] as const).map((type) => ({
    type,
    at: referenceFirings(
      ride.map((fix) => ({ ...fix, receivedAt: START, accuracy: 10 })),
      RuleSamples.CIRCLE,
      { type }
    )
  }))

  it("the ride that is raced has crossings to fire", () => {
    expect(expected.map(({ at }) => at.length)).toEqual([5, 4, 5, 4])
  })

  it("twenty beginnings of one ride: every crossing fires once, every fix is stored once [rules-11]", () =>
    run(
      Effect.gen(function* () {
        const beginnings = Array.from({ length: UPLOADS }, (_, index) => ride.slice(0, (index + 1) * 3))
        const { answers, firings, stored } = yield* race([...beginnings, ride])
        expect(firings).toEqual(expected)
        expect(stored).toHaveLength(ride.length)
        expect(answers.reduce((sum, answer) => sum + answer.accepted, 0)).toBe(ride.length)
        const sent = [...beginnings, ride].reduce((sum, upload) => sum + upload.length, 0)
        expect(answers.reduce((sum, answer) => sum + answer.accepted + answer.duplicates, 0)).toBe(sent)
      })
    ))

  it("twenty times the ride, each with a fix of its own: every crossing fires once", () =>
    run(
      Effect.gen(function* () {
        const uploads = Array.from({ length: UPLOADS }, (_, index) => [
          ...ride.toReversed(),
          // This fix is on the edge of the rule's circle. It is neither clearly inside nor clearly outside, so it must
          // not change the state of the rule.
          { capturedAt: Timestamp.make(START - 1_000 - index), ...travel(RuleSamples.CIRCLE, 0, 150) }
        ])
        const { answers, firings, stored } = yield* race(uploads)
        expect(firings).toEqual(expected)
        expect(stored).toHaveLength(ride.length + UPLOADS)
        expect(answers.filter((answer) => answer.accepted === ride.length + 1)).toHaveLength(1)
        expect(answers.filter((answer) => answer.accepted === 1)).toHaveLength(UPLOADS - 1)
      })
    ))
})
