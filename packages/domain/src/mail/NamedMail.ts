import type { UserId } from "../shared/Ids.js"
import { HOUR, plus, type Timestamp } from "../shared/Timestamp.js"
import * as Words from "../shared/Words.js"
import type { Link, MailMessage, Naming } from "./Mail.js"

/**
 * How many messages with an app's name one reader gets. The name is its developer's choice, and nobody proves that
 * an e-mail address is theirs: without a limit a developer could fill a stranger's mailbox with a text of the developer's
 * choosing. What is beyond the limit is folded into one message that names no app. It says until when no further message comes, so
 * nobody waits for one in vain. A leak beyond the limit is told once an hour besides, without the app's name: whose token was copied
 * must not be kept from it by a flood, and a developer can bring about as many leaks as receipts.
 */

/** Messages that name an app, for one reader, in any 60 minutes. */
export const LIMIT = 5

/** A message counts while it is younger than this. After a folded message nothing with a name is sent for as long. */
export const WINDOW = HOUR

export const foldable: Naming = { _tag: "Foldable" }

/** A reviewer's or an admin's decision: its developer reads the note nowhere else once another decision follows. */
export const decided: Naming = { _tag: "Always", subject: "We decided about one of your apps" }

/** Of one reader. */
export interface Count {
  /** When messages with an app's name were written, in order of time: those that count, and maybe older ones. */
  readonly namedAt: ReadonlyArray<Timestamp>
  /** When the folded message was written; null: none since a name was last let through. */
  readonly foldedAt: Timestamp | null
  /** When a leak was last told without the app's name. */
  readonly leakFoldedAt: Timestamp | null
}

export const none: Count = { namedAt: [], foldedAt: null, leakFoldedAt: null }

export interface Decided {
  readonly count: Count
  /** As it is to be written; null: nothing is, because a folded message already stands for it. */
  readonly message: MailMessage | null
}

/** `named` must be new: a message that was written before must not count twice. */
export const decide = (before: Count, named: MailMessage, now: Timestamp): Decided => {
  const { naming, ...message } = named
  if (naming === undefined) return { count: before, message }
  const isYoung = (at: Timestamp | null): boolean => at !== null && now - at < WINDOW
  const count: Count = { ...before, namedAt: before.namedAt.filter(isYoung) }
  const isFolding = isYoung(count.foldedAt)
  if (!isFolding && count.namedAt.length < LIMIT) {
    return { count: { ...count, namedAt: [...count.namedAt, now].sort((a, b) => a - b), foldedAt: null }, message }
  }
  switch (naming._tag) {
    case "Always":
      return { count, message: { ...message, subject: naming.subject } }
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

/** The newest moment that the count knows; 0 when it knows none. */
export const lastAt = ({ foldedAt, leakFoldedAt, namedAt }: Count): number =>
  Math.max(namedAt.at(-1) ?? 0, foldedAt ?? 0, leakFoldedAt ?? 0)

const CONNECTIONS: Link = { site: "portal", path: "/connections", label: "Connected apps" }

/** A leak that does not say which app it was, and stands for further ones. */
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
    `We sent you ${LIMIT} e-mails about apps within an hour, and now more has happened. We do not write about each of these things. Until ${Words.moment(plus(now, WINDOW))} we send no more e-mail about what happens with your apps. Two things we still write: what we decided about an app that you develop, and once an hour that somebody may have copied an app's token or code.`,
    "You can look up everything that happened. Connected apps shows every app that you connected or disconnected, and what each may do. Your access log shows what they asked. If you develop apps, the developer portal shows which endpoints fail.",
    "If this was not you, somebody else can use your account: disconnect the apps that you do not know, and tell those who run this service."
  ].join("\n\n"),
  link: CONNECTIONS,
  furtherLinks: [
    { site: "portal", path: "/access-log", label: "Your access log" },
    { site: "service", path: "/developer", label: "Developer portal" }
  ]
})
