import { Effect, Option, TestClock } from "effect"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { App } from "../../../src/apps/App.js"
import type { Differences } from "../../../src/apps/AppProposal.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import type { AuditLog } from "../../../src/audit/AuditLog.js"
import type { MailOutbox } from "../../../src/mail/MailOutbox.js"
import { PurposeStore } from "../../../src/purposes/PurposeStore.js"
import type { RecordedDecision } from "../../../src/reviews/ReviewDecision.js"
import * as AppReview from "../../../src/apps/AppReview.js"
import * as PurposeReview from "../../../src/purposes/PurposeReview.js"
import { type AnyReviewDecision, ReviewStore, type WaitingSubmission } from "../../../src/staff/ReviewStore.js"
import type * as Entropy from "../../../src/shared/Entropy.js"
import type { AppId, ReviewDecisionId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Hash } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { reviewRecords } from "./reviewRecords.js"
import { decisionsAbout, recorded, recordedAbout } from "./reviewSamples.js"

type Ports = ReviewStore | AppStore | PurposeStore | AccountStore | AuditLog | MailOutbox | Entropy.Entropy

const owner = Effect.map(Fixtures.user, ({ id }) => id)
const ownedApp = Effect.flatMap(owner, (id) => Fixtures.app(id))

/** A submission that has waited for `ago` milliseconds. */
const submission = (ago: number) => Effect.map(Timestamp.now, (now) => ({ at: Timestamp.plus(now, -ago), revision: 1 }))

const waitingApp = (id: UserId, ago: number, overrides: Partial<App> = {}) =>
  Effect.flatMap(submission(ago), (made) => Fixtures.app(id, { status: "in_review", submission: made, ...overrides }))

const waitingPurpose = (appId: AppId, key: string, ago: number, overrides: Fixtures.PurposeOverrides = {}) =>
  Effect.flatMap(submission(ago), (made) =>
    Fixtures.purpose(appId, key, { status: "in_review", submission: made, ...overrides })
  )

/**
 * The whole review queue, read in pages of `limit`. Cases share the queue, so the result has only the items of the
 * owner `id`.
 */
const queueOf = (id: UserId, limit = 500) =>
  Effect.gen(function* () {
    const reviews = yield* ReviewStore
    const found: Array<WaitingSubmission> = []
    let after: ReadonlyArray<string | number> | undefined
    do {
      const { items, next } = yield* reviews.queue(limit, after)
      Check.isTrue(items.length > 0 || next === undefined, "no page in the middle is empty")
      Check.isTrue(items.length <= limit, "no page is larger than asked for")
      found.push(...items)
      after = next
    } while (after !== undefined)
    return found.filter(({ app }) => app.ownerId === id)
  })

const keep = (app: App, one: RecordedDecision<AppReview.AppUnderReview>) =>
  Effect.flatMap(AppStore, (apps) => apps.update(app.id, () => ({ outcome: 0, after: null, recorded: one })))

/** A change with a value in every part that a developer can change. */
const CHANGE: Differences = {
  name: { approved: "Coffee Finder", proposed: 'Tea "Finder" 🍵' },
  description: { approved: "Finds good coffee.", proposed: "Finds good tea,\nand coffee." },
  homepageUrl: { approved: null, proposed: "https://tea.example" },
  logo: { approved: null, proposed: Hash.make("b".repeat(64)) },
  scopes: { approved: ["location.lookup"], proposed: ["location.place.current", "location.lookup"] },
  redirectUris: { approved: [], proposed: ["https://tea.example/cb?a,b"] }
}

/**
 * What every `ReviewStore` must guarantee: which items wait for a reviewer, in which order, and which decisions were
 * made.
 */
