import { type getConnection, listConsentHistory, type Pause } from "@place-access/domain/connection"
import { Authorisation, EventStore } from "@place-access/domain/deliveries"
import { everything } from "@place-access/domain/leases"
import { EventId, RuleId, Scope, Timestamp } from "@place-access/domain/shared"
import { sweepTiers } from "@place-access/domain/sweeps"
import { changeConnection, endExactLocation, pauseConnection, resumeConnection } from "@place-access/domain/steering"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { authenticateAccess, Caller } from "@place-access/domain/tokens"
import { Effect, Either, FastCheck as fc, Option, TestClock } from "effect"
import { expect } from "vitest"

/**
 * Generates random scenarios of one connection that its user pauses and changes, and runs them against any stores.
 * Compares every step with a second implementation, written from decisions connection-4 to connection-8: a paused app
 * learns nothing, and no app may do more than the user agreed to.
 */

const { DAY, HOUR } = Timestamp
const GRACE = 14 * DAY

/** The scopes that the app requests first: two standard scopes and two sensitive ones. */
const AGREED: ReadonlyArray<Scope.Scope> = Scope.normalise([
  "location.place.current",
  "location.rules.place",
  "location.latest.read",
  "location.lookup"
])
/** A scope that the app declares, but to which the user never agreed. */
const NEVER: Scope.Scope = "location.visits.read"

export type Step =
  | { readonly _tag: "Pause"; readonly length: Pause.PauseLength }
  | { readonly _tag: "Resume" | "EndExact" | "Sweep" }
  | {
      readonly _tag: "Change"
      readonly scopes: ReadonlyArray<Scope.Scope> | undefined
      readonly standardDays: 1 | 7 | "never" | undefined
      readonly sensitiveDays: 1 | 30 | undefined
    }
  | { readonly _tag: "Pass"; readonly millis: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>(
      { _tag: "Pause", length: "hour" },
      { _tag: "Pause", length: "day" },
      { _tag: "Pause", length: "until_resumed" }
    )
  },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ _tag: "Resume" }, { _tag: "EndExact" }, { _tag: "Sweep" }) },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Change" as const),
      scopes: fc.option(fc.subarray([...AGREED, ...AGREED, NEVER]), { nil: undefined }),
      standardDays: fc.constantFrom(undefined, undefined, 1 as const, 7 as const, "never" as const),
      sensitiveDays: fc.constantFrom(undefined, undefined, 1 as const, 30 as const)
    })
  },
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("Pass" as const),
      millis: fc.constantFrom(1, HOUR - 1, HOUR, DAY, DAY, 7 * DAY, 14 * DAY)
    })
  }
)
export const steerLives = fc.array(step, { minLength: 1, maxLength: 14 })

/**
 * Scenarios that the generator rarely reaches. In some scenarios, the grace period of exact location ends, and the
 * scopes that the service then removes do not come back. In others, the user ends exact location and then gives the
 * scopes back, or gives a scope back during the grace period.
 */
export const steerStories: ReadonlyArray<ReadonlyArray<Step>> = [
  [
    { _tag: "Change", scopes: undefined, standardDays: undefined, sensitiveDays: 1 },
    { _tag: "Pass", millis: DAY },
    { _tag: "Pass", millis: GRACE - 1 },
    { _tag: "Pass", millis: 1 },
    { _tag: "Sweep" },
    { _tag: "Change", scopes: AGREED, standardDays: undefined, sensitiveDays: undefined },
    { _tag: "Pause", length: "hour" },
    { _tag: "Pass", millis: HOUR - 1 },
    { _tag: "Pass", millis: 1 },
    { _tag: "Change", scopes: [], standardDays: 1, sensitiveDays: undefined },
    { _tag: "Change", scopes: ["location.place.current"], standardDays: 1, sensitiveDays: undefined },
    { _tag: "Pass", millis: DAY },
    { _tag: "Resume" }
  ],
  [
    { _tag: "Change", scopes: undefined, standardDays: undefined, sensitiveDays: 1 },
    { _tag: "Pass", millis: DAY },
    { _tag: "Pass", millis: GRACE },
    { _tag: "Change", scopes: undefined, standardDays: 7, sensitiveDays: undefined },
    { _tag: "Pause", length: "hour" },
    { _tag: "Resume" },
    { _tag: "EndExact" },
    { _tag: "Change", scopes: AGREED, standardDays: undefined, sensitiveDays: 1 },
    { _tag: "Sweep" },
    { _tag: "Change", scopes: AGREED, standardDays: undefined, sensitiveDays: 1 }
  ],
  [
    { _tag: "EndExact" },
    { _tag: "Change", scopes: AGREED, standardDays: undefined, sensitiveDays: 1 },
    { _tag: "Pass", millis: DAY }
  ],
  [
    {
      _tag: "Change",
      scopes: AGREED.filter((scope) => scope !== "location.lookup"),
      standardDays: undefined,
      sensitiveDays: 1
    },
    { _tag: "Pass", millis: DAY },
    { _tag: "Change", scopes: AGREED, standardDays: undefined, sensitiveDays: undefined },
    { _tag: "Change", scopes: AGREED, standardDays: undefined, sensitiveDays: 1 }
  ]
]

