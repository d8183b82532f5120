import { type Account } from "@place-access/domain/accounts"
import { AppLife, decideApp, getApp, narrowApp, submitApp, updateApp } from "@place-access/domain/apps"
import { revokeApp } from "@place-access/domain/staff"
import {
  archivePurpose,
  createPurpose,
  decidePurpose,
  listPurposes,
  Purpose,
  PurposeGate,
  submitPurpose,
  updatePurpose
} from "@place-access/domain/purposes"
import { inspectApp, listAllApps, listDecisions, listReviews } from "@place-access/domain/staff"
import { Verdict } from "@place-access/domain/reviews"
import { AppId, PurposeId, Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, Fixtures, MemoryDatabase } from "@place-access/domain/testing"
import { Effect, TestClock } from "effect"
import { describe, expect, it } from "vitest"
import { inWorld, people, refused, type ReviewWorld } from "../support/reviews.js"

const approve: Verdict.Verdict = { decision: "approve", note: null, revision: "unchecked" }
const reject: Verdict.Verdict = {
  decision: "reject",
  note: Verdict.Note.make("Say what for.\nThen try again."),
  revision: "unchecked"
}
const reason = Verdict.Note.make("It sold what it saw.")

const terms: Purpose.PurposeTerms = {
  description: "Shows you on a map",
  scopes: ["location.lookup"],
  expectedDailyVolume: 24
}
const input = { key: Purpose.PurposeKey.make("find_me"), terms }

/** The messages to the account in the mail outbox. */
const mailTo = (account: Account.Account) =>
  Effect.map(MemoryDatabase, ({ mail }) => [...mail.values()].filter(({ to }) => to === account.id))

/**
 * Suspends the account by a change of the table, because the program `suspendAccount` must be called by another admin.
 */
const suspend = ({ id }: Account.Account) =>
  Effect.gen(function* () {
    const { accounts } = yield* MemoryDatabase
    const found = accounts.get(id)
    if (found === undefined) throw new Error("there is no such account")
    accounts.set(id, { ...found, account: { ...found.account, suspendedAt: yield* Timestamp.now } })
  })

const page = { limit: 100, cursor: undefined }