export const reviewStoreContract: Contract<Ports> = [
  ...reviewRecords,
  {
    name: "queue: what waits is there as it is stored, purposes with their app",
    run: Effect.gen(function* () {
      const id = yield* owner
      const app = yield* waitingApp(id, 2, { revision: 3, submission: { ...(yield* submission(2)), revision: 2 } })
      const purpose = yield* waitingPurpose(app.id, "find_me", 1)
      Check.equal(
        yield* queueOf(id),
        [
          { submission: app.submission ?? Check.fail("it waits"), app, purpose: null },
          { submission: purpose.submission ?? Check.fail("it waits"), app, purpose }
        ],
        "queue"
      )
    })
  },
  {
    name: "queue: apps and purposes together, longest waiting first, those of one millisecond by id, each on one page [reviews-3]",
    run: Effect.gen(function* () {
      const id = yield* owner
      const app = yield* waitingApp(id, 5)
      const made = [
        app,
        yield* waitingPurpose(app.id, "one", 9),
        yield* waitingPurpose(app.id, "two", 5),
        yield* waitingApp(id, 5),
        yield* waitingApp(id, 0),
        yield* waitingPurpose(app.id, "three", 5)
      ]
      const expected = made
        .map((one) => [one.submission?.at ?? 0, one.id] as const)
        .sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1))
        .map(([, one]) => one)
      for (const limit of [1, 2, 3, 500]) {
        const found = yield* queueOf(id, limit)
        Check.equal(
          found.map(({ app, purpose }) => (purpose ?? app).id),
          expected,
          `pages of ${limit}`
        )
      }
    })
  },
  {
    name: "queue: an app in production that has something to decide is in it, with what it proposes, like any other",
    run: Effect.gen(function* () {
      const id = yield* owner
      const app = yield* waitingApp(id, 1, {
        status: "production",
        proposal: {
          name: null,
          description: null,
          homepageUrl: null,
          logo: null,
          scopes: ["location.lookup"],
          redirectUris: null
        }
      })
      const [waiting, ...rest] = yield* queueOf(id)
      Check.equal([waiting?.app, waiting?.purpose, rest], [app, null, []], "queue")
    })
  },
  {
    name: "queue: nothing that does not wait, no archived purpose, nothing of a revoked app [reviews-3]",
    run: Effect.gen(function* () {
      const id = yield* owner
      const now = yield* Timestamp.now
      const app = yield* Fixtures.app(id)
      yield* Fixtures.purpose(app.id, "draft_one")
      yield* waitingPurpose(app.id, "gone_one", 1, { archivedAt: now })
      const revoked = yield* waitingApp(id, 1, { revokedAt: now })
      yield* waitingPurpose(revoked.id, "find_me", 1)
      Check.equal(yield* queueOf(id), [], "queue")
    })
  },
  {
    name: "queue: a decision takes out what was decided, and a new submission goes to the end [reviews-3]",
    run: Effect.gen(function* () {
      const id = yield* owner
      const app = yield* waitingApp(id, 5)
      const purpose = yield* waitingPurpose(app.id, "find_me", 4)
      const [apps, purposes] = [yield* AppStore, yield* PurposeStore]
      yield* apps.update(app.id, (before) => ({
        outcome: 0,
        after: { ...before, app: { ...before.app, status: "sandbox", submission: null } }
      }))
      Check.equal(
        (yield* queueOf(id)).map((waiting) => waiting.purpose?.id),
        [purpose.id],
        "without the app"
      )
      yield* TestClock.adjust("1 second")
      yield* apps.update(app.id, (before, now) => ({
        outcome: 0,
        after: { ...before, app: { ...before.app, status: "in_review", submission: { at: now, revision: 1 } } }
      }))
      Check.equal(
        (yield* queueOf(id)).map((waiting) => waiting.purpose?.id),
        [purpose.id, undefined],
        "the app last"
      )
      yield* purposes.update(purpose.id, (before) => ({
        outcome: 0,
        after: { ...before, status: "approved", approved: before.terms, submission: null, archivedAt: null }
      }))
      Check.equal(
        (yield* queueOf(id)).map((waiting) => waiting.app.id),
        [app.id],
        "without the purpose"
      )
    })
  },
  {
    name: "decisions: what was recorded with an app or a purpose is kept field by field",
    run: Effect.gen(function* () {
      const app = yield* ownedApp
      const purpose = yield* Fixtures.purpose(app.id, "find_me")
      const narrowed = yield* recorded(
        { ...app, allowedScopes: ["location.lookup"] },
        { kind: "narrowed", note: 'Two lines,\n"quoted" – 🦉' }
      )
      yield* keep(app, narrowed)
      yield* TestClock.adjust("1 millis")
      const rejected = yield* recordedAbout(app, PurposeReview.of(purpose), { kind: "rejected", note: "no" })
      yield* (yield* PurposeStore).update(purpose.id, () => ({ outcome: 0, after: null, recorded: rejected }))
      yield* TestClock.adjust("1 millis")
      const changed = yield* recorded(app, { subject: AppReview.of(app, CHANGE) })
      yield* keep(app, changed)
      const expected = [changed.decision, rejected.decision, narrowed.decision]
      Check.equal(yield* decisionsAbout(app), expected, "newest first")
    })
  },
  {
    name: "decisions: of the one app alone, newest first, those of one millisecond by id downwards, each on one page",
    run: Effect.gen(function* () {
      const reviews = yield* ReviewStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      const made: Array<AnyReviewDecision> = []
      for (const pause of [0, 0, 1, 0, 0, 2]) {
        yield* TestClock.adjust(pause)
        const one = yield* recorded(app)
        yield* keep(app, one)
        made.push(one.decision)
      }
      yield* keep(other, yield* recorded(other))
      const expected = made.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
      for (const limit of [1, 2, 6, 7]) {
        const found: Array<ReviewDecisionId> = []
        let after: ReadonlyArray<string | number> | undefined
        do {
          const { items, next } = yield* reviews.decisions(app.id, limit, after)
          Check.isTrue(items.length > 0 && items.length <= limit, `a page of ${limit} is neither empty nor larger`)
          found.push(...items.map(({ id }) => id))
          after = next
        } while (after !== undefined && found.length <= expected.length)
        Check.equal(found, expected, `pages of ${limit}`)
      }
    })
  },
  {
    name: "decisions: empty for an app that nobody decided about",
    run: Effect.gen(function* () {
      const app = yield* ownedApp
      Check.equal(yield* (yield* ReviewStore).decisions(app.id, 10, undefined), { items: [], next: undefined }, "page")
    })
  },
  {
    name: "a change and its record are written together: one that cannot be kept changes nothing",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const app = yield* ownedApp
      const one = yield* recorded(app)
      yield* keep(app, one)
      const second = apps.update(app.id, (before) => ({
        outcome: "stored",
        after: { ...before, app: { ...before.app, status: "production" } },
        recorded: one
      }))
      const outcome = yield* Effect.either(second)
      const status = Option.map(yield* apps.find(app.id), (found) => found.status)
      Check.equal((yield* decisionsAbout(app)).length, outcome._tag === "Left" ? 1 : 2, "kept")
      Check.equal(status, Option.some(outcome._tag === "Left" ? "sandbox" : "production"), "the app")
    })
  }
]
