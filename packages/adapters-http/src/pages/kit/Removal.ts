import { NotFound } from "@place-access/domain/shared"
import { Effect } from "effect"

/**
 * Removes something, such as a place; `what` is its name in errors. When a person presses the button twice, the browser
 * shows the answer to the second request, which finds nothing to remove. The thing is removed, as the person wanted, so
 * the second request does not fail.
 */
export const once = <A, E, R>(what: string, remove: Effect.Effect<A, E | NotFound, R>) =>
  Effect.catchIf(Effect.asVoid(remove), isGone(what), () => Effect.void)

/**
 * Whether the error says that the thing named `what` does not exist. If instead the app or connection that contains the
 * thing does not exist for this person, the answer must stay 404.
 */
const isGone =
  (what: string) =>
  (error: unknown): boolean =>
    error instanceof NotFound && error.what === what
