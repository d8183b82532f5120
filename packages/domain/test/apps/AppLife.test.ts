import { App, AppLife } from "@place-access/domain/apps"
import { Verdict } from "@place-access/domain/reviews"
import { OUTDATED_FORM, Scope, Timestamp } from "@place-access/domain/shared"
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { holdsAnywhere } from "../support/holdsAnywhere.js"

const now = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const later = Timestamp.plus(now, 60_000)

const sandbox: App.App = {
  id: "app_1" as never,
  ownerId: "usr_1" as never,
  name: App.AppName.make("Coffee Finder"),
  description: App.AppDescription.make("Finds good coffee."),
  homepageUrl: null,
  declaredScopes: ["location.place.current", "location.visits.read", "location.lookup"],
  ...App.INITIAL,
  reviewNote: "Say more",
  revision: 3,
  createdAt: now
}
const inReview: App.App = { ...sandbox, status: "in_review", reviewNote: null, submission: { at: now, revision: 3 } }
const production: App.App = { ...sandbox, status: "production", reviewNote: null }
const revoked = (app: App.App): App.App => ({ ...app, revokedAt: now })

const stranger = "usr_2" as never
const approve: Verdict.Verdict = { decision: "approve", note: null, revision: "unchecked" }
const reject: Verdict.Verdict = { decision: "reject", note: Verdict.Note.make("Say more"), revision: "unchecked" }
const reason = Verdict.Note.make("It sold what it saw.")
const refused = (step: Either.Either<unknown, { readonly reason: string }>) =>
  Either.isLeft(step) ? step.left.reason : "taken"

describe("the review of an app [§5.4, P2]", () => {
  it("sandbox → submit → in review: the old note is gone, and still its developer alone can connect it", () => {
    const submitted = Either.getOrThrow(AppLife.submit(sandbox, later, "unchecked"))
    expect(submitted).toEqual({ ...inReview, submission: { at: later, revision: 3 } })
    expect([
      App.canBeConnectedBy(submitted, { id: stranger, testOf: null }),
      App.canBeConnectedBy(submitted, { id: sandbox.ownerId, testOf: null })
    ]).toEqual([false, true])
  })

  it("in review → reviewer approves → production: everybody can connect it [§5.4]", () => {
    const decided = Either.getOrThrow(AppLife.decide(inReview, approve))
    expect(decided).toEqual({
      ...inReview,
      status: "production",
      submission: null,
      approvedScopes: inReview.declaredScopes
    })
    expect(App.canBeConnectedBy(decided, { id: stranger, testOf: null })).toBe(true)
  })

  it("in review → reviewer rejects → sandbox, with a note, from where it can be submitted again", () => {
    const decided = Either.getOrThrow(AppLife.decide(inReview, reject))
    expect(decided).toEqual({ ...inReview, status: "sandbox", reviewNote: "Say more", submission: null })
    expect(Either.isRight(AppLife.submit(decided, later, "unchecked"))).toBe(true)
  })

  it.each([
    ["in review", inReview],
    ["in production", production],
    ["revoked", revoked(sandbox)]
  ])("%s: cannot be submitted", (state, app) => {
    expect(refused(AppLife.submit(app, later, "unchecked"))).toMatch(state)
  })

  it("is not submitted from a form that showed another revision: nobody submits what they have not read", () => {
    const renamed = Either.getOrThrow(
      AppLife.edit(sandbox, { name: App.AppName.make("Your Bank") }, later, "unchecked")
    )
    for (const shown of [renamed.revision - 1, renamed.revision + 1]) {
      expect(refused(AppLife.submit(renamed, later, shown))).toBe(OUTDATED_FORM)
    }
    expect(AppLife.submit(renamed, later, renamed.revision)).toEqual(AppLife.submit(renamed, later, "unchecked"))
  })

  it.each([
    ["in the sandbox", sandbox],
    ["in production", production],
    ["revoked", revoked(inReview)]
  ])("%s: there is nothing to decide", (_, app) => {
    const expected = app.revokedAt === null ? AppLife.NOT_IN_REVIEW : AppLife.REVOKED
    expect([refused(AppLife.decide(app, approve)), refused(AppLife.decide(app, reject))]).toEqual([expected, expected])
  })

  it("an app that was renamed since it was read is not approved under a name that nobody read [reviews-4]", () => {
    const renamed = Either.getOrThrow(
      AppLife.edit(inReview, { name: App.AppName.make("Your Bank") }, later, "unchecked")
    )
    expect(refused(AppLife.decide(renamed, { ...approve, revision: 2 }))).toMatch(/changed meanwhile/)
    expect(refused(AppLife.decide(renamed, { ...approve, revision: 3 }))).toMatch(/changed meanwhile/)
    expect(Either.getOrThrow(AppLife.decide(renamed, { ...approve, revision: 4 }))).toMatchObject({
      status: "production",
      name: "Your Bank"
    })
  })

  it("a decision that names no revision is about what can be read now, also after an edit [reviews-4]", () => {
    const renamed = Either.getOrThrow(
      AppLife.edit(inReview, { name: App.AppName.make("Your Bank") }, later, "unchecked")
    )
    expect(Either.getOrThrow(AppLife.decide(renamed, approve))).toMatchObject({
      status: "production",
      name: "Your Bank"
    })
    const proposed = ["Your Bank", "Your Other Bank"].reduce(
      (app, name) => Either.getOrThrow(AppLife.edit(app, { name: App.AppName.make(name) }, later, "unchecked")),
      production
    )
    expect(Either.getOrThrow(AppLife.decide(proposed, approve)).name).toBe("Your Other Bank")
  })
})

