// The mail about a sign-in from an unknown browser, and the link that makes a browser known. Decisions accounts-15 and
// accounts-16.
import type { Account } from "../accounts/Account.js"
import * as AuditEvent from "../audit/AuditEvent.js"
import { network } from "../accounts/SignInThrottle.js"
import type { Client } from "../accounts/Session.js"
import type { MailMessage } from "../mail/Mail.js"
import { type Vault, Words } from "../shared/index.js"
import { DAY, HOUR, type Timestamp } from "../shared/Timestamp.js"
import { type AccountLink, isLive } from "./AccountLink.js"
import type { CredentialState } from "./PasswordChange.js"

/** For this long after an account was made, every sign-in counts as its owner's. */
const SETTLING = HOUR

/** Whether to mail the owner about a sign-in from an unknown browser. */
export const isNews = ({ createdAt }: Account, now: Timestamp): boolean => now - createdAt >= SETTLING

/**
 * The mail about a sign-in from an unknown browser. The owner gets at most one a day for each browser and network,
 * because a program without cookies is unknown at each of its sign-ins.
 */
export const mail = (
  { id }: Account,
  { address, browser }: Client,
  sha256: (text: string) => Vault.Hash,
  now: Timestamp
): MailMessage => {
  const from = sha256(`${browser ?? ""}\n${address === null ? "" : network(address)}`).slice(0, 24)
  return {
    to: id,
    dedupeKey: `new_browser ${Math.floor(now / DAY)} ${from}`,
    subject: "A new browser signed in to your account",
    body: [
      `On ${Words.moment(now)} somebody signed in to your account with your password: ${browser ?? "a browser or a program that we do not know"}, from the network address ${address ?? "unknown"}. You did not sign in with this browser before.`,
      "If it was you, do nothing. If it was not you, somebody knows your password: set a new one now, which signs everybody out. Then look at your connected apps and your phones for what you do not know."
    ].join("\n\n"),
    link: { site: "service", path: "/forgot-password", label: "Set a new password" },
    furtherLinks: [{ site: "portal", path: "/settings/sessions", label: "Where you are signed in" }]
  }
}

/** The mail with an unlock link. The caller adds the link's secret, encrypted. */
export const unlockMail = (link: AccountLink): MailMessage => ({
  to: link.userId,
  dedupeKey: `unlock ${link.createdAt} ${link.hash.slice(0, 12)}`,
  subject: "Sign in although others guess your password",
  body: [
    `Somebody typed wrong passwords for your account, ${link.email}, so sign-in is closed to browsers that we do not know. If it was you who asked for this mail, open the link in the browser in which you want to sign in. It works once, until ${Words.moment(link.expiresAt)}. You need your password as well.`,
    "If it was not you, do nothing. Nobody can use the link who cannot read your mail. Never pass it on."
  ].join("\n\n"),
  link: { site: "service", path: "/unlock?token=", label: "Let this browser sign in" }
})

/** The audit event of an unlock link that is used now. Null when the link does not work any more. */
export const unlocked = ({ account, link }: CredentialState, now: Timestamp): AuditEvent.AuditEvent | null =>
  link !== null && isLive(link, "unlock", account, now)
    ? { at: now, userId: account.id, actor: AuditEvent.OWNER, detail: { kind: "unlocked" } }
    : null
