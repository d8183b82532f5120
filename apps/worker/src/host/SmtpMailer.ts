import { Mailer, MailSending, type Outgoing } from "@place-access/domain/mail"
import { Duration, Effect, Layer, Option, Redacted } from "effect"
import type { createTransport } from "nodemailer"
import { isLoopback } from "./Loopback.js"
import type { Smtp } from "./Smtp.js"

/** So many connections to the mail server are kept open and used again. */
const CONNECTIONS = 2

interface Options {
  /** How long one message may take in all. */
  readonly deadline: Duration.DurationInput
}

const DEFAULTS: Options = { deadline: Duration.millis(MailSending.DEADLINE) }

/** Hands mail to an SMTP server. A server that cannot be reached is found out with the first message, not at the start. */
export const layer = ({ from, server }: Smtp, { deadline }: Options = DEFAULTS): Layer.Layer<Mailer> =>
  Layer.scoped(
    Mailer,
    Effect.map(
      Effect.acquireRelease(
        // Loaded only where mail is sent.
        Effect.map(
          Effect.promise(() => import("nodemailer")),
          (nodemailer) => connect(server, nodemailer.createTransport)
        ),
        (transport) => Effect.sync(() => transport.close())
      ),
      (transport) =>
        Mailer.of({
          send: (mail) =>
            Effect.tryPromise({ try: () => transport.sendMail(message(mail, from)), catch: classify }).pipe(
              Effect.match({
                onFailure: (outcome) => outcome,
                onSuccess: (): MailSending.Outcome => ({ _tag: "Sent" })
              }),
              Effect.timeoutOption(deadline),
              Effect.map(Option.getOrElse(() => TOO_SLOW))
            )
        })
    )
  )

const TOO_SLOW: MailSending.Outcome = { _tag: "NotSent", reason: "the mail server takes too long" }

const connect = ({ host, isSecure, login, port }: Smtp["server"], create: typeof createTransport) =>
  create({
    pool: true,
    maxConnections: CONNECTIONS,
    host,
    port,
    secure: isSecure,
    // A password never travels in the clear, whatever somebody in between makes of the server's offers.
    requireTLS: !isSecure && login !== null && !isLoopback(host),
    ...(login === null ? {} : { auth: { user: login.user, pass: Redacted.value(login.password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true
  })

const message = ({ id, subject, text, to }: Outgoing, from: Smtp["from"]) => ({
  from: from.header,
  // As an object: an address is never read as a list of them.
  to: { name: "", address: to },
  subject,
  text,
  messageId: `<${id}@${from.domain}>`,
  // Nobody's holiday answers these (RFC 3834).
  headers: { "Auto-Submitted": "auto-generated" }
})

/** What the library's errors carry beside their message. */
interface Trouble extends Error {
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

/**
 * For good only when the server says that the mailbox does not exist. What it says about us (sign-in, relaying, reputation) is
 * put right by somebody, and the message can wait for that.
 */
const classify = (cause: unknown): MailSending.Outcome => {
  const { command, message, response, responseCode }: Trouble =
    cause instanceof Error ? cause : new Error(String(cause))
  const reason = (response ?? message).replace(/\s+/g, " ")
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? "")?.[1]
  const isNoMailbox =
    command === "RCPT TO" &&
    (enhanced === undefined ? [550, 551, 553].includes(responseCode ?? 0) : /^5\.[12]\./.test(enhanced))
  return { _tag: isNoMailbox ? "Refused" : "NotSent", reason }
}
