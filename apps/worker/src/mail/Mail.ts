import type { Account } from "@place-access/domain/accounts"
import type { PeopleLeases } from "@place-access/domain/leases"
import { type Mail, runMail } from "@place-access/domain/mail"
import { Effect } from "effect"
import { isLoopback, isLoopbackUrl } from "../process/Loopback.js"
import type { PublicAddresses } from "../settings/Settings.js"
import type { Smtp } from "../settings/Smtp.js"
import * as SmtpMailer from "./SmtpMailer.js"

/**
 * The addresses for links in messages. When the address of the portal has no path, the front page of the service has
 * the same address. So links to the portal get the path `/portal`.
 */
const sites = ({ baseUrl, userPortalUrl }: PublicAddresses): Mail.MailLinks => ({
  service: baseUrl,
  portal: new URL(userPortalUrl).pathname === "/" ? `${userPortalUrl}/portal` : userPortalUrl
})

/**
 * Sends mail to the people whose leases this worker has (`people`), until it is interrupted. Does nothing without a
 * mail server.
 */
export const sending = (smtp: Smtp | null, addresses: PublicAddresses, people: PeopleLeases) =>
  smtp === null ? Effect.void : Effect.provide(runMail(sites(addresses), people), SmtpMailer.layer(smtp))

/**
 * Whether the server shows messages at /dev/mailbox. Everybody who can open this page can read every message, so the
 * page exists only for a person who tries the service out: there is no mail server, BASE_URL is a name of this machine,
 * and the server listens (`host`) on this machine only.
 */
export const hasMailbox = (smtp: Smtp | null, { baseUrl }: PublicAddresses, host: string): boolean =>
  smtp === null && isLoopbackUrl(baseUrl) && isLoopback(host)

/**
 * The rule for new e-mail addresses. Addresses count as confirmed ("assumed") only where no mail can be sent and the
 * service is for this machine alone. Elsewhere, somebody could sign up with another person's address.
 */
export const addressRule = (smtp: Smtp | null, addresses: PublicAddresses, host: string): Account.AddressRule =>
  hasMailbox(smtp, addresses, host) ? "assumed" : "confirmed"

/**
 * Logs what the settings for mail mean, at the start of a program. `host` is the address that the server listens on; a
 * worker leaves it out, because it does not read HOST.
 */
export const warnings = (smtp: Smtp | null, addresses: PublicAddresses, host?: string): Effect.Effect<void> => {
  if (smtp !== null) {
    return isLoopbackUrl(addresses.baseUrl)
      ? Effect.logWarning(`BASE_URL is this machine: links in e-mails lead to ${addresses.baseUrl}.`)
      : Effect.void
  }
  if (!isLoopbackUrl(addresses.baseUrl)) {
    return Effect.logWarning(
      "SMTP_URL is not set: no e-mail is sent, not even when a token leaked. Messages wait in the outbox for seven days. " +
        "Nobody can confirm an e-mail address, so nobody can sign up: make accounts with account create."
    )
  }
  return host === undefined || hasMailbox(smtp, addresses, host)
    ? Effect.logInfo(
        "SMTP_URL is not set: no e-mail is sent. The server shows the messages at /dev/mailbox, and every e-mail address " +
          "counts as confirmed."
      )
    : Effect.logWarning(
        `SMTP_URL is not set: e-mail is not sent. /dev/mailbox is off, because other machines reach HOST ${host}: ` +
          "anybody could read the messages there. Nobody can confirm an e-mail address, so nobody can sign up. " +
          "Set SMTP_URL, or HOST to 127.0.0.1, or make accounts with account create."
      )
}
