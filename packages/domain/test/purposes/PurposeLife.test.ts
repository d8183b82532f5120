import { Purpose, PurposeGate, PurposeLife } from "@place-access/domain/purposes"
import { Verdict } from "@place-access/domain/reviews"
import { OUTDATED_FORM, Timestamp } from "@place-access/domain/shared"
import { Either } from "effect"
import { describe, expect, it } from "vitest"

const now = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const later = Timestamp.plus(now, 60_000)

const first: Purpose.PurposeTerms = {
  description: "Shows you a map",
  scopes: ["location.lookup"],
  expectedDailyVolume: 10
}
const second: Purpose.PurposeTerms = { ...first, description: "Shows you another map" }
const third: Purpose.PurposeTerms = { ...first, description: "Shows you a third map" }

const draft = Purpose.draft("app_1" as never, "pps_1" as never, Purpose.PurposeKey.make("find_me"), first, now)
const submission = { at: now, revision: 1 }
const inReview: Purpose.Purpose = { ...draft, status: "in_review", submission }
const rejected: Purpose.Purpose = { ...draft, status: "rejected", reviewNote: "Say more" }
const approved: Purpose.Purpose = { ...draft, status: "approved", approved: first }
/** An approved purpose with an edit that waits for review. */
const editInReview: Purpose.Purpose = { ...approved, ...inReview, terms: second, approved: first }
const editRejected: Purpose.Purpose = { ...rejected, terms: second, approved: first }

const approve: Verdict.Verdict = { decision: "approve", note: null, revision: "unchecked" }
const reject: Verdict.Verdict = { decision: "reject", note: Verdict.Note.make("Say more"), revision: "unchecked" }

const edit = (purpose: Purpose.Purpose, terms: PurposeLife.PurposeEdit, shown: number | "unchecked" = "unchecked") =>
  PurposeLife.edit(purpose, terms, later, shown)
const refused = (step: Either.Either<unknown, { readonly _tag: string; readonly reason: string }>) =>
  Either.isLeft(step) ? step.left.reason : "taken"

/** The description under which the app may use the purpose now; undefined when the app may not use it. */
const inForce = (purpose: Purpose.Purpose, app: Parameters<typeof Purpose.usableTerms>[1] = "production") =>
  Purpose.usableTerms(purpose, app)?.description

describe("the rows of Spec §3.2", () => {
  it("(none) → create → draft: usable by sandbox apps immediately, not by production apps [§3.2-create]", () => {
    expect(draft).toMatchObject({ status: "draft", approved: null, revision: 1, submission: null, reviewNote: null })
    expect(inForce(draft, "sandbox")).toBe(first.description)
    expect(inForce(draft)).toBeUndefined()
  })

  it("draft → submit → in review, and waits from then on [§3.2-submit]", () => {
    expect(PurposeLife.submit(draft, later, "unchecked")).toEqual(
      Either.right({ ...draft, status: "in_review", submission: { at: later, revision: 1 } })
    )
  })

  it("in review → reviewer approves → approved: usable by production apps [§3.2-approve]", () => {
    const decided = Either.getOrThrow(PurposeLife.decide(inReview, approve))
    expect(decided).toEqual({ ...inReview, status: "approved", approved: first, submission: null })
    expect(inForce(decided)).toBe(first.description)
  })

  it("in review → reviewer rejects → rejected: the note says what to change [§3.2-reject]", () => {
    const decided = PurposeLife.decide(inReview, reject)
    expect(decided).toEqual(Either.right({ ...inReview, status: "rejected", reviewNote: "Say more", submission: null }))
    expect(inForce(Either.getOrThrow(decided))).toBeUndefined()
  })

  it("approved → edit → in review: the approved version keeps working, in the approved wording, until the edit is decided [§3.2-edit]", () => {
    const edited = Either.getOrThrow(edit(approved, second))
    const expected = {
      ...approved,
      status: "in_review",
      terms: second,
      revision: 2,
      submission: { at: later, revision: 2 }
    }
    expect(edited).toEqual(expected)
    expect([inForce(edited), inForce(edited, "sandbox")]).toEqual([first.description, first.description])
    const decided = Either.getOrThrow(PurposeLife.decide(edited, approve))
    expect([decided.status, inForce(decided)]).toEqual(["approved", second.description])
  })

  it.each([
    ["draft", draft],
    ["in review", inReview],
    ["rejected", rejected],
    ["approved", approved],
    ["in review, edited", editInReview],
    ["rejected, edited", editRejected]
  ])(
    "%s → archive → archived: of no use to anybody, waits for nobody, and its key is refused for another [§3.2-archive]",
    (_, before) => {
      const archived = PurposeLife.archive(before, later)
      expect(archived).toEqual({ ...before, status: "archived", archivedAt: later, submission: null })
      expect([inForce(archived), inForce(archived, "sandbox")]).toEqual([undefined, undefined])
      expect(PurposeGate.decide([archived], "sandbox", "find_me", "location.lookup")).toMatchObject({
        reason: "archived"
      })
      expect(Purpose.refusal([archived.key], archived.key)).toBeDefined()
    }
  )
})

