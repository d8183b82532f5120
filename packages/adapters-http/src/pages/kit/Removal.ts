import { NotFound } from "@place-access/domain/shared"
import { Effect } from "effect"

/**
 * Removes something, such as a place; `what` is its name in errors. When a person presses the button twice, the browser
 * shows the answer to the second request, which finds nothing to remove. The thing is gone, as the person wanted, so
 * this is not an error.
 */
export const once = <A, E, R>(what: string, remove: Effect.Effect<A, E | NotFound, R>) =>
  Effect.catchIf(Effect.asVoid(remove), isGone(what), () => Effect.void)

/**
 * Whether the error says that `what` itself does not exist. When the app or connection that contains it does not exist
 * for this person, the answer must stay 404.
 */
const isGone =
  (what: string) =>
  (error: unknown): boolean =>
    error instanceof NotFound && error.what === what
