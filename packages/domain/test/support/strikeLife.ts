import { type Delivery, DeliveryStore } from "@place-access/domain/deliveries"
import { EndpointStore, WebhookEndpoint } from "@place-access/domain/endpoints"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, FastCheck as fc, TestClock } from "effect"
import { expect } from "vitest"
import {
  claim,
  endpointNow,
  finish,
  found,
  insert,
  of,
  withEndpoints
} from "../../testing/contract/deliveries/webhookFixtures.js"

/**
 * Generates random scenarios for one endpoint, and checks them with a second implementation of Spec §3.4 and decisions
 * W2 to W4: which ends of deliveries count against the endpoint, what resets the count, and what happens to waiting
 * deliveries when the endpoint is disabled. The scenarios run against any store of deliveries. They prefer boundary
 * values: one less than ten or twenty strikes, exactly ten or twenty, one more, and the ends of leases to the
 * millisecond.
 */

type Kind = "first" | "replay" | "test"
type How = "exhausted" | "delivered" | "retry" | "postponed" | "too_old" | Exclude<Delivery.FailReason, "exhausted">

export type Step =
  | { readonly _tag: "Queue"; readonly count: number; readonly kind: Kind }
  | { readonly _tag: "Claim" }
  /** Ends the first `count` deliveries in flight, one after the other or all at the same time. */
  | { readonly _tag: "End"; readonly count: number; readonly how: How; readonly isTogether: boolean }
  /** A worker that has lost its lease tries to end its attempt. */
  | { readonly _tag: "EndLate"; readonly how: "exhausted" | "delivered" }
  | { readonly _tag: "Pass"; readonly millis: number }
  | { readonly _tag: "Hurry" }
  | { readonly _tag: "Enable" }
  | { readonly _tag: "Edit" }

const LEASE = 30_000
const LATER = Timestamp.HOUR

const together = fc.boolean()
const hows: ReadonlyArray<How> = [
  "exhausted",
  "exhausted",
  "exhausted",
  "delivered",
  "delivered",
  "retry",
  "retry",
  "postponed",
  "too_old",
  "not_sent",
  "not_authorised",
  "address_changed",
  "abandoned"
]

/** Steps in which deliveries end at their last attempt, perhaps while other deliveries wait. */
const streak = fc
  .tuple(fc.constantFrom(1, 1, 9, 10, 11, 18, 19, 19, 20, 21), together, fc.constantFrom(0, 0, 1, 2))
  .map(([count, isTogether, waiting]): ReadonlyArray<Step> => [
    { _tag: "Queue", count, kind: "first" },
    { _tag: "Claim" },
    ...(waiting === 0 ? [] : [{ _tag: "Queue", count: waiting, kind: "first" } as const]),
    { _tag: "End", count, how: "exhausted", isTogether }
  ])

/** Some deliveries fail, and then one succeeds. */
const cleared = fc
  .constantFrom(1, 9, 10, 19)
  .map((count): ReadonlyArray<Step> => [
    { _tag: "Queue", count, kind: "first" },
    { _tag: "Claim" },
    { _tag: "End", count, how: "exhausted", isTogether: false },
    { _tag: "Queue", count: 1, kind: "first" },
    { _tag: "Claim" },
    { _tag: "End", count: 1, how: "delivered", isTogether: false }
  ])

/**
 * After a failed attempt, the developer brings the next attempt forward. An automatic attempt may follow after any
 * result of this attempt.
 */
const hurried = fc
  .constantFrom<How>("exhausted", "delivered", "postponed", "retry", "retry")
  .map((how): ReadonlyArray<Step> => [
    { _tag: "Queue", count: 1, kind: "first" },
    { _tag: "Claim" },
    { _tag: "End", count: 30, how: "retry", isTogether: false },
    { _tag: "Hurry" },
    { _tag: "Claim" },
    { _tag: "End", count: 1, how, isTogether: false },
    { _tag: "Pass", millis: LATER },
    { _tag: "Claim" },
    { _tag: "End", count: 1, how: "exhausted", isTogether: false }
  ])

