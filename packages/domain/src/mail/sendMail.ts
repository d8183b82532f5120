import { type Duration, Effect, Either, Option } from "effect"
import { type Email, mailLanguageOf, zoneOf } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import { toItsEnd } from "../leases/Stopping.js"
import type { PeopleLeases } from "../leases/WorkLeases.js"
import { Language, Timestamp, type TimeZone, Vault, program, retryTransient } from "../shared/index.js"
import * as Mail from "./Mail.js"
import type { MailLinks } from "./Mail.js"
import { Mailer } from "./Mailer.js"
import { type DueMail, MailOutbox } from "./MailOutbox.js"
import * as MailSending from "./MailSending.js"

/**
 * Sends the mail to the people whose buckets this worker leases (`PeopleLeases.buckets`), until interrupted. No signal
 * announces new mail, so the program polls the outbox. It also polls while it sends earlier messages, if it may send
 * another message at the same time. Never fails.
 */
export const runMail = (addresses: MailLinks, people: PeopleLeases, every: Duration.DurationInput = "5 seconds") =>
  Effect.suspend(() => {
    const flight = nothingInFlight()
    return beginDue(flight, addresses, people).pipe(
      Effect.tap((begun) => (begun > 0 ? Effect.logDebug("Mail is sent or put off", begun) : Effect.void)),
      Effect.catchAllCause((cause) => Effect.logError("Mail could not be sent, later again", cause)),
      Effect.zipRight(Effect.sleep(every)),
      Effect.forever
    )
  })

const BATCH = 20
/** How often storing a result is retried after a transient error. A message without a stored result is sent again. */
const REPEATS = 3

/**
 * Sends the due messages to the people whose buckets this worker leases. Returns how many messages were sent, given up
 * or set for a retry. The worker that leases the reader's bucket sends the message, even to an address that is not the
 * reader's (`MailMessage.address`). When the result of a message cannot be stored, the message is sent again with the
 * same id, so that no message is lost.
 */
export const sendMail = program("sendMail", function* (addresses: Mail.MailLinks, people: PeopleLeases) {
  const flight = nothingInFlight()
  const begun = yield* Effect.exit(beginDue(flight, addresses, people))
  // Waits until the last message in flight has ended, because only then all slots are free. It also waits when
  // reading the outbox failed, because messages may be in flight then too.
  yield* flight.slots.take(MailSending.AT_ONCE)
  yield* begun
  return flight.handled
})

/** The messages that a worker is sending. */
interface InFlight {
  readonly slots: Effect.Semaphore
  /**
   * The keys of the attempts that hold a slot. Until an attempt is counted (`MailOutbox.begin`), the outbox lists its
   * message as due. These keys keep the worker from beginning the same attempt twice.
   */
  readonly held: Set<string>
  /** How many messages were sent, given up or set for a retry. */
  handled: number
  /**
   * Becomes true when a message is set for a retry, and false when a message was sent. While it is true, no further
   * retry is logged.
   */
  isFailing: boolean
}

const nothingInFlight = (): InFlight => ({
  slots: Effect.unsafeMakeSemaphore(MailSending.AT_ONCE),
  held: new Set(),
  handled: 0,
  isFailing: false
})

const keyOf = ({ attempt, message }: DueMail) => JSON.stringify([message.to, message.dedupeKey, attempt])

/**
 * Begins to send each due message as soon as a slot is free, and returns how many messages it began. This function does
 * not wait until the messages are sent: the mail server may take minutes for one message, and the other due messages
 * must not wait so long.
 */
const beginDue = (flight: InFlight, addresses: MailLinks, people: PeopleLeases) =>
  Effect.gen(function* () {
    const outbox = yield* MailOutbox
    const begun = new Set<string>()
    for (;;) {
      const due = yield* outbox.due(yield* people.buckets, BATCH, yield* Timestamp.now)
      // The outbox still lists a message as due when its attempt could not be counted (`MailOutbox.begin` failed). An
      // immediate second try would probably fail too, so only the next call of `beginDue` tries this message again.
      const fresh = due.filter((one) => !begun.has(keyOf(one)) && !flight.held.has(keyOf(one)))
      for (const one of fresh) {
        begun.add(keyOf(one))
        yield* flight.slots.take(1)
        flight.held.add(keyOf(one))
        const attempt = people.using(one.message.to, toItsEnd(settle(flight, one, addresses)))
        yield* Effect.fork(holdingSlot(flight, one, attempt))
      }
      if (due.length < BATCH || fresh.length === 0) return begun.size
    }
  })

/**
 * Makes the attempt to send a message, then frees the slot of the attempt. If the attempt dies, this function logs the
 * cause, and the slot is freed too.
 */
const holdingSlot = <R>(flight: InFlight, due: DueMail, attempt: Effect.Effect<Option.Option<boolean>, never, R>) =>
  attempt.pipe(
    Effect.map((settled) => {
      if (Option.contains(settled, true)) flight.handled++
    }),
    Effect.catchAllCause((cause) => Effect.logError("Mail could not be sent, later again", cause)),
    Effect.ensuring(
      Effect.suspend(() => {
        flight.held.delete(keyOf(due))
        return flight.slots.release(1)
      })
    )
  )

/** When the mail server is broken, every message fails. The log has only one line for all of them. */
const RETRIED = "A message could not be sent. Until one is sent, no further retry is logged"

/**
 * Makes an attempt and stores its result. Returns false when `MailOutbox.begin` refused the attempt, or when an error
 * prevented the result from being stored. After an error, the message is due again later.
 */
const settle = (flight: InFlight, due: DueMail, addresses: Mail.MailLinks) =>
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
    const isFirst = how._tag === "Retry" && !flight.isFailing
    if (how._tag !== "GivenUp") flight.isFailing = how._tag === "Retry"
    if (isFirst) yield* Effect.logWarning(RETRIED, how.reason)
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

/**
 * The reason for which a mail to a test person is given up. It is not logged as an error, because every mail to a test
 * person is given up.
 */
const TEST_PERSON = "it is for a test person"

interface Reader {
  readonly address: Email
  readonly language: Language.Language
  readonly zone: TimeZone.TimeZone | null
}

/**
 * The address of a message, with its reader's language and time zone. Left: why the message has no address. An address
 * that nobody confirmed may belong to a stranger. So a mail goes to an unconfirmed address only if the mail names the
 * address itself (`MailMessage.address`), such as the mail with the link that confirms the address (decision
 * accounts-11).
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
