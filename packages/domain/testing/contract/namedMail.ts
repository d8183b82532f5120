import { Effect } from "effect"
import * as NamedMail from "../../src/mail/NamedMail.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"
import * as Samples from "./connection/connectionSamples.js"
import { type Ports, message, kept, about, subjects, put } from "./mailSamples.js"

/**
 * What every `MailOutbox` must guarantee about messages that name an app. In one hour a reader gets at most five of
 * these messages. Beyond this limit, a reader gets at most one folded message and one message about a leak, both
 * without the app's name. A message that must always be sent is sent even beyond the limit, but then its subject names
 * no app (decision mail-2).
 */
export const namedMail: Contract<Ports> = [
  {
    name: "a message that names an app: five an hour and reader, put or written by a change; then one that names none [mail-2]",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const at = yield* Timestamp.now
      const named = (key: string) => message(connection, key, { naming: NamedMail.foldable })
      const change = (key: string) => Samples.change(connection.id, { _tag: "Mail", message: named(key) })
      for (const key of ["1", "2", "3"]) yield* change(key)
      for (const key of ["4", "5"]) yield* put(named(key), at)
      // The five messages have reached the limit. Three kinds of messages are then not folded and change no count: a
      // message with the key of a queued message, a message that names no app, and a message that must always be sent.
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
    name: "a notice that the reader chose: three of the five; a further one is not kept, and is written when it is put again [mail-2]",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const at = yield* Timestamp.now
      const notice = (key: string) => message(connection, key, { naming: NamedMail.chosen })
      for (const key of ["1", "2", "3", "4"]) yield* put(notice(key), at)
      for (const key of ["5", "6"]) yield* put(message(connection, key, { naming: NamedMail.foldable }), at)
      Check.equal(yield* subjects(connection), ["1", "2", "3", "5", "6"].map(about), "the fourth took no place")
      yield* put(notice("4"), Timestamp.plus(at, Timestamp.HOUR))
      Check.isTrue((yield* subjects(connection)).includes(about("4")), "room again after exactly 60 minutes")
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
      const decided = NamedMail.decide({ ...NamedMail.none, namedAt: Array(5).fill(at) }, leak("6"), later).message
      Check.equal((yield* kept(leak("6"))).message, decided, "as it was decided")
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
  }
]
