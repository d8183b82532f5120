import { AccountDeletion, AccountDeletionStore, removeDeleted } from "@place-access/domain/deletions"
import { Import, ImportStore, Pace, runImports, startImport } from "@place-access/domain/imports"
import { Bucket, Chore, everything, holdLeases, LeaseStore, type WorkLeases } from "@place-access/domain/leases"
import { type Mail, MailOutbox, runMail } from "@place-access/domain/mail"
import { StoreError, Timestamp, type UserId } from "@place-access/domain/shared"
import {
  bucketOf,
  Fixtures,
  MemoryAccountDeletionStore,
  MemoryHistoryStore,
  MemoryImportReader,
  MemoryImportStore,
  MemoryMailer,
  MemoryMailOutbox
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Stream } from "effect"
import { inVirtualTime, type World } from "../support/webhooks.js"

const { DAY, MINUTE, SECOND } = Timestamp

const stores = Layer.mergeAll(
  MemoryMailer.layer,
  MemoryMailOutbox.layer,
  MemoryAccountDeletionStore.layer,
  MemoryHistoryStore.layer,
  MemoryImportStore.layer,
  MemoryImportReader.layer
)

const run = <A>(program: Effect.Effect<A, unknown, World | Layer.Layer.Success<typeof stores>>): A =>
  inVirtualTime(Effect.provide(program, stores))

/** Starts a worker that runs these loops. */
const start = <E, R>(loops: (leases: WorkLeases) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const leases = yield* holdLeases()
    const looks = Effect.forever(Effect.zipRight(leases.look, Effect.sleep("500 millis")))
    const work = Effect.all([looks, loops(leases)], { concurrency: "unbounded", discard: true })
    return yield* Effect.fork(Effect.interruptible(Effect.onExit(work, () => leases.leave)))
  })

/** Starts a worker that crashes, as by `kill -9`, when its fiber is interrupted. */
const startMortal: typeof start = (loops) =>
  Effect.flatMap(LeaseStore, (store) =>
    Effect.provideService(start(loops), LeaseStore, { ...store, leave: () => Effect.void })
  )

const mailLoop = ({ people }: WorkLeases) => runMail({ portal: "", service: "" }, people)

const message = (to: UserId, dedupeKey: string): Mail.MailMessage => ({ to, dedupeKey, subject: dedupeKey, body: "" })

const letters = Effect.flatMap(MemoryMailer.Post, (post) => post.letters)

