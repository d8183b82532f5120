// The mails to an account's owner about its factors. Decision factors-6.
import type { Account } from "../accounts/Account.js"
import { NOT_YOU } from "../mail/Advice.js"
import type { Link, MailMessage } from "../mail/Mail.js"
import { Words } from "../shared/index.js"
import { DAY, type Timestamp } from "../shared/Timestamp.js"
import { MAX_WRONG_CODES, opensAt, WARNED_CODES } from "./Factors.js"

const PAGE: Link = { site: "portal", path: "/settings/second-factor", label: "Your second factor" }

/**
 * The mail goes to the address that the account had when the factors changed. Otherwise a thief who changes the address
 * afterwards would get the mail (decision accounts-13). An address that nobody confirmed may belong to a stranger, so
 * the result is empty.
 */
const addressOf = ({ confirmedAt, email }: Account): Pick<MailMessage, "address"> =>
  confirmedAt === null ? {} : { address: email }

/** `every`: a period in milliseconds. Of the mails of one kind in one period, only the first is sent. */
const mail =
  (kind: string, subject: string, say: (at: string) => string, notYou = NOT_YOU, every = 1) =>
  (account: Account, now: Timestamp): MailMessage => ({
    to: account.id,
    ...addressOf(account),
    dedupeKey: `${kind} ${Math.floor(now / every)}`,
    subject,
    body: [say(Words.moment(now)), notYou].join("\n\n"),
    link: PAGE,
    furtherLinks: [{ site: "service", path: "/forgot-password", label: "Set a new password" }]
  })

export const passkeyAdded = (name: string) =>
  mail(
    "passkey_added",
    "A passkey was added to your account",
    (at) => `On ${at} the passkey “${name}” was added to your account. It signs you in, with or without the password.`
  )

export const codeAppAdded = mail(
  "code_app_added",
  "One-time codes were switched on for your account",
  (at) => `On ${at} an app for one-time codes was added to your account. From now on a sign-in asks for a code of it.`
)

export const passkeyRemoved = (name: string) =>
  mail(
    "passkey_removed",
    "A passkey was removed from your account",
    (at) => `On ${at} the passkey “${name}” was removed from your account. It signs nobody in any more.`
  )

export const codeAppRemoved = mail(
  "code_app_removed",
  "One-time codes were switched off for your account",
  (at) => `On ${at} the app for one-time codes was removed from your account. Its codes count no more.`
)

export const codesMade = mail(
  "recovery_codes_made",
  "New recovery codes were made for your account",
  (at) => `On ${at} new recovery codes were made for your account. The ones before count no more.`
)

export const codeUsed = (left: number) =>
  mail(
    "recovery_code_used",
    "A recovery code of your account was used",
    (at) =>
      `On ${at} a recovery code was used in place of your second factor. ${left === 0 ? "It was the last one: make new ones now." : `${Words.count(left, "recovery code")} ${left === 1 ? "is" : "are"} left.`}`
  )

/** At most one mail a day: otherwise somebody who guesses codes could cause many mails. */
export const codesGuessed = mail(
  "codes_guessed",
  "Somebody types wrong one-time codes for your account",
  (at) =>
    `Until ${at}, somebody who knows your password typed ${WARNED_CODES} or more wrong one-time codes in a row. After ${MAX_WRONG_CODES} wrong codes in a row, the codes of your app count no more until you use a passkey or a recovery code.`,
  "If it was you, do nothing. If it was not you, somebody knows your password: set a new one now.",
  DAY
)

export const passkeyCopied = (name: string) =>
  mail(
    "passkey_copied",
    "A passkey of your account may have been copied",
    (at) =>
      `On ${at} somebody tried to use the passkey “${name}” with an old count of signatures. This happens when a passkey was copied. We did not accept it.`,
    "Remove this passkey and add a new one. If you did not use it then, set a new password as well."
  )

/**
 * The mail about an operator's request to remove the factors. While the account is not suspended, the owner can stop
 * the removal: with any use of a factor, or with a button on the page.
 */
export const removalRequested = (account: Account, now: Timestamp): MailMessage => ({
  to: account.id,
  ...addressOf(account),
  dedupeKey: `factor_removal_requested ${now}`,
  subject: "Somebody asked to remove your second factor",
  body: [
    `On ${Words.moment(now)} somebody told those who run this service that you lost your second factor. They can remove it from ${Words.moment(opensAt({ requestedAt: now }))} on, and not before. After that, the password alone signs in.`,
    "If it was you, wait until then.",
    "If it was not you, sign in with your second factor, or open the page below in a browser that is signed in and press “Keep my second factor”. Either stops it at once."
  ].join("\n\n"),
  link: PAGE
})

export const removed = mail(
  "factors_removed",
  "Your second factor was removed",
  (at) =>
    `On ${at} those who run this service removed the second factor of your account, as it was asked for three days before or earlier. Every browser was signed out. The password alone signs in now.`,
  "Sign in and set up a new second factor. If you did not ask for this, set a new password at once and tell those who run this service."
)