/** Situations that the scenarios together must reach. */
export const STEER_MARKS = [
  "changed between the end of the grace and its sweep",
  "ended by its date",
  "exact location ended",
  "given back",
  "lapsed",
  "paused",
  "pause over by itself",
  "refused: no end date for a tier that has ended",
  "refused: never agreed",
  "refused: nothing left",
  "removed for good"
].sort()

/** The connection as the specification and the decisions describe it. Times are milliseconds since 1970. */
interface Model {
  held: ReadonlySet<Scope.Scope>
  agreed: ReadonlySet<Scope.Scope>
  /**
   * The scopes in the newest entry of the consent history. Scopes that were removed at the end of the grace period are
   * left out.
   */
  recorded: ReadonlySet<Scope.Scope>
  standardEnd: number | null
  sensitiveEnd: number | null
  /** The end of the pause. Infinity: the pause lasts until the user resumes. */
  pausedUntil: number
  changes: number
  isOver: boolean
}

const isSensitive = (scope: Scope.Scope): boolean => !scope.startsWith("location.place") && !scope.includes("rules")

export const liveSteered = (steps: ReadonlyArray<Step>, seen: Set<string>) =>
  Effect.gen(function* () {
    const user = yield* Fixtures.user
    const { app } = yield* Fixtures.registeredApp(user)
    yield* Fixtures.purpose(app.id, "finding_coffee")
    const { connectionId, tokens } = yield* ConsentFlow.connect(app, user, AGREED, { standardDays: "never" })
    const begun: number = yield* Timestamp.now
    const model: Model = {
      held: new Set(AGREED),
      agreed: new Set(AGREED),
      recorded: new Set(AGREED),
      standardEnd: null,
      sensitiveEnd: begun + 30 * DAY,
      pausedUntil: 0,
      changes: 1,
      isOver: false
    }
    for (const one of steps) {
      const now: number = yield* Timestamp.now
      settle(model, now, seen)
      const outcome = yield* Effect.either(act(one, user.id, connectionId))
      expect([one._tag, outcomeOf(outcome)]).toEqual([one._tag, follow(model, one, now, seen)])
      yield* check(model, user.id, connectionId, tokens.accessToken, begun, seen)
    }
  })

const outcomeOf = (outcome: Either.Either<unknown, { readonly _tag: string }>): string =>
  Either.isRight(outcome) ? "done" : outcome.left._tag

const act = (
  one: Step,
  ...[userId, id]: [Parameters<typeof pauseConnection>[0], Parameters<typeof pauseConnection>[1]]
) =>
  Effect.gen(function* () {
    switch (one._tag) {
      case "Pause":
        return yield* pauseConnection(userId, id, one.length)
      case "Resume":
        return yield* resumeConnection(userId, id)
      case "EndExact":
        return yield* endExactLocation(userId, id)
      case "Sweep":
        return yield* sweepTiers(everything.people)
      case "Change":
        return yield* changeConnection(userId, id, { ...one, shown: "unchecked" }, { isFresh: true })
      case "Pass":
        return yield* TestClock.adjust(one.millis)
    }
  })

/** Ends the connection when the end date of its standard tier has passed. Called before each step. */
const settle = (model: Model, now: number, seen: Set<string>): void => {
  if (model.standardEnd !== null && now >= model.standardEnd) {
    model.isOver = true
    seen.add("ended by its date")
  }
}

const removedAt = ({ sensitiveEnd }: Model): number => (sensitiveEnd === null ? Infinity : sensitiveEnd + GRACE)

const withoutRemoved = (model: Model, now: number): ReadonlySet<Scope.Scope> =>
  new Set([...model.held].filter((scope) => now < removedAt(model) || !isSensitive(scope)))

/** Applies a step to the model. Returns the answer that the service must give. */
const follow = (model: Model, one: Step, now: number, seen: Set<string>): string => {
  if (one._tag === "Pass") return "done"
  if (one._tag === "Sweep") {
    if (!model.isOver && now >= removedAt(model)) forget(model, seen)
    return "done"
  }
  if (model.isOver) return "Conflict"
  switch (one._tag) {
    case "Pause":
      model.recorded = withoutRemoved(model, now)
      model.pausedUntil = one.length === "until_resumed" ? Infinity : now + (one.length === "day" ? DAY : HOUR)
      model.changes++
      return "done"
    case "Resume":
      if (now < model.pausedUntil) {
        model.changes++
        model.recorded = withoutRemoved(model, now)
      }
      model.pausedUntil = Math.min(model.pausedUntil, now)
      return "done"
    case "EndExact": {
      const left = new Set([...model.held].filter((scope) => !isSensitive(scope)))
      if (left.size === model.held.size || now >= removedAt(model)) return "done"
      seen.add("exact location ended")
      if (left.size === 0) model.isOver = true
      else {
        model.held = model.recorded = left
        model.sensitiveEnd = null
        model.changes++
      }
      return "done"
    }
    case "Change":
      return change(model, one, now, seen)
  }
}

