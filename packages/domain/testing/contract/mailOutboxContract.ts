import { Effect } from "effect"
import type { Connection } from "../../src/connection/Connection.js"
import type { KeptMail, MailMessage } from "../../src/mail/Mail.js"
import { type ClaimedMail, MailOutbox } from "../../src/mail/MailOutbox.js"
import * as NamedMail from "../../src/mail/NamedMail.js"
import type { MailFinish } from "../../src/mail/MailSending.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import { Sealed } from "../../src/shared/Vault.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"
import * as Samples from "./connection/connectionSamples.js"

type Ports = Samples.ConnectionSamplePorts | MailOutbox

const LEASE = Timestamp.MINUTE

const message = (connection: Connection, dedupeKey: string, overrides: Partial<MailMessage> = {}): MailMessage => ({
  to: connection.userId,
  dedupeKey,
  subject: about(dedupeKey),
  body: "First line\n\nSecond line",
  ...overrides
})

/** A user with messages, written in the transaction of a change, a millisecond apart. */
const written = (...keys: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { connection } = yield* Samples.connected()
    const messages = keys.map((key) => message(connection, key))
    for (const one of messages) yield* Samples.change(connection.id, { _tag: "Mail", message: one })
    return { connection, messages, at: yield* Timestamp.now }
  })

/**
 * Claims the due messages at `now`, as a worker does, and returns those of the user. The claim also leases messages of
 * other cases.
 */
const claim = (to: MailMessage["to"], now: Timestamp.Timestamp, limit = 10_000) =>
  Effect.gen(function* () {
    const claimed = yield* (yield* MailOutbox).claim(limit, now, Timestamp.plus(now, LEASE))
    return claimed.filter((one) => one.message.to === to)
  })

const only = (claimed: ReadonlyArray<ClaimedMail>): ClaimedMail => claimed[0] ?? Check.fail("it is claimed")

const first = (messages: ReadonlyArray<MailMessage>): MailMessage => messages[0] ?? Check.fail("there is one")

const finish = (claimed: ClaimedMail, how: MailFinish) =>
  Effect.flatMap(MailOutbox, (outbox) => outbox.finish(claimed, how))

const kept = (of: MailMessage) =>
  Effect.gen(function* () {
    const all = yield* (yield* MailOutbox).recent(10_000)
    const found = all.find((one) => one.message.to === of.to && one.message.dedupeKey === of.dedupeKey)
    return found ?? Check.fail("it is kept")
  })

const about = (key: string): string => `About ${key} – ✓`

/** The subjects of the messages that the outbox keeps for a user, in alphabetical order. */
const subjects = ({ userId }: Connection) =>
  Effect.gen(function* () {
    const all = yield* (yield* MailOutbox).recent(10_000)
    return all.flatMap(({ message: { subject, to } }) => (to === userId ? [subject] : [])).sort()
  })

const put = (one: MailMessage, now: Timestamp.Timestamp) => Effect.flatMap(MailOutbox, (outbox) => outbox.put(one, now))

const settle = (...messages: ReadonlyArray<MailMessage>) =>
  Effect.forEach(messages, (one) =>
    Effect.flatMap(kept(one), ({ attempts }) =>
      finish({ message: one, attempt: attempts, createdAt: Timestamp.make(0) }, { _tag: "Sent", at: Timestamp.make(0) })
    )
  )

