import { type Duration, Effect, Option } from "effect"
import { AccountStore } from "../accounts/AccountStore.js"
import { Timestamp, Vault, program, retryTransient } from "../shared/index.js"
import * as Mail from "./Mail.js"
import type { MailLinks } from "./Mail.js"
import { Mailer } from "./Mailer.js"
import { type ClaimedMail, MailOutbox } from "./MailOutbox.js"
import * as MailSending from "./MailSending.js"

/** Sends mail until interrupted. No signal tells of new mail, so it looks every few seconds. Never fails. */
export const runMail = (addresses: MailLinks, every: Duration.DurationInput = "5 seconds") =>
  sendMail(addresses).pipe(
    Effect.tap((handled) => (handled > 0 ? Effect.logDebug("Mail was sent or put off", handled) : Effect.void)),
    Effect.catchAllCause((cause) => Effect.logError("Mail could not be sent, later again", cause)),
    Effect.zipRight(Effect.sleep(every)),
    Effect.forever
  )

const BATCH = 20
const AT_ONCE = 4
/** The lease of a batch. It is longer than a batch in which every message takes the whole deadline. */
const LEASE = (BATCH / AT_ONCE + 1) * MailSending.DEADLINE
/** How often a result is stored again after a transient error. If it never is, the message is sent again. */
const REPEATS = 3

/**
 * Sends the due messages and returns how many were sent, given up or set for a retry. When a result is not stored, the
 * message is sent twice with one id; none is lost. Any number of workers may run it.
 */
export const sendMail = program("sendMail", function* (addresses: Mail.MailLinks) {
  const outbox = yield* MailOutbox
  let handled = 0
  for (;;) {
    const now = yield* Timestamp.now
    const claimed = yield* outbox.claim(BATCH, now, Timestamp.plus(now, LEASE))
    yield* Effect.forEach(claimed, (one) => settle(one, addresses), { concurrency: AT_ONCE, discard: true })
    handled += claimed.length
    if (claimed.length < BATCH) return handled
  }
})

/** A failure concerns one message only, which is claimed again when its lease is over. */
const settle = (claimed: ClaimedMail, addresses: Mail.MailLinks) =>
  Effect.gen(function* () {
    const outcome = yield* attempt(claimed, addresses)
    const how = MailSending.afterAttempt(claimed.attempt, outcome, yield* Timestamp.now)
    if (how._tag === "GivenUp") {
      yield* Effect.logError("A message is given up", {
        user: claimed.message.to,
        about: claimed.message.dedupeKey,
        reason: how.reason
      })
    }
    yield* retryTransient(REPEATS)((yield* MailOutbox).finish(claimed, how))
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("A message is left to its lease", claimed.message.dedupeKey, cause)
    )
  )

const attempt = ({ attempt, createdAt, message }: ClaimedMail, addresses: Mail.MailLinks) =>
  Effect.gen(function* () {
    const hopeless = MailSending.hopeless(createdAt, attempt, yield* Timestamp.now)
    if (hopeless !== undefined) return refused(hopeless)
    const to = yield* addressOf(message)
    if (to === undefined) return refused("there is no such account any more")
    const vault = yield* Vault.Vault
    const secret = yield* Effect.option(Mail.secretOf(vault, message))
    if (Option.isNone(secret)) return refused("its link cannot be decrypted: the key was removed")
    return yield* (yield* Mailer).send({
      id: vault.sha256(`${message.to} ${message.dedupeKey}`).slice(0, 32),
      to,
      subject: message.subject,
      text: Mail.text(message, addresses, secret.value)
    })
  })

const addressOf = ({ address, to }: Mail.MailMessage) =>
  address === undefined
    ? Effect.map(
        Effect.flatMap(AccountStore, (accounts) => accounts.find(to)),
        (found) => Option.getOrUndefined(Option.map(found, ({ email }) => email))
      )
    : Effect.succeed(address)

const refused = (reason: string): MailSending.MailOutcome => ({ _tag: "Refused", reason })
