import { Mailer, MailSending, type OutgoingMail } from "@place-access/domain/mail"
import { Duration, Effect, Layer, Option, Redacted } from "effect"
import type { createTransport } from "nodemailer"
import { isLoopback } from "../process/Loopback.js"
import type { Smtp } from "../settings/Smtp.js"

/**
 * A connection is closed after this number of milliseconds without a message. A firewall on the way may forget an idle
 * connection without notice, and the next message would then wait for an answer until its deadline.
 */
const IDLE_MILLIS = 30_000

interface Options {
  /** The longest time that sending one message may take. */
  readonly deadline: Duration.DurationInput
}

const DEFAULTS: Options = { deadline: Duration.millis(MailSending.DEADLINE) }

/**
 * Sends mail over SMTP. The layer connects when it sends the first message, so that a program can start while the
 * server cannot be reached.
 */
export const layer = ({ from, server }: Smtp, { deadline }: Options = DEFAULTS): Layer.Layer<Mailer> =>
  Layer.scoped(
    Mailer,
    Effect.map(
      Effect.acquireRelease(
        // Loaded on demand, because a program without a mail server does not need the library.
        Effect.map(
          Effect.promise(() => import("nodemailer")),
          (nodemailer) => connect(server, deadline, nodemailer.createTransport)
        ),
        (transport) => Effect.sync(() => transport.close())
      ),
      (transport) =>
        Mailer.of({
          send: (mail) =>
            Effect.tryPromise({
              // The signal is aborted when the deadline has passed or the worker stops. This closes the connection.
              try: (signal) => transport.sendMail({ ...message(mail, from), signal }),
              catch: classify
            }).pipe(
              Effect.match({
                onFailure: (outcome) => outcome,
                onSuccess: (): MailSending.MailOutcome => ({ _tag: "Sent" })
              }),
              Effect.timeoutOption(deadline),
              Effect.map(Option.getOrElse(() => TOO_SLOW))
            )
        })
    )
  )

const CHECK_DEADLINE = Duration.seconds(10)

/** Why the mail server cannot be used; null when it accepts a connection and the login. The password is left out. */
export const check = ({ server }: Smtp): Effect.Effect<string | null> =>
  Effect.tryPromise({
    try: async () => {
      const { createTransport } = await import("nodemailer")
      const transport = connect(server, CHECK_DEADLINE, createTransport)
      try {
        await transport.verify()
      } finally {
        transport.close()
      }
    },
    catch: (error) => (error instanceof Error ? error.message : String(error))
  }).pipe(
    Effect.match({ onFailure: (reason) => reason, onSuccess: () => null }),
    Effect.timeoutOption(CHECK_DEADLINE),
    Effect.map(Option.getOrElse(() => "it does not answer within 10 s"))
  )

const TOO_SLOW: MailSending.MailOutcome = { _tag: "NotSent", reason: "the mail server takes too long" }

const connect = (
  { host, isSecure, login, port }: Smtp["server"],
  deadline: Duration.DurationInput,
  create: typeof createTransport
) =>
  create({
    pool: true,
    maxConnections: MailSending.AT_ONCE,
    host,
    port,
    secure: isSecure,
    // Requires TLS for a login at another machine: a password must not be sent unencrypted, even if somebody between
    // the machines removes STARTTLS from the server's offers.
    requireTLS: !isSecure && login !== null && !isLoopback(host),
    ...(login === null ? {} : { auth: { user: login.user, pass: Redacted.value(login.password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    // After the greeting, only the deadline limits a silence of the server: a mail server may be silent for minutes
    // after it has received the message.
    socketTimeout: Duration.toMillis(deadline),
    idleTimeout: IDLE_MILLIS,
    disableFileAccess: true,
    disableUrlAccess: true
  })

const message = ({ id, subject, text, to }: OutgoingMail, from: Smtp["from"]) => ({
  // Both addresses are passed as objects, because the library would parse a text as a list of addresses and groups: a
  // comma or a colon in the sender's name would end the name.
  from: { name: from.name, address: from.address },
  to: { name: "", address: to },
  subject,
  text,
  messageId: `<${id}@${from.domain}>`,
  // Tells automatic responders not to answer (RFC 3834).
  headers: { "Auto-Submitted": "auto-generated" }
})

/** The fields of the library's errors, besides their message. */
interface SmtpFailure extends Error {
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

/**
 * The enhanced status codes (RFC 3463) of a recipient's mailbox that does not exist or is closed. Other codes with the
 * same first digits can be about the sender (5.1.0, 5.1.7, 5.1.8) or about a mailbox that is full (5.2.2).
 */
const NO_MAILBOX: ReadonlySet<string> = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"])
/**
 * How mail servers that send no enhanced status code say that a mailbox does not exist. The same codes of SMTP can mean
 * that the server does not relay, or refuses the sender.
 */
const saysNoMailbox = (reason: string): boolean =>
  /\b(?:user|mailbox|recipient|address)\b/i.test(reason) && !/\b(?:sender|relay\w*)\b/i.test(reason)

/**
 * Says whether a failure is permanent. A failure is permanent only when the server refuses the recipient's mailbox, for
 * example because the mailbox does not exist. The operator can repair failures that concern the service (sign-in,
 * relaying, reputation), so the worker tries these messages again (`MailSending`).
 */
const classify = (cause: unknown): MailSending.MailOutcome => {
  const { command, message, response, responseCode }: SmtpFailure =
    cause instanceof Error ? cause : new Error(String(cause))
  // Many servers repeat the reader's address in the reason. The reason is stored and logged, so the address is removed.
  // The address may also contain one of the words that `saysNoMailbox` looks for.
  const reason = (response ?? message).replace(/\s+/g, " ").replace(/\S+@\S+/g, "…")
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? "")?.[1]
  const isNoMailbox =
    command === "RCPT TO" &&
    (enhanced === undefined
      ? [550, 551, 553].includes(responseCode ?? 0) && saysNoMailbox(reason)
      : NO_MAILBOX.has(enhanced))
  return { _tag: isNoMailbox ? "Refused" : "NotSent", reason }
}
