import { TokenStore } from "@place-access/domain/tokens"
import { type Write } from "@place-access/domain/connection"
import { FixStore, ingestFixes } from "@place-access/domain/fixes"
import { archivePlace } from "@place-access/domain/connection"
import { createPlaceRule, createZoneRule, removeRule, removeRuleOfUser, type Rule } from "@place-access/domain/rules"
import { AppStore } from "@place-access/domain/apps"
import { type Scope, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, RuleSamples } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer, TestClock, TestContext } from "effect"
import { INSIDE, NOON, OUTSIDE, SECOND } from "../support/rules.js"
import { UploadStores } from "../support/uploads.js"

const ZONE = { type: "enter", lat: INSIDE.lat, lon: INSIDE.lon, radiusM: 150, label: "Quay" }
const SENSITIVE_ENDS = 30 * SECOND
const STANDARD_ENDS = 60 * SECOND

interface Stage extends Effect.Effect.Success<ReturnType<typeof RuleSamples.sharing>> {
  readonly rule: Rule.Rule
}
type Meanwhile = (stage: Stage) => Effect.Effect<unknown, unknown, Layer.Layer.Success<typeof UploadStores>>

/**
 * A person is seen outside. Then `meanwhile` happens, and then the person is seen inside. Returns the number of events.
 */
const eventsAfter = (kind: "Place" | "Zone", meanwhile: Meanwhile) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOON)
    const now = yield* Timestamp.now
    const made = yield* RuleSamples.sharing({
      heldScopes: ["location.rules.place", "location.rules.zone", "location.lookup"],
      standardExpiresAt: Timestamp.plus(now, STANDARD_ENDS),
      sensitiveExpiresAt: Timestamp.plus(now, SENSITIVE_ENDS)
    })
    const { connection, place, user } = made
    const rule: Rule.Rule =
      kind === "Zone"
        ? yield* createZoneRule(connection, ZONE)
        : yield* createPlaceRule(connection, { type: "enter", placeId: place.id })
    const phone = yield* RuleSamples.device(user.id)
    const see = (where: typeof INSIDE) =>
      Effect.flatMap(Timestamp.now, (capturedAt) => ingestFixes(phone, [{ capturedAt, ...where, accuracyM: 10 }], []))
    yield* see(OUTSIDE)
    yield* TestClock.adjust(1)
    yield* meanwhile({ ...made, rule })
    yield* see(INSIDE)
    expect(yield* (yield* FixStore).latest(user.id, 10)).toHaveLength(2)
    return [...(yield* MemoryDatabase).events.values()].filter(({ userId }) => userId === user.id).length
  }).pipe(Effect.provide(UploadStores))

const write =
  (write: (at: Timestamp.Timestamp) => Write): Meanwhile =>
  ({ connection }) =>
    Effect.flatMap(TokenStore, (store) =>
      store.change(connection.id, {}, (_, now) => ({ outcome: undefined, writes: [write(now)] }))
    )

const narrow =
  (allowedScopes: ReadonlyArray<Scope.Scope>): Meanwhile =>
  ({ app }) =>
    Effect.flatMap(AppStore, (apps) =>
      apps.update(app.id, (before) => ({
        outcome: undefined,
        after: { ...before, app: { ...before.app, allowedScopes } }
      }))
    )

const cases: ReadonlyArray<readonly [string, Meanwhile, place: 0 | 1, zone: 0 | 1]> = [
  ["nothing", () => Effect.void, 1, 1],
  ["the app removes it", ({ connection, rule }) => removeRule(connection, rule.id, "all"), 0, 0],
  ["the user removes it", ({ rule, user }) => removeRuleOfUser(user.id, null, rule.id), 0, 0],
  ["the user disconnects", write((at) => ({ _tag: "End", reason: "user_disconnected", at })), 0, 0],
  ["the place is withdrawn", write(() => ({ _tag: "SetPlaces", places: [], placesVersion: 2 })), 0, 1],
  ["a millisecond before the standard tier ends", () => TestClock.setTime(NOON + STANDARD_ENDS - 1), 1, 1],
  ["the standard tier ends", () => TestClock.setTime(NOON + STANDARD_ENDS), 0, 0],
  ["the sensitive tier lapses", () => TestClock.setTime(NOON + SENSITIVE_ENDS), 1, 1],
  ["the place is archived", ({ place, user }) => archivePlace(user.id, place.id), 0, 1],
  ["zone rules are taken from the app", narrow(["location.rules.place"]), 1, 0],
  ["place rules are taken from the app", narrow(["location.rules.zone"]), 0, 1]
]

describe("Spec §4.6, rule 10: disconnection, the standard tier's end or deletion stop a rule; the sensitive tier does not", () => {
  it.each(cases)(
    "%s: what place and zone rules send then [§3.3-stopped, §4.6.10]",
    async (_, meanwhile, place, zone) => {
      const both = Effect.all([eventsAfter("Place", meanwhile), eventsAfter("Zone", meanwhile)])
      expect(await Effect.runPromise(Effect.provide(both, TestContext.TestContext))).toEqual([place, zone])
    }
  )
})
