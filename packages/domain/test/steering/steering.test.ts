import { ConsentFlow, Fixtures, MemoryDatabase } from "@place-access/domain/testing"
import { ConnectionStore, getConnection, sharePlaces } from "@place-access/domain/connection"
import { updateApp } from "@place-access/domain/apps"
import { OUTDATED_FORM, Scope, Timestamp, Words } from "@place-access/domain/shared"
import { archivePurpose } from "@place-access/domain/purposes"
import {
  changeConnection,
  endExactLocation,
  findLostExactLocation,
  pauseConnection,
  restoreExactLocation,
  resumeConnection,
  type Steering
} from "@place-access/domain/steering"
import { Effect, Either, FastCheck as fc, TestClock } from "effect"
import { expect, it } from "vitest"
import { inWorld, place } from "../support/connections.js"
import { liveSteered, STEER_MARKS, steerLives, steerStories } from "../support/steerLife.js"

const FRESH = { isFresh: true }
const OLD = { isFresh: false }

/** A change that comes from no form. */
type Unchecked = Omit<Steering.SteeringChange, "shown">

/** A user who connected an app with these scopes. The app has the purpose that sensitive scopes need. */
const connected = (scopes: ReadonlyArray<Scope.Scope>) =>
  Effect.gen(function* () {
    const user = yield* Fixtures.user
    const { app } = yield* Fixtures.registeredApp(user)
    const purpose = yield* Fixtures.purpose(app.id, "finding_coffee")
    const { connectionId: id } = yield* ConsentFlow.connect(app, user, scopes)
    return { user, app, purpose, id }
  })

const ONE = ["location.place.current"] as const
const BOTH = ["location.place.current", "location.lookup"] as const

it("a steered connection tells nothing beyond what is agreed at that moment, and nothing during a pause, over generated lives [connection-4, connection-6, connection-7]", async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(steerLives, (steps) => inWorld(Effect.asVoid(liveSteered(steps, seen)))),
    { numRuns: steerStories.length + 60, examples: steerStories.map((story) => [[...story]]) }
  )
  expect([...seen].sort()).toEqual(STEER_MARKS)
}, 120_000)

it("the end of exact location is undone with the same scopes and date, unless something else was agreed since [connection-9]", () =>
  inWorld(
    Effect.gen(function* () {
      const { id, user } = yield* connected(BOTH)
      yield* changeConnection(user.id, id, { sensitiveDays: 7, shown: "unchecked" }, FRESH)
      expect(yield* findLostExactLocation(user.id, id)).toBeNull()
      const before = yield* getConnection(user.id, id)
      yield* endExactLocation(user.id, id)
      expect((yield* getConnection(user.id, id)).heldScopes).toEqual(["location.place.current"])
      yield* TestClock.adjust("1 day")
      const after = yield* restoreExactLocation(user.id, id, FRESH)
      expect([after.heldScopes, after.sensitiveExpiresAt]).toEqual([before.heldScopes, before.sensitiveExpiresAt])

      // The person presses the button a second time. The second press must change nothing.
      const { mail } = yield* MemoryDatabase
      const mails = mail.size
      expect([yield* restoreExactLocation(user.id, id, OLD), mail.size]).toEqual([after, mails])

      yield* endExactLocation(user.id, id)
      yield* TestClock.adjust("6 days")
      expect(yield* findLostExactLocation(user.id, id)).toBeNull()
      const late = yield* Effect.flip(restoreExactLocation(user.id, id, FRESH))
      expect(late._tag).toBe("Conflict")

      yield* changeConnection(user.id, id, { scopes: BOTH, sensitiveDays: 7, shown: "unchecked" }, FRESH)
      yield* endExactLocation(user.id, id)
      yield* pauseConnection(user.id, id, "day")
      expect(yield* findLostExactLocation(user.id, id)).toBeNull()
    })
  ))

/**
 * Provides the services of this fiber to the effect, so that the effect needs no further services: the methods of a
 * port must not need any services.
 */
const settled = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.context<R>(), (context) => Effect.orDie(Effect.provide(effect, context)))

