import { everything, Bucket } from "@place-access/domain/leases"
import { TokenStore } from "@place-access/domain/tokens"
import { AppStore } from "@place-access/domain/apps"
import { Event } from "@place-access/domain/events"
import { EventStore } from "@place-access/domain/deliveries"
import { FixStore, ingestFixes, settleDue } from "@place-access/domain/fixes"
import { Place, PlaceStore } from "@place-access/domain/places"
import { type Rule, RuleEvaluation, RuleStore } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { Effect } from "effect"
import { settableClock } from "./clock.js"
import type { Ground, Life, Outcome } from "./referenceRules.js"
import { questionOf, reading } from "./replay.js"
import { NOON } from "./rules.js"

/**
 * Runs a life (`lives.ts`) through the programs and the given stores. Returns the result of each rule. For a rule that
 * is disabled at the end, the result has only the firings, because the stores show no state of a disabled rule.
 */
export const liveThrough = (life: Life) => {
  // The clock starts at `NOON`, because a `TestClock` would start in 1970, and a connection from then would have ended
  // long ago.
  const { clock, set } = settableClock(NOON)
  return Effect.gen(function* () {
    const { app, connection, place, user } = yield* RuleSamples.sharing()
    const phones = [yield* RuleSamples.device(user.id), yield* RuleSamples.device(user.id)]
    const rules = new Map<number, Rule.Rule>()
    const missing = new Set<Ground>()
    let changes = 0

    const share = Effect.gen(function* () {
      const shared = { placeId: place.id, sharedAt: yield* Timestamp.now, includeEarlierVisits: false }
      const places = missing.has("place") ? [] : [shared]
      yield* (yield* TokenStore).change(connection.id, {}, () => ({
        outcome: undefined,
        writes: [{ _tag: "SetPlaces", places, placesVersion: 1 + changes }]
      }))
    })
    const allow = Effect.gen(function* () {
      const allowedScopes = app.declaredScopes.filter(
        (scope) =>
          !(scope === "location.rules.place" && missing.has("place scope")) &&
          !(scope === "location.rules.zone" && missing.has("zone scope"))
      )
      yield* (yield* AppStore).update(app.id, (before) => ({
        outcome: undefined,
        after: { ...before, app: { ...before.app, allowedScopes } }
      }))
    })
    const follow = (what: Ground) =>
      Effect.gen(function* () {
        changes++
        if (what === "place") yield* share
        else yield* allow
      })

    let now = NOON
    // Runs `settleDue` five minutes after an upload, or at the next event if the event is earlier. No crossing waits
    // longer than five minutes.
    const settle = (at: number) =>
      Effect.gen(function* () {
        set(Math.max(now, Math.min(at, now + 301_000)))
        yield* settleDue(everything.people)
        now = at
        set(at)
        yield* settleDue(everything.people)
      })
    for (const happening of life.happenings) {
      yield* settle(happening._tag === "Upload" ? (happening.fixes[0]?.receivedAt ?? now) : happening.at)
      switch (happening._tag) {
        case "Created": {
          const rule = life.rules[happening.rule]
          if (rule === undefined) break
          const { circle, ...terms } = questionOf(life.circle, rule)
          const target: Rule.RuleTarget =
            rule.about === "place" ? RuleSamples.onPlace(place) : { _tag: "Zone", circle, label: "Quay" }
          rules.set(happening.rule, yield* RuleSamples.rule(connection, target, terms))
          break
        }
        case "Removed": {
          const rule = rules.get(happening.rule)
          const store = yield* RuleStore
          if (rule !== undefined) yield* store.remove(user.id, null, rule.id, "all", yield* Timestamp.now)
          break
        }
        case "Moved": {
          const places = yield* PlaceStore
          yield* places.update(user.id, place.id, (before) => Place.edited(before, happening.circle))
          break
        }
        case "Withdrawn":
          if (missing.has(happening.what)) break
          missing.add(happening.what)
          yield* follow(happening.what)
          break
        case "GivenBack":
          if (missing.delete(happening.what)) yield* follow(happening.what)
          break
        case "Upload": {
          const [first] = happening.fixes
          if (first !== undefined) set(first.receivedAt)
          const phone = phones[happening.device]
          if (phone !== undefined) yield* ingestFixes(phone, happening.fixes.map(reading), [])
        }
      }
    }

    yield* settle(now + 301_000)
    const { events: pending } = yield* (yield* EventStore).pending(Bucket.ALL, 10_000, yield* Timestamp.now)
    const [phone] = phones
    const live = phone === undefined ? [] : (yield* (yield* FixStore).view(user.id, [], yield* Timestamp.now)).rules
    return life.rules.map((_, index): Pick<Outcome, "firings"> & Partial<Outcome> => {
      const id = rules.get(index)?.id
      const firings = pending
        .filter(({ payload, userId }) => userId === user.id && Event.ruleIdOf(payload) === id)
        .map((event): number => event.occurredAt)
        .sort((a, b) => a - b)
      const standing = live.find(({ rule }) => rule.id === id)
      if (standing === undefined) return { firings }
      const { asOf, side } = RuleEvaluation.on(standing.basis, standing.state)
      return { firings, seenAt: asOf, side }
    })
  }).pipe(Effect.withClock(clock))
}