describe("decision P1: out of rejected and archived [P1]", () => {
  it("rejected → edit → draft; the note stays in sight until it is handed in again [§3.2-rejected]", () => {
    const edited = Either.getOrThrow(edit(rejected, second))
    expect(edited).toEqual({ ...rejected, status: "draft", terms: second, revision: 2 })
    expect(Either.getOrThrow(PurposeLife.submit(edited, later, "unchecked"))).toMatchObject({
      status: "in_review",
      reviewNote: null
    })
  })

  it("rejected → submit → in review, as it is [§3.2-rejected]", () => {
    expect(PurposeLife.submit(rejected, later, "unchecked")).toEqual(
      Either.right({ ...rejected, status: "in_review", reviewNote: null, submission: { at: later, revision: 1 } })
    )
  })

  it("archived is final: no edit, no submission, no decision; archived again, the first time counts", () => {
    for (const before of [draft, inReview, rejected, approved]) {
      const archived = PurposeLife.archive(before, now)
      expect(refused(edit(archived, second))).toBe(PurposeLife.ARCHIVED)
      expect(refused(PurposeLife.submit(archived, later, "unchecked"))).toBe(PurposeLife.ARCHIVED)
      expect(refused(PurposeLife.decide(archived, approve))).toBe(PurposeLife.ARCHIVED)
      expect(PurposeLife.archive(archived, later)).toEqual(archived)
    }
  })
})

describe("edits", () => {
  it("an edited draft stays a draft", () => {
    expect(edit(draft, second)).toEqual(Either.right({ ...draft, terms: second, revision: 2 }))
  })

  it("in review: stays there, in its turn, with the new wording [purposes-4]", () => {
    expect(edit(inReview, second)).toEqual(Either.right({ ...inReview, terms: second, revision: 2 }))
  })

  it("what is left out stays as it is; scopes are kept in one order and once each", () => {
    const { terms } = Either.getOrThrow(
      edit(draft, { scopes: ["location.lookup", "location.latest.read", "location.lookup"] })
    )
    expect(terms).toEqual({ ...first, scopes: ["location.latest.read", "location.lookup"] })
    expect(Either.getOrThrow(edit(draft, { expectedDailyVolume: 3 })).terms).toEqual({
      ...first,
      expectedDailyVolume: 3
    })
  })

  it("saying what is there already changes nothing: an approved purpose is not sent into review by it [purposes-4]", () => {
    for (const before of [draft, inReview, rejected, approved, editInReview, editRejected]) {
      expect(edit(before, {})).toEqual(Either.right(before))
      expect(edit(before, { ...before.terms, scopes: [...before.terms.scopes, ...before.terms.scopes] })).toEqual(
        Either.right(before)
      )
    }
  })

  it.each([
    ["scopes", { scopes: ["location.latest.read"] }],
    ["volume", { expectedDailyVolume: 11 }],
    ["description", { description: "Shows you a bigger map" }]
  ] as const)("a change of %s alone is an edit that must be reviewed", (_, change) => {
    expect(Either.getOrThrow(edit(approved, change))).toMatchObject({ status: "in_review", approved: first })
  })

  it("back to the approved wording needs nobody's approval, from wherever the edit had got to", () => {
    const editDraft = Either.getOrThrow(edit(editRejected, third))
    expect(editDraft.status).toBe("draft")
    for (const before of [editInReview, editRejected, editDraft]) {
      const back = Either.getOrThrow(edit(before, first))
      expect(back).toEqual({ ...approved, revision: before.revision + 1 })
    }
  })
})