it.each(["a pause", "another end date", "a place more"] as const)(
  "after %s from another tab, between the look at the history and the undo, nothing is given back [connection-9]",
  (name) =>
    inWorld(
      Effect.gen(function* () {
        const { id, user } = yield* connected(BOTH)
        yield* endExactLocation(user.id, id)
        const store = yield* ConnectionStore
        const home = yield* place(user, "Home")
        const change = {
          "a pause": yield* settled(pauseConnection(user.id, id, "day")),
          "another end date": yield* settled(
            changeConnection(user.id, id, { standardDays: 7, shown: "unchecked" }, FRESH)
          ),
          "a place more": yield* settled(
            sharePlaces(user.id, id, [{ placeId: home.id, includeEarlierVisits: false }], "unchecked")
          )
        }[name]
        const late: typeof store = { ...store, history: (...of) => Effect.zipLeft(store.history(...of), change) }
        const refused = yield* restoreExactLocation(user.id, id, FRESH).pipe(
          Effect.provideService(ConnectionStore, late),
          Effect.flip
        )
        expect(refused._tag).toBe("Conflict")
        expect((yield* getConnection(user.id, id)).heldScopes).toEqual(ONE)
      })
    )
)

it("what cannot be agreed to now is not given back: a scope without a purpose [connection-9]", () =>
  inWorld(
    Effect.gen(function* () {
      const { app, id, purpose, user } = yield* connected(BOTH)
      yield* endExactLocation(user.id, id)
      yield* archivePurpose(user, app.id, purpose.id)
      const refused = yield* Effect.flip(restoreExactLocation(user.id, id, FRESH))
      expect(refused._tag).toBe("Invalid")
      expect((yield* getConnection(user.id, id)).heldScopes).toEqual(["location.place.current"])
    })
  ))

it("a sensitive scope that comes back after exact location has ended needs a choice of its end [connection-6]", () =>
  inWorld(
    Effect.gen(function* () {
      const all = ["location.place.current", "location.lookup", "location.history.read"] as const
      const { id, user } = yield* connected(all)
      const change = (change: Unchecked) =>
        Effect.either(changeConnection(user.id, id, { ...change, shown: "unchecked" }, FRESH))
      yield* change({ scopes: BOTH, standardDays: 90, sensitiveDays: 7 })
      yield* TestClock.adjust("8 days")
      const { mail } = yield* MemoryDatabase
      const [before, mails] = [yield* getConnection(user.id, id), mail.size]
      expect(before.scopes).toEqual(["location.place.current"])
      const problem = { field: "sensitive_days", message: "must be chosen: exact location has ended" }
      expect(yield* change({ scopes: all })).toMatchObject({ left: { _tag: "Invalid", problems: [problem] } })
      expect([yield* getConnection(user.id, id), mail.size]).toEqual([before, mails])

      // The sensitive tier has ended. A change that adds no sensitive scope needs no new end date for this tier, and
      // the connection keeps the old end date.
      yield* change({ scopes: BOTH, standardDays: 30 })
      expect((yield* getConnection(user.id, id)).sensitiveExpiresAt).toBe(before.sensitiveExpiresAt)
      yield* change({ scopes: all, sensitiveDays: 7 })
      expect((yield* getConnection(user.id, id)).scopes).toEqual(Scope.normalise(all))
    })
  ))

it("permissions, ends and the end of exact location are mailed, a pause is not [connection-8]", () =>
  inWorld(
    Effect.gen(function* () {
      const { id, user } = yield* connected(BOTH)
      const { mail } = yield* MemoryDatabase
      const subjects = () => [...mail.values()].map(({ subject }) => subject).slice(1)
      yield* pauseConnection(user.id, id, "day")
      yield* resumeConnection(user.id, id)
      expect(subjects()).toEqual([])
      yield* changeConnection(user.id, id, { standardDays: 7, shown: "unchecked" }, FRESH)
      yield* endExactLocation(user.id, id)
      expect(subjects()).toEqual([
        "You changed what Coffee Finder can do",
        "You stopped sharing your exact location with Coffee Finder"
      ])
    })
  ))

