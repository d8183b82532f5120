import { Effect, Either, Option, TestClock } from "effect"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import * as AppReview from "../../../src/apps/AppReview.js"
import * as Purpose from "../../../src/purposes/Purpose.js"
import * as PurposeLife from "../../../src/purposes/PurposeLife.js"
import * as PurposeReview from "../../../src/purposes/PurposeReview.js"
import { PurposeStore } from "../../../src/purposes/PurposeStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { AppId, PurposeId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { recorded, recordedAbout } from "./reviewSamples.js"

type Ports = PurposeStore | AppStore | AccountStore | Entropy.Entropy

const ownedApp = Effect.flatMap(Fixtures.user, (owner) => Fixtures.app(owner.id))

const purpose = (appId: AppId, key: string, overrides: Fixtures.PurposeOverrides = {}) =>
  Effect.gen(function* () {
    const id = PurposeId.make(yield* Entropy.id("pps"))
    const terms: Purpose.PurposeTerms = {
      description: 'Shows "your" way \\ on a map, 🦉',
      scopes: ["location.latest.read", "location.lookup"],
      expectedDailyVolume: 10_000
    }
    return Fixtures.overridden(
      Purpose.draft(appId, id, Purpose.PurposeKey.make(key), terms, yield* Timestamp.now),
      overrides
    )
  })

const stored = (appId: AppId, key: string, overrides: Fixtures.PurposeOverrides = {}) =>
  Effect.gen(function* () {
    const made = yield* purpose(appId, key, overrides)
    yield* (yield* PurposeStore).create(made)
    return made
  })

const unknownPurpose = Effect.map(Entropy.id("pps"), (id) => PurposeId.make(id))

const keys = (list: ReadonlyArray<Purpose.Purpose>): ReadonlyArray<string> => list.map(({ key }) => key)

/**
 * The tests that every `PurposeStore` must pass. For example, a key occurs once in an app, and an update does not
 * change the purpose's id, app and key.
 */
