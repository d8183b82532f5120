import { type Duration, Effect, Either, Option } from "effect"
import { type Email, mailLanguageOf, zoneOf } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import { everything, type PeopleLeases } from "../leases/WorkLeases.js"
import { Language, Timestamp, type TimeZone, Vault, program, retryTransient } from "../shared/index.js"
import * as Mail from "./Mail.js"
import type { MailLinks } from "./Mail.js"
import { Mailer } from "./Mailer.js"
import { type DueMail, MailOutbox } from "./MailOutbox.js"
import * as MailSending from "./MailSending.js"

/**
 * Sends the mail to these people until interrupted. No signal announces new mail, so it polls the outbox. Never fails.
 */
export const runMail = (
  addresses: MailLinks,
  people: PeopleLeases = everything.people,
  every: Duration.DurationInput = "5 seconds"
) =>
  sendMail(addresses, people).pipe(
    Effect.tap((handled) => (handled > 0 ? Effect.logDebug("Mail was sent or put off", handled) : Effect.void)),
    Effect.catchAllCause((cause) => Effect.logError("Mail could not be sent, later again", cause)),
    Effect.zipRight(Effect.sleep(every)),
    Effect.forever
  )

const BATCH = 20
const AT_ONCE = 4
/** Retries of storing a result after a transient error. A message without a stored result is sent again. */
const REPEATS = 3

/**
 * Sends the due messages to these people and returns how many were sent, given up or set for a retry. The worker that
 * leases the reader's bucket sends a message, also when the message names another address. When a result is not stored,
 * the message is sent again with the same id, so that none is lost.
 */
export const sendMail = program(
  "sendMail",
  function* (addresses: Mail.MailLinks, people: PeopleLeases = everything.people) {
    const outbox = yield* MailOutbox
    let handled = 0
    for (;;) {
      const due = yield* outbox.due(yield* people.buckets, BATCH, yield* Timestamp.now)
      const settled = yield* Effect.forEach(due, (one) => people.using(one.message.to, settle(one, addresses)), {
        concurrency: AT_ONCE
      })
      const done = settled.filter((one) => Option.contains(one, true)).length
      handled += done
      // A batch in which no message was handled may still be due: reading it again at once would not help.
      if (due.length < BATCH || done === 0) return handled
    }
  }
)

/** Makes an attempt and stores its result. False when the attempt was not begun or failed: it is due again later. */
const settle = (due: DueMail, addresses: Mail.MailLinks) =>
  Effect.gen(function* () {
    const outbox = yield* MailOutbox
    if (!(yield* outbox.begin(due, MailSending.unlessEnded(due.attempt, yield* Timestamp.now)))) return false
    const outcome = yield* attempt(due, addresses)
    const how = MailSending.afterAttempt(due.attempt, outcome, yield* Timestamp.now)
    if (how._tag === "GivenUp" && how.reason !== TEST_PERSON) {
      yield* Effect.logError("A message is given up", {
        user: due.message.to,
        about: due.message.dedupeKey,
        reason: how.reason
      })
    }
    yield* retryTransient(REPEATS)(outbox.finish(due, how))
    return true
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.as(Effect.logWarning("A message is left to its next attempt", due.message.dedupeKey, cause), false)
    )
  )

const attempt = ({ attempt, createdAt, message }: DueMail, addresses: Mail.MailLinks) =>
  Effect.gen(function* () {
    const hopeless = MailSending.hopeless(createdAt, attempt, yield* Timestamp.now)
    if (hopeless !== undefined) return refused(hopeless)
    const to = yield* readerOf(message)
    if (Either.isLeft(to)) return refused(to.left)
    const { address, language, zone } = to.right
    const vault = yield* Vault.Vault
    const secret = yield* Effect.option(Mail.secretOf(vault, message))
    if (Option.isNone(secret)) return refused("its link cannot be decrypted: the key was removed")
    const read = Mail.forReader(message, language, zone)
    return yield* (yield* Mailer).send({
      id: vault.sha256(`${message.to} ${message.dedupeKey}`).slice(0, 32),
      to: address,
      subject: read.subject,
      text: Mail.text(read, addresses, secret.value)
    })
  })

/** Why a mail to a test person is given up. It is not logged as an error, because each of these mails ends so. */
const TEST_PERSON = "it is for a test person"

interface Reader {
  readonly address: Email
  readonly language: Language.Language
  readonly zone: TimeZone.TimeZone | null
}

/**
 * The address of a message with its reader's language and time zone; Left: why it has no address. An address that
 * nobody confirmed may belong to a stranger, so only a message that names its address goes there: the message with the
 * link (decision accounts-11).
 */
const readerOf = ({ address, to }: Mail.MailMessage) =>
  Effect.map(
    Effect.flatMap(AccountStore, (accounts) => accounts.find(to)),
    (account): Either.Either<Reader, string> => {
      const language = Option.match(account, { onNone: () => Language.DEFAULT, onSome: mailLanguageOf })
      const zone = Option.getOrNull(Option.flatMap(account, zoneOf))
      if (address !== undefined) return Either.right({ address, language, zone })
      if (Option.isNone(account)) return Either.left("there is no such account any more")
      const { confirmedAt, email, testOf } = account.value
      if (testOf !== null) return Either.left(TEST_PERSON)
      return confirmedAt === null
        ? Either.left("its address was not confirmed")
        : Either.right({ address: email, language, zone })
    }
  )

const refused = (reason: string): MailSending.MailOutcome => ({ _tag: "Refused", reason })
