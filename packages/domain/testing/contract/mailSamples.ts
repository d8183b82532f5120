import { Effect } from "effect"
import type { Connection } from "../../src/connection/Connection.js"
import type { MailMessage } from "../../src/mail/Mail.js"
import { type DueMail, MailOutbox } from "../../src/mail/MailOutbox.js"
import type { MailFinish } from "../../src/mail/MailSending.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import { claimMail } from "../claimMail.js"
import * as Check from "../Check.js"
import * as Samples from "./connection/connectionSamples.js"

export type Ports = Samples.ConnectionSamplePorts | MailOutbox

export const LEASE = Timestamp.MINUTE

export const message = (
  connection: Connection,
  dedupeKey: string,
  overrides: Partial<MailMessage> = {}
): MailMessage => ({
  to: connection.userId,
  dedupeKey,
  subject: about(dedupeKey),
  body: "First line\n\nSecond line",
  ...overrides
})

/**
 * Stores a connection, and one message to the connection's user for each key. The store writes each message as a change
 * of the connection (`TokenWrite`).
 */
export const written = (...keys: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { connection } = yield* Samples.connected()
    const messages = keys.map((key) => message(connection, key))
    for (const one of messages) yield* Samples.change(connection.id, { _tag: "Mail", message: one })
    return { connection, messages, at: yield* Timestamp.now }
  })

/**
 * Begins an attempt for at most `limit` messages that are due at `now`, including messages of other cases. Returns the
 * messages to the user `to`.
 */
export const claim = (to: MailMessage["to"], now: Timestamp.Timestamp, limit = 10_000) =>
  Effect.gen(function* () {
    const claimed = yield* claimMail(limit, now, Timestamp.plus(now, LEASE))
    return claimed.filter((one) => one.message.to === to)
  })

export const only = (claimed: ReadonlyArray<DueMail>): DueMail => claimed[0] ?? Check.fail("it is claimed")

export const first = (messages: ReadonlyArray<MailMessage>): MailMessage => messages[0] ?? Check.fail("there is one")

export const finish = (claimed: DueMail, how: MailFinish) =>
  Effect.flatMap(MailOutbox, (outbox) => outbox.finish(claimed, how))

export const kept = (of: MailMessage) =>
  Effect.gen(function* () {
    const all = yield* (yield* MailOutbox).recent(10_000)
    const found = all.find((one) => one.message.to === of.to && one.message.dedupeKey === of.dedupeKey)
    return found ?? Check.fail("it is kept")
  })

export const about = (key: string): string => `About ${key} – ✓`

/** The subjects of all messages to the connection's user in the outbox, in alphabetical order. */
export const subjects = ({ userId }: Connection) =>
  Effect.gen(function* () {
    const all = yield* (yield* MailOutbox).recent(10_000)
    return all.flatMap(({ message: { subject, to } }) => (to === userId ? [subject] : [])).sort()
  })

export const put = (one: MailMessage, now: Timestamp.Timestamp) =>
  Effect.flatMap(MailOutbox, (outbox) => outbox.put(one, now))

export const settle = (...messages: ReadonlyArray<MailMessage>) =>
  Effect.forEach(messages, (one) =>
    Effect.flatMap(kept(one), ({ attempts }) =>
      finish({ message: one, attempt: attempts, createdAt: Timestamp.make(0) }, { _tag: "Sent", at: Timestamp.make(0) })
    )
  )
