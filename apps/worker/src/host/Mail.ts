import { type Mail, runMail } from "@place-access/domain/mail"
import { Effect } from "effect"
import { isLoopback, isLoopbackUrl } from "./Loopback.js"
import type { Addresses } from "./Settings.js"
import type { Smtp } from "./Smtp.js"
import * as SmtpMailer from "./SmtpMailer.js"

/** Where links in messages lead. A portal address without a path shares its root with the front page. */
const sites = ({ baseUrl, userPortalUrl }: Addresses): Mail.Addresses => ({
  service: baseUrl,
  portal: new URL(userPortalUrl).pathname === "/" ? `${userPortalUrl}/portal` : userPortalUrl
})

/** Sends mail until interrupted; without a mail server nothing. */
export const sending = (smtp: Smtp | null, addresses: Addresses) =>
  smtp === null ? Effect.void : Effect.provide(runMail(sites(addresses)), SmtpMailer.layer(smtp))

/**
 * Everybody who reaches the mailbox may read everybody's messages. So there is one only on the machine of somebody who tries the
 * service out: no mail server, and a server that is reached under a name of this machine and listens (`host`) to this machine.
 */
export const hasMailbox = (smtp: Smtp | null, { baseUrl }: Addresses, host: string): boolean =>
  smtp === null && isLoopbackUrl(baseUrl) && isLoopback(host)

/** At every start of a program that sends mail. `host` is where the server listens; a worker does not know it. */
export const warnings = (smtp: Smtp | null, addresses: Addresses, host?: string): Effect.Effect<void> => {
  if (smtp !== null) {
    return isLoopbackUrl(addresses.baseUrl)
      ? Effect.logWarning(`BASE_URL is this machine: links in e-mails lead to ${addresses.baseUrl}.`)
      : Effect.void
  }
  if (!isLoopbackUrl(addresses.baseUrl)) {
    return Effect.logWarning(
      "SMTP_URL is not set: no e-mail is sent, not even when a token leaked. Messages wait for it, for seven days."
    )
  }
  return host === undefined || hasMailbox(smtp, addresses, host)
    ? Effect.logInfo("SMTP_URL is not set: e-mail is not sent; a server of this machine shows it at /dev/mailbox")
    : Effect.logWarning(
        `SMTP_URL is not set: e-mail is not sent. /dev/mailbox is off, because other machines reach HOST ${host}: ` +
          "anybody could read the messages there. Set SMTP_URL, or HOST to 127.0.0.1."
      )
}