it("the mail about changed permissions names no scope that the app no longer declares [connection-8]", () =>
  inWorld(
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      const { app } = yield* Fixtures.registeredApp(user)
      const { connectionId: id } = yield* ConsentFlow.connect(app, user, [
        "location.place.current",
        "location.visits.read"
      ])
      yield* updateApp(user, app.id, { scopes: ["location.place.current"] }, "assumed", "unchecked")
      yield* changeConnection(user.id, id, { standardDays: 7, shown: "unchecked" }, FRESH)
      const { mail } = yield* MemoryDatabase
      const [sent] = [...mail.values()].filter(({ subject }) => subject.startsWith("You changed what"))
      expect(sent?.body).toContain(Scope.describe["location.place.current"])
      expect(sent?.body).not.toContain(Scope.describe["location.visits.read"])
    })
  ))

it("in the grace period the mail says since when exact location is not shared, and names no scope of it [connection-8]", () =>
  inWorld(
    Effect.gen(function* () {
      const { id, user } = yield* connected(BOTH)
      yield* changeConnection(user.id, id, { standardDays: 90, sensitiveDays: 7, shown: "unchecked" }, FRESH)
      yield* TestClock.adjust("8 days")
      const { mail } = yield* MemoryDatabase
      const before = new Set(mail.keys())
      yield* changeConnection(user.id, id, { standardDays: 30, shown: "unchecked" }, FRESH)
      const [sent] = [...mail].filter(([key]) => !before.has(key)).map(([, message]) => message)
      expect(sent?.body).toContain(Scope.describe["location.place.current"])
      expect(sent?.body).not.toContain(Scope.describe["location.lookup"])
      const { renewalGraceEndsAt, sensitiveExpiresAt } = yield* getConnection(user.id, id)
      const [ended, until] = [sensitiveExpiresAt ?? Timestamp.make(0), renewalGraceEndsAt ?? Timestamp.make(0)]
      expect(sent?.body).toContain(
        `Your exact location: not since ${Words.moment(ended)}. You can give it back until ${Words.moment(until)}.`
      )
    })
  ))

it("a session that is not fresh cannot share exact location without an end, in whatever order it asks [accounts-18]", () =>
  inWorld(
    Effect.gen(function* () {
      const { id, user } = yield* connected(BOTH)
      const change = (change: Unchecked, session = OLD) =>
        Effect.map(
          Effect.either(changeConnection(user.id, id, { ...change, shown: "unchecked" }, session)),
          (outcome) => (Either.isRight(outcome) ? "done" : outcome.left._tag)
        )
      yield* change({ scopes: ONE, standardDays: 30 })
      const giveBack = change({ scopes: BOTH })
      const endNever = change({ standardDays: "never" })
      expect([yield* giveBack, yield* endNever]).toEqual(["done", "ConfirmationRequired"])
      yield* change({ scopes: ONE })
      expect([yield* endNever, yield* giveBack]).toEqual(["done", "ConfirmationRequired"])
      expect(yield* change({ scopes: BOTH }, FRESH)).toBe("done")
      // The user already shares exact location without an end. So these changes share nothing more, and need no
      // confirmation.
      expect(yield* change({ standardDays: "never", sensitiveDays: 7 })).toBe("done")
      yield* endExactLocation(user.id, id)
      expect((yield* Effect.flip(restoreExactLocation(user.id, id, OLD)))._tag).toBe("ConfirmationRequired")
      expect((yield* restoreExactLocation(user.id, id, FRESH)).heldScopes).toEqual(BOTH)
    })
  ))

it("exact location counts while the app does not declare it: the app may declare it again [accounts-18]", () =>
  inWorld(
    Effect.gen(function* () {
      const { app, id, user } = yield* connected(BOTH)
      yield* changeConnection(user.id, id, { standardDays: 30, shown: "unchecked" }, OLD)
      yield* updateApp(user, app.id, { scopes: ["location.place.current"] }, "assumed", "unchecked")
      expect((yield* getConnection(user.id, id)).heldScopes).toEqual(["location.place.current"])
      const refused = yield* Effect.flip(
        changeConnection(user.id, id, { standardDays: "never", shown: "unchecked" }, OLD)
      )
      expect(refused._tag).toBe("ConfirmationRequired")
    })
  ))

