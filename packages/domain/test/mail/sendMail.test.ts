import { TokenStore } from "@place-access/domain/tokens"
import { AccountStore } from "@place-access/domain/accounts"
import { App } from "@place-access/domain/apps"
import { DisconnectNotice } from "@place-access/domain/connection"
import { everything, type PeopleLeases } from "@place-access/domain/leases"
import { type Mail, MailOutbox, MailSending, runMail, sendMail } from "@place-access/domain/mail"
import { ConnectionId, type Language, StoreError, Timestamp } from "@place-access/domain/shared"
import { Fixtures, MemoryDatabase, MemoryMailer, MemoryMailOutbox, RuleSamples } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { inVirtualTime, type World } from "../support/webhooks.js"

const { isAway, Post, refuses, takes } = MemoryMailer
const { DAY, HOUR, MINUTE } = Timestamp

const ADDRESSES: Mail.MailLinks = { portal: "https://me.example/portal", service: "https://api.example" }

const layer = Layer.merge(MemoryMailer.layer, MemoryMailOutbox.layer)
const run = <A>(program: Effect.Effect<A, unknown, World | Layer.Layer.Success<typeof layer>>) =>
  inVirtualTime(Effect.provide(program, layer))

/** Stores messages to one user, together with a change of the user's connection. */
const written = (...keys: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { connection, user } = yield* RuleSamples.sharing()
    const messages = keys.map((key): Mail.MailMessage => ({
      to: user.id,
      dedupeKey: key,
      subject: `About ${key}`,
      body: `Something about ${key}.`,
      link: { site: "portal", path: "/connections/con_1", label: "The connection" }
    }))
    yield* (yield* TokenStore).change(connection.id, {}, () => ({
      outcome: undefined,
      writes: messages.map((message) => ({ _tag: "Mail", message }) as const)
    }))
    return { user, messages }
  })

const letters = Effect.flatMap(Post, (post) => post.letters)
const script = (behaviour: MemoryMailer.Behaviour) => Effect.flatMap(Post, (post) => post.script(behaviour))
const kept = Effect.flatMap(MailOutbox, (outbox) => outbox.recent(100))
const send = sendMail(ADDRESSES, everything.people)

/**
 * Runs `use` while the mail worker runs. `use` begins after the worker has sent all messages that are due when the
 * worker starts.
 */
const beside = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.fork(Effect.interruptible(runMail(ADDRESSES, everything.people))),
    () => Effect.zipRight(Effect.sleep(1), use),
    (fiber) => Fiber.interrupt(fiber)
  )