describe("narrowing [§5.6]", () => {
  it("leaves what is declared and allowed, in every state; null lifts it [reviews-5]", () => {
    for (const app of [sandbox, inReview, production]) {
      const narrowed = Either.getOrThrow(AppLife.narrow(app, ["location.rules.zone", "location.lookup"], "unchecked"))
      expect(App.scopes(narrowed)).toEqual(["location.lookup"])
      expect(App.scopes(Either.getOrThrow(AppLife.narrow(narrowed, [], "unchecked")))).toEqual([])
      expect(Either.getOrThrow(AppLife.narrow(narrowed, null, "unchecked"))).toEqual(app)
    }
  })

  it("the same set again, in whatever order, changes nothing", () => {
    const narrowed = Either.getOrThrow(
      AppLife.narrow(sandbox, ["location.lookup", "location.place.current"], "unchecked")
    )
    const second = AppLife.narrow(
      narrowed,
      ["location.place.current", "location.lookup", "location.lookup"],
      "unchecked"
    )
    expect(Either.getOrThrow(second)).toBe(narrowed)
    expect(Either.getOrThrow(AppLife.narrow(sandbox, null, "unchecked"))).toBe(sandbox)
  })

  it("does not widen what the developer declares, and is not undone by declaring again", () => {
    const scopes = fc.subarray([...Scope.all])
    fc.assert(
      fc.property(scopes, scopes, scopes, (declared, allowed, declaredThen) => {
        const app = Either.getOrThrow(AppLife.narrow({ ...sandbox, declaredScopes: declared }, allowed, "unchecked"))
        const edited = Either.getOrThrow(AppLife.edit(app, { scopes: declaredThen }, later, "unchecked"))
        for (const [one, has] of [
          [app, declared],
          [edited, declaredThen]
        ] as const) {
          expect(App.scopes(one)).toEqual(Scope.all.filter((scope) => has.includes(scope) && allowed.includes(scope)))
        }
      })
    )
  })

  it("a revoked app cannot be narrowed", () => {
    expect(refused(AppLife.narrow(revoked(production), [], "unchecked"))).toBe(AppLife.REVOKED)
  })
})