/** Rules of `MailOutbox`. */
export const mailOutboxContract: Contract<Ports> = [
  {
    name: "claim: each message as it was written, with its time and the first attempt",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("plain")
      const link = { site: "portal", path: `/connections/${connection.id}`, label: "The connection" } as const
      const linked = message(connection, "linked", { link })
      yield* Samples.change(connection.id, { _tag: "Mail", message: linked })
      const claimed = yield* claim(connection.userId, at)
      const expected = [...messages, linked].map((one): ClaimedMail => ({ message: one, createdAt: at, attempt: 1 }))
      const byKey = (a: ClaimedMail, b: ClaimedMail) => (a.message.dedupeKey < b.message.dedupeKey ? -1 : 1)
      Check.equal([...claimed].sort(byKey), [...expected].sort(byKey), "claimed")
      yield* settle(...messages, linked)
    })
  },
  {
    name: "a message is written once for each key of its reader: the first one stays [mail-1]",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("key")
      const again = message(connection, "key", { subject: "Another" })
      yield* Samples.change(connection.id, { _tag: "Mail", message: again })
      Check.equal(
        (yield* claim(connection.userId, at)).map((one) => one.message),
        messages,
        "one"
      )
      yield* settle(...messages)
      yield* Samples.change(connection.id, { _tag: "Mail", message: again })
      Check.equal(
        yield* claim(connection.userId, Timestamp.plus(at, Timestamp.DAY)),
        [],
        "not after it was sent either"
      )
    })
  },
  {
    name: "put: as if a change had written it, also once for each key of its reader, all links included",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("one")
      const link = { site: "service", path: "/developer", label: "Here" } as const
      const further = { site: "portal", path: "/connections?a='b'&c=\"d\"#e", label: "There" } as const
      const two = message(connection, "two", { link, furtherLinks: [further, link] })
      const later = Timestamp.plus(at, 5)
      yield* put(two, later)
      yield* put({ ...two, subject: "Another" }, Timestamp.plus(at, 6))
      yield* put(message(connection, "one", { subject: "Another" }), later)
      Check.equal((yield* claim(connection.userId, at)).length, 1, "not before it was put")
      const claimed = yield* claim(connection.userId, later)
      Check.equal(claimed, [{ message: two, createdAt: later, attempt: 1 }], "the first one of its key")
      Check.equal((yield* kept(first(messages))).message, first(messages), "what a change wrote stays")
      yield* settle(...messages, two)
    })
  },
  {
    name: "a message that names an app: five an hour and reader, put or written by a change; then one that names none [mail-2]",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const at = yield* Timestamp.now
      const named = (key: string) => message(connection, key, { naming: NamedMail.foldable })
      const change = (key: string) => Samples.change(connection.id, { _tag: "Mail", message: named(key) })
      for (const key of ["1", "2", "3"]) yield* change(key)
      for (const key of ["4", "5"]) yield* put(named(key), at)
      // A message that is already queued does not count again, and is sent even when the limit is reached.
      for (const key of ["1", "2", "4"]) yield* change(key)
      yield* put(message(connection, "names none"), at)
      yield* put({ ...named("decision"), naming: { _tag: "Always", subject: "An app" } }, at)
      Check.equal(yield* subjects(connection), [...["1", "2", "3", "4", "5", "names none"].map(about), "An app"], "all")

      yield* change("6")
      yield* put(named("7"), Timestamp.plus(at, 1))
      const folded = NamedMail.decide({ ...NamedMail.none, namedAt: Array(5).fill(at) }, named("6"), at).message
      const all = yield* subjects(connection)
      Check.equal(all.length, 8, "the sixth is folded, the seventh is not written")
      Check.isTrue(all.includes(folded?.subject ?? "none"), "the folded one")
      Check.equal((yield* kept(folded ?? Check.fail("folded"))).message, folded, "as it was decided")

      yield* put(named("8"), Timestamp.plus(at, Timestamp.HOUR - 1))
      Check.equal((yield* subjects(connection)).length, 8, "nothing for an hour")
      yield* put(named("9"), Timestamp.plus(at, Timestamp.HOUR))
      Check.isTrue((yield* subjects(connection)).includes(about("9")), "room again after exactly 60 minutes")
    })
  },
  {
    name: "a leak: beyond the five that name an app, one an hour that names none, put or written by a change [mail-2]",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const at = yield* Timestamp.now
      const link = { site: "portal", path: `/connections/${connection.id}`, label: "The connection" } as const
      const naming = { _tag: "Leak", subject: "An app", body: "It was disconnected" } as const
      const leak = (key: string) => message(connection, key, { link, naming })
      for (const key of ["1", "2"]) yield* Samples.change(connection.id, { _tag: "Mail", message: leak(key) })
      for (const key of ["3", "4", "5"]) yield* put(leak(key), at)
      Check.equal(yield* subjects(connection), ["1", "2", "3", "4", "5"].map(about), "within the five as they are")

      const later = Timestamp.plus(at, 1)
      yield* put(leak("6"), later)
      yield* put(leak("7"), later)
      yield* Samples.change(connection.id, { _tag: "Mail", message: leak("8") })
      const told = NamedMail.decide({ ...NamedMail.none, namedAt: Array(5).fill(at) }, leak("6"), later).message
      Check.equal((yield* kept(leak("6"))).message, told, "as it was decided")
      Check.equal((yield* subjects(connection)).length, 6, "the seventh and the eighth are not written")
      yield* put(message(connection, "9", { naming: NamedMail.foldable }), later)
      Check.equal((yield* subjects(connection)).length, 7, "the folded message comes besides")

      yield* put(leak("10"), Timestamp.plus(later, Timestamp.HOUR - 1))
      Check.equal((yield* subjects(connection)).length, 7, "nothing for an hour")
      yield* put(leak("11"), Timestamp.plus(later, Timestamp.HOUR))
      Check.isTrue((yield* subjects(connection)).includes(about("11")), "room again after exactly 60 minutes")
    })
  },
  {
    name: "a leak: of many that come at once, five name their app and one names none",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const at = yield* Timestamp.now
      const naming = { _tag: "Leak", subject: "An app", body: "It was disconnected" } as const
      const keys = Array.from({ length: 20 }, (_, index) => String(index))
      yield* Effect.forEach(keys, (key) => put(message(connection, key, { naming }), at), { concurrency: "unbounded" })
      const all = yield* subjects(connection)
      Check.equal(all.length, 6, "six")
      Check.equal(all.filter((one) => one === "An app").length, 1, "one that names none")
    })
  },
  {
    name: "a message that names an app: each reader has their own limit, and the outbox does not keep that it counted",
    run: Effect.gen(function* () {
      const at = yield* Timestamp.now
      const readers = yield* Effect.all([Samples.connected(), Samples.connected()])
      for (const { connection } of readers) {
        for (const key of ["1", "2", "3", "4", "5"]) {
          yield* put(message(connection, key, { naming: NamedMail.foldable }), at)
        }
        Check.equal(yield* subjects(connection), ["1", "2", "3", "4", "5"].map(about), "five")
        Check.equal((yield* kept(message(connection, "1"))).message, message(connection, "1"), "as it is claimed")
      }
    })
  },
  {
    name: "a message that names an app: of many that come at once, five are written and one folded",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const at = yield* Timestamp.now
      const keys = Array.from({ length: 20 }, (_, index) => String(index))
      yield* Effect.forEach(keys, (key) => put(message(connection, key, { naming: NamedMail.foldable }), at), {
        concurrency: "unbounded"
      })
      const all = yield* subjects(connection)
      Check.equal(all.length, 6, "six")
      Check.equal(all.filter((one) => one.startsWith("About ")).length, 5, "five that name it")
    })
  },
  {
    name: "claim: oldest first; of messages with one due time by key, then by reader, in every database's locale",
    run: Effect.gen(function* () {
      const readers = [(yield* Samples.connected()).connection, (yield* Samples.connected()).connection]
      const byReader = readers.toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
      const at = yield* Timestamp.now
      const isOurs = ({ to }: MailMessage) => readers.some(({ userId }) => userId === to)
      const claimAll = Effect.flatMap(MailOutbox, (outbox) => outbox.claim(10_000, at, Timestamp.plus(at, LEASE)))
      const written = ["b", "B", "a-b", "ab", "a"]
      for (const reader of byReader.toReversed()) {
        for (const key of written) yield* put(message(reader, key), at)
        yield* put(message(reader, "z"), Timestamp.plus(at, -1))
      }
      const claimed = (yield* claimAll).flatMap((one) => (isOurs(one.message) ? [one.message] : []))
      const expected = ["z", "B", "a", "a-b", "ab", "b"].flatMap((key) => byReader.map((one) => message(one, key)))
      Check.equal(claimed, expected, "the order")
      yield* settle(...expected)
    })
  },
  {
    name: "claim: held until the lease is over, then the next attempt",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("key")
      Check.equal((yield* claim(connection.userId, Timestamp.plus(at, -1))).length, 0, "not before it was written")
      Check.equal((yield* claim(connection.userId, at)).length, 1, "first")
      Check.equal((yield* claim(connection.userId, Timestamp.plus(at, LEASE - 1))).length, 0, "held")
      const again = yield* claim(connection.userId, Timestamp.plus(at, LEASE))
      Check.equal(
        again.map(({ attempt }) => attempt),
        [2],
        "second attempt"
      )
      yield* settle(...messages)
    })
  },
  {
    name: "claim: never more than the limit, and in the end all",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("1", "2", "3", "4", "5")
      const seen: Array<string> = []
      for (let round = 0; round < 500 && seen.length < messages.length; round++) {
        const some = yield* claim(connection.userId, at, 2)
        Check.isTrue(some.length <= 2, "at most two")
        seen.push(...some.map((one) => one.message.dedupeKey))
      }
      Check.equal([...seen].sort(), ["1", "2", "3", "4", "5"], "each once")
      yield* settle(...messages)
    })
  },
  {
    name: "claim: of many workers at once exactly one gets each message",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("1", "2", "3", "4", "5", "6")
      const rivals = yield* Effect.all(
        Array.from({ length: 5 }, () => claim(connection.userId, at)),
        { concurrency: "unbounded" }
      )
      const keys = rivals.flatMap((claimed) => claimed.map((one) => one.message.dedupeKey))
      Check.equal(keys.sort(), ["1", "2", "3", "4", "5", "6"], "each once")
      yield* settle(...messages)
    })
  },
  {
    name: "finish: sent, it is never claimed again",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("key")
      const claimed = only(yield* claim(connection.userId, at))
      Check.isTrue(yield* finish(claimed, { _tag: "Sent", at: Timestamp.plus(at, 5) }), "written")
      Check.equal(yield* claim(connection.userId, Timestamp.plus(at, 400 * Timestamp.DAY)), [], "claimed")
      const [one = Check.fail("there is one")] = messages
      const expected: KeptMail = {
        message: one,
        createdAt: at,
        attempts: 1,
        sentAt: Timestamp.plus(at, 5),
        givenUpAt: null,
        lastError: null
      }
      Check.equal(yield* kept(one), expected, "kept")
    })
  },
  {
    name: "finish: put off, it comes again at its time with the reason kept; given up, never",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("key")
      const dueAt = Timestamp.plus(at, 3 * Timestamp.HOUR)
      const claimed = only(yield* claim(connection.userId, at))
      yield* finish(claimed, { _tag: "Retry", dueAt, reason: "nobody answers" })
      Check.equal(yield* claim(connection.userId, Timestamp.plus(dueAt, -1)), [], "too early")
      const [one = Check.fail("there is one")] = messages
      Check.equal((yield* kept(one)).lastError, "nobody answers", "the reason")
      const again = only(yield* claim(connection.userId, dueAt))
      Check.equal(again.attempt, 2, "second attempt")
      yield* finish(again, { _tag: "GivenUp", at: dueAt, reason: "no such mailbox" })
      Check.equal(yield* claim(connection.userId, Timestamp.plus(at, 400 * Timestamp.DAY)), [], "claimed")
      const { givenUpAt, lastError, sentAt } = yield* kept(one)
      Check.equal([givenUpAt, lastError, sentAt], [dueAt, "no such mailbox", null], "kept")
    })
  },
  {
    name: "finish: a worker that was overtaken, or comes a second time, changes nothing",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("key")
      const slow = only(yield* claim(connection.userId, at))
      const fast = only(yield* claim(connection.userId, Timestamp.plus(at, LEASE)))
      Check.isTrue(!(yield* finish(slow, { _tag: "GivenUp", at, reason: "late" })), "overtaken")
      Check.isTrue(yield* finish(fast, { _tag: "Sent", at }), "the other one")
      Check.isTrue(!(yield* finish(fast, { _tag: "GivenUp", at, reason: "again" })), "a second time")
      const [one = Check.fail("there is one")] = messages
      Check.equal((yield* kept(one)).givenUpAt, null, "sent")
    })
  },
  {
    name: "finish: the encrypted end of a link stays while the message may be sent again, and not longer",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const at = yield* Timestamp.now
      const secret = Sealed.make("sealed")
      const link = { site: "service", path: "/reset-password?token=", label: "Set a new password" } as const
      const [sent, givenUp] = ["sent", "given up"].map((key) => message(connection, key, { link, secret }))
      if (sent === undefined || givenUp === undefined) return Check.fail("there are two")
      yield* put(sent, at)
      yield* put(givenUp, at)
      const claimed = yield* claim(connection.userId, at)
      Check.equal(
        claimed.map((one) => one.message.secret),
        [secret, secret],
        "claimed"
      )
      for (const one of claimed) yield* finish(one, { _tag: "Retry", dueAt: at, reason: "nobody answers" })
      Check.equal((yield* kept(sent)).message, sent, "put off")
      for (const one of yield* claim(connection.userId, at)) {
        yield* finish(
          one,
          one.message.dedupeKey === "sent" ? { _tag: "Sent", at } : { _tag: "GivenUp", at, reason: "no such mailbox" }
        )
      }
      Check.equal((yield* kept(sent)).message, message(connection, "sent", { link }), "sent")
      Check.equal((yield* kept(givenUp)).message, message(connection, "given up", { link }), "given up")
    })
  },
  {
    name: "recent: the newest first, no more than asked for",
    run: Effect.gen(function* () {
      const outbox = yield* MailOutbox
      const { connection, messages } = yield* written("a")
      const all = yield* outbox.recent(10_000)
      Check.isTrue(
        all.some(({ message: one }) => one.to === connection.userId),
        "it is there"
      )
      Check.isTrue(
        all.every((one, index) => index === 0 || one.createdAt <= (all[index - 1]?.createdAt ?? 0)),
        "newest first"
      )
      Check.equal((yield* outbox.recent(1)).length, 1, "one")
      yield* settle(...messages)
    })
  }
]
