import { Effect, Option } from "effect"
import { Account, AccountStore, choosePassword } from "../accounts/index.js"
import { announceAudit } from "../audit/index.js"
import { Rate, Subject, takeCall } from "../limits/index.js"
import * as Mail from "../mail/Mail.js"
import { Conflict, Entropy, Invalid, program, Timestamp, Vault } from "../shared/index.js"
import * as AccountLink from "./AccountLink.js"
import * as AddressChange from "./AddressChange.js"
import { admitLink } from "./admitLink.js"
import { CredentialStore } from "./CredentialStore.js"
import { dead, liveLink } from "./liveLink.js"
import { isReleased } from "./SignUpRequest.js"

/**
 * Whether a link may be mailed. A link to the account's present address counts against a limit of this account only.
 * Otherwise strangers who request links to the same mailbox could keep the owner from confirming the address.
 */
const mayMail = ({ email, newEmail, userId }: AccountLink.AccountLink) =>
  Effect.gen(function* () {
    const mailbox = (yield* Vault.Vault).sha256(newEmail ?? email)
    if (newEmail === null) return (yield* takeCall(Subject.confirmationLink(mailbox, userId), Rate.LINKS)).isAdmitted
    return yield* admitLink(Subject.addressLink(mailbox, userId), Rate.ADDRESS_CHANGES, Subject.addressLink(mailbox))
  })

/**
 * Stores a link and mails it. Does nothing when too many links were requested lately (`mayMail`). `owner`: another
 * account that has confirmed the address; then a mail without the link goes to that account's owner.
 */
const offer = (
  link: AccountLink.AccountLink,
  secret: string,
  owner: Option.Option<{ readonly account: Account.Account }>
) =>
  Effect.gen(function* () {
    const isAdmitted = yield* mayMail(link)
    const mail = AddressChange.confirmMail(link)
    const sealed = yield* (yield* Vault.Vault).seal(secret, Mail.secretContext(mail))
    if (!isAdmitted) return
    yield* (yield* CredentialStore).offerLink(
      link,
      Option.isSome(owner) ? AddressChange.takenMail(owner.value.account, link) : { ...mail, secret: sealed }
    )
  })

const fresh = Effect.gen(function* () {
  const secret = yield* Entropy.secret
  return { secret, hash: (yield* Vault.Vault).sha256(secret) }
})

/**
 * Mails a link that confirms the account's present address. Does nothing when the address is confirmed, when the
 * account has only a placeholder (`isReleased`), or when too many links were requested lately (`mayMail`).
 */
export const requestConfirmation = program("requestConfirmation", function* (account: Account.Account) {
  if (account.confirmedAt !== null || isReleased(account)) return
  const { hash, secret } = yield* fresh
  const link = AccountLink.make("address_confirmation", hash, account, yield* Timestamp.now)
  yield* offer(link, secret, Option.none())
})

/**
 * Mails a link to a new address. With this link, `confirmAddress` changes the account's address. When another account
 * has confirmed the address, its owner gets a mail without the link. When too many links were requested lately, nobody
 * gets a mail. In both cases the caller gets the same answer. Fails with `Invalid` for the present address. The caller
 * must call `requireFreshSession` first, because somebody else may use a browser that was left open.
 */
export const requestAddressChange = program(
  "requestAddressChange",
  function* (account: Account.Account, newEmail: Account.Email) {
    if (newEmail === account.email) return yield* Invalid.of("email", "is the address that you have")
    const other = yield* (yield* AccountStore).findByEmail(newEmail)
    const { hash, secret } = yield* fresh
    const link = AccountLink.make("address_change", hash, account, yield* Timestamp.now, { newEmail })
    const owner = Option.filter(other, ({ account }) => account.confirmedAt !== null)
    yield* offer(link, secret, owner)
  }
)

/**
 * The address that the link confirms, for the page that the link opens. Fails with `NotFound` when the link does not
 * work, or is a link of another account.
 */
export const describeConfirmation = program(
  "describeConfirmation",
  function* (account: Account.Account, secret: string) {
    const { link } = yield* liveLink(secret, "address_confirmation", "address_change")
    return link.userId === account.id ? { newEmail: link.newEmail, email: link.email } : yield* dead()
  }
)

/**
 * Confirms the present address of the signed-in account, or changes the address to the one that got the link. After a
 * change, the old address gets a mail with a link that undoes the change, if the old address counted as confirmed. The
 * link proves that the person reads the mail, and the session proves that the account is theirs. Returns the account
 * with its new address. Fails with `NotFound` when the link does not work any more, or is a link of another account.
 * Fails with `Conflict` when another account has confirmed the address meanwhile.
 */
export const confirmAddress = program(
  "confirmAddress",
  function* (account: Account.Account, secret: string, rule: Account.AddressRule) {
    const { link } = yield* liveLink(secret, "address_confirmation", "address_change")
    if (link.userId !== account.id) return yield* dead()
    const undo = yield* fresh
    const sealed = yield* (yield* Vault.Vault).seal(
      undo.secret,
      Mail.secretContext({ to: account.id, dedupeKey: AddressChange.undoKey(undo.hash) })
    )
    yield* replace(link, AddressChange.confirm(rule, { hash: undo.hash, sealed }))
    return yield* Effect.mapError(yield* (yield* AccountStore).find(account.id), dead)
  }
)

/**
 * Uses the link, then logs a line for each audit event that was stored. Returns these events. Fails with `NotFound`
 * when the link does not work any more, and with `Conflict` when another account has confirmed the address meanwhile.
 */
const replace = (link: AccountLink.AccountLink, decide: ReturnType<typeof AddressChange.undo>) =>
  Effect.gen(function* () {
    let decided: AddressChange.AddressReplacement | null | undefined
    const outcome = yield* (yield* CredentialStore).replaceAddress(
      link.userId,
      link.hash,
      (state, now) => (decided = decide(state, now))
    )
    if (outcome === "Taken") return yield* new Conflict({ reason: Account.EMAIL_TAKEN })
    if (outcome === "Refused" || !decided) return yield* dead()
    yield* Effect.forEach(decided.audit, announceAudit, { discard: true })
    return decided.audit
  })

/**
 * The account, and the address that the link brings back, for the page that the link opens. Changes nothing, because
 * mail scanners also open links.
 */
export const describeUndo = program("describeUndo", function* (secret: string) {
  const { account, link } = yield* liveLink(secret, "address_undo")
  return { account, email: link.email }
})

/**
 * Gives the account back the address that the link was mailed to, and sets a new password, because a thief who changed
 * the address may know the old password. Every session ends, and so does every link of the account except older undo
 * links. The factors that the thief may have added are removed (decision accounts-13). Returns the account's id and
 * restored address, and whether a factor was removed. Fails with:
 * - `NotFound` when the link does not work any more
 * - `Invalid` for a password that attackers try first
 * - `Conflict` when another account has confirmed the address meanwhile
 */
export const undoAddressChange = program(
  "undoAddressChange",
  function* (secret: string, password: Account.Password, rule: Account.AddressRule) {
    const { account, link } = yield* liveLink(secret, "address_undo")
    const passwordHash = yield* choosePassword(password, { email: link.email, displayName: account.displayName })
    const stored = yield* replace(link, AddressChange.undo(rule, passwordHash))
    return { id: account.id, email: link.email, losesFactors: AddressChange.losesFactor(stored) }
  }
)