it("a form that was opened before exact location ended does not share it again [connection-10]", () =>
  inWorld(
    Effect.gen(function* () {
      const { id, user } = yield* connected(BOTH)
      const save = (change: Steering.SteeringChange) => Effect.either(changeConnection(user.id, id, change, FRESH))
      const stale: Steering.SteeringChange = { scopes: BOTH, standardDays: 30, shown: BOTH }
      yield* endExactLocation(user.id, id)
      const before = yield* getConnection(user.id, id)
      expect(yield* save(stale)).toMatchObject({ _tag: "Left", left: { _tag: "Conflict", reason: OUTDATED_FORM } })
      expect(yield* getConnection(user.id, id)).toEqual(before)
      // The user submits the same form twice. The second time the app already has the scopes that the form requests. So
      // the form is accepted, although the scopes have changed since it was shown.
      const newest: Steering.SteeringChange = { ...stale, shown: ONE }
      for (const _ of [1, 2]) expect(Either.isRight(yield* save(newest))).toBe(true)
      expect((yield* getConnection(user.id, id)).heldScopes).toEqual(BOTH)
    })
  ))

it("a form with other scopes is outdated exactly if the app has other scopes than it showed [connection-10]", () =>
  inWorld(
    Effect.gen(function* () {
      const all = ["location.place.current", "location.visits.read", "location.lookup"] as const
      const { id, user } = yield* connected(all)
      const some = [1, 2, 3, 4, 5, 6, 7].map((bits) => all.filter((_, index) => (bits & (1 << index)) !== 0))
      for (const held of some) {
        for (const shown of some) {
          for (const scopes of some) {
            yield* changeConnection(user.id, id, { scopes: held, shown: "unchecked" }, FRESH)
            const outcome = yield* Effect.either(changeConnection(user.id, id, { scopes, shown }, FRESH))
            const isOutdated = !Scope.same(held, shown) && !Scope.same(held, scopes)
            const { heldScopes } = yield* getConnection(user.id, id)
            expect([Either.isLeft(outcome), heldScopes]).toEqual([isOutdated, isOutdated ? held : scopes])
          }
        }
      }
    })
  ))

it("a later end of exact location is a renewal and needs a purpose; an earlier end needs none [connection-6, tokens-3]", () =>
  inWorld(
    Effect.gen(function* () {
      const { app, id, purpose, user } = yield* connected(BOTH)
      const change = (change: Unchecked) =>
        Effect.either(changeConnection(user.id, id, { ...change, shown: "unchecked" }, FRESH))
      yield* change({ standardDays: 90 })
      yield* archivePurpose(user, app.id, purpose.id)
      const before = yield* getConnection(user.id, id)
      const refused = { left: { _tag: "Invalid", problems: [{ field: "scopes" }] } }
      expect(yield* change({ scopes: BOTH, sensitiveDays: 90 })).toMatchObject(refused)
      expect(yield* getConnection(user.id, id)).toEqual(before)

      yield* change({ scopes: BOTH, sensitiveDays: 7 })
      yield* TestClock.adjust("8 days")
      const lapsed = yield* getConnection(user.id, id)
      expect(lapsed.sensitiveLapsedAt).not.toBeNull()
      expect(yield* change({ sensitiveDays: 1 })).toMatchObject(refused)
      expect(yield* getConnection(user.id, id)).toEqual(lapsed)
    })
  ))

it("the mail names the end of the connection when it is before that of exact location or of its grace [connection-8]", () =>
  inWorld(
    Effect.gen(function* () {
      const { id, user } = yield* connected(BOTH)
      const { mail } = yield* MemoryDatabase
      const said = (change: Unchecked) =>
        Effect.map(changeConnection(user.id, id, { ...change, shown: "unchecked" }, FRESH), ({ grantExpiresAt }) => ({
          body: [...mail.values()].at(-1)?.body,
          end: Words.moment(grantExpiresAt ?? Timestamp.make(0))
        }))
      const active = yield* said({ standardDays: 7, sensitiveDays: 30 })
      expect(active.body).toContain(`Your exact location: until ${active.end}.`)

      yield* said({ standardDays: 90, sensitiveDays: 1 })
      yield* TestClock.adjust("2 days")
      const lapsed = yield* said({ standardDays: 7 })
      expect(lapsed.body).toContain(`You can give it back until ${lapsed.end}.`)
    })
  ))
