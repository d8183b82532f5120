import { Effect } from "effect"
import type { KeptMail, MailMessage } from "../../src/mail/Mail.js"
import { type DueMail, MailOutbox } from "../../src/mail/MailOutbox.js"
import * as Bucket from "../../src/leases/Bucket.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import { Sealed } from "../../src/shared/Vault.js"
import { bucketOf } from "../memory/leases/buckets.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"
import * as Samples from "./connection/connectionSamples.js"
import { namedMail } from "./namedMail.js"
import { type Ports, LEASE, message, written, claim, only, first, finish, kept, put, settle } from "./mailSamples.js"

/**
 * What every `MailOutbox` must guarantee: a message is queued once, and only one of several workers begins each attempt
 * to send it.
 */
export const mailOutboxContract: Contract<Ports> = [
  ...namedMail,
  {
    name: "due: each message as it was written, with its time and the first attempt",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("plain")
      const link = { site: "portal", path: `/connections/${connection.id}`, label: "The connection" } as const
      const linked = message(connection, "linked", { link })
      yield* Samples.change(connection.id, { _tag: "Mail", message: linked })
      const claimed = yield* claim(connection.userId, at)
      const expected = [...messages, linked].map((one): DueMail => ({ message: one, createdAt: at, attempt: 1 }))
      const byKey = (a: DueMail, b: DueMail) => (a.message.dedupeKey < b.message.dedupeKey ? -1 : 1)
      Check.equal([...claimed].sort(byKey), [...expected].sort(byKey), "claimed")
      yield* settle(...messages, linked)
    })
  },
  {
    name: "a message is written once for each key of its reader: the first one stays [mail-1]",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("key")
      const second = message(connection, "key", { subject: "Another" })
      yield* Samples.change(connection.id, { _tag: "Mail", message: second })
      Check.equal(
        (yield* claim(connection.userId, at)).map((one) => one.message),
        messages,
        "one"
      )
      yield* settle(...messages)
      yield* Samples.change(connection.id, { _tag: "Mail", message: second })
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
    name: "due: oldest first; of messages with one due time by key, then by reader, in every database's locale",
    run: Effect.gen(function* () {
      const readers = [(yield* Samples.connected()).connection, (yield* Samples.connected()).connection]
      const byReader = readers.toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
      const at = yield* Timestamp.now
      const isOurs = ({ to }: MailMessage) => readers.some(({ userId }) => userId === to)
      const claimAll = Effect.flatMap(MailOutbox, (outbox) => outbox.due(Bucket.ALL, 10_000, at))
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
    name: "begin: without a result the message is due again at the time that was given, for the next attempt",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("key")
      Check.equal((yield* claim(connection.userId, Timestamp.plus(at, -1))).length, 0, "not before it was written")
      Check.equal((yield* claim(connection.userId, at)).length, 1, "first")
      Check.equal((yield* claim(connection.userId, Timestamp.plus(at, LEASE - 1))).length, 0, "held")
      const second = yield* claim(connection.userId, Timestamp.plus(at, LEASE))
      Check.equal(
        second.map(({ attempt }) => attempt),
        [2],
        "second attempt"
      )
      yield* settle(...messages)
    })
  },
  {
    name: "due: only to readers of the buckets that are asked for, as often as it is read",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("key")
      const bucket = bucketOf(connection.userId)
      const due = (buckets: ReadonlyArray<number>) =>
        Effect.map(
          Effect.flatMap(MailOutbox, (outbox) => outbox.due(buckets, 10_000, at)),
          (all) => all.filter(({ message }) => message.to === connection.userId)
        )
      for (const what of ["of the bucket", "again"]) Check.equal((yield* due([bucket])).length, 1, what)
      Check.equal(yield* due(Bucket.ALL.filter((other) => other !== bucket)), [], "of all the others")
      Check.equal(yield* due([]), [], "of none")
      yield* claim(connection.userId, at)
      yield* settle(...messages)
    })
  },
  {
    name: "begin: false for an attempt that has begun, an attempt too far ahead, and a message that was finished",
    run: Effect.gen(function* () {
      const outbox = yield* MailOutbox
      const { at, connection, messages } = yield* written("key")
      const begin = (attempt: number) => outbox.begin({ message: first(messages), attempt }, at)
      Check.equal(
        [yield* begin(2), yield* begin(1), yield* begin(1), yield* begin(2)],
        [false, true, false, true],
        "begun"
      )
      Check.equal((yield* kept(first(messages))).attempts, 2, "attempts")
      yield* settle(...messages)
      Check.isTrue(!(yield* begin(3)), "finished")
      Check.isTrue(!(yield* outbox.begin({ message: message(connection, "none"), attempt: 1 }, at)), "never written")
    })
  },
  {
    name: "due: never more than the limit, and in the end all",
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
    name: "begin: of many workers at once exactly one begins each attempt",
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
    name: "finish: sent, it is never due again",
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
      const second = only(yield* claim(connection.userId, dueAt))
      Check.equal(second.attempt, 2, "second attempt")
      yield* finish(second, { _tag: "GivenUp", at: dueAt, reason: "no such mailbox" })
      Check.equal(yield* claim(connection.userId, Timestamp.plus(at, 400 * Timestamp.DAY)), [], "claimed")
      const { givenUpAt, lastError, sentAt } = yield* kept(one)
      Check.equal([givenUpAt, lastError, sentAt], [dueAt, "no such mailbox", null], "kept")
    })
  },
  {
    name: "finish: a reason with the character NUL can be kept, as U+FFFD where the store cannot keep NUL",
    run: Effect.gen(function* () {
      const { at, connection, messages } = yield* written("key")
      const reason = "550 \0 no such\0 mailbox"
      const lastError = Effect.map(kept(first(messages)), (one) => one.lastError?.replaceAll("\0", "\uFFFD"))
      yield* finish(only(yield* claim(connection.userId, at)), { _tag: "Retry", dueAt: at, reason })
      Check.equal(yield* lastError, "550 \uFFFD no such\uFFFD mailbox", "put off")
      yield* finish(only(yield* claim(connection.userId, at)), { _tag: "GivenUp", at, reason: `${reason}!` })
      Check.equal(yield* lastError, "550 \uFFFD no such\uFFFD mailbox!", "given up")
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