describe("an edit from a form that showed an earlier revision [apps-11]", () => {
  it.each([
    ["draft", draft],
    ["in review", inReview],
    ["approved", approved],
    ["rejected", rejected]
  ])("%s: the old wording does not come back", (_, before) => {
    const changed = Either.getOrThrow(edit(before, second, 1))
    expect(refused(edit(changed, first, 1))).toBe(OUTDATED_FORM)
    expect(refused(edit(changed, first, 2))).toBe("taken")
  })

  it("has no effect when it changes nothing, so a button that is pressed twice does not complain", () => {
    const changed = Either.getOrThrow(edit(approved, second, 1))
    expect(edit(changed, second, 1)).toEqual(Either.right(changed))
  })
})

describe("a submission from a form that showed another revision [apps-11]", () => {
  it.each([
    ["draft", draft],
    ["rejected", rejected]
  ])("%s: nobody submits words that they have not read", (_, before) => {
    const changed = Either.getOrThrow(edit(before, second))
    for (const shown of [changed.revision - 1, changed.revision + 1]) {
      expect(refused(PurposeLife.submit(changed, later, shown))).toBe(OUTDATED_FORM)
    }
    expect(PurposeLife.submit(changed, later, changed.revision)).toEqual(
      PurposeLife.submit(changed, later, "unchecked")
    )
  })
})

describe("decisions", () => {
  it("an edit that is rejected takes nothing away: what was approved goes on working", () => {
    const decided = Either.getOrThrow(PurposeLife.decide(editInReview, reject))
    expect(decided).toMatchObject({ status: "rejected", terms: second, approved: first, reviewNote: "Say more" })
    expect(inForce(decided)).toBe(first.description)
    // The developer edits and submits once more. The first wording must still be in force.
    const repeated = Either.getOrThrow(PurposeLife.submit(Either.getOrThrow(edit(decided, third)), later, "unchecked"))
    expect([repeated.status, inForce(repeated)]).toEqual(["in_review", first.description])
  })

  it.each([
    ["draft", draft],
    ["rejected", rejected],
    ["approved", approved]
  ])("%s: there is nothing to decide", (_, before) => {
    expect(refused(PurposeLife.decide(before, approve))).toBe(PurposeLife.NOT_IN_REVIEW)
    expect(refused(PurposeLife.decide(before, reject))).toBe(PurposeLife.NOT_IN_REVIEW)
  })

  it.each([
    ["in review", inReview],
    ["approved", approved]
  ])("%s: cannot be submitted", (_, before) => {
    expect(refused(PurposeLife.submit(before, later, "unchecked"))).toMatch(/in review already|approved as it is/)
  })

  it("nobody approves words that they have not read: a decision on another wording than the one it names [purposes-4]", () => {
    const edited = Either.getOrThrow(edit(inReview, second))
    for (const verdict of [
      { ...approve, revision: 1 },
      { ...approve, revision: 3 },
      { ...reject, revision: 1 }
    ]) {
      expect(refused(PurposeLife.decide(edited, verdict))).toMatch(/changed meanwhile/)
    }
    expect(Either.getOrThrow(PurposeLife.decide(edited, { ...approve, revision: 2 })).approved).toEqual(second)
  })

  it("a decision that names no wording is about the present one, also after an edit [purposes-4]", () => {
    const edited = Either.getOrThrow(edit(inReview, second))
    expect(Either.getOrThrow(PurposeLife.decide(edited, approve)).approved).toEqual(second)
    expect(Either.getOrThrow(PurposeLife.decide(edited, reject)).status).toBe("rejected")
  })

  it("a decision on a wording of an earlier round is refused", () => {
    const round = Either.getOrThrow(PurposeLife.decide(inReview, reject))
    const repeated = Either.getOrThrow(PurposeLife.submit(Either.getOrThrow(edit(round, second)), later, "unchecked"))
    expect(refused(PurposeLife.decide(repeated, { ...approve, revision: 1 }))).toMatch(/changed meanwhile/)
    expect(Either.isRight(PurposeLife.decide(repeated, approve))).toBe(true)
  })

  it("an approval can have a note too, and an approval without one takes the old note away", () => {
    const note = Verdict.Note.make("Well put")
    expect(Either.getOrThrow(PurposeLife.decide(inReview, { ...approve, note })).reviewNote).toBe("Well put")
    expect(Either.getOrThrow(PurposeLife.decide(inReview, approve)).reviewNote).toBeNull()
  })
})
