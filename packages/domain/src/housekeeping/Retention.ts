import { Schema } from "effect"
import * as SignInThrottle from "../accounts/SignInThrottle.js"
import * as ConsentRequest from "../connection/ConsentRequest.js"
import * as TokenFamily from "../connection/TokenFamily.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"

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
  "sign_in_tries"
)
export type Kind = typeof Kind.Type

/** Up to which moment, that included, they are deleted. What a person might ask about tomorrow is kept for a day. */
export const until = (kind: Kind, now: Timestamp): Timestamp => {
  switch (kind) {
    case "access_tokens":
      return plus(now, -TokenFamily.ACCESS_LIFETIME - DAY)
    case "consent_requests":
      return plus(now, -ConsentRequest.LIFETIME - DAY)
    case "refresh_tokens":
    case "authorization_codes":
      return plus(now, -DAY)
    case "sessions":
      return now
    case "sign_in_tries":
      return plus(now, -SignInThrottle.WINDOW)
  }
}