/** A worker ends its attempt after another worker has claimed the same row. */
const overtaken = fc
  .constantFrom("exhausted" as const, "delivered" as const)
  .map((how): ReadonlyArray<Step> => [
    { _tag: "Queue", count: 1, kind: "first" },
    { _tag: "Claim" },
    { _tag: "Pass", millis: LEASE },
    { _tag: "Claim" },
    { _tag: "EndLate", how }
  ])

const single = fc
  .oneof(
    { arbitrary: fc.constant<Step>({ _tag: "Claim" }), weight: 4 },
    {
      arbitrary: fc.record({
        _tag: fc.constant("Queue" as const),
        count: fc.constantFrom(1, 1, 2, 3),
        kind: fc.constantFrom<Kind>("first", "first", "replay", "test")
      }),
      weight: 4
    },
    {
      arbitrary: fc.record({
        _tag: fc.constant("End" as const),
        count: fc.constantFrom(1, 1, 2, 30),
        how: fc.constantFrom(...hows),
        isTogether: together
      }),
      weight: 5
    },
    {
      arbitrary: fc.record({
        _tag: fc.constant("EndLate" as const),
        how: fc.constantFrom("exhausted" as const, "delivered" as const)
      }),
      weight: 2
    },
    {
      arbitrary: fc.record({
        _tag: fc.constant("Pass" as const),
        millis: fc.constantFrom(1, LEASE - 1, LEASE, LATER - 1, LATER)
      }),
      weight: 3
    },
    { arbitrary: fc.constantFrom<Step>({ _tag: "Hurry" }, { _tag: "Enable" }, { _tag: "Edit" }), weight: 3 }
  )
  .map((step): ReadonlyArray<Step> => [step])

/**
 * The scenarios. Each scenario has at most fourteen groups of steps. With more groups, enough successive leases of a
 * row could expire that the row is abandoned (decision W2), and this test is not about that.
 */
export const strikeLives: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .array(
    fc.oneof(
      { arbitrary: streak, weight: 4 },
      { arbitrary: cleared, weight: 1 },
      { arbitrary: hurried, weight: 1 },
      { arbitrary: overtaken, weight: 1 },
      { arbitrary: single, weight: 10 }
    ),
    { minLength: 1, maxLength: 14 }
  )
  .map((moves) => moves.flat())

/**
 * The marks that the scenarios together must reach. Without them, the scenarios would not test the rules of strikes.
 */
export const STRIKE_MARKS = [
  "a lease was lost",
  "a success cleared the count",
  "counted at the automatic attempt after the one that was hurried",
  "disabled",
  "enabled",
  "ended after it was disabled, and did not count",
  "failed because it was disabled while it waited",
  "hurried, and did not count",
  "one short of twenty",
  "queued for an endpoint that was disabled meanwhile",
  "warned at ten"
]

type ClaimedDelivery = Effect.Effect.Success<ReturnType<typeof claim>>[number]

interface Row {
  readonly delivery: Effect.Effect.Success<ReturnType<typeof insert>>
  readonly kind: Kind
  /**
   * The number of times that the endpoint had been disabled when the worker read the endpoint, before it stored the
   * row. This number is the row's epoch.
   */
  readonly series: number
  dueAt: number
  isHurried: boolean
  wasHurried: boolean
  /** The end of the row's lease, which may have passed; null when the row has no lease. */
  leasedUntil: number | null
  claimed: ClaimedDelivery | null
  lapses: number
  /**
   * How the delivery ended: its state and the reason. Undefined while attempts may follow. `null`: unknown, because the
   * endpoint has been disabled since the row was stored, and the lease has expired. Then a claim may have ended the
   * delivery.
   */
  end: readonly [string, string | null] | null | undefined
}

/**
 * How long a delivery waits after its third successive expired lease, after its fourth, and so on, in milliseconds
 * (decision W2).
 */
const WAITS_AFTER_LAPSES = [30_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 54_000_000]

/**
 * Runs a scenario and fails when the store breaks a rule. Adds to `met` the name of each situation that the scenario
 * reached.
 */
