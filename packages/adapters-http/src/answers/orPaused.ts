// Beside `Paused.ts`, and not in it: the contract that apps import has no part of the server.
import { Disclosure } from "@place-access/domain/answers"
import { Caller } from "@place-access/domain/tokens"
import type { DisclosedAnswer } from "../Group.js"

/** Adds the reason `paused` to the answer when the answer is unknown and the user has paused the app. */
export const orPaused = <A extends object>(
  caller: Caller.Caller,
  isUnknown: boolean,
  told: DisclosedAnswer<A>
): DisclosedAnswer<A & { readonly reason?: "paused" }> =>
  isUnknown && Caller.isPaused(caller)
    ? { answer: { ...told.answer, reason: "paused" }, disclosed: Disclosure.PAUSED }
    : told
