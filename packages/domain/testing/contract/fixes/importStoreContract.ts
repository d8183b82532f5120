import { Effect, Option } from "effect"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import * as Import from "../../../src/imports/Import.js"
import { ImportStore } from "../../../src/imports/ImportStore.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import type { FixHistory } from "../../../src/fixes/FixHistory.js"
import type { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import { UserId } from "../../../src/shared/Ids.js"
import type { StayStore } from "../../../src/visits/StayStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { bucketOf } from "../../memory/leases/buckets.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import {
  BYTES,
  advance,
  begin,
  claim,
  claimed,
  dueOf,
  forget,
  found,
  step,
  waiting,
  type ImportSamplePorts
} from "./importSamples.js"
import { erasedMeanwhile } from "./erasedMeanwhile.js"
import { importedHistory } from "./importedHistory.js"
import { listedImports } from "./listedImports.js"
import { noticesBack } from "./noticesBack.js"
import { placesBeyondTheLimit, placesWithCircles } from "./placesBeyondTheLimit.js"
import { undoneImports } from "./undoneImports.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"

/**
 * What every `ImportStore` must guarantee: only one worker reads a file, and each entry of the file is stored and
 * counted once.
 */
export const importStoreContract: Contract<ImportSamplePorts | FixHistory | HistoryStore | StayStore> = [
  placesBeyondTheLimit,
  placesWithCircles,
  erasedMeanwhile,
  ...listedImports,
  noticesBack,
  ...undoneImports,
  ...importedHistory,
  {
    name: "an upload is not seen before it is complete, then it waits, as it was begun",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const begun = yield* begin((yield* Fixtures.user).id)
      const at = yield* Timestamp.now
      yield* store.append(begun, 0, BYTES, at)
      Check.equal((yield* store.list(begun.userId, 10)).items, [], "listed")
      Check.isTrue(Option.isNone(yield* store.find(begun)), "not found")
      Check.isTrue(Option.isNone(yield* claim(begun, "early", at)), "not claimed")
      const expected: Import.Import = {
        userId: begun.userId,
        id: begun.id,
        deviceId: begun.deviceId,
        fileName: begun.fileName,
        format: null,
        state: "waiting",
        counts: Import.NOTHING_READ,
        leftOut: [],
        bytesTotal: 256,
        bytesDone: 0,
        error: null,
        columns: null,
        months: [],
        uploadedAt: Timestamp.plus(at, 7),
        startedAt: null,
        finishedAt: null
      }
      const made = yield* store.complete(begun, 256, Timestamp.plus(at, 7))
      Check.equal(Option.getOrNull(made), expected, "completed")
      Check.equal((yield* store.list(begun.userId, 10)).items, [expected], "listed")
      Check.equal(yield* found(begun), expected, "found")
      Check.isTrue(Option.isNone(yield* store.complete(begun, 256, at)), "once")
      Check.isTrue(!(yield* store.append(begun, 1, BYTES, at)), "closed")
      yield* forget(begun)
    })
  },
  {
    name: "the device of an import is none of the phones that its user removes",
    run: Effect.gen(function* () {
      const made = yield* waiting()
      const now = yield* Timestamp.now
      Check.isTrue(!(yield* (yield* DeviceStore).remove(made.userId, made.deviceId, now)), "not removed")
      const { lease } = yield* claimed(made, "later", now)
      Check.isTrue(yield* advance(step(made, lease, now)), "the import goes on")
      yield* forget(made)
    })
  },
  {
    name: "pieces come back byte for byte, by their position, and to nobody else",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const made = yield* waiting()
      const piece = (position: number) => Effect.map(store.piece(made, position), Option.getOrNull)
      Check.equal(Array.from((yield* piece(0)) ?? []), Array.from(BYTES), "first")
      Check.equal(Array.from((yield* piece(1)) ?? []), Array.from(BYTES), "second")
      Check.equal(yield* piece(2), null, "behind the last")
      const other = { userId: (yield* Fixtures.user).id, id: made.id }
      Check.isTrue(Option.isNone(yield* store.piece(other, 0)), "another user's")
      Check.isTrue(Option.isNone(yield* store.find(other)), "not found by another")
      Check.isTrue(!(yield* store.remove(other)), "not removed by another")
      yield* forget(made)
    })
  },
  {
    name: "begin: no more than the limit of a user at once, uploads included, however many try; finished ones do not count",
    run: Effect.gen(function* () {
      const user = yield* Fixtures.user
      const rivals = yield* Effect.all(
        Array.from({ length: 6 }, () => begin(user.id, { most: 3 })),
        { concurrency: "unbounded" }
      )
      const begun = rivals.filter((one) => one.isBegun)
      Check.equal(begun.length, 3, "begun")
      Check.isTrue((yield* begin((yield* Fixtures.user).id, { most: 1 })).isBegun, "of another user")
      const [first = Check.fail("one began")] = begun
      const store = yield* ImportStore
      const now = yield* Timestamp.now
      yield* store.complete(first, 0, now)
      Check.isTrue(!(yield* begin(user.id, { most: 3 })).isBegun, "waiting counts")
      const { lease } = yield* claimed(first, "limit", now)
      Check.isTrue(!(yield* begin(user.id, { most: 3 })).isBegun, "running counts")
      yield* store.finish({ ...first, lease }, null, now)
      Check.isTrue((yield* begin(user.id, { most: 3 })).isBegun, "done does not")
    })
  },
  {
    name: "due: the one that waits longest, only of people of the buckets that are asked for, until it is claimed",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const user = yield* Fixtures.user
      const [bucket, now] = [bucketOf(user.id), yield* Timestamp.now]
      const others = Bucket.ALL.filter((other) => other !== bucket)
      const due = (buckets: ReadonlyArray<number>, at = now, besides: ReadonlyArray<UserId> = []) =>
        dueOf(user.id, buckets, at, besides)
      const first = yield* waiting(user.id)
      const second = yield* begin(user.id)
      yield* store.complete(second, 0, Timestamp.plus(now, 1))
      for (const what of ["of the bucket", "again"]) {
        Check.equal(yield* due([bucket]), { userId: user.id, id: first.id }, what)
      }
      Check.equal(yield* due(others), null, "of all the others")
      Check.equal(yield* due([]), null, "of none")
      const besides = [user.id, UserId.make("usr_nobody")]
      Check.equal(yield* due([bucket], now, besides), null, "besides the user")
      yield* claimed(first, "first", now)
      Check.equal((yield* due([bucket]))?.id, second.id, "the next one")
      yield* claimed(second, "second", now)
      Check.equal(yield* due([bucket]), null, "both are claimed")
      Check.equal((yield* due([bucket], Timestamp.plus(now, Import.RETRY_AFTER)))?.id, first.id, "without an end")
      yield* forget(first, second)
      Check.equal(yield* due([bucket], Timestamp.plus(now, Timestamp.DAY)), null, "removed")
    })
  },
  {
    name: "claim: not again before the time that was given, then the next attempt; none of an import that is not there",
    run: Effect.gen(function* () {
      const made = yield* waiting()
      const now = yield* Timestamp.now
      const first = yield* claimed(made, "first", now)
      Check.equal(first.claimed, { import: { ...made, state: "running", startedAt: now }, attempt: 1 }, "claimed")
      const later = Timestamp.plus(now, Import.RETRY_AFTER)
      Check.isTrue(Option.isNone(yield* claim(made, "rival", Timestamp.plus(later, -1))), "too early")
      Check.equal((yield* claimed(made, "second", later)).claimed.attempt, 2, "second attempt")
      yield* forget(made)
      Check.isTrue(Option.isNone(yield* claim(made, "third", Timestamp.plus(now, Timestamp.DAY))), "removed")
    })
  },
  {
    name: "renew: the import is not due before the new time; false once the lease is another's, or the import is gone",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const made = yield* waiting()
      const now = yield* Timestamp.now
      const after = (count: number) => Timestamp.plus(now, count * Import.RETRY_AFTER)
      const slow = { ...made, lease: (yield* claimed(made, "slow", now)).lease }
      Check.isTrue(yield* store.renew(slow, after(2)), "renewed")
      Check.isTrue(Option.isNone(yield* claim(made, "early", Timestamp.plus(after(2), -1))), "before the new time")
      const quick = { ...made, lease: (yield* claimed(made, "quick", after(2))).lease }
      Check.isTrue(!(yield* store.renew(slow, after(9))), "of a lease that was lost")
      Check.isTrue(Option.isSome(yield* claim(made, "third", after(3))), "the lost lease renewed nothing")
      Check.isTrue(!(yield* store.renew(quick, after(9))), "of the second attempt")
      yield* forget(made)
      Check.isTrue(!(yield* store.renew(quick, after(9))), "removed")
    })
  },
  {
    name: "claim: of many workers at once one gets it",
    run: Effect.gen(function* () {
      const made = yield* waiting()
      const now = yield* Timestamp.now
      const rivals = yield* Effect.all(
        Array.from({ length: 5 }, (_, index) => claim(made, `rival${index}`, now)),
        { concurrency: "unbounded" }
      )
      Check.equal(rivals.filter(Option.isSome).length, 1, "claimed")
      yield* forget(made)
    })
  },
  {
    name: "advance: stores, counts and moves on in one; an entry that is known is a duplicate, also within one step",
    run: Effect.gen(function* () {
      const made = yield* waiting()
      const now = yield* Timestamp.now
      const { lease } = yield* claimed(made, "work", now)
      const fixes = Uploads.fixes(3, Timestamp.plus(now, -Timestamp.DAY * 9))
      const visits = [Uploads.visit(Timestamp.make(now - 9e8), Timestamp.make(now - 8e8))]
      const parts = {
        fixes: [...fixes, ...fixes.slice(0, 1)],
        visits,
        tooRecent: 2,
        tooOld: 3,
        quarantined: 1,
        read: 11
      }
      Check.isTrue(yield* advance(step(made, lease, now, parts)), "advanced")
      const counts = { read: 11, stored: 4, duplicates: 1, tooRecent: 2, tooOld: 3, overLimit: 0, quarantined: 1 }
      const expected = {
        ...made,
        state: "running" as const,
        startedAt: now,
        format: "gpx" as const,
        counts,
        bytesDone: 100
      }
      Check.equal(yield* found(made), expected, "after the first step")
      const second = step(made, lease, now, { fixes, visits, bytesDone: 99 })
      Check.isTrue(yield* advance(second), "advanced again")
      Check.equal((yield* found(made)).counts, { ...counts, read: 15, duplicates: 5 }, "all of it known")
      Check.equal((yield* found(made)).bytesDone, 100, "progress never goes back")
      const device = { userId: made.userId, id: made.deviceId }
      Check.equal(
        yield* Uploads.latest(device),
        fixes.map((fix) => Uploads.stored(device, fix, now)).toReversed(),
        "in the history"
      )
      yield* forget(made)
    })
  },
  {
    name: "advance: what a phone or another file brought is known, by time and place; another user's is not [imports-2]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const fixes = Uploads.fixes(2, Timestamp.plus(now, -Timestamp.DAY * 9))
      yield* Uploads.commit(phone, { fixes: fixes.slice(0, 1) })
      for (const [userId, stored] of [
        [phone.userId, 1],
        [phone.userId, 0],
        [(yield* Fixtures.user).id, 2]
      ] as const) {
        const made = yield* waiting(userId)
        const { lease } = yield* claimed(made, "known", now)
        const visits = [Uploads.visit(Timestamp.make(now - 9e8), null)]
        yield* advance(step(made, lease, now, { fixes, visits }))
        const { counts } = yield* found(made)
        Check.equal(counts.stored, stored + (stored === 0 ? 0 : 1), "stored")
        Check.equal(counts.stored + counts.duplicates, 3, "counted")
        yield* forget(made)
      }
    })
  },
  {
    name: "advance: what stands in two files at once is stored once",
    run: Effect.gen(function* () {
      const user = yield* Fixtures.user
      const now = yield* Timestamp.now
      const fixes = Uploads.fixes(50, Timestamp.plus(now, -Timestamp.DAY * 9))
      const visits = [Uploads.visit(Timestamp.make(now - 9e8), null)]
      const imports = [yield* waiting(user.id), yield* waiting(user.id)]
      const leases = yield* Effect.forEach(imports, (one) => claimed(one, `twin_${one.id}`, now))
      yield* Effect.forEach(
        imports,
        (made, index) => advance(step(made, leases[index]?.lease ?? "", now, { fixes, visits })),
        {
          concurrency: "unbounded"
        }
      )
      Check.equal((yield* Uploads.latest({ userId: user.id }, 200)).length, 50, "fixes")
      const counts = yield* Effect.forEach(imports, (made) => Effect.map(found(made), (one) => one.counts))
      Check.equal(
        counts.map(({ stored }) => stored).sort((a, b) => a - b),
        [0, 51],
        "stored"
      )
      yield* forget(...imports)
    })
  },
  {
    name: "advance: raises the version of the user's uploads, so that an evaluation that was under way is done again",
    run: Effect.gen(function* () {
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const now = yield* Timestamp.now
      const made = yield* waiting(phone.userId)
      const { lease } = yield* claimed(made, "version", now)
      const { version } = yield* Uploads.view(phone)
      yield* advance(step(made, lease, now, { fixes: Uploads.fixes(1, Timestamp.plus(now, -Timestamp.DAY * 9)) }))
      Check.isTrue((yield* Uploads.view(phone)).version > version, "the version has grown")
      Check.isTrue(!(yield* Uploads.commit(phone, { version, fixes: Uploads.fixes(1, now) })), "not committed")
      yield* forget(made)
    })
  },
  {
    name: "advance and finish: nothing once the lease is another's, or the import is gone [imports-6]",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const made = yield* waiting()
      const now = yield* Timestamp.now
      const first = yield* claimed(made, "slow", now)
      const later = Timestamp.plus(now, Import.RETRY_AFTER)
      const second = yield* claimed(made, "quick", later)
      const fixes = Uploads.fixes(1, Timestamp.plus(now, -Timestamp.DAY * 9))
      Check.isTrue(!(yield* advance(step(made, first.lease, later, { fixes }))), "the slow one is too late")
      Check.isTrue(!(yield* store.finish({ ...made, lease: first.lease }, null, later)), "and finishes nothing")
      Check.equal((yield* found(made)).counts, Import.NOTHING_READ, "nothing was counted")
      Check.equal(yield* Uploads.latest(made), [], "nothing was stored")
      Check.isTrue(yield* store.remove(made), "removed")
      Check.isTrue(!(yield* advance(step(made, second.lease, later, { fixes }))), "nothing to go on with")
      Check.isTrue(!(yield* store.remove(made)), "only once")
      Check.equal(yield* Uploads.latest(made), [], "nothing was stored")
    })
  },
  {
    name: "advance: starts the count of attempts anew when it read something",
    run: Effect.gen(function* () {
      const made = yield* waiting()
      const now = yield* Timestamp.now
      const at = (tries: number) => Timestamp.plus(now, tries * Import.RETRY_AFTER)
      yield* claimed(made, "1st", now)
      const second = yield* claimed(made, "2nd", at(1))
      yield* advance(step(made, second.lease, Timestamp.plus(at(1), 1)))
      const third = yield* claimed(made, "3rd", at(2))
      Check.equal(third.claimed.attempt, 3, "no step forward")
      yield* advance(step(made, third.lease, at(3), { read: 1, quarantined: 1 }))
      Check.equal((yield* claimed(made, "4th", at(4))).claimed.attempt, 1, "a step forward")
      yield* forget(made)
    })
  },
  {
    name: "finish: done or failed with its reason, never claimed again, and its file is gone",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      for (const error of [null, "The file is damaged – ✓"]) {
        const made = yield* waiting()
        const now = yield* Timestamp.now
        const { lease } = yield* claimed(made, "finish", now)
        const finishedAt = Timestamp.plus(now, 5)
        Check.isTrue(yield* store.finish({ ...made, lease }, error, finishedAt), "finished")
        const state = error === null ? ("done" as const) : ("failed" as const)
        Check.equal(yield* found(made), { ...made, state, error, startedAt: now, finishedAt }, "found")
        Check.isTrue(Option.isNone(yield* claim(made, "late", Timestamp.plus(now, Timestamp.DAY))), "claimed")
        Check.isTrue(Option.isNone(yield* store.piece(made, 0)), "its file")
        Check.isTrue(!(yield* store.finish({ ...made, lease }, null, now)), "once")
      }
    })
  },
  {
    name: "remove: forgets it with its file, and what it stored stays",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const made = yield* waiting()
      const now = yield* Timestamp.now
      const { lease } = yield* claimed(made, "remove", now)
      yield* advance(step(made, lease, now, { fixes: Uploads.fixes(1, Timestamp.plus(now, -Timestamp.DAY * 9)) }))
      yield* forget(made)
      Check.equal((yield* store.list(made.userId, 10)).items, [], "listed")
      Check.isTrue(Option.isNone(yield* store.piece(made, 0)), "its file")
      Check.equal((yield* Uploads.latest(made)).length, 1, "in the history")
    })
  },
  {
    name: "an import's device is no phone: not listed, and nobody saw it [imports-1]",
    run: Effect.gen(function* () {
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const now = yield* Timestamp.now
      const made = yield* waiting(phone.userId)
      const { lease } = yield* claimed(made, "device", now)
      yield* advance(step(made, lease, now, { fixes: Uploads.fixes(1, Timestamp.plus(now, -Timestamp.DAY * 9)) }))
      const devices = yield* (yield* DeviceStore).list(phone.userId)
      Check.equal(
        devices.map(({ id }) => id),
        [phone.id],
        "phones"
      )
      yield* forget(made)
    })
  }
]
