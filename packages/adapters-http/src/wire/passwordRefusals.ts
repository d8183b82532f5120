import type { TooManyAttempts } from "@place-access/domain/accounts"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Errors from "./Errors.js"

/**
 * The answers to a wrong password and to too many attempts, for routes at which a signed-in person must give the
 * password once more.
 */
export const passwordRefusals = {
  // The status is 403 and not 401, because the session of the caller is valid.
  WrongCredentials: () => Effect.fail(Errors.forbidden("The password is wrong")),
  TooManyAttempts: ({ retryAfterMillis }: TooManyAttempts) =>
    Effect.fail(Errors.rateLimited(retryAfterMillis / Timestamp.SECOND))
}
