import { Effect, Option } from "effect"
import {
  Account,
  AccountStore,
  choosePassword,
  type NewAccount,
  PasswordHasher,
  signUp,
  WrongCredentials
} from "../accounts/index.js"
import { announceAudit } from "../audit/index.js"
import { Rate, Subject } from "../limits/index.js"
import * as Mail from "../mail/Mail.js"
import * as History from "../retention-choice/History.js"
import { Conflict, Entropy, Forbidden, Language, program, Timestamp, UserId, Vault } from "../shared/index.js"
import { admitLink } from "./admitLink.js"
import { CredentialStore } from "./CredentialStore.js"
import { dead } from "./liveLink.js"
import * as SignUpRequest from "./SignUpRequest.js"

export interface SignUpByMail extends NewAccount {
  /** The network address of the request. */
  readonly address: string
  /** The page that the person wanted to open; `confirmSignUp` returns it. */
  readonly returnTo?: string
  /** The language of the browser, for the mail; English if it is left out. */
  readonly language?: Language.Language
}

/**
 * Signs a person up in a service that can send mail: mails a link to the address, with which `confirmSignUp` makes the
 * account. When an account has confirmed the address already, its owner gets a mail without the link. The answer and
 * the response time are the same in both cases, so that strangers cannot find out who has an account. The answer is
 * also the same when the rate limit stops the mail. Returns the id of the account that the sign-up would become, with
 * which `resendSignUp` finds this sign-up. Fails with `Forbidden` while sign-up is closed, and with `Invalid` for a
 * password that attackers try first.
 */
export const requestSignUp = program("requestSignUp", function* (input: SignUpByMail, policy: "open" | "closed") {
  if (policy === "closed") return yield* new Forbidden({ reason: "sign-up is closed" })
  const { email, keep = History.DEFAULT, returnTo = "/" } = input
  const displayName = input.displayName ?? Account.nameFrom(email)
  const passwordHash = yield* choosePassword(input.password, { email, displayName })
  const userId = UserId.make(yield* Entropy.id("usr"))
  yield* mailLink({ userId, email, displayName, passwordHash, keep, returnTo }, input)
  return userId
})

/**
 * Signs a person up in the way of this service (decision A1). Where every address counts as confirmed (`AddressRule`),
 * makes the account immediately (`signUp`), and returns the account. Otherwise mails a link (`requestSignUp`), and
 * returns the id of the sign-up that waits.
 */
export const beginSignUp = program(
  "beginSignUp",
  function* (input: SignUpByMail, policy: "open" | "closed", rule: Account.AddressRule) {
    return rule === "assumed"
      ? ({ _tag: "Made", account: yield* signUp(input, policy) } as const)
      : ({ _tag: "Mailed", userId: yield* requestSignUp(input, policy) } as const)
  }
)

export interface ResendSignUp {
  readonly email: Account.Email
  /** The network address of the request. */
  readonly address: string
  /** The id that `requestSignUp` returned, if the caller knows it. */
  readonly userId?: UserId | undefined
  /** The language of the browser that asks, for the mail; English if it is left out. */
  readonly language?: Language.Language
}

/**
 * Mails a new link for the newest sign-up with this address and, if it is given, this `userId`. Without the id, the
 * link may be that of a stranger who signed up with the address later, and would not work with this person's password.
 * Does nothing when no sign-up waits, when too many mails were sent, or while sign-up is closed: otherwise a person
 * could renew, day after day, a sign-up that began before sign-up was closed. The caller must answer without waiting
 * for this program, because the response time must not show whether a mail was sent.
 */
export const resendSignUp = program("resendSignUp", function* (input: ResendSignUp, policy: "open" | "closed") {
  if (policy === "closed") return
  const waiting = yield* (yield* CredentialStore).newestSignUp(input.email, yield* Timestamp.now, input.userId)
  if (Option.isSome(waiting)) yield* mailLink(waiting.value, input)
})

type Waiting = Parameters<typeof SignUpRequest.withLink>[0]

