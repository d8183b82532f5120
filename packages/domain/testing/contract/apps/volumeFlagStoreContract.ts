import { Effect } from "effect"
import type { AccessLogEntry } from "../../../src/access-log/AccessLogEntry.js"
import { AccessLogStore } from "../../../src/access-log/AccessLogStore.js"
import { DisplayName } from "../../../src/accounts/Account.js"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { AppStore } from "../../../src/apps/AppStore.js"
import type { PurposeStore } from "../../../src/purposes/PurposeStore.js"
import type { VolumeFlag } from "../../../src/purposes/VolumeFlag.js"
import { VolumeFlagStore } from "../../../src/purposes/VolumeFlagStore.js"
import { RetentionStore } from "../../../src/sweeps/RetentionStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { AccessLogEntryId, ConnectionId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as TestPerson from "../../../src/test-people/TestPerson.js"
import { TestPersonStore } from "../../../src/test-people/TestPersonStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"

type Ports =
  | VolumeFlagStore
  | RetentionStore
  | AccessLogStore
  | PurposeStore
  | AppStore
  | AccountStore
  | TestPersonStore
  | Entropy.Entropy

const EXPECTED = 3

/**
 * Stores a user, and an app whose purpose `find_me` expects `EXPECTED` calls a day. `connectionId` belongs to no stored
 * connection, because entries of the access log need none.
 */
const subject = (overrides: Fixtures.PurposeOverrides = {}) =>
  Effect.gen(function* () {
    const app = yield* Fixtures.app((yield* Fixtures.user).id)
    const terms = {
      description: "Finds coffee near you",
      scopes: ["location.lookup"],
      expectedDailyVolume: EXPECTED
    } as const
    const purpose = yield* Fixtures.purpose(app.id, "find_me", { terms, ...overrides })
    return {
      app,
      purpose,
      userId: (yield* Fixtures.user).id,
      connectionId: ConnectionId.make(yield* Entropy.id("con"))
    }
  })
type Subject = Effect.Effect.Success<ReturnType<typeof subject>>

/** Stores `count` entries of the access log, each for one answered call at the time `at`. */
const calls = (
  { app, connectionId, userId }: Subject,
  count: number,
  at: Timestamp.Timestamp,
  overrides: Partial<AccessLogEntry> = {}
) =>
  Effect.gen(function* () {
    const log = yield* AccessLogStore
    for (let made = 0; made < count; made++) {
      yield* log.record({
        userId,
        id: AccessLogEntryId.make(yield* Entropy.id("log")),
        at,
        appId: app.id,
        connectionId,
        endpoint: "GET /v1/locations/lookup",
        purpose: "find_me",
        status: 200,
        error: null,
        disclosed: "one location",
        times: 1,
        ...overrides
      })
    }
  })

/**
 * The end of a day on which no other case stores calls. `number` is different for each case, and the days of two cases
 * are at least ten days apart.
 */
const day = (number: number) => Timestamp.make((48_000 + 10 * number) * Timestamp.DAY)

const before = (at: Timestamp.Timestamp) => Timestamp.plus(at, -1)

const raise = (to: Timestamp.Timestamp) =>
  Effect.flatMap(VolumeFlagStore, (flags) => flags.raise({ from: Timestamp.plus(to, -Timestamp.DAY), to, factor: 2 }))

const flagsOf = (userId: UserId) =>
  Effect.map(
    Effect.flatMap(VolumeFlagStore, (flags) => flags.listOfUser(userId, 500, undefined)),
    ({ items }) => items
  )

const countOf = ({ userId }: Subject) => Effect.map(flagsOf(userId), (flags) => flags.map((flag) => flag.calls))

/**
 * What every `VolumeFlagStore` must guarantee: more than twice the expected volume in a day raises one flag (Spec §8).
 */