export const liveStrikes = (steps: ReadonlyArray<Step>, met: Set<string>) =>
  withEndpoints((endpoint, other) =>
    Effect.gen(function* () {
      const rows: Array<Row> = []
      const lost: Array<ClaimedDelivery> = []
      const warned: Array<number> = []
      let strikes = 0
      let series = 0
      let isDisabled = false

      const strike = (now: number) => {
        strikes++
        if (strikes === 10) met.add("warned at ten")
        if (strikes === 19) met.add("one short of twenty")
        if (strikes === 10 || strikes === 20) warned.push(strikes)
        if (strikes < 20) return
        met.add("disabled")
        isDisabled = true
        series++
        for (const row of rows) {
          if (row.end !== undefined || (row.leasedUntil !== null && row.leasedUntil > now)) continue
          met.add("failed because it was disabled while it waited")
          row.end = ["failed", "endpoint_disabled"]
          row.leasedUntil = null
        }
      }

      /** The effect of the end of an attempt. It does not matter which worker made the attempt. */
      const ended = (row: Row, how: How, now: number) => {
        const isOfNow = row.series === series
        const counts = isOfNow && row.kind === "first" && !row.isHurried
        row.leasedUntil = null
        row.claimed = null
        row.lapses = 0
        if (row.isHurried && (how === "exhausted" || how === "delivered")) met.add("hurried, and did not count")
        if (how === "retry" || how === "postponed") {
          if (!isOfNow) row.end = ["failed", "endpoint_disabled"]
          else if (how === "retry") {
            row.wasHurried ||= row.isHurried
            row.isHurried = false
            row.dueAt = now + LATER
          } else row.dueAt = now
          return
        }
        row.end = how === "delivered" || how === "too_old" ? [how, null] : ["failed", how]
        if (!isOfNow) met.add("ended after it was disabled, and did not count")
        if (counts && how === "delivered") {
          if (strikes > 0) met.add("a success cleared the count")
          strikes = 0
        }
        if (counts && how === "exhausted") {
          if (row.wasHurried) met.add("counted at the automatic attempt after the one that was hurried")
          strike(now)
        }
      }

      const finishOf = (how: How, now: Timestamp.Timestamp): Delivery.DeliveryFinish => {
        switch (how) {
          case "delivered":
            return { _tag: "Delivered", at: now }
          case "too_old":
            return { _tag: "TooOld", at: now }
          case "retry":
            return { _tag: "Retry", attempt: 2, dueAt: Timestamp.plus(now, LATER) }
          case "postponed":
            return { _tag: "Postponed", dueAt: now, faultsSince: now }
          default:
            return { _tag: "Failed", at: now, reason: how }
        }
      }

      const queue = (count: number, kind: Kind, now: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          // The worker read the endpoint while it was enabled. If the endpoint has been disabled since, the worker
          // still stores the row with the epoch from before the disabling.
          const endpointEpoch = isDisabled ? series - 1 : series
          const overrides = { endpointEpoch, replayNo: kind === "replay" ? 1 : 0, isTest: kind === "test" }
          for (let index = 0; index < count; index++) {
            const delivery = yield* insert(endpoint, overrides)
            const end = isDisabled ? (["failed", "endpoint_disabled"] as const) : undefined
            if (isDisabled) met.add("queued for an endpoint that was disabled meanwhile")
            const queued = { delivery, kind, series: endpointEpoch, dueAt: now, end }
            rows.push({ ...queued, isHurried: false, wasHurried: false, leasedUntil: null, claimed: null, lapses: 0 })
          }
        })

      const claimAll = (now: number) =>
        Effect.gen(function* () {
          const claims = of(yield* claim(), endpoint)
          const expected: Array<string> = []
          for (const row of rows) {
            const isUnderWay = row.leasedUntil !== null && row.leasedUntil > now
            if (row.end !== undefined || isUnderWay) continue
            if (row.series !== series) row.end = null
            else if (row.dueAt <= now) {
              expected.push(row.delivery.id)
              row.lapses = row.leasedUntil === null ? 0 : row.lapses + 1
              if (row.claimed !== null) lost.push(row.claimed)
              row.claimed = claims.find(({ delivery }) => delivery.id === row.delivery.id) ?? null
              row.leasedUntil = now + LEASE
              if (row.lapses >= 2) row.dueAt = row.leasedUntil + (WAITS_AFTER_LAPSES[row.lapses - 2] ?? 0)
            }
          }
          expect(claims.map(({ delivery }) => delivery.id as string).sort()).toEqual(expected.sort())
        })

      const endSome = ({ count, how, isTogether }: Extract<Step, { _tag: "End" }>, now: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          const chosen = rows
            .flatMap((row) => (row.claimed === null ? [] : [{ row, claimed: row.claimed }]))
            .slice(0, count)
          // If a delivery has already ended, its worker cannot end it once more. A delivery can end early when its
          // lease has expired and its endpoint is disabled.
          const isWritten = chosen.map(({ row }) => row.end === undefined)
          // Rows with an expired lease make the order of the ends matter: if one end disables the endpoint, the
          // disabling also ends these rows.
          const isOrdered = !isTogether || chosen.some(({ row }) => row.leasedUntil === null || row.leasedUntil <= now)
          const isOpen = chosen.map(({ row }) => row.end === null)
          const written = yield* Effect.forEach(chosen, ({ claimed }) => finish(claimed, finishOf(how, now), null), {
            concurrency: isOrdered ? 1 : "unbounded"
          })
          for (const [index, { row }] of chosen.entries()) {
            // The end of an earlier delivery in this loop may have disabled the endpoint. This also ended the
            // deliveries whose leases had expired.
            if (isOpen[index] === true || (row.end !== undefined && isWritten[index] === true)) row.claimed = null
            else {
              expect([row.delivery.id, written[index]]).toEqual([row.delivery.id, isWritten[index]])
              if (isWritten[index] === true) ended(row, how, now)
              else row.claimed = null
            }
          }
        })

      const take = (step: Step, now: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          switch (step._tag) {
            case "Queue":
              return yield* queue(step.count, step.kind, now)
            case "Claim":
              return yield* claimAll(now)
            case "End":
              return yield* endSome(step, now)
            case "EndLate": {
              const late = lost.shift()
              if (late === undefined) return
              met.add("a lease was lost")
              return expect(yield* finish(late, finishOf(step.how, now), null)).toBe(false)
            }
            case "Pass":
              return yield* TestClock.adjust(step.millis)
            case "Hurry": {
              const row = rows.find((one) => one.end === undefined && one.leasedUntil === null && one.dueAt > now)
              if (row === undefined) return
              yield* (yield* DeliveryStore).hurry(endpoint.appId, row.delivery.id, now)
              row.isHurried = true
              row.dueAt = now
              return
            }
            case "Enable":
              if (isDisabled) met.add("enabled")
              if (isDisabled) strikes = 0
              isDisabled = false
              return yield* (yield* EndpointStore).update(endpoint.appId, endpoint.id, WebhookEndpoint.enable)
            case "Edit":
              return yield* (yield* EndpointStore).update(endpoint.appId, endpoint.id, (before) => ({
                ...before,
                description: null
              }))
          }
        })

      for (const step of steps) {
        yield* take(step, yield* Timestamp.now)
        const stored = yield* endpointNow(endpoint)
        expect([step, stored.strikes, stored.disabledAt !== null, stored.epoch]).toEqual([
          step,
          strikes,
          isDisabled,
          series
        ])
        const warnings = yield* (yield* EndpointStore).listWarnings(10_000, undefined)
        const own = warnings.filter(({ endpointId }) => endpointId === endpoint.id)
        expect(own.map((warning) => warning.strikes).sort()).toEqual([...warned].sort())
      }
      for (const { delivery, end } of rows) {
        const { failReason, state } = (yield* found(delivery)).delivery
        if (end !== null) expect([delivery.id, state, failReason]).toEqual([delivery.id, ...(end ?? ["trying", null])])
      }
      expect((yield* endpointNow(other)).strikes).toBe(0)
    })
  )