/**
 * Stores a sign-up and mails its link. The sign-up is stored even when an account has confirmed the address, so that
 * the response takes the same time. In this case nobody gets the secret of the link. An account that never confirmed
 * the address does not block the address for others, and its owner gets no mail about the sign-up.
 *
 * Unlike other mails, the mail with the link is translated here: there is no account whose language the worker could
 * find when it sends the mail. The times in this mail stay in UTC, because no time zone is known.
 */
const mailLink = (
  waiting: Waiting,
  { address, language = Language.DEFAULT }: Pick<ResendSignUp, "address" | "language">
) =>
  Effect.gen(function* () {
    const vault = yield* Vault.Vault
    const owner = yield* (yield* AccountStore).findByEmail(waiting.email)
    const mailbox = vault.sha256(waiting.email)
    const ofNetwork = Subject.signUpMail(mailbox, address)
    const isAdmitted = yield* admitLink(ofNetwork, Rate.LINKS, Subject.signUpMail(mailbox))
    const secret = yield* Entropy.secret
    const request = SignUpRequest.withLink(waiting)(vault.sha256(secret), yield* Timestamp.now)
    const mail = Mail.forReader(SignUpRequest.confirmMail(request), language, null)
    const sealed = yield* vault.seal(secret, Mail.secretContext(mail))
    if (!isAdmitted) return
    const confirmedOwner = Option.filter(owner, ({ account }) => account.confirmedAt !== null)
    yield* (yield* CredentialStore).requestSignUp(
      request,
      Option.match(confirmedOwner, {
        onNone: () => ({ ...mail, secret: sealed }),
        onSome: ({ account }) => SignUpRequest.haveAccountMail(account, request)
      })
    )
  })

/**
 * The sign-up of this link, and whether an account would lose its unconfirmed address to this sign-up. Fails with
 * `NotFound` when an account has confirmed the address, the link has expired, or there is no such link: the answer does
 * not say which.
 */
export const describeSignUp = program("describeSignUp", function* (secret: string) {
  if (!Entropy.isSecret(secret)) return yield* dead()
  const found = yield* (yield* CredentialStore).findSignUp((yield* Vault.Vault).sha256(secret))
  const now = yield* Timestamp.now
  const request = yield* Effect.mapError(
    Option.filter(found, (one) => SignUpRequest.isLive(one, now)),
    dead
  )
  const holder = yield* (yield* AccountStore).findByEmail(request.email)
  // After the sign-up, an account may have confirmed the address by a link of its own, or with an operator's help. Then
  // the link of the sign-up no longer works.
  if (Option.exists(holder, ({ account }) => account.confirmedAt !== null)) return yield* dead()
  return { ...request, takesAddress: Option.isSome(holder) }
})

/**
 * Makes the account of a sign-up. The link proves that the person reads the mail, and the password proves that the same
 * person signed up. So somebody who signs up with another person's address gets no account when that person opens the
 * link. Returns the account, and the page that the person wanted to open. Fails with:
 * - `WrongCredentials` for a password that is not the one of the sign-up
 * - `NotFound` for a link that does not work any more
 * - `Conflict` when an account confirms the address during the call
 */
export const confirmSignUp = program("confirmSignUp", function* (secret: string, password: string) {
  const request = yield* describeSignUp(secret)
  if (!(yield* (yield* PasswordHasher).verify(request.passwordHash, password))) return yield* new WrongCredentials()
  let confirmed: SignUpRequest.ConfirmedSignUp | null | undefined
  const outcome = yield* (yield* CredentialStore).confirmSignUp(
    request.hash,
    (found, now) => (confirmed = SignUpRequest.confirm(found, now))
  )
  if (outcome === "Taken") return yield* new Conflict({ reason: Account.EMAIL_TAKEN })
  if (outcome === "Refused" || !confirmed) return yield* dead()
  yield* announceAudit(confirmed.audit)
  return { account: confirmed.account, returnTo: request.returnTo }
})
