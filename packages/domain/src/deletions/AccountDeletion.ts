// Decides what the deletion of an account changes. Decisions deletions-1, deletions-4, deletions-5 and deletions-6.
import { Either, Option, Order } from "effect"
import { type Account, DisplayName, Email, mailLanguageOf, NOBODY_ID, zoneOf } from "../accounts/Account.js"
import type { App } from "../apps/App.js"
import type { AuditEvent } from "../audit/AuditEvent.js"
import { forReader, type MailMessage } from "../mail/Mail.js"
import { Conflict, type UserId, Words } from "../shared/index.js"
import { DAY, make, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"
import * as TeamNotice from "../teams/TeamNotice.js"

/**
 * The account whose id replaces the id of a deleted account in rows that stay, such as its reviews, its entries in the
 * audit log and its revoked apps. Nobody can sign in with this account, and it gets no mail.
 */
export const NOBODY: Account = {
  id: NOBODY_ID,
  // A typed address is put into lower case, so nobody can sign in or sign up with this address.
  email: Email.make("Deleted@account.invalid"),
  displayName: DisplayName.make("Deleted account"),
  roles: [],
  createdAt: make(0),
  suspendedAt: null,
  confirmedAt: null,
  timeZone: null,
  language: null,
  browserLanguage: null,
  testOf: null
}

/** An app whose holder (`App.ownerId`) is the deleted account. */
export interface OwnedApp {
  readonly app: App
  /**
   * The owner in the app's team who takes the app over (`TeamLife.heir`). Null: no owner can take the app over, because
   * the team has no other owner who is not suspended, or because the app is revoked or suspended. Then the app is
   * revoked (decision teams-4).
   */
  readonly heir: UserId | null
}

/**
 * An app of the account, and the number of other people whose connection with the app has not ended. Test people do not
 * count.
 */
export interface CountedApp extends OwnedApp {
  readonly people: number
}

/** The data for the decision to delete an account. The store reads them under the account's lock. */
export interface AccountDeletionState {
  readonly account: Account
  /** Whether the account is an admin and no other admin is left who is not suspended. */
  readonly isLastAdmin: boolean
  /** The apps of the account, revoked apps included. */
  readonly apps: ReadonlyArray<OwnedApp>
}

/**
 * The effects of a deletion, for the account's owner to read before deleting. The decision does not get the numbers of
 * people: counting the people of an app may take seconds, and other people's sign-ins may have to wait while the
 * decision runs.
 */
export interface Outlook extends AccountDeletionState {
  readonly apps: ReadonlyArray<CountedApp>
}

/**
 * The decision to delete an account. `AccountDeletionStore.begin` carries it out in one transaction. From `lookAt` on,
 * workers delete the rows that remain.
 */
export interface Going {
  readonly requestedAt: Timestamp
  readonly lookAt: Timestamp
  /** The mail about the deletion. Null when the address was not confirmed, because it may belong to a stranger. */
  readonly receipt: MailMessage | null
  /** The changes for each app that an heir takes over. */
  readonly inheritances: ReadonlyArray<Inheritance>
}

/** The mail and the audit event for the new holder of an app. The texts do not name the deleted account. */
export interface Inheritance {
  readonly notice: MailMessage
  readonly audit: AuditEvent
}

export const LAST_ADMIN = "you are the only admin: the service needs another one first"

/** The reason in the revocation of the account's apps, for their users, reviewers and admins. */
export const REVOKED_NOTE = "Its developer deleted their account."

/**
 * Decides whether the account can be deleted. Only the last admin's account cannot: without an admin, nobody could run
 * the service.
 */
export const decide = (state: AccountDeletionState, now: Timestamp): Either.Either<Going, Conflict> =>
  decideBy(state, now, BY_OWNER)

/** Like `decide`, for an operator who deletes the account with a command. Only the text of the mail differs. */
export const decideForOperator = (state: AccountDeletionState, now: Timestamp): Either.Either<Going, Conflict> =>
  decideBy(state, now, BY_OPERATOR)

const decideBy = (
  { account, apps, isLastAdmin }: AccountDeletionState,
  now: Timestamp,
  by: By
): Either.Either<Going, Conflict> =>
  isLastAdmin
    ? Either.left(new Conflict({ reason: LAST_ADMIN }))
    : Either.right({
        requestedAt: now,
        lookAt: now,
        receipt: account.confirmedAt === null ? null : receipt(account, apps, now, by),
        inheritances: inheritances(apps, now)
      })

/**
 * The inheritances, ordered by the heirs' ids. For each mail, the store locks a row of the heir who gets the mail. If
 * two deletions locked the rows of two heirs in different orders, they could deadlock.
 */
const inheritances = (owned: ReadonlyArray<OwnedApp>, now: Timestamp): ReadonlyArray<Inheritance> =>
  owned
    .flatMap(({ app, heir }) => (heir === null ? [] : [{ app, heir }]))
    .sort(Order.mapInput(Order.string, ({ heir }: { readonly heir: UserId }) => heir))
    .map(({ app, heir }) => ({
      notice: TeamNotice.inherited({ appId: app.id, appName: app.name }, { userId: heir }, now),
      audit: {
        at: now,
        userId: heir,
        actor: { _tag: "Teammate", id: NOBODY.id },
        detail: { kind: "team_handed_over", appId: app.id, role: "owner" }
      }
    }))

/** The sentences of the mail that say who deleted the account, and what to do if the owner did not want it. */
interface By {
  readonly how: string
  readonly ifNotYou: string
}

const BY_OWNER: By = {
  how: "with the password and from a browser that was signed in",
  ifNotYou: "If this was not you, tell those who run this service: somebody knows your password."
}

const BY_OPERATOR: By = {
  how: "by those who run this service",
  ifNotYou: "If you did not ask for it, ask those who run this service why."
}

/**
 * Whether an app that no heir takes over is deleted together with the account. An app in production is only revoked.
 * Before production, only its present holder (`App.ownerId`), earlier holders and its test people can have connected
 * the app, so no other user's access log names it.
 */
export const goesEntirely = ({ status }: Pick<App, "status">): boolean => status !== "production"

/** Whether the app is revoked together with the account, because no heir takes it over. */
export const isRevoked = ({ heir }: Pick<OwnedApp, "heir">): boolean => heir === null

/**
 * The times after the deletion, in milliseconds, at which workers check once more for remaining rows. A request that
 * was in flight at the deletion may write rows after the first check.
 */
const LOOKS = [10 * MINUTE, DAY]

/** When workers next check for rows of the deleted account; null after the last check. */
export const nextLook = (requestedAt: Timestamp, now: Timestamp): Timestamp | null => {
  const next = LOOKS.find((after) => requestedAt + after > now)
  return next === undefined ? null : plus(requestedAt, next)
}

/** The key of the mail about the deletion, so that a repeated deletion sends one mail. */
export const receiptKey = (userId: UserId): string => `account_deleted ${userId}`

/**
 * The mail to the account's address. It informs the owner even if somebody else deleted the account. Unlike other
 * mails, it is translated here: when it is sent, the account with its language and time zone no longer exists.
 */
const receipt = (account: Account, owned: ReadonlyArray<OwnedApp>, now: Timestamp, by: By): MailMessage => {
  const apps = owned.filter(isRevoked)
  const inEnglish: MailMessage = {
    to: NOBODY.id,
    address: account.email,
    dedupeKey: receiptKey(account.id),
    subject: "Your account was deleted",
    body: [
      `On ${Words.moment(now)} your account was deleted, ${by.how}.`,
      "Apps can ask nothing more about you, your phones can send nothing more, and you are signed out everywhere. Your places, your history, your access log and everything else of yours are being removed now; that takes minutes, and a day for the last traces.",
      ...(apps.length === 0 ? [] : [`${apps.length === 1 ? "Your app was" : "Your apps were"} revoked.`]),
      "It cannot be undone. With this address you can make a new account at any time.",
      "What apps learned about you before, they keep: ask them to delete it. Backups of the service, if there are any, are kept as long as those who run it keep them.",
      `${by.ifNotYou} This is the last message that we send you, and the address is forgotten once it is sent.`
    ].join("\n\n")
  }
  return forReader(inEnglish, mailLanguageOf(account), Option.getOrNull(zoneOf(account)))
}
