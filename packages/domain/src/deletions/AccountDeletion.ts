// What happens when an account is deleted. Decisions deletions-1, deletions-4, deletions-5 and deletions-6.
import { Either, Order } from "effect"
import { type Account, DisplayName, Email } from "../accounts/Account.js"
import type { App } from "../apps/App.js"
import type { AuditEvent } from "../audit/AuditEvent.js"
import type { MailMessage } from "../mail/Mail.js"
import { Conflict, UserId, Words } from "../shared/index.js"
import { DAY, make, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"
import * as TeamNotice from "../teams/TeamNotice.js"

/**
 * The account that stands in for deleted accounts: reviews by a deleted account, and revoked apps of a deleted account,
 * name this account. Nobody can sign in with it, and it gets no mail.
 */
export const NOBODY: Account = {
  id: UserId.make("deleted_account"),
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

/** An app of the deleted account. */
export interface OwnedApp {
  readonly app: App
  /**
   * The owner in the app's team who takes the app over; null: there is none, so the app is revoked (decision teams-4).
   */
  readonly heir: UserId | null
}

/** An app of the account, and how many other people have connected it; test people do not count. */
export interface CountedApp extends OwnedApp {
  readonly people: number
}

/** What the decision reads under the account's lock. */
export interface AccountDeletionState {
  readonly account: Account
  /** Whether the account is an admin and no other admin is left who is not suspended. */
  readonly isLastAdmin: boolean
  /** Revoked apps are included. */
  readonly apps: ReadonlyArray<OwnedApp>
}

/**
 * What deleting the account would do, for its owner to read. Counting the people of an app may take seconds, so the
 * decision, which other people's sign-ins may have to wait for, does not know these numbers.
 */
export interface Outlook extends AccountDeletionState {
  readonly apps: ReadonlyArray<CountedApp>
}

/**
 * The decision to delete an account, which `AccountDeletionStore.begin` carries out in one transaction. From `lookAt`
 * on, workers delete the rows that remain.
 */
export interface Going {
  readonly requestedAt: Timestamp
  readonly lookAt: Timestamp
  /** The mail about the deletion. Null when the address was not confirmed, because it may belong to a stranger. */
  readonly receipt: MailMessage | null
  /** One for each app that an heir takes over. */
  readonly inheritances: ReadonlyArray<Inheritance>
}

/** What the new holder of an app learns, by mail and in the audit log. Neither names the deleted account. */
export interface Inheritance {
  readonly notice: MailMessage
  readonly audit: AuditEvent
}

export const LAST_ADMIN = "you are the only admin: the service needs another one first"

/** The reason in the revocation of the account's apps, for their users, reviewers and admins. */
export const REVOKED_NOTE = "Its developer deleted their account."

/** Every account can be deleted except the last admin's: without an admin, nobody could run the service any more. */
export const decide = (state: AccountDeletionState, now: Timestamp): Either.Either<Going, Conflict> =>
  decideBy(state, now, BY_OWNER)

/** Like `decide`, for an operator who deletes the account with a command. */
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
 * The inheritances, in the order of the heirs' ids. For each mail the store locks a row of its reader, so two deletions
 * that lock the rows of two heirs in different orders could deadlock.
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

/** How the mail says who deleted the account, and what to do about it. */
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
 * Whether an app that no heir takes over is deleted together with the account. Otherwise it is only revoked. Before
 * production, only its present owner (`App.ownerId`), earlier owners and its test people can have connected the app, so
 * no other user's access log names it.
 */
export const goesEntirely = ({ status }: Pick<App, "status">): boolean => status !== "production"

/** Whether the app is revoked together with the account, because no heir takes it over. */
export const isRevoked = ({ heir }: Pick<OwnedApp, "heir">): boolean => heir === null

/**
 * Workers check for remaining rows again at these times after the deletion, in milliseconds. A request that was in
 * flight at the deletion may write rows after the first check.
 */
const LOOKS = [10 * MINUTE, DAY]

/** When workers next check for rows of the deleted account; null after the last check. */
export const nextLook = (requestedAt: Timestamp, now: Timestamp): Timestamp | null => {
  const next = LOOKS.find((after) => requestedAt + after > now)
  return next === undefined ? null : plus(requestedAt, next)
}

/** The key of the mail about the deletion, so that a repeated deletion sends one mail. */
export const receiptKey = (userId: UserId): string => `account_deleted ${userId}`

/** The mail to the account's address. It informs the owner even if somebody else deleted the account. */
const receipt = ({ email, id }: Account, owned: ReadonlyArray<OwnedApp>, now: Timestamp, by: By): MailMessage => {
  const apps = owned.filter(isRevoked)
  return {
    to: NOBODY.id,
    address: email,
    dedupeKey: receiptKey(id),
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
}
