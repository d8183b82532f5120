import { Either } from "effect"
import { type Account, DisplayName, Email } from "../accounts/Account.js"
import type { App } from "../apps/App.js"
import type { MailMessage } from "../mail/Mail.js"
import { UserId } from "../shared/Ids.js"
import { Conflict } from "../shared/Invalid.js"
import { DAY, make, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"
import * as Words from "../shared/Words.js"

/**
 * Stands for everybody whose account is gone, where something of theirs must stay for others: who reviewed an app, whose app it was.
 * Nobody can sign in as it, and no mail reaches it.
 */
export const NOBODY: Account = {
  id: UserId.make("deleted_account"),
  // Addresses are kept in lower case: whoever signs up with this one has another, and does not stand in its place.
  email: Email.make("Deleted@account.invalid"),
  displayName: DisplayName.make("Deleted account"),
  roles: [],
  createdAt: make(0)
}

/** An app that goes with its developer, and how many other people have it connected. */
export interface OwnedApp {
  readonly app: App
  readonly people: number
}

/** What a decision sees under the account's lock. */
export interface State {
  readonly account: Account
  /** An admin, and nobody else is one. */
  readonly isLastAdmin: boolean
  /** Revoked ones included. */
  readonly apps: ReadonlyArray<OwnedApp>
}

/** What is written at once; the rest is removed in the background. */
export interface Going {
  readonly requestedAt: Timestamp
  readonly lookAt: Timestamp
  readonly receipt: MailMessage
}

export const LAST_ADMIN = "you are the only admin: the service needs another one first"

/** What users of a revoked app, reviewers and admins read of it. */
export const REVOKED_NOTE = "Its developer deleted their account."

/** Nobody is kept but the last admin, who would leave a service that nobody can look after. */
export const decide = ({ account, apps, isLastAdmin }: State, now: Timestamp): Either.Either<Going, Conflict> =>
  isLastAdmin
    ? Either.left(new Conflict({ reason: LAST_ADMIN }))
    : Either.right({ requestedAt: now, lookAt: now, receipt: receipt(account, apps, now) })

/** Of an app that nobody but its developer could connect, nothing has to stay for others. */
export const goesEntirely = ({ status }: Pick<App, "status">): boolean => status !== "production"

/**
 * Requests that were under way when the account went may write a last row: they are looked for again after ten minutes and after a
 * day, and then nothing is left to be looked for.
 */
const LOOKS = [10 * MINUTE, DAY]

/** Null: that was the last look. */
export const nextLook = (requestedAt: Timestamp, now: Timestamp): Timestamp | null => {
  const next = LOOKS.find((after) => requestedAt + after > now)
  return next === undefined ? null : plus(requestedAt, next)
}

/** The key of the account's one receipt, which is sent once, however often the deletion is picked up again. */
export const receiptKey = (userId: UserId): string => `account_deleted ${userId}`

/** To the address that the account had: nobody's account goes without its owner hearing of it. */
const receipt = ({ email, id }: Account, apps: ReadonlyArray<OwnedApp>, now: Timestamp): MailMessage => ({
  to: NOBODY.id,
  address: email,
  dedupeKey: receiptKey(id),
  subject: "Your account was deleted",
  body: [
    `On ${Words.moment(now)} your account was deleted, with the password and from a browser that was signed in.`,
    "Apps can ask nothing more about you, your phones can send nothing more, and you are signed out everywhere. Your places, your history, your access log and everything else of yours are being removed now; that takes minutes, and a day for the last traces.",
    ...(apps.length === 0 ? [] : [`${apps.length === 1 ? "Your app was" : "Your apps were"} revoked.`]),
    "It cannot be undone. With this address you can make a new account at any time.",
    "What apps learned about you before, they keep: ask them to delete it. Backups of the service, if there are any, are kept as long as those who run it keep them.",
    "If this was not you, tell those who run this service: somebody knows your password. This is the last message that we send you, and the address is forgotten once it is sent."
  ].join("\n\n")
})
