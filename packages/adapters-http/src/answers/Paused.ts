import { Disclosure } from "@place-access/domain/answers"
import { Caller } from "@place-access/domain/tokens"
import { Schema } from "effect"
import type { DisclosedAnswer } from "../Group.js"

// An answer tells an app that its user has paused it (decision connection-4).

/**
 * The field `reason` of an answer about the user. It is present only while the user has paused the app and the answer
 * is unknown because of the pause.
 */
export const Reason = {
  reason: Schema.optionalWith(Schema.Literal("paused"), { exact: true }).annotations({
    description:
      "Present while the user has paused the app: nothing is known until the user resumes. Leave the user alone and ask again later."
  })
}

/** Adds the reason `paused` to the answer when the answer is unknown and the user has paused the app. */
export const orPaused = <A extends object>(
  caller: Caller.Caller,
  isUnknown: boolean,
  told: DisclosedAnswer<A>
): DisclosedAnswer<A & { readonly reason?: "paused" }> =>
  isUnknown && Caller.isPaused(caller)
    ? { answer: { ...told.answer, reason: "paused" }, disclosed: Disclosure.PAUSED }
    : told