describe("sendMail", () => {
  it("sends each message to its reader once, with an absolute link", () => {
    run(
      Effect.gen(function* () {
        const { user } = yield* written("one", "two")
        expect(yield* send).toBe(2)
        expect(yield* letters).toMatchObject([
          {
            to: user.email,
            subject: "About one",
            text: "Something about one.\n\nThe connection:\nhttps://me.example/portal/connections/con_1"
          },
          { subject: "About two" }
        ])
        expect(yield* send).toBe(0)
        expect((yield* kept).map(({ sentAt }) => sentAt)).toEqual([yield* Timestamp.now, yield* Timestamp.now])
      })
    )
  })

  it("puts the times of a message into the zone that its reader has when it is sent [accounts-19]", () => {
    run(
      Effect.gen(function* () {
        const outbox = yield* MailOutbox
        const { id } = yield* Fixtures.user
        const body = "On 31 March 2026 at 12:00 UTC you did it."
        const put = (dedupeKey: string) =>
          Effect.flatMap(Timestamp.now, (now) => outbox.put({ to: id, dedupeKey, subject: "S", body }, now))
        yield* put("one")
        yield* send
        yield* put("two")
        yield* (yield* AccountStore).chooseTimeZone(id, "America/New_York")
        yield* send
        expect((yield* letters).map(({ text }) => text)).toEqual([
          body,
          "On 31 March 2026 at 08:00 (America/New_York) you did it."
        ])
      })
    )
  })

  it("sends a German account a German mail: subject, text, times in the zone, and the link's name [accounts-20]", () => {
    run(
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const { id } = yield* Fixtures.userWith({ language: "de" })
        const at = Timestamp.make(Date.UTC(2026, 2, 31, 12))
        const connection = { id: ConnectionId.make("con_1"), userId: id }
        const message = DisconnectNotice.message({ name: App.AppName.make("Umbrella and more") }, connection, at)
        const put = (dedupeKey: string) =>
          Effect.flatMap(Timestamp.now, (now) =>
            Effect.flatMap(MailOutbox, (outbox) => outbox.put({ ...message, dedupeKey }, now))
          )
        yield* put("one")
        yield* send
        yield* accounts.chooseTimeZone(id, "Europe/Berlin")
        yield* put("two")
        yield* send
        const [utc, berlin] = yield* letters
        expect(utc?.text).toContain("am 31. März 2026 um 12:00 UTC getrennt.")
        expect(berlin?.subject).toBe("Sie haben Umbrella and more getrennt")
        expect(berlin?.text.split("\n\n")).toEqual([
          "Sie haben die App „Umbrella and more“ am 31. März 2026 um 14:00 (Europe/Berlin) getrennt.",
          expect.stringMatching(/^Sie kann nichts mehr über Sie abfragen/),
          expect.stringMatching(/^Um sie wieder mit Ihren Orten zu verwenden/),
          "Die Verbindung:\nhttps://me.example/portal/connections/con_1"
        ])
        expect((yield* kept).map(({ message }) => message.subject)).toEqual([message.subject, message.subject])
      })
    )
  })

  it("a mail is in the language chosen when it is sent, else of the first browser, else English [accounts-20]", () => {
    run(
      Effect.gen(function* () {
        const outbox = yield* MailOutbox
        const languages: ReadonlyArray<Language.Language | null> = ["de", "en", null]
        const sent: Array<string> = []
        for (const language of languages) {
          for (const browserLanguage of languages) {
            const { id } = yield* Fixtures.user
            yield* outbox.put({ to: id, dedupeKey: "one", subject: "Your devices", body: "B" }, yield* Timestamp.now)
            const accounts = yield* AccountStore
            yield* accounts.chooseLanguage(id, language)
            if (browserLanguage !== null) yield* accounts.learnLanguage(id, browserLanguage)
            yield* send
            sent.push((yield* letters).at(-1)?.subject ?? "none")
          }
        }
        const [german, english] = ["Ihre Geräte", "Your devices"]
        expect(sent).toEqual([german, german, german, english, english, english, german, english, english])
      })
    )
  })

  it("sends nothing to an address that nobody confirmed, but what names the address [accounts-11]", () => {
    run(
      Effect.gen(function* () {
        const outbox = yield* MailOutbox
        const { email, id } = yield* Fixtures.userWith({ confirmedAt: null })
        const receipt = { to: id, dedupeKey: "receipt", subject: "You connected an app", body: "B" }
        yield* outbox.put(receipt, yield* Timestamp.now)
        yield* outbox.put({ ...receipt, dedupeKey: "link", subject: "Confirm", address: email }, yield* Timestamp.now)
        yield* send
        expect((yield* letters).map(({ subject, to }) => [subject, to])).toEqual([["Confirm", email]])
        const [one] = (yield* kept).filter(({ message }) => message.dedupeKey === "receipt")
        expect([one?.lastError, one?.givenUpAt]).toEqual(["its address was not confirmed", yield* Timestamp.now])
      })
    )
  })

  it("links into the portal or the service; a message without a link is sent as it is [mail-1]", () => {
    run(
      Effect.gen(function* () {
        const { connection, user } = yield* RuleSamples.sharing()
        const message = { to: user.id, subject: "S", body: "B" }
        yield* (yield* TokenStore).change(connection.id, {}, () => ({
          outcome: undefined,
          writes: [
            { _tag: "Mail", message: { ...message, dedupeKey: "1" } },
            {
              _tag: "Mail",
              message: { ...message, dedupeKey: "2", link: { site: "service", path: "/developer", label: "Here" } }
            }
          ]
        }))
        yield* send
        expect((yield* letters).map(({ text }) => text)).toEqual(["B", "B\n\nHere:\nhttps://api.example/developer"])
      })
    )
  })

  it("nobody takes it: tried eight times over almost two days, then given up with the reason [mail-3]", () => {
    run(
      Effect.gen(function* () {
        yield* script(isAway)
        yield* written("one")
        yield* beside(Effect.sleep(5 * DAY))
        const sent = yield* letters
        const waits = sent.slice(1).map(({ at }, index) => at - sent[index]!.at)
        const schedule = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY]
        expect(waits.map((wait, index) => wait - schedule[index]!).every((late) => late >= 0 && late <= 5_000)).toBe(
          true
        )
        expect(waits).toHaveLength(7)
        expect(yield* kept).toMatchObject([
          { attempts: 8, sentAt: null, givenUpAt: expect.any(Number), lastError: "nobody answers" }
        ])
      })
    )
  })

  it("a server that is back takes what waited", () => {
    run(
      Effect.gen(function* () {
        yield* script(isAway)
        yield* written("one", "two")
        yield* beside(
          Effect.gen(function* () {
            yield* Effect.sleep(3 * MINUTE)
            yield* script(takes)
            yield* Effect.sleep(6 * MINUTE)
            expect(yield* kept).toMatchObject([
              { sentAt: expect.any(Number), lastError: "nobody answers" },
              { sentAt: expect.any(Number) }
            ])
          })
        )
      })
    )
  })

  it("refused for good: given up at once, with the reason, and the others go on [mail-3]", () => {
    run(
      Effect.gen(function* () {
        yield* script((mail) => (mail.subject === "About one" ? refuses(mail) : takes(mail)))
        yield* written("one", "two")
        yield* beside(Effect.sleep(DAY))
        expect((yield* letters).length).toBe(2)
        const states = (yield* kept).map(({ givenUpAt, lastError, message, sentAt }) => [
          message.dedupeKey,
          sentAt !== null,
          givenUpAt !== null,
          lastError
        ])
        expect(states.sort()).toEqual([
          ["one", false, true, "no such mailbox"],
          ["two", true, false, null]
        ])
      })
    )
  })

  it("an end that cannot be stored: sent again later, under the same id [mail-4]", () => {
    run(
      Effect.gen(function* () {
        yield* written("one")
        const outbox = yield* MailOutbox
        yield* Effect.provideService(send, MailOutbox, {
          ...outbox,
          finish: () => Effect.fail(StoreError.broken("as a test wants it"))
        })
        yield* beside(Effect.sleep(HOUR))
        const sent = yield* letters
        expect(sent.length).toBe(2)
        expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
        expect(sent[0]!.id).toMatch(/^[0-9a-f]{32}$/)
      })
    )
  })

  it("two messages never share an id, nor two readers of one event", () => {
    run(
      Effect.gen(function* () {
        yield* written("one", "two")
        yield* written("one")
        yield* send
        expect(new Set((yield* letters).map(({ id }) => id)).size).toBe(3)
      })
    )
  })

  it("several workers at once send each message once, more than fit a batch", () => {
    run(
      Effect.gen(function* () {
        yield* script((mail) => Effect.zipRight(Effect.sleep(100), takes(mail)))
        yield* written(...Array.from({ length: 90 }, (_, index) => `${index}`))
        yield* Effect.all([send, send, send], { concurrency: "unbounded" })
        expect((yield* letters).length).toBe(90)
        expect(new Set((yield* letters).map(({ id }) => id)).size).toBe(90)
      })
    )
  })

  it("a message for which the mail server is silent holds up no other message, nor new mail [mail-3]", () => {
    run(
      Effect.gen(function* () {
        yield* script((mail) => (mail.subject === "About slow" ? Effect.never : takes(mail)))
        const sentSubjects = Effect.map(kept, (all) =>
          all.flatMap(({ message, sentAt }) => (sentAt === null ? [] : [message.subject])).sort()
        )
        yield* written("slow", ...Array.from({ length: 30 }, (_, index) => `${index}`))
        yield* beside(
          Effect.gen(function* () {
            expect(yield* sentSubjects).toHaveLength(30)
            yield* written("late")
            yield* Effect.sleep(6_000)
            expect(yield* sentSubjects).toContain("About late")
            expect((yield* letters).filter(({ subject }) => subject === "About slow")).toHaveLength(1)
          })
        )
      })
    )
  })

  it("returns when the last message has ended, however slow it is", () => {
    run(
      Effect.gen(function* () {
        yield* script((mail) =>
          Effect.zipRight(mail.subject === "About slow" ? Effect.sleep(MINUTE) : Effect.void, takes(mail))
        )
        yield* written("slow", ...Array.from({ length: 24 }, (_, index) => `${index}`))
        expect(yield* send).toBe(25)
        expect((yield* kept).filter(({ sentAt }) => sentAt !== null)).toHaveLength(25)
      })
    )
  })

  it("messages of a bucket that another worker took meanwhile are left, and do not make the loop spin", () => {
    run(
      Effect.gen(function* () {
        yield* written(...Array.from({ length: 45 }, (_, index) => `${index}`))
        const refusing: PeopleLeases = { ...everything.people, using: () => Effect.succeedNone }
        expect(yield* sendMail(ADDRESSES, refusing)).toBe(0)
        expect(yield* send).toBe(45)
      })
    )
  })

  it("what waited for more than seven days, without a mail server, is not sent any more [mail-3]", () => {
    run(
      Effect.gen(function* () {
        yield* written("old")
        yield* Effect.sleep(7 * DAY)
        yield* written("young")
        yield* Effect.sleep(1)
        yield* send
        expect((yield* letters).map(({ subject }) => subject)).toEqual(["About young"])
        expect((yield* kept).find(({ message }) => message.dedupeKey === "old")).toMatchObject({
          lastError: "older than 7 days",
          givenUpAt: yield* Timestamp.now
        })
      })
    )
  })

  it("a reader who is gone gets nothing", () => {
    run(
      Effect.gen(function* () {
        const { user } = yield* written("one")
        const { accounts } = yield* MemoryDatabase
        accounts.delete(user.id)
        yield* send
        expect(yield* letters).toEqual([])
        expect(yield* kept).toMatchObject([{ lastError: "there is no such account any more" }])
      })
    )
  })

  it("one message's trouble is not the others', nor the loop's end", () => {
    run(
      Effect.gen(function* () {
        const { user } = yield* written("one")
        const { user: other } = yield* written("two")
        const accounts = yield* AccountStore
        yield* beside(Effect.sleep(MINUTE)).pipe(
          Effect.provideService(AccountStore, {
            ...accounts,
            find: (id) => (id === user.id ? Effect.die("a bug") : accounts.find(id))
          })
        )
        expect((yield* letters).map(({ to }) => to)).toEqual([other.email])
        yield* beside(Effect.sleep(HOUR))
        expect((yield* letters).map(({ to }) => to)).toEqual([other.email, user.email])
      })
    )
  })
})

describe("how an attempt ends", () => {
  it("each begin is an attempt: a message that kills every process that sends it is given up [mail-3]", () => {
    const now = Timestamp.make(0)
    expect(MailSending.hopeless(now, 8, now)).toBeUndefined()
    expect(MailSending.hopeless(now, 9, now)).toBeDefined()
  })

  it("the reason that is kept has at most 500 characters", () => {
    const finish = MailSending.afterAttempt(1, { _tag: "NotSent", reason: "x".repeat(9_999) }, Timestamp.make(0))
    expect(finish).toMatchObject({ _tag: "Retry", dueAt: MINUTE, reason: "x".repeat(500) })
  })
})
