// The mail about a sign-in from an unknown browser, and the link that makes a browser known. Decisions accounts-15 and
// accounts-16.
import type { Account } from "../accounts/Account.js"
import * as AuditEvent from "../audit/AuditEvent.js"
import { network } from "../limits/Network.js"
import type { Client } from "../accounts/Session.js"
import { LOOK } from "../mail/Advice.js"
import type { Link, MailMessage } from "../mail/Mail.js"
import { type Vault, Words } from "../shared/index.js"
import { DAY, HOUR, type Timestamp } from "../shared/Timestamp.js"
import { type AccountLink, isLive } from "./AccountLink.js"
import type { CredentialState } from "./PasswordChange.js"

/** For this long after an account was made, a sign-in from an unknown browser sends no mail. */
const SETTLING = HOUR

/** Whether to mail the owner about a sign-in from an unknown browser. */
export const isNews = ({ createdAt }: Account, now: Timestamp): boolean => now - createdAt >= SETTLING

/** How the person proved who they are: with the password, with or without a second factor, or with a passkey alone. */
export type ProvedBy = "password" | "passkey"

/** What the mail says about the proof, and the page where the owner can stop others from using this proof. */
const PROOFS: Readonly<Record<ProvedBy, { readonly how: string; readonly advice: string; readonly link: Link }>> = {
  password: {
    how: "with your password",
    advice:
      "If it was you, do nothing. If it was not you, somebody knows your password: set a new one now, which signs everybody out.",
    link: { site: "service", path: "/forgot-password", label: "Set a new password" }
  },
  passkey: {
    how: "with a passkey",
    advice:
      "If it was you, do nothing. If it was not you, somebody can use one of your passkeys: remove that passkey now, and then set a new password, which signs everybody out.",
    link: { site: "portal", path: "/settings/second-factor", label: "Your second factor" }
  }
}

/**
 * The mail about a sign-in from an unknown browser. The owner gets at most one mail a day for each browser and network.
 * Without this limit, a program that keeps no cookies would cause a mail at each of its sign-ins.
 */
export const mail = (
  { id }: Account,
  { address, browser }: Client,
  provedBy: ProvedBy,
  sha256: (text: string) => Vault.Hash,
  now: Timestamp
): MailMessage => {
  const { advice, how, link } = PROOFS[provedBy]
  const from = sha256(`${browser ?? ""}\n${address === null ? "" : network(address)}`).slice(0, 24)
  return {
    to: id,
    dedupeKey: `new_browser ${Math.floor(now / DAY)} ${from}`,
    subject: "A new browser signed in to your account",
    body: [
      `On ${Words.moment(now)} somebody signed in to your account ${how}: ${browser ?? "a browser or a program that we do not know"}, from the network address ${address ?? "unknown"}. You did not sign in with this browser before.`,
      advice,
      LOOK
    ].join("\n\n"),
    link,
    furtherLinks: [{ site: "portal", path: "/settings/sessions", label: "Where you are signed in" }]
  }
}

/** The mail with an unlock link. The caller adds the encrypted secret of the link. */
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
    ? AuditEvent.byOwner(account.id, now, { kind: "unlocked" })
    : null
