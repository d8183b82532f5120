import { Effect, Option } from "effect"
import { AccountStore } from "../accounts/AccountStore.js"
import { retryTransient } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import * as Mail from "./Mail.js"
import { Mailer } from "./Mailer.js"
import { type Claimed, MailOutbox } from "./MailOutbox.js"
import * as MailSending from "./MailSending.js"

const BATCH = 20
const AT_ONCE = 4
/** More than a batch takes when every message takes its whole time. */
const LEASE = (BATCH / AT_ONCE + 1) * MailSending.DEADLINE
/** How often a finish that failed for a passing reason is repeated before the message is sent once more. */
const REPEATS = 3

/**
 * Sends what is due in the outbox until nothing is, and answers how many messages were finished or put off. A message can be
 * sent twice, when its end could not be stored, and always under the same id; none is lost. Any number of workers may do it at
 * once.
 */
export const sendMail = Effect.fn("sendMail")(function* (addresses: Mail.Addresses) {
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

/** One message's trouble is not the others': it comes again when its lease is over. */
const settle = (claimed: Claimed, addresses: Mail.Addresses) =>
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

const attempt = ({ attempt, createdAt, message }: Claimed, addresses: Mail.Addresses) =>
  Effect.gen(function* () {
    const hopeless = MailSending.hopeless(createdAt, attempt, yield* Timestamp.now)
    if (hopeless !== undefined) return refused(hopeless)
    const to = yield* addressOf(message)
    if (to === undefined) return refused("there is no such account any more")
    const { sha256 } = yield* Vault
    return yield* (yield* Mailer).send({
      id: sha256(`${message.to} ${message.dedupeKey}`).slice(0, 32),
      to,
      subject: message.subject,
      text: Mail.text(message, addresses)
    })
  })

const addressOf = ({ address, to }: Mail.MailMessage) =>
  address === undefined
    ? Effect.map(
        Effect.flatMap(AccountStore, (accounts) => accounts.find(to)),
        (found) => Option.getOrUndefined(Option.map(found, ({ email }) => email))
      )
    : Effect.succeed(address)

const refused = (reason: string): MailSending.Outcome => ({ _tag: "Refused", reason })