export const purposeStoreContract: Contract<Ports> = [
  {
    name: "create: what was stored is listed, field by field",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const { id } = yield* ownedApp
      const now = yield* Timestamp.now
      const draft = yield* purpose(id, "a_draft")
      const full = yield* purpose(id, "full", {
        status: "in_review",
        approved: { description: "What was approved.", scopes: ["location.history.read"], expectedDailyVolume: 1 },
        reviewNote: "say more",
        revision: 3,
        submission: { at: now, revision: 2 }
      })
      const gone = yield* purpose(id, "gone", { archivedAt: Timestamp.plus(now, 1) })
      yield* purposes.create(gone)
      yield* purposes.create(full)
      yield* purposes.create(draft)
      Check.equal(yield* purposes.list(id), [draft, full, gone], "list")
    })
  },
  {
    name: "list: by key, character by character, of one app alone",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const [one, other] = [yield* ownedApp, yield* ownedApp]
      for (const key of ["b_a", "ba9", "ba_", "b9a", "abc", "ba0"]) yield* purposes.create(yield* purpose(one.id, key))
      yield* purposes.create(yield* purpose(other.id, "abc"))
      Check.equal(keys(yield* purposes.list(one.id)), ["abc", "b9a", "b_a", "ba0", "ba9", "ba_"], "the one app's")
      Check.equal(keys(yield* purposes.list(other.id)), ["abc"], "the other's")
    })
  },
  {
    name: "list: empty for an app without purposes",
    run: Effect.gen(function* () {
      Check.equal(yield* (yield* PurposeStore).list(AppId.make(yield* Entropy.id("app"))), [], "list")
    })
  },
  {
    name: "create: a key is taken for ever, also by an archived purpose [P1]",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const { id } = yield* ownedApp
      const first = yield* purpose(id, "find_me", { archivedAt: yield* Timestamp.now })
      yield* purposes.create(first)
      const second = yield* Effect.either(purposes.create(yield* purpose(id, "find_me")))
      Check.isTrue(Either.isLeft(second) && second.left._tag === "Conflict", "the second is refused")
      Check.equal(yield* purposes.list(id), [first], "the first stays")
    })
  },
  {
    name: "create: of several at once with one key exactly one is made",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const { id } = yield* ownedApp
      const rivals = yield* Effect.all(Array.from({ length: 6 }, () => purpose(id, "find_me")))
      const outcomes = yield* Effect.forEach(rivals, (rival) => Effect.either(purposes.create(rival)), {
        concurrency: "unbounded"
      })
      const winners = rivals.filter((_, index) =>
        outcomes.some((outcome, at) => at === index && Either.isRight(outcome))
      )
      Check.equal(winners.length, 1, "one is made")
      Check.equal(yield* purposes.list(id), winners, "the one that was told so")
    })
  },
  {
    name: `create: the ${Purpose.MAX_PER_APP}th is the last, also when several ask at once [purposes-2]`,
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const { id } = yield* ownedApp
      const spare = 3
      for (let made = 0; made < Purpose.MAX_PER_APP - spare; made++) {
        yield* purposes.create(yield* purpose(id, `key_${made}`))
      }
      const rivals = yield* Effect.all(Array.from({ length: 6 }, (_, index) => purpose(id, `rival_${index}`)))
      const outcomes = yield* Effect.forEach(rivals, (rival) => Effect.either(purposes.create(rival)), {
        concurrency: "unbounded"
      })
      Check.equal(outcomes.filter(Either.isRight).length, spare, "as many as there was room for")
      Check.equal((yield* purposes.list(id)).length, Purpose.MAX_PER_APP, "stored")
    })
  },
  {
    name: "approvals: what reviewers approved of one app's purposes, oldest first; no rejection, and nothing about the app [M13]",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      Check.equal(yield* purposes.approvals(app.id), [], "before the first")
      const [one, two, foreign] = [
        yield* stored(app.id, "find_me"),
        yield* stored(app.id, "find_you"),
        yield* stored(other.id, "find_me")
      ]
      const made: Array<{ readonly decision: string; readonly approval: Purpose.PurposeApproval }> = []
      const decide = (about: Purpose.Purpose, description: string, kind: "approved" | "rejected" = "approved") =>
        Effect.gen(function* () {
          const subject = PurposeReview.of({ ...about, terms: { ...about.terms, description } })
          const one = yield* recordedAbout(app, subject, { appId: about.appId, kind })
          yield* purposes.update(about.id, () => ({ outcome: 0, after: null, recorded: one }))
          const { at, id } = one.decision
          if (kind === "approved") made.push({ decision: id, approval: { purposeId: about.id, at, description } })
        })
      yield* decide(one, 'Finds "me", 🦉')
      yield* TestClock.adjust(2)
      yield* decide(two, "Finds you \\ them")
      yield* decide(one, "Finds you too")
      yield* decide(one, "Finds all of us")
      yield* TestClock.adjust(1)
      yield* decide(one, "Sells all of us", "rejected")
      const about = yield* recorded(app, { subject: AppReview.of(app, null) })
      yield* (yield* AppStore).update(app.id, () => ({ outcome: 0, after: null, recorded: about }))
      yield* purposes.update(two.id, (before, at) => ({ outcome: 0, after: PurposeLife.archive(before, at) }))
      const expected = [...made]
        .sort((a, b) => a.approval.at - b.approval.at || (a.decision < b.decision ? -1 : 1))
        .map(({ approval }) => approval)
      Check.equal(yield* purposes.approvals(app.id), expected, "of the app")
      yield* decide(foreign, "Finds a stranger")
      Check.equal(yield* purposes.approvals(app.id), expected, "still of the app alone")
      const last = made.slice(-1).map(({ approval }) => approval)
      Check.equal(yield* purposes.approvals(other.id), last, "of the other app")
    })
  },
  {
    name: "find: by id alone, archived or not; none for an unknown one",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const { id } = yield* ownedApp
      const kept = yield* stored(id, "find_me")
      const gone = yield* stored(id, "find_you", { archivedAt: yield* Timestamp.now })
      Check.equal(yield* purposes.find(kept.id), Option.some(kept), "found")
      Check.equal(yield* purposes.find(gone.id), Option.some(gone), "archived")
      Check.equal(yield* purposes.find(yield* unknownPurpose), Option.none(), "unknown")
    })
  },
  {
    name: "update: decide is given what is stored and the time; what it returns is stored, and no other purpose is touched",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const { id } = yield* ownedApp
      const [before, other] = [yield* stored(id, "find_me"), yield* stored(id, "find_you")]
      const now = yield* Timestamp.now
      const after: Purpose.Purpose = {
        ...before,
        status: "in_review",
        terms: { description: "Other words, 🦉", scopes: ["location.history.read"], expectedDailyVolume: 7 },
        approved: before.terms,
        reviewNote: "note",
        revision: 2,
        submission: { at: now, revision: 2 },
        archivedAt: null
      }
      let seen: unknown
      const outcome = yield* purposes.update(before.id, (purpose, at) => {
        seen = [purpose, at]
        return { outcome: "done", after }
      })
      Check.equal(outcome, Option.some("done"), "outcome")
      Check.equal(seen, [before, now], "what decide is given")
      Check.equal(yield* purposes.list(id), [after, other], "stored")
    })
  },
  {
    name: "update: what is archived is read so, from whatever status, and nothing of it waits",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const { id } = yield* ownedApp
      const now = yield* Timestamp.now
      const before = yield* stored(id, "find_me", { status: "in_review", submission: { at: now, revision: 1 } })
      yield* purposes.update(before.id, (purpose, at) => ({ outcome: 0, after: PurposeLife.archive(purpose, at) }))
      const after: Purpose.Purpose = { ...before, status: "archived", submission: null, archivedAt: now }
      Check.equal(yield* purposes.find(before.id), Option.some(after), "found")
      Check.equal(yield* purposes.list(id), [after], "listed")
    })
  },
  {
    name: "update: null changes nothing; none for an unknown purpose, and decide is not asked",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const { id } = yield* ownedApp
      const one = yield* stored(id, "find_me")
      Check.equal(yield* purposes.update(one.id, () => ({ outcome: 1, after: null })), Option.some(1), "outcome")
      Check.equal(yield* purposes.find(one.id), Option.some(one), "stored")
      const none = yield* purposes.update(yield* unknownPurpose, () => Check.fail("decide was asked"))
      Check.equal(none, Option.none(), "unknown")
    })
  },
  {
    name: "update: id, app, key and time of creation stay what they are",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      const one = yield* stored(app.id, "find_me")
      const taken: Purpose.Purpose = {
        ...one,
        id: yield* unknownPurpose,
        appId: other.id,
        key: Purpose.PurposeKey.make("find_you"),
        createdAt: Timestamp.plus(one.createdAt, 1)
      }
      yield* purposes.update(one.id, () => ({ outcome: 0, after: taken }))
      Check.equal(yield* purposes.find(one.id), Option.some(one), "the purpose")
      Check.equal(yield* purposes.find(taken.id), Option.none(), "under another id")
      Check.equal(yield* purposes.list(other.id), [], "of another app")
    })
  },
  {
    name: "update: ten at once each see what the ones before stored",
    run: Effect.gen(function* () {
      const purposes = yield* PurposeStore
      const { id } = yield* ownedApp
      const one = yield* stored(id, "find_me")
      const bump = purposes.update(one.id, (before) => ({
        outcome: before.revision,
        after: { ...before, revision: before.revision + 1 }
      }))
      const outcomes = yield* Effect.all(
        Array.from({ length: 10 }, () => bump),
        { concurrency: "unbounded" }
      )
      const seen = outcomes.map(Option.getOrElse(() => -1)).sort((a, b) => a - b)
      Check.equal(seen, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "what each found")
      Check.equal(
        Option.map(yield* purposes.find(one.id), ({ revision }) => revision),
        Option.some(11),
        "stored"
      )
    })
  }
]
