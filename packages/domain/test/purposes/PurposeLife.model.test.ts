import { Purpose, PurposeLife } from "@place-access/domain/purposes"
import { Verdict } from "@place-access/domain/reviews"
import { Timestamp } from "@place-access/domain/shared"
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { type Deed, ReferencePurpose } from "../support/referencePurpose.js"
import { holdsAnywhere } from "../support/holdsAnywhere.js"

/** There are only a few texts, so that an edit often returns to an earlier text. */
const WORDS = ["Shows you a map", "Shows you another map", "Shows you a third map"]
const [FIRST = ""] = WORDS

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 40, arbitrary: fc.record({ type: fc.constant("write" as const), words: fc.constantFrom(...WORDS) }) },
  {
    weight: 60,
    arbitrary: fc.record({ type: fc.constantFrom("hand in" as const, "approve" as const, "reject" as const) })
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("archive" as const) }) }
)
/**
 * The age of the revision that the reviewer read: 0 is the present revision, 1 the revision before. Undefined: the
 * reviewer names no revision.
 */
const reading = fc.constantFrom(undefined, 0, 0, 0, 1, 2)

const note = Verdict.Note.make("Say more")
const START = Timestamp.make(Date.UTC(2026, 0, 15, 12))

const step = (
  purpose: Purpose.Purpose,
  { type, ...rest }: Deed,
  revision: number | "unchecked",
  now: Timestamp.Timestamp
) => {
  switch (type) {
    case "write":
      return PurposeLife.edit(purpose, { description: "words" in rest ? rest.words : "" }, now, "unchecked")
    case "hand in":
      return PurposeLife.submit(purpose, now, "unchecked")
    case "approve":
    case "reject":
      return PurposeLife.decide(purpose, { decision: type, note: type === "reject" ? note : null, revision })
    case "archive":
      return Either.right(PurposeLife.archive(purpose, now))
  }
}

describe("the life of a purpose, against its history", () => {
  it("says, allows and lets be used what the history says; nothing is approved that is newer than the revision that the reviewer named", () => {
    const seen = new Map<string, number>()
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
    holdsAnywhere(
      fc.property(fc.array(fc.tuple(deed, reading), { maxLength: 60, size: "max" }), (deeds) => {
        const terms: Purpose.PurposeTerms = { description: FIRST, scopes: ["location.lookup"], expectedDailyVolume: 10 }
        let purpose: Purpose.Purpose = Purpose.draft(
          "app_1" as never,
          "pps_1" as never,
          Purpose.PurposeKey.make("find_me"),
          terms,
          START
        )
        const reference = new ReferencePurpose(FIRST)
        const approvals: Array<Purpose.PurposeApproval> = []
        const approvedWords: Array<string | null> = []

        for (const [index, [one, ago]] of deeds.entries()) {
          const now = Timestamp.plus(START, index + 1)
          const before = purpose
          const revision = ago === undefined ? "unchecked" : before.revision - ago
          const outcome = step(before, one, revision, now)
          const isDecision = one.type === "approve" || one.type === "reject"
          const isRead = revision === "unchecked" || revision === before.revision

          const allowed = isDecision && !isRead ? false : reference.do(one)
          expect(Either.isRight(outcome)).toBe(allowed)
          if (Either.isRight(outcome)) purpose = outcome.right
          if (allowed && one.type === "approve") {
            approvals.push({ purposeId: purpose.id, at: now, description: purpose.terms.description })
          }
          approvedWords.push(reference.approvedWords())
          count(`${before.status} ${one.type} ${allowed ? purpose.status : "refused"}`)

          expect(purpose.status).toBe(reference.status())
          expect(purpose.terms.description).toBe(reference.words())
          for (const app of ["sandbox", "production"] as const) {
            expect(Purpose.usableTerms(purpose, app)?.description).toBe(reference.inForce(app))
          }
          expect(purpose.archivedAt !== null).toBe(reference.isArchived())
          // The purpose has a submission exactly while it is in review.
          expect(purpose.submission !== null).toBe(purpose.status === "in_review")
          // The revision grows exactly when the wording has changed.
          expect(purpose.revision - before.revision).toBe(
            purpose.terms.description === before.terms.description ? 0 : 1
          )
        }
        // For each moment of the scenario, compares the description that users later see for this moment with the
        // description that the reference implementation gives.
        const first = approvedWords.find((words) => words !== null) ?? reference.words()
        const shown = approvedWords.map((_, index) =>
          Purpose.wordingAt(purpose, approvals, Timestamp.plus(START, index + 1))
        )
        expect(shown).toEqual(approvedWords.map((words) => words ?? first))
      }),
      500
    )
    // The generator must reach every transition of the state machine, and every refusal. Otherwise the property tests
    // less than it claims.
    const arrows = [
      "draft write draft",
      "draft hand in in_review",
      "draft write approved",
      "in_review write in_review",
      "in_review write approved",
      "in_review approve approved",
      "in_review approve refused",
      "in_review reject rejected",
      "in_review hand in refused",
      "rejected write draft",
      "rejected write approved",
      "rejected hand in in_review",
      "approved write in_review",
      "approved write approved",
      "approved hand in refused",
      "approved approve refused"
    ]
    expect(arrows.filter((arrow) => !seen.has(arrow))).toEqual([])
  })
})
