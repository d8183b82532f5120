import { type Mail, runMail } from "@place-access/domain/mail"
import { Effect } from "effect"
import { isLoopbackUrl } from "./Loopback.js"
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

/** Only on the machine of somebody who tries things out: everybody who reaches it may read everybody's messages. */
export const hasMailbox = (smtp: Smtp | null, { baseUrl }: Addresses): boolean =>
  smtp === null && isLoopbackUrl(baseUrl)

/** At every start of whoever sends the mail. */
export const warnings = (smtp: Smtp | null, addresses: Addresses): Effect.Effect<void> =>
  hasMailbox(smtp, addresses)
    ? Effect.logInfo("SMTP_URL is not set: e-mail is not sent; on this machine the server shows it at /dev/mailbox")
    : smtp === null
      ? Effect.logWarning(
          "SMTP_URL is not set: no e-mail is sent, not even when a token leaked. Messages wait for it, for seven days."
        )
      : isLoopbackUrl(addresses.baseUrl)
        ? Effect.logWarning(`BASE_URL is this machine: links in e-mails lead to ${addresses.baseUrl}.`)
        : Effect.void