describe("from an edit to a decision", () => {
  it("a purpose goes through review: in production it can be used once it is approved, with the approved words", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, reviewer } = yield* people
        const app = yield* Fixtures.app(owner.id, { status: "production" })
        const gate = Effect.map(listPurposes(owner, app.id), (list) =>
          PurposeGate.decide(list, "production", "find_me", "location.lookup")
        )
        const { id } = yield* createPurpose(owner, app.id, input)
        expect(yield* gate).toMatchObject({ reason: "not_approved" })
        expect(yield* submitPurpose(owner, app.id, id, "assumed", "unchecked")).toMatchObject({ status: "in_review" })
        expect(yield* gate).toMatchObject({ reason: "not_approved" })
        expect(yield* decidePurpose(reviewer, id, approve)).toMatchObject({ status: "approved", approved: terms })
        expect(yield* gate).toMatchObject({ _tag: "Allowed" })

        const edited = yield* updatePurpose(
          owner,
          app.id,
          id,
          { description: "Shows you to your friends" },
          "assumed",
          "unchecked"
        )
        expect(edited).toMatchObject({ status: "in_review", approved: terms })
        expect(yield* gate).toMatchObject({ _tag: "Allowed", purpose: { approved: terms } })
        const rejected = yield* decidePurpose(reviewer, id, { ...reject, revision: edited.revision })
        expect(rejected).toMatchObject({ status: "rejected", reviewNote: reject.note, approved: terms })
        expect(yield* gate).toMatchObject({ _tag: "Allowed" })

        yield* archivePurpose(owner, app.id, id)
        expect(yield* gate).toMatchObject({ reason: "archived" })
        expect(yield* refused(createPurpose(owner, app.id, input))).toBe("Conflict")
        yield* archivePurpose(owner, app.id, id)
        expect(
          yield* refused(updatePurpose(owner, app.id, id, { expectedDailyVolume: 1 }, "assumed", "unchecked"))
        ).toBe("Conflict")
      })
    ))

  it("an app goes through review: back with a note, then into production, where strangers connect it", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, reviewer } = yield* people
        const user = yield* Fixtures.user
        const app = yield* Fixtures.app(owner.id)
        const connect = ConsentFlow.connect(app, user, ["location.place.current"])
        expect(yield* submitApp(owner, app.id, "assumed", "unchecked")).toMatchObject({ status: "in_review" })
        expect(yield* decideApp(reviewer, app.id, reject)).toMatchObject({
          status: "sandbox",
          reviewNote: reject.note
        })
        expect(yield* refused(connect)).toBe("ConsentRefused")
        yield* submitApp(owner, app.id, "assumed", "unchecked")
        expect(yield* decideApp(reviewer, app.id, approve)).toMatchObject({ status: "production", reviewNote: null })
        expect((yield* connect).tokens.scopes).toEqual(["location.place.current"])
      })
    ))

  it("every decision is kept with who, when and the note, and what it was about [P2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, reviewer, admin } = yield* people
        const app = yield* Fixtures.app(owner.id)
        const { id } = yield* createPurpose(owner, app.id, input)
        const start = yield* Timestamp.now
        yield* submitPurpose(owner, app.id, id, "assumed", "unchecked")
        yield* submitApp(owner, app.id, "assumed", "unchecked")
        const tick = TestClock.adjust("1 second")
        yield* Effect.zipRight(decidePurpose(reviewer, id, reject), tick)
        yield* Effect.zipRight(decideApp(admin, app.id, approve), tick)
        yield* Effect.zipRight(narrowApp(admin, app.id, ["location.lookup"], "unchecked"), tick)
        yield* Effect.zipRight(revokeApp(admin, app.id, reason), tick)
        const { decisions } = yield* listDecisions(reviewer, app.id, page)
        expect(
          decisions.map(({ at, by, kind, note, subject }) => [kind, subject.kind, note, by, (at - start) / 1000])
        ).toEqual([
          ["revoked", "app", reason, admin.id, 3],
          ["narrowed", "app", null, admin.id, 2],
          ["approved", "app", null, admin.id, 1],
          ["rejected", "purpose", reject.note, reviewer.id, 0]
        ])
        expect(decisions[1]?.subject).toMatchObject({ allowedScopes: ["location.lookup"] })
        expect(decisions[3]?.subject).toMatchObject({ id, key: "find_me", terms })
        expect(decisions[3]?.byName).toBe(reviewer.displayName)
      })
    ))

  it("what changes nothing leaves no trace: no decision, no mail", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, admin } = yield* people
        const app = yield* Fixtures.app(owner.id)
        yield* narrowApp(admin, app.id, ["location.lookup"], "unchecked")
        expect(yield* narrowApp(admin, app.id, ["location.lookup"], "unchecked")).toMatchObject({
          revision: app.revision
        })
        const once = yield* revokeApp(admin, app.id, reason)
        yield* TestClock.adjust("1 second")
        expect(yield* revokeApp(admin, app.id, Verdict.Note.make("Another"))).toEqual(once)
        expect((yield* listDecisions(admin, app.id, page)).decisions).toHaveLength(2)
        expect(yield* mailTo(owner)).toHaveLength(2)
      })
    ))
})