describe("revocation [§3.1, reviews-6]", () => {
  it("is for good, from every state, with its reason; what was in review waits no longer", () => {
    for (const app of [sandbox, inReview, production]) {
      const after = AppLife.revoke(app, reason, later)
      expect(after).toEqual({ ...app, revokedAt: later, reviewNote: reason, submission: null })
      expect(AppLife.revoke(after, Verdict.Note.make("Another reason"), Timestamp.plus(later, 1))).toBe(after)
    }
  })
})

describe("the life of an app, step by step", () => {
  type Step = "submit" | "approve" | "reject" | "narrow" | "lift" | "revoke" | "rename" | "withdraw"
  /**
   * The states of `App.AppStatus`, and one more: "changing", an app in production with a change that waits for review.
   */
  type State = App.AppStatus | "changing"

  /** The steps that change the state. Any other submission, decision or withdrawal is refused. */
  const arrows: Readonly<Record<string, State | undefined>> = {
    "sandbox submit": "in_review",
    "in_review approve": "production",
    "in_review reject": "sandbox",
    "production rename": "changing",
    "changing rename": "changing",
    "changing approve": "production",
    "changing reject": "production",
    "changing withdraw": "production"
  }

  it("whatever is tried: its state follows the drawing, it waits exactly while in review, and once revoked nothing moves", () => {
    const steps = fc.array(
      fc.constantFrom<Step>(
        "submit",
        "submit",
        "approve",
        "reject",
        "reject",
        "narrow",
        "lift",
        "rename",
        "withdraw",
        "revoke"
      ),
      { maxLength: 25 }
    )
    const tried = new Set<string>()
    holdsAnywhere(
      fc.property(steps, (list) => {
        let app = sandbox
        let status: State = "sandbox"
        let isRevoked = false
        for (const [index, step] of list.entries()) {
          const at = Timestamp.plus(now, index)
          const before = app
          const read = { revision: before.revision }
          const outcome = {
            submit: () => AppLife.submit(before, at, "unchecked"),
            approve: () => AppLife.decide(before, { ...approve, ...read }),
            reject: () => AppLife.decide(before, { ...reject, ...read }),
            narrow: () => AppLife.narrow(before, ["location.lookup"], "unchecked"),
            lift: () => AppLife.narrow(before, null, "unchecked"),
            rename: () => AppLife.edit(before, { name: App.AppName.make(`Finder ${index}`) }, at, "unchecked"),
            withdraw: () => AppLife.withdraw(before, "unchecked"),
            revoke: () => Either.right(AppLife.revoke(before, reason, at))
          }[step]()
          const arrow: State | undefined = arrows[`${status} ${step}`]
          const isReview = step === "submit" || step === "approve" || step === "reject" || step === "withdraw"
          const allowed = step === "revoke" || (!isRevoked && (!isReview || arrow !== undefined))
          expect([step, Either.isRight(outcome)]).toEqual([step, allowed])
          if (Either.isRight(outcome)) app = outcome.right
          if (allowed && arrow !== undefined && !isRevoked) status = arrow
          isRevoked ||= step === "revoke"
          tried.add(`${before.status} ${step} ${allowed}`)

          expect(app.status).toBe(status === "changing" ? "production" : status)
          expect(app.submission !== null).toBe((status === "in_review" || status === "changing") && !isRevoked)
          expect(app.proposal !== null).toBe(status === "changing" && !isRevoked)
          expect(app.revokedAt !== null).toBe(isRevoked)
          expect(before.revokedAt ?? app.revokedAt).toBe(app.revokedAt)
        }
      }),
      500
    )
    expect([...tried]).toEqual(
      expect.arrayContaining([
        "production submit false",
        "in_review revoke true",
        "production narrow true",
        "production approve true",
        "production approve false",
        "production reject true",
        "production withdraw true",
        "production withdraw false",
        "in_review withdraw false"
      ])
    )
  })
})
