// Which rows are deleted, and when (decision sweeps-2).
import { Schema } from "effect"
import * as SignInThrottle from "../accounts/SignInThrottle.js"
import * as AppFigures from "../figures/AppFigures.js"
import * as EndpointFigures from "../figures/EndpointFigures.js"
import * as ConsentRequest from "../consent/ConsentRequest.js"
import * as TokenFamily from "../tokens/TokenFamily.js"
import * as Idempotency from "../idempotency/Idempotency.js"
import { COUNTED_FOR } from "../limits/ZoneQuestions.js"
import * as NamedMail from "../mail/NamedMail.js"
import * as Team from "../teams/Team.js"
import { DAY, HOUR, plus, type Timestamp } from "../shared/Timestamp.js"

/** The kinds of rows that are deleted after some time. Each kind says from which moment its time is counted. */
export const RetentionKind = Schema.Literal(
  /** from when they were issued */
  "access_tokens",
  /** from their revocation; a live family's spent tokens stay, to reveal a leak (decision O6) */
  "refresh_tokens",
  /** from a minute after they were made, or from their tokens' revocation (decision O7) */
  "authorization_codes",
  /** from when they were made */
  "consent_requests",
  /** from when they expired */
  "sessions",
  /** from when they expired */
  "account_links",
  /** from when they expired */
  "pending_accounts",
  /** from when they were made */
  "sign_in_tries",
  /** from when they ended */
  "rate_windows",
  /** from the last question */
  "budgets",
  /** from when the answer was given */
  "idempotent_answers",
  /** from their end, with their attempts and replays (Spec §2.9) */
  "delivered_deliveries",
  /** from their end as failed or too old, with their attempts (Spec §2.9) */
  "failed_deliveries",
  /** from when they were fanned out; an event with a remaining delivery is kept */
  "events",
  /** from when it was written, sent or not */
  "mail",
  /** from when the newest counted message was written */
  "named_mail",
  /** from when they were made (decision teams-2) */
  "app_invitations",
  /** from the last moment at which it is kept (decision audit-3) */
  "audit_events",
  /** from the call (decision figures-2) */
  "app_calls",
  /** from the beginning of the hour */
  "app_hours",
  /** from the beginning of the hour */
  "endpoint_hours"
)
export type RetentionKind = typeof RetentionKind.Type

/** How long entries of the access log are kept (decision P3). */
const ACCESS_LOG = 400 * DAY

/** Entries of the access log are deleted up to this moment, inclusive. */
export const accessLogUntil = (now: Timestamp): Timestamp => plus(now, -ACCESS_LOG)

/** Rows of this kind are deleted up to this time, inclusive. Rows that a person may ask about are kept a day longer. */
export const until = (kind: RetentionKind, now: Timestamp): Timestamp => {
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
    case "account_links":
    case "pending_accounts":
    case "audit_events":
      return now
    case "rate_windows":
      return plus(now, -HOUR)
    case "budgets":
      // A question counts for a whole day, its last instant included.
      return plus(now, -COUNTED_FOR - HOUR)
    case "app_invitations":
      return plus(now, -Team.INVITATION_LIFETIME)
    case "named_mail":
      return plus(now, -NamedMail.WINDOW - HOUR)
    case "sign_in_tries":
      return plus(now, -SignInThrottle.WINDOW)
    case "delivered_deliveries":
      return plus(now, -7 * DAY)
    case "app_calls":
      return plus(now, -AppFigures.CALLS_KEPT)
    case "app_hours":
      return plus(now, -AppFigures.HOURS_KEPT)
    case "endpoint_hours":
      return plus(now, -EndpointFigures.ATTEMPTS_KEPT)
    case "failed_deliveries":
    case "mail":
      return plus(now, -30 * DAY)
  }
}
