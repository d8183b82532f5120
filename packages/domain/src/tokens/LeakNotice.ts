// The mail and the writes after a leak of a token or code (decision M9).
import type { MailMessage } from "../mail/Mail.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Words from "../shared/Words.js"
import type { EndReason } from "../connection/Connection.js"
import type { WithApp, Write } from "../connection/ConnectionStore.js"

/** The kind of leak: a spent refresh token, or an exchanged authorization code, was presented again. */
export type Leak = Extract<EndReason, "refresh_token_reused" | "code_reused">

/**
 * The e-mail to the user about a leak, at most one for each connection (Spec §3.1). A developer can cause leaks of
 * their own app at any time, so this mail counts against the limit of mails with an app's name.
 */
export const message = (leak: Leak, { app, connection }: WithApp): MailMessage => {
  const name = Words.oneLine(app.name)
  return {
    to: connection.userId,
    dedupeKey: `${leak} ${connection.id}`,
    subject: `${name} was disconnected from your places`,
    naming: {
      _tag: "Leak",
      subject: "An app was disconnected from your places",
      body: ["We disconnected an app from your account.", ...explained(leak)].join("\n\n")
    },
    body: [`We disconnected the app "${name}" from your account.`, ...explained(leak)].join("\n\n"),
    link: { site: "portal", path: `/connections/${connection.id}`, label: "The connection" }
  }
}

const explained = (leak: Leak): ReadonlyArray<string> => [
  `A ${leak === "code_reused" ? "code" : "token"} that the app had already used was presented a second time. That can mean that somebody copied it. To be safe, every token of this connection stopped working at once and the app gets no more answers about you.`,
  "You need not do anything. If you still use the app, connect it again from there. Your access log shows everything that was asked while it was connected."
]

/** The writes after a leak: they end the connection, flag it for reviewers, and send a mail to its user. */
export const writes = (leak: Leak, grant: WithApp, now: Timestamp): ReadonlyArray<Write> => [
  { _tag: "Flag", at: now },
  { _tag: "Mail", message: message(leak, grant) },
  { _tag: "End", reason: leak, at: now }
]