describe("mail that workers share [mail-3, leases-1]", () => {
  /**
   * The number of letters that workers sent twice, in a run in which workers start and stop and the mail server takes
   * seconds for each letter. `isShared`: every worker takes the mail of all readers, even without the leases for these
   * readers. `isFenced`: an attempt can be begun only once.
   */
  const sentTwice = (isShared: boolean, isFenced: boolean): number =>
    run(
      Effect.gen(function* () {
        const outbox = yield* MailOutbox
        const post = yield* MemoryMailer.Post
        yield* post.script((mail) => Effect.zipRight(Effect.sleep("3 seconds"), MemoryMailer.takes(mail)))
        const readers = yield* Effect.all(Array.from({ length: 20 }, () => Fixtures.user))
        const write = (key: string) =>
          Effect.gen(function* () {
            const now = yield* Timestamp.now
            yield* Effect.forEach(readers, ({ id }) => outbox.put(message(id, key), now), { discard: true })
          })
        const unfenced = {
          ...outbox,
          begin: (...of: Parameters<typeof outbox.begin>) => Effect.as(outbox.begin(...of), true)
        }
        const worker = start((leases) => mailLoop(isShared ? everything : leases)).pipe(
          Effect.provideService(MailOutbox, isFenced ? outbox : unfenced)
        )
        yield* worker
        yield* write("first")
        yield* Effect.sleep("7 seconds")
        const second = yield* worker
        yield* write("second")
        yield* Effect.sleep("20 seconds")
        yield* worker
        yield* write("third")
        yield* Effect.sleep("20 seconds")
        yield* Fiber.interrupt(second)
        yield* Effect.sleep("10 minutes")
        const ids = (yield* letters).map(({ id }) => id)
        const kept = yield* outbox.recent(100)
        expect(kept.filter(({ sentAt }) => sentAt === null)).toEqual([])
        return ids.length - new Set(ids).size
      })
    )

  it("is sent once while workers come and leave, also when only the leases keep them apart", () => {
    expect([sentTwice(false, true), sentTwice(false, false)]).toEqual([0, 0])
  })

  it("is sent once by workers without leases, because an attempt is begun once", () => {
    expect(sentTwice(true, true)).toBe(0)
  })

  it("planted: two owners at once, and an attempt that both begin, is sent twice", () => {
    expect(sentTwice(true, false)).toBeGreaterThan(0)
  })

  /**
   * Stops a worker a second after it began to send a letter, and starts another worker. `transfer` is what the mail
   * server does before it accepts the letter. Returns how long the worker took to stop, how many copies of the letter
   * arrived, and whether the outbox says that the letter was sent.
   */
  const stopsDuring = (transfer: Effect.Effect<void>) =>
    run(
      Effect.gen(function* () {
        const post = yield* MemoryMailer.Post
        yield* post.script((mail) => Effect.zipRight(transfer, MemoryMailer.takes(mail)))
        const { id } = yield* Fixtures.user
        yield* (yield* MailOutbox).put(message(id, "one"), yield* Timestamp.now)
        const first = yield* start(mailLoop)
        yield* Effect.sleep("1 second")
        const stopped = yield* Timestamp.now
        yield* Fiber.interrupt(first)
        const waited = (yield* Timestamp.now) - stopped
        yield* start(mailLoop)
        yield* Effect.sleep("10 minutes")
        const [kept] = yield* (yield* MailOutbox).recent(1)
        return { waited, letters: (yield* letters).length, isSent: kept?.sentAt !== null }
      })
    )

  it("that is being sent when its worker stops is sent to its end, and not again [leases-2]", () => {
    expect(stopsDuring(Effect.sleep("6 seconds"))).toEqual({ waited: 5 * SECOND, letters: 1, isSent: true })
  })

  it("that the mail server does not take within eight seconds keeps no worker from stopping [leases-2]", () => {
    expect(stopsDuring(Effect.never)).toMatchObject({ waited: 8 * SECOND, isSent: false })
  })

  it("of a worker that dies in the middle is sent by another one after twelve minutes, under the same id [mail-4]", () => {
    run(
      Effect.gen(function* () {
        const post = yield* MemoryMailer.Post
        yield* post.script(() => Effect.never)
        const { id } = yield* Fixtures.user
        yield* (yield* MailOutbox).put(message(id, "one"), yield* Timestamp.now)
        const first = yield* startMortal(mailLoop)
        yield* Effect.sleep("6 seconds")
        expect((yield* letters).length).toBe(1)
        yield* Fiber.interrupt(first)
        yield* post.script(MemoryMailer.takes)
        yield* start(mailLoop)
        yield* Effect.sleep("12 minutes")
        const [one, two] = yield* letters
        expect([two?.id, two?.subject]).toEqual([one?.id, "one"])
        expect((yield* (yield* MailOutbox).recent(1))[0]?.sentAt).not.toBeNull()
      })
    )
  })
})

