import type { Account } from "@place-access/domain/accounts"
import { requestReset } from "@place-access/domain/credentials"
import { Rate, Subject } from "@place-access/domain/limits"
import { Effect } from "effect"
import { clientAddress } from "../edge/ClientAddress.js"
import * as RateLimit from "../limits/RateLimit.js"
import { afterAnswer } from "../edge/afterAnswer.js"

/**
 * Counts the request against the limit of its network address. Mails a link for a new password if an account has this
 * e-mail address and the limit of links for this e-mail address is not used up.
 */
export const mailResetLink = (email: Account.Email) =>
  Effect.gen(function* () {
    yield* RateLimit.take(Subject.reset(yield* clientAddress), Rate.RESETS)
    yield* afterAnswer("A link for a new password could not be mailed", requestReset(email))
  })