describe("mail to the developer", () => {
  it("one for each decision, with the note, and without an address or anything secret", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, reviewer, admin } = yield* people
        const app = yield* Fixtures.app(owner.id)
        const { id } = yield* createPurpose(owner, app.id, input)
        yield* submitPurpose(owner, app.id, id, "assumed", "unchecked")
        yield* decidePurpose(reviewer, id, reject)
        yield* submitPurpose(owner, app.id, id, "assumed", "unchecked")
        yield* decidePurpose(reviewer, id, approve)
        yield* updatePurpose(owner, app.id, id, { description: "Shows you to your friends" }, "assumed", "unchecked")
        yield* decidePurpose(reviewer, id, reject)
        yield* submitApp(owner, app.id, "assumed", "unchecked")
        yield* decideApp(reviewer, app.id, reject)
        yield* submitApp(owner, app.id, "assumed", "unchecked")
        yield* decideApp(reviewer, app.id, approve)
        yield* TestClock.adjust(Timestamp.HOUR)
        yield* narrowApp(admin, app.id, ["location.lookup"], "unchecked")
        yield* narrowApp(admin, app.id, [], "unchecked")
        yield* narrowApp(admin, app.id, null, "unchecked")
        yield* revokeApp(admin, app.id, reason)
        const mail = yield* mailTo(owner)
        expect(mail.map(({ subject }) => subject)).toEqual([
          "Coffee Finder: the purpose find_me was not approved",
          "Coffee Finder: the purpose find_me was approved",
          "Coffee Finder: the purpose find_me was not approved",
          "Coffee Finder was not approved for production",
          "Coffee Finder is in production",
          "Coffee Finder can ask for other scopes now",
          "Coffee Finder can ask for other scopes now",
          "Coffee Finder can ask for other scopes now",
          "Coffee Finder was revoked"
        ])
        expect(new Set(mail.map(({ dedupeKey }) => dedupeKey)).size).toBe(mail.length)
        expect(mail[0]?.body).toContain(`"${terms.description}"`)
        expect(mail[0]?.body).toContain(reject.note)
        expect(mail[0]?.body).not.toContain("goes on working")
        expect(mail[2]?.body).toMatch(/goes on working, in those words:\n"Shows you on a map"/)
        expect(mail[5]?.body).toContain("location.lookup")
        expect(mail[6]?.body).toContain("all of its scopes")
        expect(mail[8]?.body).toContain(reason)
        for (const { subject } of mail) expect(subject).not.toMatch(/[\r\n]/)
      })
    ))

  it("more than five decisions in an hour: each is written with its note, from the sixth on without the app's name in its subject", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, admin, reviewer } = yield* people
        const app = yield* Fixtures.app(owner.id)
        for (const _ of [1, 2, 3, 4, 5, 6]) {
          yield* submitApp(owner, app.id, "assumed", "unchecked")
          yield* decideApp(reviewer, app.id, reject)
        }
        const { id } = yield* createPurpose(owner, app.id, input)
        yield* submitPurpose(owner, app.id, id, "assumed", "unchecked")
        yield* decidePurpose(reviewer, id, reject)
        yield* revokeApp(admin, app.id, reason)
        const mail = yield* mailTo(owner)
        expect(mail.map(({ subject }) => subject)).toEqual([
          ...Array<string>(5).fill("Coffee Finder was not approved for production"),
          ...Array<string>(3).fill("We decided about one of your apps")
        ])
        for (const { body } of mail) expect(body).toContain("Coffee Finder")
        expect(mail.map(({ body }) => body.includes(reject.note ?? "") || body.includes(reason))).not.toContain(false)
      })
    ))
})

