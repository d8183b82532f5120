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
 * The kinds of rows that are deleted after a retention period. The comment of each kind says when the period begins;
 * `KEPT` has the length of the period.
 */
export const RetentionKind = Schema.Literal(
  /** The period begins when the token is issued. */
  "access_tokens",
  /**
   * The period begins when the token family is revoked. Only the head of the family (its last, unspent token) stores
   * this moment. Spent tokens of a live family stay, because a spent token that is presented again reveals a leak
   * (decision O6). The head is deleted last, because it leads to the spent tokens.
   */
  "refresh_tokens",
  /**
   * The period begins when the code's tokens are revoked. For a code that was not exchanged, it begins when the code
   * stops being valid, a minute after the code was made (decision O7).
   */
  "authorization_codes",
  /** The period begins when the request is created. */
  "consent_requests",
  /** The period begins when the session expires. */
  "sessions",
  /** The period begins when the link expires. */
  "account_links",
  /** The period begins when the link that confirms the account expires. */
  "pending_accounts",
  /** The period begins with the attempt to sign in. */
  "sign_in_tries",
  /** The period begins at the end of the rate limit's window. */
  "rate_windows",
  /** The period begins at the newest time that the row stores (`ZoneQuestions.lastAt`). */
  "budgets",
  /** The period begins at the time of the stored answer. */
  "idempotent_answers",
  /** The period begins when the delivery has succeeded. Its attempts are deleted with it (Spec §2.9). */
  "delivered_deliveries",
  /** The period begins when the delivery has failed or is too old. Its attempts are deleted with it (Spec §2.9). */
  "failed_deliveries",
  /** The period begins when the mail is written, whether or not it is sent. */
  "mail",
  /** The period begins at the newest time that the row stores (`NamedMail.lastAt`). */
  "named_mail",
  /** The period begins when the invitation is created (decision teams-2). */
  "app_invitations",
  /** The period begins at the end of the day that the flag is about (decision purposes-5). */
  "volume_flags",
  /** The period begins at `AuditEvent.keptUntil` and has no length (decision audit-3). */
  "audit_events",
  /** The period begins with the app's call (decision figures-2). */
  "app_calls",
  /** The period begins at the beginning of the hour in which the calls were made. */
  "app_hours",
  /** The period begins at the beginning of the hour in which the attempts were made. */
  "endpoint_hours"
)
export type RetentionKind = typeof RetentionKind.Type

/** How long entries of the access log are kept, in milliseconds (decision P3). */
const ACCESS_LOG = 400 * DAY

/** Entries of the access log are deleted up to this moment, inclusive. */
export const accessLogUntil = (now: Timestamp): Timestamp => plus(now, -ACCESS_LOG)

/**
 * The length of the retention period of each kind, in milliseconds. The comments in `RetentionKind` say when each
 * period begins. Tokens, codes and consent requests are kept a day longer than they are valid, because a person may ask
 * about them.
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
  // A question still counts at the last instant of `COUNTED_FOR`, so the row is kept for an hour more.
  budgets: COUNTED_FOR + HOUR,
  idempotent_answers: Idempotency.KEPT_FOR,
  delivered_deliveries: 7 * DAY,
  failed_deliveries: 30 * DAY,
  mail: 30 * DAY,
  named_mail: NamedMail.WINDOW + HOUR,
  app_invitations: Team.INVITATION_LIFETIME,
  // A flag explains entries of the access log, so it is kept for as long as they are.
  volume_flags: ACCESS_LOG,
  audit_events: 0,
  app_calls: AppFigures.CALLS_KEPT,
  app_hours: AppFigures.HOURS_KEPT,
  endpoint_hours: EndpointFigures.ATTEMPTS_KEPT
}

/** A row of this kind is deleted when its retention period (`RetentionKind`) began at the returned time or earlier. */
export const until = (kind: RetentionKind, now: Timestamp): Timestamp => plus(now, -KEPT[kind])

/**
 * The moment up to which events of the outbox are deleted, inclusive: an event is deleted when it was fanned out at
 * this moment or earlier, and none of its deliveries is left. Younger events need not be examined, because their
 * deliveries still exist: a delivery ends at about the time of the fan-out or later, and is then kept for at least the
 * period of `delivered_deliveries`. A sweep that examined them would read days of events every hour, although nearly
 * all of them must stay.
 */
export const eventsUntil = (now: Timestamp): Timestamp => until("delivered_deliveries", now)
