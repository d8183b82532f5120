import type { MailMessage } from "../mail/Mail.js"
import * as Words from "../shared/Words.js"
import type { WithApp } from "./ConnectionStore.js"

/** The one e-mail about a leaked refresh token; the key makes it one per connection (Spec §3.1). */
export const message = ({ app, connection }: WithApp): MailMessage => {
  const name = Words.oneLine(app.name)
  return {
    to: connection.userId,
    dedupeKey: `refresh_token_reused ${connection.id}`,
    subject: `${name} was disconnected from your places`,
    body: [
      `We disconnected the app "${name}" from your account.`,
      "A key that the app had already used was presented a second time. That can mean that somebody copied it. To be safe, every key of this connection stopped working at once and the app gets no more answers about you.",
      "You need not do anything. If you still use the app, connect it again from there. Your access log shows everything that was asked while it was connected."
    ].join("\n\n"),
    link: { site: "portal", path: `/connections/${connection.id}`, label: "The connection" }
  }
}
