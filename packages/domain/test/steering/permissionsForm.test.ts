import { type Connection, ConnectionView } from "@place-access/domain/connection"
import { Purpose } from "@place-access/domain/purposes"
import { AppId, ConnectionId, PurposeId, Scope, Sub, Timestamp, UserId } from "@place-access/domain/shared"
import { Steering } from "@place-access/domain/steering"
import { Tier } from "@place-access/domain/tiers"
import { FastCheck as fc } from "effect"
import { expect, it } from "vitest"
import { appOf } from "../support/apps.js"

// Tests of the form with which a user changes permissions and end dates, as the connection's page shows it: a box for
// each scope of `agreedScopes`, ticked for the scopes of `heldScopes`, and a choice for each end date.

const { DAY } = Timestamp
const NOW = Timestamp.make(Date.UTC(2026, 5, 1, 10))

const scopes = fc.subarray([...Scope.all])

/** A time that is `from` to `to` whole days after now; before now when the number is negative. */
const day = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((days) => Timestamp.plus(NOW, days * DAY))

/** Connections in each state that consents, changes, reviews and the dates of the tiers can lead to. */
const states = fc
  .record({
    held: scopes,
    takenAway: scopes,
    declared: scopes,
    allowed: fc.option(scopes),
    standardExpiresAt: fc.option(day(1, 89)),
    sensitiveExpiresAt: day(-20, 89),
    isSwept: fc.boolean()
  })
  .map(({ allowed, declared, held, isSwept, sensitiveExpiresAt, standardExpiresAt, takenAway }) => {
    const isRemoved = isSwept && Tier.sensitiveState({ standardExpiresAt, sensitiveExpiresAt }, NOW) === "removed"
    const left = isRemoved ? held.filter((scope) => !Scope.isSensitive(scope)) : held
    const connection: Connection.Connection = {
      userId: UserId.make("usr_1"),
      id: ConnectionId.make("con_1"),
      appId: AppId.make("app_1"),
      sub: Sub.make("sub_1"),
      externalUserId: null,
      heldScopes: Scope.normalise(left),
      agreedScopes: Scope.normalise([...left, ...takenAway]),
      pause: null,
      placesVersion: 1,
      places: [],
      standardExpiresAt,
      sensitiveExpiresAt: left.some(Scope.isSensitive) ? sensitiveExpiresAt : null,
      connectedAt: Timestamp.plus(NOW, -100 * DAY),
      endedAt: null,
      endReason: null,
      familyId: null
    }
    return { app: appOf({ declaredScopes: declared, allowedScopes: allowed }), connection }
  })

/** A purpose for every sensitive scope. Without such a purpose, the form refuses a later end date of exact location. */
const PURPOSE = Purpose.draft(
  AppId.make("app_1"),
  PurposeId.make("pur_1"),
  Purpose.PurposeKey.make("finding_tea"),
  { description: "Finds a tea house near you", scopes: [...Scope.sensitive], expectedDailyVolume: 10 },
  NOW
)

/** The outcome when the user changes no box of the form, and makes these choices of end dates. */
const saved = (
  state: typeof states extends fc.Arbitrary<infer A> ? A : never,
  days: Pick<Steering.SteeringChange, "standardDays" | "sensitiveDays">
) => {
  const { agreedScopes, heldScopes } = ConnectionView.forUser(state, [], null, NOW)
  const ticked = agreedScopes.filter((scope) => heldScopes.includes(scope))
  const form: Steering.SteeringChange = { ...days, scopes: ticked, shown: heldScopes }
  return Steering.change(state.connection.userId, form, [PURPOSE], { isFresh: true }, state, NOW)
}

it("the form accepts a new end of the connection while its boxes are as the page showed them, over generated connections [connection-6]", () => {
  const ends = new Set<unknown>()
  fc.assert(
    fc.property(states, fc.constantFrom(...Tier.StandardDays.literals), (state, standardDays) => {
      const { outcome, writes } = saved(state, { standardDays })
      expect(outcome).toEqual({ _tag: "Done" })
      const end = Tier.standardExpiry(standardDays, NOW)
      if (end === state.connection.standardExpiresAt) return
      expect(writes).toContainEqual({ _tag: "SetEnd", standardExpiresAt: end })
      ends.add(standardDays)
    }),
    { numRuns: 1_000 }
  )
  expect(ends.size).toBe(Tier.StandardDays.literals.length)
})

it("the form accepts a new end of exact location while its boxes are as the page showed them and the app has exact location, over generated connections [connection-6]", () => {
  fc.assert(
    fc.property(states, fc.constantFrom(...Tier.SensitiveDays.literals), (state, sensitiveDays) => {
      fc.pre(ConnectionView.forUser(state, [], null, NOW).heldScopes.some(Scope.isSensitive))
      const { outcome, writes } = saved(state, { sensitiveDays })
      expect(outcome).toEqual({ _tag: "Done" })
      const sensitiveExpiresAt = Tier.sensitiveExpiry(sensitiveDays, NOW)
      if (sensitiveExpiresAt === state.connection.sensitiveExpiresAt) return
      expect(writes).toContainEqual(expect.objectContaining({ _tag: "SetScopes", sensitiveExpiresAt }))
    }),
    { numRuns: 1_000 }
  )
})

it("the last scope cannot be taken away by the form [connection-6]", () => {
  fc.assert(
    fc.property(states, (state) => {
      const { heldScopes } = ConnectionView.forUser(state, [], null, NOW)
      fc.pre(heldScopes.length > 0)
      const form: Steering.SteeringChange = { scopes: [], shown: heldScopes }
      const { outcome, writes } = Steering.change(state.connection.userId, form, [], { isFresh: true }, state, NOW)
      expect(outcome).toMatchObject({ _tag: "Invalid", problems: [{ field: "scopes" }] })
      expect(writes).toEqual([])
    }),
    { numRuns: 300 }
  )
})
