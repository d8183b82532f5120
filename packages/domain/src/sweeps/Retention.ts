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

/**
 * The kinds of rows that are deleted after some time. The comment of each kind names the moment from which its time
 * counts; `KEPT` has the lengths.
 */
export const RetentionKind = Schema.Literal(
  /** The time until deletion counts from the issue of the token. */
  "access_tokens",
  /**
   * The time until deletion counts from the revocation of the family. Only the head of the family (its last, unspent
   * token) stores this moment. Spent tokens of a live family stay, because a spent token that is presented again
   * reveals a leak (decision O6). The head is deleted last, because it leads to the spent tokens.
   */
  "refresh_tokens",
  /**
   * The time until deletion counts from the revocation of the code's tokens. For a code that was not exchanged, it
   * counts from the end of the code's validity, a minute after the code was made (decision O7).
   */
  "authorization_codes",
  /** The time until deletion counts from the creation of the request. */
  "consent_requests",
  /** The time until deletion counts from the expiry of the session. */
  "sessions",
  /** The time until deletion counts from the expiry of the link. */
  "account_links",
  /** The time until deletion counts from the expiry of the link that confirms the account. */
  "pending_accounts",
  /** The time until deletion counts from the attempt to sign in. */
  "sign_in_tries",
  /** The time until deletion counts from the end of the rate limit's window. */
  "rate_windows",
  /** The time until deletion counts from the newest time that the row stores (`ZoneQuestions.lastAt`). */
  "budgets",
  /** The time until deletion counts from the time of the stored answer. */
  "idempotent_answers",
  /** The time until deletion counts from the end of the delivery. Its attempts are deleted with it (Spec §2.9). */
  "delivered_deliveries",
  /**
   * The time until deletion counts from the end of the delivery as failed or too old. Its attempts are deleted with it
   * (Spec §2.9).
   */
  "failed_deliveries",
  /** The time until deletion counts from the writing of the mail, sent or not. */
  "mail",
  /** The time until deletion counts from the newest time that the row stores (`NamedMail.lastAt`). */
  "named_mail",
  /** The time until deletion counts from the creation of the invitation (decision teams-2). */
  "app_invitations",
  /** The time until deletion counts from the end of the day that the flag is about (decision purposes-5). */
  "volume_flags",
  /** The time until deletion counts from `AuditEvent.keptUntil` (decision audit-3). */
  "audit_events",
  /** The time until deletion counts from the app's call (decision figures-2). */
  "app_calls",
  /** The time until deletion counts from the beginning of the hour of the calls. */
  "app_hours",
  /** The time until deletion counts from the beginning of the hour of the attempts. */
  "endpoint_hours"
)
export type RetentionKind = typeof RetentionKind.Type

/** How long entries of the access log are kept, in milliseconds (decision P3). */
const ACCESS_LOG = 400 * DAY

/** Entries of the access log are deleted up to this moment, inclusive. */
export const accessLogUntil = (now: Timestamp): Timestamp => plus(now, -ACCESS_LOG)

/**
 * How long a row of each kind is kept, in milliseconds after the moment from which its time counts (the comments in
 * `RetentionKind` name this moment). Tokens, codes and consent requests are kept a day longer than they are valid,
 * because a person may ask about them.
 */
const KEPT: Readonly<Record<RetentionKind, number>> = {
  access_tokens: TokenFamily.ACCESS_LIFETIME + DAY,
  refresh_tokens: DAY,
  authorization_codes: DAY,
  consent_requests: ConsentRequest.LIFETIME + DAY,
  sessions: 0,
  account_links: 0,
  pending_accounts: 0,
  sign_in_tries: SignInThrottle.WINDOW,
  rate_windows: HOUR,
  // A question still counts at the end of `COUNTED_FOR`, so its budget is kept for an hour more.
  budgets: COUNTED_FOR + HOUR,
  idempotent_answers: Idempotency.KEPT_FOR,
  delivered_deliveries: 7 * DAY,
  failed_deliveries: 30 * DAY,
  mail: 30 * DAY,
  named_mail: NamedMail.WINDOW + HOUR,
  app_invitations: Team.INVITATION_LIFETIME,
  // A flag explains entries of the access log.
  volume_flags: ACCESS_LOG,
  audit_events: 0,
  app_calls: AppFigures.CALLS_KEPT,
  app_hours: AppFigures.HOURS_KEPT,
  endpoint_hours: EndpointFigures.ATTEMPTS_KEPT
}

/**
 * A row of this kind is deleted when the moment from which its time counts (`RetentionKind`) is the result or earlier.
 */
export const until = (kind: RetentionKind, now: Timestamp): Timestamp => plus(now, -KEPT[kind])

/**
 * The moment up to which events of the outbox are deleted, inclusive: an event is deleted when it was fanned out at
 * this moment or earlier, and none of its deliveries is left. Younger events need not be examined: their deliveries end
 * at about the time of the fan-out or later, and are kept for at least the same time. If a sweep examined them, it
 * would read days of events every hour, although nearly all of them must stay.
 */
export const eventsUntil = (now: Timestamp): Timestamp => until("delivered_deliveries", now)
