import { EventStore } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { Fix, ingestFixes, settleDue } from "@place-access/domain/fixes"
import { everything, Bucket } from "@place-access/domain/leases"
import { Place, type Geometry } from "@place-access/domain/places"
import { AccountLimits } from "@place-access/domain/quotas"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { Rule, type RuleEvaluation } from "@place-access/domain/rules"
import { type PlaceId, Timestamp, type UserId } from "@place-access/domain/shared"
import { MemoryDatabase, RuleSamples } from "@place-access/domain/testing"
import { ownVisits } from "@place-access/domain/timeline"
import { Clock, Effect } from "effect"
import type { Log, LoggedReading } from "./Log.js"
import * as Stores from "./Stores.js"

/** The places of a replay, and the terms of the rules at each of them. */
export interface ReplayTerms {
  readonly circles: ReadonlyArray<Geometry.Circle>
  readonly dwellMinutes: number
  /**
   * How many seconds a rule waits after an arrival or a departure, in case a later reading contradicts it (`settle_s`);
   * null: the rule does not wait.
   */
  readonly settleS: number | null
  /** The silence in seconds after which dwell rules fire; null: only readings fire them. */
  readonly silenceS: number | null
}

/** An event that the service would send. Places are numbered from 1. */
export interface ReplayedFiring {
  readonly place: number
  readonly type: Rule.RuleType
  readonly occurredAt: number
  /** The time at which the service stored the event. From then on, a worker sends the webhook. */
  readonly storedAt: number
}

/** A visit as the service shows it to the phone's owner after the whole log was replayed. */
interface ReplayedVisit {
  readonly place: number
  readonly arrival: number
  readonly departure: number | null
  /** Whether the phone was silent for hours after the departure, and was then seen far away. */
  readonly isUncertain: boolean
}

/** How many evaluations of the rule had this outcome. Of each upload, at most 20 evaluations count. */
export interface OutcomeCount {
  readonly place: number
  readonly type: Rule.RuleType
  readonly outcome: RuleEvaluation.RuleOutcome
  readonly count: number
}

/** All that the programs produced from a log. */
export interface Replayed {
  readonly uploads: number
  readonly accepted: number
  readonly quarantined: number
  readonly firings: ReadonlyArray<ReplayedFiring>
  readonly visits: ReadonlyArray<ReplayedVisit>
  readonly outcomes: ReadonlyArray<OutcomeCount>
}

/**
 * The most circles of a replay. One place less than an account can have, because `RuleSamples.sharing` makes a place
 * itself.
 */
export const CIRCLES_MAX = AccountLimits.PLACES.most - 1