describe("whose it is to decide [P2]", () => {
  it("reviewers and admins review; admins alone narrow and revoke; nobody else gets further than Forbidden", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, reviewer, admin, developer } = yield* people
        const app = yield* Fixtures.app(owner.id)
        const { id } = yield* createPurpose(owner, app.id, input)
        yield* submitPurpose(owner, app.id, id, "assumed", "unchecked")
        const context = yield* Effect.context<ReviewWorld>()
        const outcome = (program: Effect.Effect<unknown, { readonly _tag: string }, ReviewWorld>) =>
          Effect.provide(Effect.match(program, { onFailure: ({ _tag }) => _tag, onSuccess: () => "taken" }), context)
        const reviewing = (by: Account.Account) =>
          Effect.all([
            outcome(listReviews(by, page)),
            outcome(listDecisions(by, app.id, page)),
            outcome(listAllApps(by, page)),
            outcome(inspectApp(by, app.id)),
            outcome(decideApp(by, AppId.make("app_none"), approve)),
            outcome(decidePurpose(by, PurposeId.make("pps_none"), approve))
          ])
        const administering = (by: Account.Account) =>
          Effect.all([
            outcome(narrowApp(by, AppId.make("app_none"), [], "unchecked")),
            outcome(revokeApp(by, AppId.make("app_none"), reason))
          ])

        const REVIEW = ["taken", "taken", "taken", "taken", "NotFound", "NotFound"]
        expect(yield* reviewing(reviewer)).toEqual(REVIEW)
        expect(yield* reviewing(admin)).toEqual(REVIEW)
        expect(yield* administering(admin)).toEqual(["NotFound", "NotFound"])
        expect(yield* administering(reviewer)).toEqual(["Forbidden", "Forbidden"])
        for (const nobody of [owner, developer]) {
          expect(yield* reviewing(nobody)).toEqual(REVIEW.map(() => "Forbidden"))
          expect(yield* administering(nobody)).toEqual(["Forbidden", "Forbidden"])
        }
      })
    ))

  it("nobody decides about what is their own while somebody else can; who is alone may [reviews-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { admin, reviewer } = yield* people
        const app = yield* Fixtures.app(reviewer.id)
        const { id } = yield* createPurpose(reviewer, app.id, input)
        yield* submitPurpose(reviewer, app.id, id, "assumed", "unchecked")
        yield* submitApp(reviewer, app.id, "assumed", "unchecked")
        const own = [
          yield* refused(decideApp(reviewer, app.id, approve)),
          yield* refused(decidePurpose(reviewer, id, approve))
        ]
        expect(own).toEqual(["Forbidden", "Forbidden"])
        expect((yield* listDecisions(reviewer, app.id, page)).decisions).toEqual([])
        expect(yield* decidePurpose(admin, id, approve)).toMatchObject({ status: "approved" })
        // The admin is suspended, so nobody but the app's owner can decide.
        yield* suspend(admin)
        expect(yield* decideApp(reviewer, app.id, approve)).toMatchObject({ status: "production" })
        const kept = yield* listDecisions(reviewer, app.id, page)
        expect(JSON.stringify(kept)).toContain(reviewer.id)
      })
    ))

  it("an admin lifts no limit of an app of their own while there is another admin, and may revoke it [reviews-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { admin } = yield* people
        const other = yield* Fixtures.userWith({ roles: ["admin"] })
        const app = yield* Fixtures.app(admin.id)
        yield* narrowApp(other, app.id, [], "unchecked")
        expect(yield* refused(narrowApp(admin, app.id, null, "unchecked"))).toBe("Forbidden")
        yield* suspend(other)
        expect(yield* narrowApp(admin, app.id, null, "unchecked")).toMatchObject({ allowedScopes: null })
        expect((yield* revokeApp(admin, app.id, reason)).revokedAt).not.toBeNull()
      })
    ))

  it("a rejection says what to change: without a note it is Invalid", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, reviewer } = yield* people
        const app = yield* Fixtures.app(owner.id)
        const { id } = yield* createPurpose(owner, app.id, input)
        yield* submitPurpose(owner, app.id, id, "assumed", "unchecked")
        yield* submitApp(owner, app.id, "assumed", "unchecked")
        const silent: Verdict.Verdict = { decision: "reject", note: null, revision: "unchecked" }
        const errors = [
          yield* Effect.flip(decideApp(reviewer, app.id, silent)),
          yield* Effect.flip(decidePurpose(reviewer, id, silent))
        ]
        expect(errors).toMatchObject(errors.map(() => ({ _tag: "Invalid", problems: [{ field: "note" }] })))
        expect((yield* getApp(owner, app.id, "read")).status).toBe("in_review")
        expect(yield* listPurposes(owner, app.id)).toMatchObject([{ status: "in_review" }])
      })
    ))

  it("somebody else's purpose, and another app's, is not found; nothing of it moves", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, admin } = yield* people
        const [app, other] = [yield* Fixtures.app(owner.id), yield* Fixtures.app(owner.id)]
        const purpose = yield* createPurpose(owner, app.id, input)
        for (const [by, appId] of [
          [admin, app.id],
          [owner, other.id]
        ] as const) {
          expect(
            yield* refused(updatePurpose(by, appId, purpose.id, { expectedDailyVolume: 1 }, "assumed", "unchecked"))
          ).toBe("NotFound")
          expect(yield* refused(submitPurpose(by, appId, purpose.id, "assumed", "unchecked"))).toBe("NotFound")
          expect(yield* refused(archivePurpose(by, appId, purpose.id))).toBe("NotFound")
        }
        expect(yield* refused(submitApp(admin, app.id, "assumed", "unchecked"))).toBe("NotFound")
        expect(yield* listPurposes(owner, app.id)).toEqual([purpose])
      })
    ))

  it("two reviewers at once: the first decision counts, the second gets an answer that says so", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, reviewer, admin } = yield* people
        const app = yield* Fixtures.app(owner.id)
        yield* submitApp(owner, app.id, "assumed", "unchecked")
        yield* decideApp(reviewer, app.id, reject)
        expect(yield* refused(decideApp(admin, app.id, approve))).toBe("Conflict")
        expect((yield* getApp(owner, app.id, "read")).status).toBe("sandbox")
      })
    ))

  it("edits may name scopes that the app declares; each of the others is named by its place", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner } = yield* people
        const app = yield* Fixtures.app(owner.id, { declaredScopes: ["location.lookup"] })
        const { id } = yield* createPurpose(owner, app.id, input)
        const change = { scopes: ["location.lookup", "location.history.read"] } as const
        const error = yield* Effect.flip(updatePurpose(owner, app.id, id, change, "assumed", "unchecked"))
        expect(error).toMatchObject({ _tag: "Invalid", problems: [{ field: "scopes[1]" }] })
        // A scope that the app gave up stays in the purpose's terms until the wording changes.
        yield* updateApp(owner, app.id, { scopes: ["location.place.current"] }, "assumed", "unchecked")
        expect(
          yield* updatePurpose(owner, app.id, id, { expectedDailyVolume: 1 }, "assumed", "unchecked")
        ).toMatchObject({
          terms: { scopes: ["location.lookup"] }
        })
      })
    ))
})

