// Limits the number of messages that contain an app's name (decision mail-2).
import { type UserId, Words } from "../shared/index.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { plus, type Timestamp } from "../shared/Timestamp.js"
import { LOOK } from "./Advice.js"
import type { Link, MailMessage, Naming } from "./Mail.js"

/**
 * Limits how many messages with an app's name one reader gets. A developer chooses the app's name, and the e-mail
 * address of an account may belong to somebody else. Without a limit, a developer could fill a stranger's mailbox with
 * a chosen text.
 *
 * Beyond the limit, one folded message is written. It names no app, and says until when no further message will come.
 * No folded message stands for notices that the reader chose (`Naming`, `Notice`), because these notices are written
 * later.
 *
 * Three kinds of messages are still written beyond the limit. Otherwise a developer could hide a leak or a hand-over by
 * causing many other messages first.
 * - The decision of a reviewer or admin, with a subject that names no app (`Naming`, `Always`).
 * - The message that an app is in the reader's name now, without the app's name (`Naming`, `Always`).
 * - Once an hour, the message about a leak (a token or code may have been copied), without the app's name.
 */

/**
 * The maximum number of messages with an app's name for one reader in any 60 minutes. Mails about decisions of
 * reviewers and admins (`decided`) are written beyond this limit too, and name the app in their text. Mails that an app
 * is in the reader's name now (`TeamNotice`) are also written beyond the limit, but then do not name the app.
 */
export const LIMIT = AccountLimits.RECEIPTS.most

/**
 * The limit for chosen notices with an app's name: when the reader got at least this many messages with an app's name
 * in the last 60 minutes, no further notice is written. So notices leave room for two messages that nobody can switch
 * off, such as the receipt of a new connection. Otherwise a developer whose app asks often, and so causes notices,
 * could hide that another app was connected.
 */
export const NOTICES = LIMIT - 2

/**
 * How long a message counts towards `LIMIT`, in milliseconds. For this time after a folded message (the one message
 * that stands for the messages beyond the limit), no subject of a mail to the same reader names an app.
 */
export const WINDOW = AccountLimits.RECEIPTS.windowMs

export const foldable: Naming = { _tag: "Foldable" }

/**
 * For a notice that the reader chose. When the limit prevents the notice, the hourly sweep tries again as long as the
 * notice is due.
 */
export const chosen: Naming = { _tag: "Notice" }

/**
 * For the mail about a decision of a reviewer or admin. The mail is always sent, because the developer may find the
 * reviewer's note nowhere else.
 */
export const decided: Naming = { _tag: "Always", subject: "We decided about one of your apps" }

/** The times of one reader's last messages, as far as the limit depends on them. */
export interface NamedMailCount {
  /** When the messages that count towards `LIMIT` were written, ordered by time. Some may be older than `WINDOW`. */
  readonly namedAt: ReadonlyArray<Timestamp>
  /**
   * When the folded message (one message in place of all further ones) was written. Null when none was written, or when
   * a message that counts towards `LIMIT` was written after it.
   */
  readonly foldedAt: Timestamp | null
  /**
   * When the last mail about a leak without the app's name was written for this reader; null when none was written. A
   * leak: a token or code of an app may have been copied.
   */
  readonly leakFoldedAt: Timestamp | null
}

export const none: NamedMailCount = { namedAt: [], foldedAt: null, leakFoldedAt: null }

export interface NamedMailDecision {
  readonly count: NamedMailCount
  /**
   * The message to write; null in two cases: a message without the app's name, written in the last hour, stands for
   * `named` too; or `named` is a notice that has to wait.
   */
  readonly message: MailMessage | null
}

/**
 * Decides which message is written in place of `named`. The caller has checked that the outbox does not have `named`
 * yet: otherwise the message would be counted twice.
 */
export const decide = (before: NamedMailCount, named: MailMessage, now: Timestamp): NamedMailDecision => {
  const { naming, ...message } = named
  if (naming === undefined) return { count: before, message }
  const isYoung = (at: Timestamp | null): boolean => at !== null && now - at < WINDOW
  const count: NamedMailCount = { ...before, namedAt: before.namedAt.filter(isYoung) }
  const isFolding = isYoung(count.foldedAt)
  const places = naming._tag === "Notice" ? NOTICES : LIMIT
  if (!isFolding && count.namedAt.length < places) {
    return { count: { ...count, namedAt: [...count.namedAt, now].sort((a, b) => a - b), foldedAt: null }, message }
  }
  switch (naming._tag) {
    case "Always":
      return { count, message: { ...message, subject: naming.subject, body: naming.body ?? message.body } }
    case "Notice":
      return { count, message: null }
    case "Leak":
      return isYoung(count.leakFoldedAt)
        ? { count, message: null }
        : { count: { ...count, leakFoldedAt: now }, message: nameless(message, naming, now) }
    case "Foldable":
      return isFolding
        ? { count, message: null }
        : { count: { ...count, foldedAt: now }, message: folded(message.to, now) }
  }
}

/** The newest of the times in the count; 0 when the count has no time. */
export const lastAt = ({ foldedAt, leakFoldedAt, namedAt }: NamedMailCount): number =>
  Math.max(namedAt.at(-1) ?? 0, foldedAt ?? 0, leakFoldedAt ?? 0)

const CONNECTIONS: Link = { site: "portal", path: "/connections", label: "Connected apps" }

/**
 * The message about a leak, without the app's name. For an hour after it, no further message about a leak without the
 * app's name is written.
 */
const nameless = (leak: MailMessage, { body, subject }: Extract<Naming, { _tag: "Leak" }>, now: Timestamp) => ({
  ...leak,
  subject,
  body: [
    body,
    `You got many e-mails about apps within an hour, so this one does not say which app it is. Until ${Words.moment(plus(now, WINDOW))} we may send no further e-mail when it happens with another app. Connected apps shows every app that we disconnected, and why.`
  ].join("\n\n"),
  furtherLinks: [CONNECTIONS]
})

const folded = (to: UserId, now: Timestamp): MailMessage => ({
  to,
  dedupeKey: `folded ${now}`,
  subject: "We stop writing about your apps for an hour",
  body: [
    `We sent you ${LIMIT} e-mails about apps within an hour, and now more has happened. We do not write about each of these things. Until ${Words.moment(plus(now, WINDOW))} we send no more e-mail about what happens with your apps. Three things we still write: what we decided about an app that you develop, that an app is in your name now, and once an hour that somebody may have copied an app's token or code.`,
    "You can look up everything that happened. Connected apps shows every app that you connected or disconnected, and what each can do. Your access log shows what they asked. If you develop apps, the developer portal shows which endpoints fail.",
    "If this was not you, somebody else can use your account. Disconnect the apps that you do not know, and set a new password now, which signs everybody out.",
    LOOK
  ].join("\n\n"),
  link: CONNECTIONS,
  furtherLinks: [
    { site: "portal", path: "/access-log", label: "Your access log" },
    { site: "service", path: "/developer", label: "Developer portal" }
  ]
})