describe("deleted accounts that workers share [deletions-3, leases-1]", () => {
  const deletionLoop = ({ people }: WorkLeases) =>
    Effect.forever(Effect.zipRight(removeDeleted(people), Effect.sleep("1 minute")))

  /**
   * Deletes an account. The first worker dies after it has removed some rows, and other workers continue. Returns
   * whether the deletion is finished after the last search for late rows, a day after the beginning of the deletion.
   */
  const isGone = (due: (store: typeof AccountDeletionStore.Service) => (typeof AccountDeletionStore.Service)["due"]) =>
    run(
      Effect.gen(function* () {
        const user = yield* Fixtures.user
        const store = yield* AccountDeletionStore
        yield* store.begin(user.id, AccountDeletion.decide)
        let removals = 0
        const dying = yield* startMortal(deletionLoop).pipe(
          Effect.provideService(AccountDeletionStore, {
            ...store,
            removeSome: (...of) => (removals++ === 0 ? Effect.as(store.removeSome(...of), 1) : Effect.never)
          })
        )
        yield* Effect.sleep("2 minutes")
        expect(removals).toBe(2)
        yield* Fiber.interrupt(dying)
        // For most of the day no worker runs, because each step of a worker costs the test real time.
        for (const wait of [11 * MINUTE, DAY]) {
          const worker = yield* start(deletionLoop).pipe(
            Effect.provideService(AccountDeletionStore, { ...store, due: due(store) })
          )
          yield* Effect.sleep("11 minutes")
          yield* Fiber.interrupt(worker)
          yield* Effect.sleep(wait)
        }
        yield* start(deletionLoop).pipe(Effect.provideService(AccountDeletionStore, { ...store, due: due(store) }))
        yield* Effect.sleep("2 minutes")
        const left = yield* store.due(Bucket.ALL, 10, Timestamp.plus(yield* Timestamp.now, 2 * DAY))
        return left.length === 0
      })
    )

  it("of a worker that dies in the middle are gone after the looks of a day, as if it had not died", () => {
    expect(isGone(({ due }) => due)).toBe(true)
  })

  it("planted: a person of whose bucket nobody asks is a deletion that nobody finishes", () => {
    const wrong = isGone(
      (store) => (buckets, limit, now) =>
        Effect.map(store.due(buckets, limit, now), (all) =>
          all.filter(({ userId }) => !buckets.includes(bucketOf(userId)))
        )
    )
    expect(wrong).toBe(false)
  })
})