const forget = (model: Model, seen: Set<string>): void => {
  seen.add("removed for good")
  model.held = model.recorded = new Set([...model.held].filter((scope) => !isSensitive(scope)))
  model.agreed = new Set([...model.agreed].filter((scope) => !isSensitive(scope)))
  model.sensitiveEnd = null
  model.changes++
}

const change = (model: Model, one: Extract<Step, { _tag: "Change" }>, now: number, seen: Set<string>): string => {
  const isRemoved = now >= removedAt(model)
  const may = (scope: Scope.Scope): boolean => model.agreed.has(scope) && !(isRemoved && isSensitive(scope))
  const held = [...model.held].filter((scope) => !isRemoved || !isSensitive(scope))
  const after = one.scopes === undefined ? held : [...new Set(one.scopes)]
  // After the grace period, sensitive scopes stay in the stored grant until a sweep deletes them. They allow nothing.
  const granted = [...[...model.held].filter((scope) => !held.includes(scope)), ...after]
  if (one.scopes !== undefined && one.scopes.length === 0 && held.length > 0) {
    seen.add("refused: nothing left")
    return "Invalid"
  }
  if (one.scopes !== undefined && !one.scopes.every(may)) {
    seen.add("refused: never agreed")
    return "Invalid"
  }
  if (one.sensitiveDays !== undefined && !after.some(isSensitive)) return "Invalid"
  // A scope that comes back gets the end date of its tier, if the user chooses no date. If this date has passed, the
  // user must choose one. If the tier had no scope, its end date is in 30 days.
  const joinsAnEndedTier =
    model.sensitiveEnd !== null &&
    now >= model.sensitiveEnd &&
    after.some((scope) => isSensitive(scope) && !model.held.has(scope))
  if (joinsAnEndedTier && one.sensitiveDays === undefined) {
    seen.add("refused: no end date for a tier that has ended")
    return "Invalid"
  }
  const standardEnd =
    one.standardDays === undefined
      ? model.standardEnd
      : one.standardDays === "never"
        ? null
        : now + one.standardDays * DAY
  const sensitiveEnd = isRemoved
    ? model.sensitiveEnd
    : !after.some(isSensitive)
      ? null
      : one.sensitiveDays === undefined
        ? (model.sensitiveEnd ?? now + 30 * DAY)
        : now + one.sensitiveDays * DAY
  const isSame =
    standardEnd === model.standardEnd &&
    sensitiveEnd === model.sensitiveEnd &&
    granted.length === model.held.size &&
    granted.every((scope) => model.held.has(scope))
  if (after.some((scope) => !model.held.has(scope))) seen.add("given back")
  if (isSame) return "done"
  if (isRemoved) seen.add("changed between the end of the grace and its sweep")
  const changes = model.changes + 1
  Object.assign(model, { held: new Set(granted), recorded: new Set(after), standardEnd, sensitiveEnd, changes })
  return "done"
}

/** Makes the requests of the app, and compares the answers with the model. */
const check = (
  model: Model,
  ...[userId, id, token, begun, seen]: [...Parameters<typeof getConnection>, string, number, Set<string>]
) =>
  Effect.gen(function* () {
    const now: number = yield* Timestamp.now
    const isDead = model.isOver || (model.standardEnd !== null && now >= model.standardEnd)
    const isPaused = now < model.pausedUntil
    if (isPaused) seen.add("paused")
    else if (model.pausedUntil > begun) seen.add("pause over by itself")
    if (model.sensitiveEnd !== null && now >= model.sensitiveEnd) seen.add("lapsed")
    const allowed = AGREED.filter(
      (scope) => model.held.has(scope) && !(isSensitive(scope) && now >= (model.sensitiveEnd ?? 0))
    )

    // The access token is valid for an hour. After this hour, the test compares only the connection.
    const caller = yield* Effect.either(authenticateAccess(token))
    if (now < begun + HOUR) expect(Either.isRight(caller)).toBe(!isDead)
    if (Either.isRight(caller)) {
      expect([Caller.isPaused(caller.right), [...caller.right.scopes]]).toEqual([isPaused, allowed])
    }

    const known = Option.getOrThrow(yield* (yield* EventStore).authorisation(userId, id, null))
    const firing = {
      appId: known.connection.appId,
      payload: {
        type: "place.enter" as const,
        ruleId: RuleId.make("rul_1"),
        target: { placeId: null, label: "Home" }
      },
      occurredAt: Timestamp.make(now),
      id: EventId.make("evt_1")
    }
    expect(Authorisation.permits(known, firing, Timestamp.make(now))).toBe(
      !isDead && !isPaused && allowed.includes("location.rules.place")
    )

    const history = yield* listConsentHistory(userId, id)
    const stored = history.filter((entry) => entry.change !== "ended")
    expect([stored.length, history.length > stored.length]).toEqual([model.changes, isDead])
    if (stored[0] !== undefined) expect(new Set(stored[0].scopes)).toEqual(model.recorded)
  })