describe("listReviews", () => {
  it("purposes and apps with whose they are, longest waiting first, in pages whose cursor is sealed", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, reviewer } = yield* people
        const app = yield* Fixtures.app(owner.id)
        const { id } = yield* createPurpose(owner, app.id, input)
        yield* submitPurpose(owner, app.id, id, "assumed", "unchecked")
        yield* TestClock.adjust("1 second")
        yield* submitApp(owner, app.id, "assumed", "unchecked")
        const first = yield* listReviews(reviewer, { limit: 1, cursor: undefined })
        expect(first.reviews).toMatchObject([
          { purpose: { id }, app: { id: app.id }, developer: { email: owner.email } }
        ])
        const second = yield* listReviews(reviewer, { limit: 1, cursor: first.nextCursor ?? "" })
        expect(second).toMatchObject({ reviews: [{ purpose: null, app: { id: app.id } }], nextCursor: null })
        const foreign = yield* listAllApps(reviewer, { limit: 1, cursor: undefined })
        expect(foreign.nextCursor).toBeNull()
        expect(yield* refused(listReviews(reviewer, { limit: 1, cursor: `${first.nextCursor}x` }))).toBe("Invalid")
        expect(yield* refused(listAllApps(reviewer, { limit: 1, cursor: first.nextCursor ?? "" }))).toBe("Invalid")
      })
    ))

  it("nothing of a revoked app: its purposes can neither be submitted nor decided", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, reviewer, admin } = yield* people
        const app = yield* Fixtures.app(owner.id)
        const { id } = yield* createPurpose(owner, app.id, input)
        const other = yield* createPurpose(owner, app.id, { ...input, key: Purpose.PurposeKey.make("find_you") })
        yield* submitPurpose(owner, app.id, id, "assumed", "unchecked")
        yield* revokeApp(admin, app.id, reason)
        expect((yield* listReviews(reviewer, page)).reviews).toEqual([])
        const error = yield* Effect.flip(decidePurpose(reviewer, id, approve))
        expect(error).toMatchObject({ _tag: "Conflict", reason: AppLife.REVOKED })
        expect(yield* refused(submitPurpose(owner, app.id, other.id, "assumed", "unchecked"))).toBe("Conflict")
        expect(yield* refused(submitApp(owner, app.id, "assumed", "unchecked"))).toBe("Conflict")
      })
    ))
})