/** Replays a log from empty tables. Each circle gets one place and three rules, which are older than every fix. */
export const replayLog = (log: Log, terms: ReplayTerms) => {
  const visitTimes = log.visits.flatMap(({ arrival, departure }) => [arrival, departure]).filter((at) => at !== null)
  const times = log.readings.flatMap(({ reading, receivedAt }) => [reading.capturedAt, receivedAt])
  // A reading from before `Fix.EARLIEST` is quarantined, so its time must not set the clock: otherwise a replay could
  // begin in 1970.
  const known = [...times, ...visitTimes].filter((at) => at >= Fix.EARLIEST)
  const first = known.reduce((a, b) => Math.min(a, b), known[0] ?? Fix.EARLIEST)
  const { clock, set } = steered(first - Timestamp.DAY)
  return Effect.gen(function* () {
    const tables = yield* MemoryDatabase
    const { placeIds, rules, userId } = yield* made(terms)
    const device = yield* RuleSamples.device(userId)
    const counts = new Map<string, OutcomeCount>()
    const seen = new WeakSet<object>()
    let [accepted, quarantined] = [0, 0]

    /**
     * Counts the outcomes of the readings that arrived at `receivedAt`. Counts at most 20 outcomes for each rule,
     * because a rule keeps only its last 20 evaluations.
     */
    const count = (receivedAt: number) => {
      for (const { id, place, type } of rules) {
        for (const one of tables.recentEvaluations.get(id) ?? []) {
          if (one.receivedAt !== receivedAt || seen.has(one)) continue
          seen.add(one)
          const { outcome } = one
          const key = `${place} ${type} ${outcome}`
          counts.set(key, { place, type, outcome, count: (counts.get(key)?.count ?? 0) + 1 })
        }
      }
    }

    /** Fires, as a worker does, each rule whose crossing or dwell is due by `until`, each at its due time. */
    const settleUntil = (until: number) =>
      Effect.gen(function* () {
        for (;;) {
          const due = [...tables.ruleStates.values()].flatMap(({ unsettled }) =>
            unsettled?.fires === true ? [unsettled.until] : []
          )
          const next = due.reduce((a, b) => Math.min(a, b), Infinity)
          if (next > until || next === Infinity) return
          set(next)
          yield* settleDue(everything.people)
          count(next)
        }
      })

    const ingest = (readings: ReadonlyArray<Fix.Reading>, visits: Log["visits"]) =>
      Effect.map(ingestFixes(device, readings, visits), (ingested) => {
        accepted += ingested.accepted
        quarantined += ingested.quarantined
      })

    const uploads = together(log.readings)
    for (const readings of uploads) {
      const receivedAt = readings[0]?.receivedAt ?? first
      yield* settleUntil(receivedAt)
      set(receivedAt)
      yield* ingest(
        readings.map(({ reading }) => reading),
        []
      )
      count(receivedAt)
    }

    if (log.visits.length > 0) {
      const receivedAt = visitTimes.reduce((a, b) => Math.max(a, b), uploads.at(-1)?.[0]?.receivedAt ?? first)
      yield* settleUntil(receivedAt)
      set(receivedAt)
      yield* ingest([], log.visits)
      count(receivedAt)
    }

    yield* settleUntil(Infinity)
    const firings = yield* firingsOf(userId, rules)
    const visits = yield* found(userId, placeIds)
    const replayed: Replayed = {
      uploads: uploads.length,
      accepted,
      quarantined,
      firings,
      visits,
      outcomes: [...counts.values()].sort(
        (a, b) => a.place - b.place || compare(a.type, b.type) || compare(a.outcome, b.outcome)
      )
    }
    return replayed
  }).pipe(Effect.withClock(clock), Effect.provide(Stores.layer))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const TYPES: ReadonlyArray<Rule.RuleType> = Rule.RuleType.literals

/**
 * Makes one person with the places and rules. All rules belong to one connection: `RuleSamples` stores rules without
 * the limit of ten for a connection.
 */
const made = ({ circles, dwellMinutes, settleS, silenceS }: ReplayTerms) =>
  Effect.gen(function* () {
    // This connection has no end, because an end would also end the rules in the middle of a long log.
    const sharing = yield* RuleSamples.sharing({ standardExpiresAt: null })
    const userId = sharing.user.id
    yield* (yield* HistoryStore).choose(userId, null, yield* Timestamp.now)
    const placeIds: Array<PlaceId> = []
    const rules = []
    for (const [index, circle] of circles.entries()) {
      const label = Place.Label.make(`Place ${index + 1}`)
      const { id } = yield* RuleSamples.place(userId, { circle, label })
      placeIds.push(id)
      for (const type of TYPES) {
        const { firesOnCrossing, hasDwellTime } = Rule.PROPERTIES[type]
        // The rules are on zones: a zone has the same state machine as a place, and its rule needs no shared place.
        const rule = yield* RuleSamples.rule(
          sharing.connection,
          { _tag: "Zone", circle, label },
          {
            type,
            dwellMinutes: hasDwellTime ? dwellMinutes : null,
            settleS: firesOnCrossing ? settleS : null,
            silenceS: hasDwellTime ? silenceS : null
          }
        )
        rules.push({ id: rule.id, place: index + 1, type })
      }
    }
    return { userId, placeIds, rules }
  })

/** Groups readings that arrive in the same millisecond into one upload. */
const together = (readings: ReadonlyArray<LoggedReading>): ReadonlyArray<ReadonlyArray<LoggedReading>> => {
  const uploads: Array<Array<LoggedReading>> = []
  for (const one of readings) {
    const upload = uploads.at(-1)
    if (upload !== undefined && upload[0]?.receivedAt === one.receivedAt) upload.push(one)
    else uploads.push([one])
  }
  return uploads
}

const firingsOf = (
  userId: UserId,
  rules: ReadonlyArray<{ readonly id: string; readonly place: number; readonly type: Rule.RuleType }>
) =>
  Effect.gen(function* () {
    const tables = yield* MemoryDatabase
    const { events } = yield* (yield* EventStore).pending(Bucket.ALL, 1_000_000, yield* Timestamp.now)
    return events
      .filter((event) => event.userId === userId)
      .flatMap((event): ReadonlyArray<ReplayedFiring> => {
        const rule = rules.find(({ id }) => id === Event.ruleIdOf(event.payload))
        const storedAt = tables.events.get(event.id)?.fanOutDueAt ?? event.occurredAt
        return rule === undefined
          ? []
          : [{ place: rule.place, type: rule.type, occurredAt: event.occurredAt, storedAt }]
      })
      .sort((a, b) => a.occurredAt - b.occurredAt || a.place - b.place || compare(a.type, b.type))
  })

const found = (userId: UserId, placeIds: ReadonlyArray<PlaceId>) =>
  Effect.gen(function* () {
    const visits: Array<ReplayedVisit> = []
    let cursor: string | undefined
    for (let isUnfinished = true; isUnfinished;) {
      const page = yield* ownVisits(userId, { from: null, to: null, limit: 500, cursor })
      // Each call derives stays from a limited number of readings, and the next call continues (decision visits-8).
      if (!page.complete) continue
      for (const { arrival, departure, isUncertain, place } of page.visits) {
        visits.push({ place: placeIds.indexOf(place.id) + 1, arrival, departure, isUncertain })
      }
      cursor = page.nextCursor ?? undefined
      isUnfinished = cursor !== undefined
    }
    return visits.sort((a, b) => a.arrival - b.arrival || a.place - b.place)
  })

/** A clock that the replay sets. Nothing in a replay sleeps on it. */
const steered = (start: number) => {
  let now = start
  const nanos = () => BigInt(now) * 1_000_000n
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => now,
    currentTimeMillis: Effect.sync(() => now),
    unsafeCurrentTimeNanos: nanos,
    currentTimeNanos: Effect.sync(nanos),
    sleep: () => Effect.dieMessage("A replay does not sleep")
  }
  return { clock, set: (to: number) => void (now = Math.max(now, to)) }
}
