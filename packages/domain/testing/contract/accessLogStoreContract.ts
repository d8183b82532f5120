import { Effect } from "effect"
import type { AccessLogEntry } from "../../src/access-log/AccessLogEntry.js"
import { AccessLogStore, type AccessLogFilter } from "../../src/access-log/AccessLogStore.js"
import * as Disclosure from "../../src/answers/Disclosure.js"
import * as Entropy from "../../src/shared/Entropy.js"
import { AccessLogEntryId, AppId, ConnectionId, UserId } from "../../src/shared/Ids.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"

type Ports = AccessLogStore | Entropy.Entropy

const user = Effect.map(Entropy.id("usr"), (id) => UserId.make(id))
const app = Effect.map(Entropy.id("app"), (id) => AppId.make(id))

/**
 * Makes an entry of the access log without storing it. The user, app and connection of the entry need not exist,
 * because a store does not check whether they do.
 */
const entry = (userId: UserId, overrides: Partial<AccessLogEntry> = {}) =>
  Effect.gen(function* () {
    const made: AccessLogEntry = {
      userId,
      id: AccessLogEntryId.make(yield* Entropy.id("log")),
      at: yield* Timestamp.now,
      appId: yield* app,
      connectionId: ConnectionId.make(yield* Entropy.id("con")),
      endpoint: "GET /v1/me",
      purpose: null,
      status: 200,
      error: null,
      disclosed: null,
      times: 1,
      ...overrides
    }
    return made
  })

const record = (made: AccessLogEntry) => Effect.flatMap(AccessLogStore, (store) => store.record(made))

const recorded = (userId: UserId, overrides: Partial<AccessLogEntry> = {}) =>
  Effect.tap(entry(userId, overrides), record)

const listed = (userId: UserId, filter: AccessLogFilter = {}) =>
  Effect.flatMap(AccessLogStore, (store) =>
    Effect.map(store.list(userId, filter, 500, undefined), ({ items }) => items)
  )

const newestFirst = (entries: ReadonlyArray<AccessLogEntry>) =>
  [...entries].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))

/** The endpoints that an entry may name when the developer of the app, and not the app, read data about the user. */
const BY_DEVELOPER = ["GET /developer/apps/{app}/users/{grant}/rules", "GET /v1/developer/apps/{app_id}/rules"]

/**
 * What every `AccessLogStore` must guarantee: no entry is lost, a user sees only their own entries, and filters and
 * pages are exact.
 */