describe("imports that workers share [imports-6, leases-1]", () => {
  const LINES = 5_000
  const text = [
    MemoryImportReader.FIRST_LINE,
    ...Array.from({ length: LINES }, (_, index) =>
      MemoryImportReader.line(Date.UTC(2025, 11, 1) + index * 1_000, 52, 4)
    ),
    ""
  ].join("\n")

  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))

  /** An import that waits, and a store with which a worker stores two steps and then hangs. */
  const halfRead = Effect.gen(function* () {
    const store = yield* ImportStore
    const made = yield* startImport((yield* Fixtures.user).id, "walk.gpx", Stream.make(bytes))
    let steps = 0
    const stuck: typeof ImportStore.Service = {
      ...store,
      advance: (step) => (steps++ < 2 ? store.advance(step) : Effect.never)
    }
    return { stuck, found: Effect.map(store.find(made), Option.getOrThrow) }
  })

  it("of a worker that dies in the middle are read on by another one a minute after they were begun, each entry once", () => {
    run(
      Effect.gen(function* () {
        const { found, stuck } = yield* halfRead
        const dying = yield* startMortal(runImports).pipe(
          Effect.provideService(ImportStore, {
            ...stuck,
            // A worker that dies does not give its import back. The worker of this test is only interrupted, and an
            // interrupted worker gives its import back. So this method does nothing.
            handBack: () => Effect.void
          })
        )
        yield* Effect.sleep("10 seconds")
        expect((yield* found).counts.read).toBe(2_000)
        yield* Fiber.interrupt(dying)
        yield* start(runImports)
        yield* Effect.sleep("30 seconds")
        expect((yield* found).counts.read).toBe(2_000)
        yield* Effect.sleep(Import.RETRY_AFTER - 25 * SECOND)
        expect(yield* found).toMatchObject({ state: "done", counts: { read: LINES, stored: LINES, duplicates: 0 } })
      })
    )
  })

  it("of a worker that stops in the middle are read on by another one at once, each entry once", () => {
    run(
      Effect.gen(function* () {
        const { found, stuck } = yield* halfRead
        const stopping = yield* start(runImports).pipe(Effect.provideService(ImportStore, stuck))
        yield* Effect.sleep("10 seconds")
        expect((yield* found).counts.read).toBe(2_000)
        const stopped = yield* Timestamp.now
        yield* Fiber.interrupt(stopping)
        expect(yield* Timestamp.now).toBe(stopped)
        yield* start(runImports)
        yield* Effect.sleep("6 seconds")
        expect(yield* found).toMatchObject({ state: "done", counts: { read: LINES, stored: LINES, duplicates: 0 } })
      })
    )
  })

  it("are not cut when another worker comes: the bucket stays until the file is read", () => {
    run(
      Effect.gen(function* () {
        const store = yield* ImportStore
        const claims: Array<string> = []
        const users = yield* Effect.all([Fixtures.user, Fixtures.user, Fixtures.user])
        yield* Effect.forEach(users, ({ id }) => startImport(id, "walk.gpx", Stream.make(bytes)))
        const worker = start(runImports).pipe(
          Effect.provideService(ImportStore, {
            ...store,
            claim: (leased, ...times) => {
              claims.push(leased.id)
              return store.claim(leased, ...times)
            },
            // All steps of a file together take longer than `Import.RETRY_AFTER`. So the worker must renew its lease of
            // the import.
            advance: (step) => Effect.zipRight(Effect.sleep("40 seconds"), store.advance(step))
          })
        )
        yield* worker
        yield* Effect.sleep("10 seconds")
        yield* worker
        yield* worker
        yield* Effect.sleep("30 minutes")
        for (const { id } of users) {
          expect((yield* store.list(id, 1)).items).toMatchObject([
            { state: "done", counts: { read: LINES, stored: LINES } }
          ])
        }
        expect(claims.length).toBe(3)
      })
    )
  })

  it("of several people are read at once, three of them, and of one person one after the other [imports-6]", () => {
    run(
      Effect.gen(function* () {
        const store = yield* ImportStore
        const users = yield* Effect.all(Array.from({ length: 4 }, () => Fixtures.user))
        const [eager] = users
        if (eager === undefined) throw new Error("nobody")
        // The two files of the first person have waited longest.
        for (const { id } of [eager, ...users]) {
          yield* startImport(id, "walk.gpx", Stream.make(bytes))
          yield* Effect.sleep("1 second")
        }
        const claims: Array<string> = []
        const reading: Array<UserId> = []
        let most = 0
        yield* start(runImports).pipe(
          Effect.provideService(ImportStore, {
            ...store,
            claim: (leased, ...times) =>
              Effect.tap(store.claim(leased, ...times), () => {
                claims.push(leased.id)
                expect(reading).not.toContain(leased.userId)
                reading.push(leased.userId)
                most = Math.max(most, reading.length)
              }),
            // One step takes longer than `Import.RETRY_AFTER`. So the worker must renew its lease of the import.
            advance: (step) => Effect.zipRight(Effect.sleep("70 seconds"), store.advance(step)),
            finish: (leased, ...how) =>
              Effect.tap(store.finish(leased, ...how), () => void reading.splice(reading.indexOf(leased.userId), 1))
          })
        )
        yield* Effect.sleep("30 minutes")
        expect(most).toBe(Pace.QUICK.atOnce)
        expect(claims.length).toBe(5)
        for (const { id } of users) {
          for (const one of (yield* store.list(id, 3)).items)
            expect(one).toMatchObject({ state: "done", counts: { read: LINES } })
        }
      })
    )
  })

  it("all files of other people need not end before a failed attempt is repeated, or before broken uploads go [imports-6]", () => {
    run(
      Effect.gen(function* () {
        const store = yield* ImportStore
        const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
        const [unlucky, ...others] = yield* Effect.all(Array.from({ length: 10 }, () => Fixtures.user))
        if (unlucky === undefined) throw new Error("nobody")
        for (const { id } of [unlucky, ...others]) {
          yield* startImport(id, "walk.gpx", Stream.make(bytes))
          yield* Effect.sleep("1 second")
        }
        const ended: Array<UserId> = []
        let hasFailed = false
        let cleanings = 0
        yield* start(runImports).pipe(
          Effect.provideService(ImportStore, {
            ...store,
            claim: (leased, ...times) => {
              if (leased.userId !== unlucky.id || hasFailed) return store.claim(leased, ...times)
              hasFailed = true
              return Effect.fail(StoreError.unavailable("planted"))
            },
            advance: (step) => Effect.zipRight(Effect.sleep("20 seconds"), store.advance(step)),
            finish: (leased, ...how) => Effect.tap(store.finish(leased, ...how), () => void ended.push(leased.userId)),
            dropBrokenOff: (now) => {
              if (ended.length < others.length) cleanings++
              return store.dropBrokenOff(now)
            }
          })
        )
        yield* Effect.sleep("30 minutes")
        expect(hasFailed).toBe(true)
        expect(ended.length).toBe(10)
        // Workers read three files at the same time. The file whose claim failed comes next, after the first three
        // files of the other users.
        expect(ended.indexOf(unlucky.id)).toBeLessThan(6)
        expect(cleanings).toBeGreaterThan(10)
      })
    )
  })
})

