import { Effect, Option } from "effect"
import { type Account, AccountStore, KnownBrowser, type Session } from "../accounts/index.js"
import { announceAudit, type AuditEvent } from "../audit/index.js"
import { Rate, Subject, takeCall } from "../limits/index.js"
import * as Mail from "../mail/Mail.js"
import { MailOutbox } from "../mail/MailOutbox.js"
import { Entropy, program, Timestamp, Vault } from "../shared/index.js"
import * as AccountLink from "./AccountLink.js"
import { CredentialStore } from "./CredentialStore.js"
import { dead, liveLink } from "./liveLink.js"
import * as NewBrowser from "./NewBrowser.js"

const presented = (cookie: string | undefined) =>
  cookie === undefined ? Effect.succeed<ReadonlyArray<KnownBrowser.KnownBrowser>>([]) : KnownBrowser.readCookie(cookie)

export interface CompletedSignIn {
  readonly account: Account.Account
  /** `AccountCredentials.passwordVersion`, read before the proof was checked. */
  readonly passwordVersion: number
  readonly provedBy: NewBrowser.ProvedBy
  /** The cookie of a `KnownBrowser`, if the request has one. */
  readonly knownBrowser: string | undefined
  readonly client: Session.Client
}

/**
 * Callers run this program after a sign-in, before they send the answer. Returns the cookie that makes the browser
 * known to the account. Mails the owner when the browser was not known, except in the first hour after the account was
 * made (decision accounts-16).
 */
export const rememberSignIn = program("rememberSignIn", function* (input: CompletedSignIn) {
  const { account, client, passwordVersion, provedBy } = input
  const now = yield* Timestamp.now
  const before = yield* presented(input.knownBrowser)
  const isKnown = KnownBrowser.entryOf(before, { account, passwordVersion }) !== undefined
  if (!isKnown && NewBrowser.isNews(account, now)) {
    const { sha256 } = yield* Vault.Vault
    yield* (yield* MailOutbox).put(NewBrowser.mail(account, client, provedBy, sha256, now), now)
  }
  return yield* KnownBrowser.issueCookie({ userId: account.id, passwordVersion }, before, now)
})

/**
 * The cookie that makes a browser known to this account, for an owner who has just proved their identity without a
 * sign-in, for example with a mailed link. None when the account was deleted or lost its e-mail address meanwhile.
 */
export const knowBrowser = program(
  "knowBrowser",
  function* (account: Pick<Account.Account, "id" | "email">, cookie: string | undefined) {
    return yield* issueFor(account, yield* presented(cookie))
  }
)

const issueFor = (account: Pick<Account.Account, "id" | "email">, before: ReadonlyArray<KnownBrowser.KnownBrowser>) =>
  Effect.gen(function* () {
    const owner = yield* (yield* AccountStore).findByEmail(account.email)
    if (Option.isNone(owner) || owner.value.account.id !== account.id) return Option.none<string>()
    const known = { userId: account.id, passwordVersion: owner.value.passwordVersion }
    return Option.some(yield* KnownBrowser.issueCookie(known, before, yield* Timestamp.now))
  })

/**
 * Mails a link to the owner. The browser in which the owner uses the link (`useUnlock`) becomes known to the account,
 * so that the owner can sign in while strangers guess passwords. Does nothing when no account has the address, or after
 * three calls for the address in half an hour. An unconfirmed address gets no mail. The caller must answer without
 * waiting for this program, because the response time must not show whether a link was mailed.
 */
export const requestUnlock = program("requestUnlock", function* (email: Account.Email) {
  const vault = yield* Vault.Vault
  const standing = yield* takeCall(Subject.mailboxFor("unlock", vault.sha256(email)), Rate.LINKS)
  const found = yield* (yield* AccountStore).findByEmail(email)
  if (!standing.isAdmitted || Option.isNone(found)) return
  const secret = yield* Entropy.secret
  const link = AccountLink.make("unlock", vault.sha256(secret), found.value.account, yield* Timestamp.now)
  const mail = NewBrowser.unlockMail(link)
  const sealed = yield* vault.seal(secret, Mail.secretContext(mail))
  yield* (yield* CredentialStore).offerLink(link, { ...mail, secret: sealed })
})

/**
 * The account of the link, for the page that the link opens. Changes nothing, because mail scanners also open links.
 */
export const describeUnlock = program("describeUnlock", function* (secret: string) {
  return (yield* liveLink(secret, "unlock")).account
})

/**
 * Uses up the link, and returns the cookie that makes this browser known to the account. A browser that is known
 * already gets a new id, so that its failed attempts do not count any more: because of them, the throttle may refuse
 * further attempts from this browser. The cookie signs nobody in: the owner must still give the password. Fails with
 * `NotFound` when the link does not work any more.
 */
export const useUnlock = program("useUnlock", function* (secret: string, cookie: string | undefined) {
  const { account, link } = yield* liveLink(secret, "unlock")
  let committed: AuditEvent.AuditEvent | undefined
  const isUsed = yield* (yield* CredentialStore).useLink(account.id, link.hash, (state, now) => {
    const event = NewBrowser.unlocked(state, now)
    committed = event ?? undefined
    return event
  })
  if (!isUsed) return yield* dead()
  if (committed !== undefined) yield* announceAudit(committed)
  const others = (yield* presented(cookie)).filter(({ userId }) => userId !== account.id)
  const known = yield* issueFor(account, others)
  return yield* Option.match(known, { onNone: dead, onSome: (issued) => Effect.succeed({ account, cookie: issued }) })
})