export const accessLogStoreContract: Contract<Ports> = [
  {
    name: "record: what was written is listed as it was",
    run: Effect.gen(function* () {
      const userId = yield* user
      const full = yield* recorded(userId, {
        endpoint: "GET /v1/locations/latest",
        purpose: "find_coffee",
        status: 403,
        error: "scope_expired",
        disclosed: "latest location – précis, “exact”"
      })
      Check.equal(yield* listed(userId), [full], "with everything")
    })
  },
  {
    name: "record: the same entry twice is kept once",
    run: Effect.gen(function* () {
      const userId = yield* user
      const one = yield* recorded(userId)
      yield* record({ ...one, status: 500 })
      yield* Effect.all([record(one), record(one)], { concurrency: "unbounded" })
      Check.equal(yield* listed(userId), [one], "the first")
    })
  },
  {
    name: "recordRepeat: one entry, whose count never falls, in any order and at once; the first words stay [limits-10]",
    run: Effect.gen(function* () {
      const store = yield* AccessLogStore
      const userId = yield* user
      const first = yield* entry(userId, { status: 401, error: "invalid_token", times: 1 })
      yield* store.recordRepeat(first)
      Check.equal(yield* listed(userId), [first], "the first")
      const counts = [2, 7, 3, 5, 6, 4]
      yield* Effect.forEach(counts, (times) => store.recordRepeat({ ...first, status: 500, times }), {
        concurrency: "unbounded"
      })
      Check.equal(yield* listed(userId), [{ ...first, times: 7 }], "the highest count")
      yield* store.recordRepeat(first)
      yield* record(first)
      Check.equal(yield* listed(userId), [{ ...first, times: 7 }], "it does not fall")
      const other = yield* entry(userId, { times: 3 })
      yield* store.recordRepeat(other)
      Check.equal(yield* listed(userId), newestFirst([{ ...first, times: 7 }, other]), "another entry")
    })
  },
  {
    name: "recordUnless: nothing where the user has an entry of one of the keys; another time, id or user is none; twice is once [§4.6.8]",
    run: Effect.gen(function* () {
      const store = yield* AccessLogStore
      const [userId, other] = [yield* user, yield* user]
      const now = yield* Timestamp.now
      const known = yield* recorded(userId, { at: now })
      const [absent, unless] = [
        yield* entry(userId),
        yield* entry(userId, { at: Timestamp.plus(now, 1), error: "too_old" })
      ]
      for (const keys of [[known], [absent, known], [known, absent]]) yield* store.recordUnless(unless, keys)
      Check.equal(yield* listed(userId), [known], "one of the keys is there")
      const elsewhere = [absent, { at: Timestamp.plus(known.at, 1), id: known.id }, { at: known.at, id: absent.id }]
      yield* store.recordUnless(unless, elsewhere)
      yield* store.recordUnless({ ...unless, status: 500 }, [])
      Check.equal(yield* listed(userId), [unless, known], "none is")
      const theirs = yield* entry(other)
      yield* store.recordUnless(theirs, [known, unless])
      Check.equal(yield* listed(other), [theirs], "somebody else's do not count")
    })
  },
  {
    name: "record: entries of many requests at once are all there when their writers have returned",
    run: Effect.gen(function* () {
      const users = yield* Effect.all(Array.from({ length: 4 }, () => user))
      const entries = yield* Effect.all(
        Array.from({ length: 120 }, (_, index) => entry(users[index % 4] ?? Check.fail("four users")))
      )
      yield* Effect.forEach(
        entries,
        (one) =>
          Effect.gen(function* () {
            yield* record(one)
            const mine = yield* listed(one.userId)
            Check.isTrue(
              mine.some(({ id }) => id === one.id),
              "each is committed before its writer returns"
            )
          }),
        { concurrency: "unbounded" }
      )
      for (const userId of users) {
        const expected = newestFirst(entries.filter((one) => one.userId === userId))
        Check.equal(yield* listed(userId), expected, "all, each once")
      }
    })
  },
  {
    name: "list: newest first, equal times by id, every entry on exactly one page",
    run: Effect.gen(function* () {
      const store = yield* AccessLogStore
      const userId = yield* user
      const now = yield* Timestamp.now
      const entries: Array<AccessLogEntry> = []
      for (const ago of [5, 0, 5, 5, 0, 3, 5]) {
        entries.push(yield* recorded(userId, { at: Timestamp.plus(now, -ago) }))
      }
      const expected = newestFirst(entries).map(({ id }) => id)
      const paged: Array<string> = []
      let after: ReadonlyArray<string | number> | undefined
      for (let page = 0; page < 9; page++) {
        const { items, next } = yield* store.list(userId, {}, 2, after)
        paged.push(...items.map(({ id }) => id))
        after = next
        if (next === undefined) break
      }
      Check.equal(paged, expected, "pages of two")
      Check.equal((yield* store.list(userId, {}, 7, undefined)).next, undefined, "a full last page says so")
    })
  },
  {
    name: "list: an entry that arrives between two pages moves none of the others",
    run: Effect.gen(function* () {
      const store = yield* AccessLogStore
      const userId = yield* user
      const now = yield* Timestamp.now
      const old = yield* recorded(userId, { at: Timestamp.plus(now, -2) })
      const mid = yield* recorded(userId, { at: Timestamp.plus(now, -1) })
      const first = yield* store.list(userId, {}, 1, undefined)
      yield* recorded(userId, { at: now })
      const second = yield* store.list(userId, {}, 1, first.next)
      Check.equal([...first.items, ...second.items], [mid, old], "neither skipped nor repeated")
    })
  },
  {
    name: "list: nobody else's entries",
    run: Effect.gen(function* () {
      const [userId, other] = [yield* user, yield* user]
      const appId = yield* app
      const mine = yield* recorded(userId, { appId })
      yield* recorded(other, { appId })
      Check.equal(yield* listed(userId, { appId }), [mine], "the user's own")
    })
  },
  {
    name: "list: filters by app, by purpose, and by time from inclusive to exclusive",
    run: Effect.gen(function* () {
      const userId = yield* user
      const [cafe, bank] = [yield* app, yield* app]
      const now = yield* Timestamp.now
      const at = (ms: number) => Timestamp.plus(now, ms)
      const a = yield* recorded(userId, { appId: cafe, purpose: "find_coffee", at: at(0) })
      const b = yield* recorded(userId, { appId: cafe, purpose: null, at: at(1) })
      const c = yield* recorded(userId, { appId: bank, purpose: "find_coffee", at: at(2) })
      const ids = (filter: AccessLogFilter) =>
        Effect.map(listed(userId, filter), (entries) => entries.map(({ id }) => id))
      Check.equal(yield* ids({ appId: cafe }), [b.id, a.id], "app")
      Check.equal(yield* ids({ purpose: "find_coffee" }), [c.id, a.id], "purpose")
      Check.equal(yield* ids({ from: at(1) }), [c.id, b.id], "from is inclusive")
      Check.equal(yield* ids({ to: at(2) }), [b.id, a.id], "to is exclusive")
      Check.equal(yield* ids({ appId: cafe, purpose: "find_coffee", from: at(0), to: at(1) }), [a.id], "all of them")
      Check.equal(yield* ids({ appId: bank, to: at(2) }), [], "nothing left")
    })
  },
  {
    name: "countUses: answered requests by purpose, most used first; refused ones, those during a pause, events, the developer's, other apps and earlier ones are left out [connection-4, consent-3]",
    run: Effect.gen(function* () {
      const store = yield* AccessLogStore
      const [userId, other] = [yield* user, yield* user]
      const appId = yield* app
      const now = yield* Timestamp.now
      const at = (ms: number) => Timestamp.plus(now, ms)
      for (const purpose of ["find_coffee", "order_ahead", "order_ahead", null, "book_table"]) {
        yield* recorded(userId, { appId, purpose, at: at(0) })
      }
      for (const endpoint of [...BY_DEVELOPER, "webhook place.enter"]) {
        yield* recorded(userId, { appId, purpose: null, at: at(0), endpoint })
      }
      yield* recorded(userId, { appId, purpose: "order_ahead", at: at(-1) })
      yield* recorded(userId, { appId, purpose: "order_ahead", status: 403, error: "scope_expired" })
      for (const purpose of ["order_ahead", "return_later", null])
        yield* recorded(userId, { appId, purpose, at: at(0), disclosed: Disclosure.PAUSED })
      yield* recorded(userId, { purpose: "order_ahead" })
      yield* recorded(other, { appId, purpose: "order_ahead" })
      Check.equal(
        yield* store.countUses(userId, appId, at(0)),
        [
          { purpose: "order_ahead", count: 2 },
          { purpose: null, count: 1 },
          { purpose: "book_table", count: 1 },
          { purpose: "find_coffee", count: 1 }
        ],
        "from is inclusive"
      )
      Check.equal(yield* store.countUses(userId, appId, at(1)), [], "nothing since")
    })
  },
  {
    name: "tally: each app's requests and events between edges, refused ones too, repeats by their number; the developer's are not the app's [timeline-1, owner-notices-2]",
    run: Effect.gen(function* () {
      const store = yield* AccessLogStore
      const [userId, other] = [yield* user, yield* user]
      const [first, second] = [yield* app, yield* app].sort() as [AppId, AppId]
      const now = yield* Timestamp.now
      const at = (ms: number) => Timestamp.plus(now, ms)
      yield* recorded(userId, { appId: first, at: at(0) })
      yield* recorded(userId, { appId: first, at: at(9), status: 403, error: "missing_scope" })
      yield* recorded(userId, { appId: second, at: at(5), status: 401, error: "invalid_token", times: 7 })
      yield* recorded(userId, { appId: second, at: at(20), endpoint: "webhook place.enter" })
      yield* recorded(userId, { appId: first, at: at(3), endpoint: "webhook place.exit", status: 403 })
      for (const endpoint of BY_DEVELOPER) yield* recorded(userId, { appId: second, at: at(21), endpoint })
      for (const ms of [-1, 30]) yield* recorded(userId, { appId: first, at: at(ms) })
      yield* recorded(other, { appId: first, at: at(5) })
      Check.equal(
        yield* store.tally(userId, [at(0), at(10), at(20), at(30)]),
        [
          { appId: first, edge: 0, count: 3, requests: 2 },
          { appId: second, edge: 0, count: 7, requests: 7 },
          { appId: second, edge: 2, count: 3, requests: 0 }
        ],
        "an edge belongs to the stretch that it begins"
      )
    })
  },
  {
    name: "lastAnswered: the newest answer or event of each connection, up to its end; what its developer read does not count [connection-2]",
    run: Effect.gen(function* () {
      const store = yield* AccessLogStore
      const [userId, other] = [yield* user, yield* user]
      const appId = yield* app
      const now = yield* Timestamp.now
      const at = (ms: number) => Timestamp.plus(now, ms)
      const ids = yield* Effect.all(
        ["ended", "live", "refused", "silent", "notified"].map(() =>
          Effect.map(Entropy.id("con"), (id) => ConnectionId.make(id))
        )
      )
      const [ended, live, refused, silent, notified] = ids as [
        ConnectionId,
        ConnectionId,
        ConnectionId,
        ConnectionId,
        ConnectionId
      ]
      yield* recorded(userId, { appId, connectionId: ended, at: at(10) })
      yield* recorded(userId, { appId, connectionId: ended, at: at(11) })
      yield* recorded(userId, { appId, connectionId: live, at: at(30) })
      yield* recorded(userId, { appId, connectionId: live, at: at(20) })
      yield* recorded(userId, { appId, connectionId: live, at: at(40), status: 401, error: "invalid_token" })
      yield* recorded(userId, { appId, connectionId: refused, at: at(40), status: 403, error: "missing_scope" })
      yield* recorded(other, { appId, connectionId: silent, at: at(40) })
      yield* recorded(userId, { appId, connectionId: notified, at: at(35), endpoint: "webhook place.enter" })
      for (const endpoint of BY_DEVELOPER) {
        for (const connectionId of [live, silent])
          yield* recorded(userId, { appId, connectionId, at: at(50), endpoint })
      }
      const last = yield* store.lastAnswered(userId, [
        { connectionId: ended, appId, until: at(10) },
        ...[live, refused, silent, notified].map((connectionId) => ({ connectionId, appId, until: null }))
      ])
      Check.equal(
        [...last].sort(([, a], [, b]) => a - b),
        [
          [ended, at(10)],
          [live, at(30)],
          [notified, at(35)]
        ],
        "by connection"
      )
      Check.equal((yield* store.lastAnswered(userId, [])).size, 0, "nothing asked")
    })
  }
]
