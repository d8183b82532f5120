import { Either, Schema } from "effect"
import { Invalid } from "../shared/Invalid.js"
import * as Text from "../shared/Text.js"

export const Decision = Schema.Literal("approve", "reject")
export type Decision = typeof Decision.Type

/** What a reviewer or an admin says to the developer, who gets it by mail and reads it in the portal. */
export const Note = Text.paragraphs(1, 1_000).pipe(Schema.brand("ReviewNote"))
export type Note = typeof Note.Type

/** What a reviewer decides (decisions §10). */
export interface Verdict {
  readonly decision: Decision
  readonly note: Note | null
  /** What the reviewer has read; left out: what was handed in (`Submission.outdated`). */
  readonly revision?: number | undefined
}

/** A rejection says what to change (Spec §3.2). */
export const check = (verdict: Verdict): Either.Either<Verdict, Invalid> =>
  verdict.decision === "reject" && verdict.note === null
    ? Either.left(Invalid.of("note", "is missing: a rejection says what to change"))
    : Either.right(verdict)
