import { Schema } from "effect"
import * as SignInThrottle from "../accounts/SignInThrottle.js"
import * as ConsentRequest from "../connection/ConsentRequest.js"
import * as TokenFamily from "../connection/TokenFamily.js"
import * as Idempotency from "../idempotency/Idempotency.js"
import { COUNTED_FOR } from "../limits/ZoneQuestions.js"
import * as NamedMail from "../mail/NamedMail.js"
import { DAY, HOUR, plus, type Timestamp } from "../shared/Timestamp.js"

/** What time makes useless. */
export const Kind = Schema.Literal(
  /** By when they were issued. */
  "access_tokens",
  /** By when they were revoked. Spent ones of a live family are kept: they tell a leak (decision O6). */
  "refresh_tokens",
  /**
   * By when they could do nothing any more: a minute after they were made, or, once exchanged, when what they issued was revoked
   * (decision O7).
   */
  "authorization_codes",
  /** By when they were made. */
  "consent_requests",
  /** By when they expired. */
  "sessions",
  /** By when they were made. */
  "sign_in_tries",
  /** By when they ended. */
  "rate_windows",
  /** By their last question. */
  "budgets",
  /** By when they were given. */
  "idempotent_answers",
  /** By when they ended, with their attempts (Spec §2.9); replays too. */
  "delivered_deliveries",
  /** Failed or too old to send; by when they ended, with their attempts (Spec §2.9). */
  "failed_deliveries",
  /** By when they were fanned out; those of which a delivery is left are kept. */
  "events",
  /** By when they were written, sent or not. */
  "mail",
  /** By the newest message that they count. */
  "named_mail"
)
export type Kind = typeof Kind.Type

/** Decision P3. */
const ACCESS_LOG = 400 * DAY

/** Up to which moment, that included, entries of the access log are deleted. */
export const accessLogUntil = (now: Timestamp): Timestamp => plus(now, -ACCESS_LOG)

/** Up to which moment, that included, they are deleted. What a person might ask about tomorrow is kept for a day. */
export const until = (kind: Kind, now: Timestamp): Timestamp => {
  switch (kind) {
    case "access_tokens":
      return plus(now, -TokenFamily.ACCESS_LIFETIME - DAY)
    case "consent_requests":
      return plus(now, -ConsentRequest.LIFETIME - DAY)
    case "refresh_tokens":
    case "authorization_codes":
    case "events":
      return plus(now, -DAY)
    case "idempotent_answers":
      return plus(now, -Idempotency.KEPT_FOR)
    case "sessions":
      return now
    case "rate_windows":
      return plus(now, -HOUR)
    case "budgets":
      // A question counts for the whole day, its last instant included.
      return plus(now, -COUNTED_FOR - HOUR)
    case "named_mail":
      return plus(now, -NamedMail.WINDOW - HOUR)
    case "sign_in_tries":
      return plus(now, -SignInThrottle.WINDOW)
    case "delivered_deliveries":
      return plus(now, -7 * DAY)
    case "failed_deliveries":
    case "mail":
      return plus(now, -30 * DAY)
  }
}
