// `orPaused` is not in `Paused.ts`: that file belongs to the contract, which must import no code of the server.
import { Disclosure } from "@place-access/domain/answers"
import { Caller } from "@place-access/domain/tokens"
import type { DisclosedAnswer } from "../Group.js"

/** Adds the reason `paused` to the answer when the answer is unknown and the user has paused the app. */
export const orPaused = <A extends object>(
  caller: Caller.Caller,
  isUnknown: boolean,
  original: DisclosedAnswer<A>
): DisclosedAnswer<A & { readonly reason?: "paused" }> =>
  isUnknown && Caller.isPaused(caller)
    ? { answer: { ...original.answer, reason: "paused" }, disclosed: Disclosure.PAUSED }
    : original