describe("tasks of nobody [sweeps-1, leases-3]", () => {
  it("are each done by one of several workers, and by another one 13 s after that one died", () => {
    run(
      Effect.gen(function* () {
        const done = new Map<string, number>()
        const loop = ({ chores }: WorkLeases) =>
          Effect.forEach(
            Chore.ALL,
            (chore) =>
              chores.using(
                chore,
                Effect.sync(() => void done.set(chore, (done.get(chore) ?? 0) + 1))
              ),
            {
              discard: true
            }
          ).pipe(Effect.zipRight(Effect.sleep("1 second")), Effect.forever)
        const times = Effect.gen(function* () {
          done.clear()
          yield* Effect.sleep("10 seconds")
          return Chore.ALL.map((chore) => done.get(chore) ?? 0)
        })
        const workers = [yield* startMortal(loop), yield* start(loop), yield* start(loop)]
        yield* Effect.sleep("10 seconds")
        expect(new Set(yield* times)).toEqual(new Set([10]))
        yield* Fiber.interrupt(workers[0] ?? (yield* start(loop)))
        yield* Effect.sleep("13 seconds")
        expect(new Set(yield* times)).toEqual(new Set([10]))
      })
    )
  })

  it("are made up for at once by the worker that takes the lease of one that died", () => {
    run(
      Effect.gen(function* () {
        const at: Array<readonly [Chore.Chore, number]> = []
        const began = yield* Timestamp.now
        const loop = ({ chores, nextTaken }: WorkLeases) =>
          Effect.gen(function* () {
            const taken = yield* nextTaken
            const note = (chore: Chore.Chore) => Effect.map(Timestamp.now, (now) => void at.push([chore, now - began]))
            yield* Effect.forEach(Chore.ALL, (chore) => chores.using(chore, note(chore)))
            yield* Effect.timeoutOption(taken, "1 hour")
          }).pipe(Effect.forever)
        const first = yield* startMortal(loop)
        yield* Effect.sleep("10 seconds")
        yield* start(loop)
        yield* Effect.sleep(MINUTE)
        at.length = 0
        yield* Fiber.interrupt(first)
        const died = (yield* Timestamp.now) - began
        yield* Effect.sleep(MINUTE)
        expect(new Set(at.map(([chore]) => chore))).toEqual(new Set(Chore.ALL))
        expect(at.filter(([, millis]) => millis - died > 13_000)).toEqual([])
      })
    )
  })
})