export const volumeFlagStoreContract: Contract<Ports> = [
  {
    name: "a sweep deletes flags by the end of the day that they are about, that moment included [sweeps-2]",
    run: Effect.gen(function* () {
      const to = day(0)
      const one = yield* subject()
      yield* calls(one, 2 * EXPECTED + 1, before(to))
      yield* calls(one, 2 * EXPECTED + 2, to)
      yield* raise(to)
      yield* raise(Timestamp.plus(to, Timestamp.DAY))
      const remove = (until: Timestamp.Timestamp) =>
        Effect.flatMap(RetentionStore, (store) => store.remove("volume_flags", until, 1_000))
      yield* remove(before(to))
      Check.equal(yield* countOf(one), [2 * EXPECTED + 2, 2 * EXPECTED + 1], "a millisecond younger")
      Check.equal(yield* remove(to), 1, "deleted")
      Check.equal(yield* countOf(one), [2 * EXPECTED + 2], "the later one stays")
    })
  },
  {
    name: "raise: exactly twice the expected volume is no flag, one call more is [§8-volume-flag, purposes-5]",
    run: Effect.gen(function* () {
      const to = day(1)
      const [fine, over] = [yield* subject(), yield* subject()]
      yield* calls(fine, 2 * EXPECTED, before(to))
      yield* calls(over, 2 * EXPECTED + 1, before(to))
      Check.equal(yield* raise(to), 1, "new flags")
      Check.equal(yield* flagsOf(fine.userId), [], "the one")
      const expected: VolumeFlag = {
        userId: over.userId,
        connectionId: over.connectionId,
        appId: over.app.id,
        purposeId: over.purpose.id,
        purposeKey: over.purpose.key,
        calls: 2 * EXPECTED + 1,
        expectedDailyVolume: EXPECTED,
        from: Timestamp.plus(to, -Timestamp.DAY),
        to
      }
      Check.equal(yield* flagsOf(over.userId), [expected], "the other")
    })
  },
  {
    name: "raise: counts from exactly a day ago until before now; a millisecond earlier or later does not count [§8-volume-flag]",
    run: Effect.gen(function* () {
      const to = day(2)
      const [inside, early, late] = [yield* subject(), yield* subject(), yield* subject()]
      for (const one of [inside, early, late]) yield* calls(one, 2 * EXPECTED, Timestamp.plus(to, -1_000))
      yield* calls(inside, 1, Timestamp.plus(to, -Timestamp.DAY))
      yield* calls(early, 1, Timestamp.plus(to, -Timestamp.DAY - 1))
      yield* calls(late, 1, to)
      Check.equal(yield* raise(to), 1, "new flags")
      Check.equal(yield* countOf(inside), [2 * EXPECTED + 1], "flagged")
    })
  },
  {
    name: "raise: calls of the moment at which one day ends and the next begins count for the next alone [purposes-5]",
    run: Effect.gen(function* () {
      const to = day(11)
      const one = yield* subject()
      yield* calls(one, EXPECTED, Timestamp.plus(to, -Timestamp.HOUR))
      yield* calls(one, EXPECTED + 1, to)
      Check.equal(yield* raise(to), 0, "the day that ends")
      yield* calls(one, EXPECTED, Timestamp.plus(to, Timestamp.HOUR))
      Check.equal(yield* raise(Timestamp.plus(to, Timestamp.DAY)), 1, "the day that begins")
      Check.equal(yield* countOf(one), [2 * EXPECTED + 1], "counted once")
    })
  },
  {
    name: "raise: only answered calls with a purpose count",
    run: Effect.gen(function* () {
      const to = day(3)
      const one = yield* subject()
      yield* calls(one, 2 * EXPECTED, before(to))
      yield* calls(one, 20, before(to), { purpose: null, endpoint: "GET /v1/me" })
      yield* calls(one, 20, before(to), { status: 403, error: "scope_expired", disclosed: null })
      Check.equal(yield* raise(to), 0, "new flags")
      yield* calls(one, 1, before(to))
      Check.equal(yield* raise(to), 1, "with one answered call more")
      Check.equal(yield* countOf(one), [2 * EXPECTED + 1], "counted")
    })
  },
  {
    name: "raise: connections are counted apart, and purposes of one connection too",
    run: Effect.gen(function* () {
      const to = day(4)
      const one = yield* subject()
      yield* Fixtures.purpose(one.app.id, "find_you", { terms: one.purpose.terms })
      const other = { ...one, connectionId: ConnectionId.make(yield* Entropy.id("con")) }
      yield* calls(one, 4, before(to))
      yield* calls(one, 4, before(to), { purpose: "find_you" })
      yield* calls(other, 4, before(to))
      Check.equal(yield* raise(to), 0, "new flags")
      yield* calls(one, 3, before(to), { purpose: "find_you" })
      Check.equal(yield* raise(to), 1, "with three calls more")
      Check.equal(
        (yield* flagsOf(one.userId)).map((flag) => [flag.purposeKey, flag.calls]),
        [["find_you", 7]],
        "flagged"
      )
    })
  },
  {
    name: "raise: the volume that was approved counts, not that of an edit; of a purpose never approved its newest",
    run: Effect.gen(function* () {
      const to = day(5)
      const terms = { description: "Finds more coffee", scopes: ["location.lookup"], expectedDailyVolume: 1 } as const
      const approved = yield* subject({ terms: { ...terms, expectedDailyVolume: 10 }, approved: terms })
      const draft = yield* subject({ terms })
      const archived = yield* subject({ terms, archivedAt: to })
      for (const one of [approved, draft, archived]) yield* calls(one, 3, before(to))
      Check.equal(yield* raise(to), 3, "new flags")
      Check.equal(
        (yield* flagsOf(approved.userId)).map((flag) => flag.expectedDailyVolume),
        [1],
        "the approved volume"
      )
    })
  },
  {
    name: "raise: the same calls are flagged once; what goes on for another day is flagged again [purposes-5]",
    run: Effect.gen(function* () {
      const to = day(6)
      const one = yield* subject()
      yield* calls(one, 7, Timestamp.plus(to, -Timestamp.HOUR))
      Check.equal(yield* raise(to), 1, "at first")
      Check.equal(yield* raise(to), 0, "at the same time again")
      for (let hour = 1; hour < 24; hour++) {
        yield* calls(one, 1, Timestamp.plus(to, hour * Timestamp.HOUR))
        Check.equal(yield* raise(Timestamp.plus(to, hour * Timestamp.HOUR)), 0, `${hour} h later`)
      }
      Check.equal(yield* raise(Timestamp.plus(to, Timestamp.DAY)), 1, "a day later")
      Check.equal(yield* countOf(one), [23, 7], "counted")
    })
  },
  {
    name: "raise: a flag of one connection or purpose is no excuse for another of the same user and app",
    run: Effect.gen(function* () {
      const to = day(9)
      const one = yield* subject()
      yield* Fixtures.purpose(one.app.id, "find_you", { terms: one.purpose.terms })
      const other = { ...one, connectionId: ConnectionId.make(yield* Entropy.id("con")) }
      yield* calls(one, 7, before(to))
      Check.equal(yield* raise(to), 1, "the first")
      const later = Timestamp.plus(to, Timestamp.HOUR)
      yield* calls(other, 7, before(later))
      yield* calls(one, 7, before(later), { purpose: "find_you" })
      Check.equal(yield* raise(later), 2, "another connection, and another purpose")
      Check.equal(yield* raise(Timestamp.plus(later, 1)), 0, "once each")
    })
  },
  {
    name: "raise: calls about a test person of the app are never flagged [test-people-3]",
    run: Effect.gen(function* () {
      const to = day(10)
      const one = yield* subject()
      const id = UserId.make(yield* Entropy.id("usr"))
      const account = TestPerson.account(id, one.app.id, DisplayName.make("Robin"), to)
      Check.equal(yield* (yield* TestPersonStore).create(account), "created", "made")
      yield* calls({ ...one, userId: id, connectionId: ConnectionId.make(yield* Entropy.id("con")) }, 20, before(to))
      Check.equal(yield* raise(to), 0, "new flags")
      yield* calls(one, 7, before(to))
      Check.equal(yield* raise(to), 1, "the same calls about a person of the same app")
    })
  },
  {
    name: "raise: a key that is no purpose of the app is nobody's",
    run: Effect.gen(function* () {
      const to = day(7)
      const one = yield* subject()
      yield* calls(one, 20, before(to), { purpose: "no_such" })
      Check.equal(yield* raise(to), 0, "new flags")
    })
  },
  {
    name: "raise: four at once flag each connection once",
    run: Effect.gen(function* () {
      const to = day(8)
      const subjects = yield* Effect.all([subject(), subject(), subject()])
      for (const one of subjects) yield* calls(one, 7, before(to))
      const raised = yield* Effect.all(
        [0, 1, 2, 3].map((later) => raise(Timestamp.plus(to, later))),
        { concurrency: "unbounded" }
      )
      Check.equal(
        raised.reduce((sum, count) => sum + count, 0),
        3,
        "new flags together"
      )
      for (const one of subjects) Check.equal(yield* countOf(one), [7], "flags of one")
    })
  },
  {
    name: "list: everybody's, newest first, those of one moment by connection and purpose downwards, each on one page",
    run: Effect.gen(function* () {
      const flags = yield* VolumeFlagStore
      // The list has the newest flag first, and the flags of this case are newer than those of all other cases, so they
      // come first.
      const to = day(1_000)
      const subjects = yield* Effect.all([subject(), subject(), subject()])
      for (const one of subjects) {
        yield* Fixtures.purpose(one.app.id, "find_you", { terms: one.purpose.terms })
        yield* calls(one, 7, before(to))
        yield* calls(one, 7, before(to), { purpose: "find_you" })
      }
      yield* raise(to)
      const late = yield* subject()
      yield* calls(late, 7, to)
      yield* raise(Timestamp.plus(to, 1))
      const expected = [
        [late.connectionId, "find_me"],
        ...subjects
          .flatMap(({ connectionId }) => [
            [connectionId, "find_me"],
            [connectionId, "find_you"]
          ])
          .sort((a, b) => (a.join(" ") < b.join(" ") ? 1 : -1))
      ]
      for (const limit of [1, 2, 7]) {
        const found: Array<ReadonlyArray<string>> = []
        let after: ReadonlyArray<string | number> | undefined
        do {
          const page = yield* flags.list(limit, after)
          Check.isTrue(page.items.length <= limit, "no page is larger than asked for")
          found.push(...page.items.map(({ connectionId, purposeKey }) => [connectionId, purposeKey]))
          after = page.next
        } while (after !== undefined && found.length < expected.length)
        Check.equal(found.slice(0, expected.length), expected, `pages of ${limit}`)
      }
      const [one] = subjects
      const own = yield* flags.listOfUser(one?.userId ?? Check.fail("three"), 1, undefined)
      Check.equal(
        own.items.map(({ purposeKey }) => purposeKey),
        ["find_you"],
        "the user's own, first page"
      )
      const rest = yield* flags.listOfUser(one?.userId ?? Check.fail("three"), 1, own.next)
      Check.equal(
        rest.items.map(({ purposeKey }) => purposeKey),
        ["find_me"],
        "second page"
      )
      Check.equal(rest.next, undefined, "which is the last")
    })
  }
]
