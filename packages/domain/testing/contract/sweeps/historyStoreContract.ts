import { Effect, FastCheck, Option } from "effect"
import { type AccessLogStore } from "../../../src/access-log/AccessLogStore.js"
import { Email } from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { Device } from "../../../src/devices/Device.js"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import { FixStore } from "../../../src/fixes/FixStore.js"
import type * as History from "../../../src/retention-choice/History.js"
import { HistoryStore, type DeletionTimes } from "../../../src/retention-choice/HistoryStore.js"
import type { ImportStore } from "../../../src/imports/ImportStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Imports from "../fixes/importSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import type * as Visits from "../visits/visitSamples.js"
import { erasedViews } from "./erasedViews.js"
import { entries, entryAt, sweep } from "./historySamples.js"

type Ports = HistoryStore | ImportStore | AccessLogStore | FixStore | Samples.RuleSamplePorts

const { DAY } = Timestamp
const NOTHING = { after: null, until: null }

const phone = Effect.gen(function* () {
  const user = yield* Fixtures.user
  return yield* Samples.device(user.id)
})

const momentsAt = (now: Timestamp.Timestamp): DeletionTimes => ({
  now,
  accessLogUntil: Timestamp.plus(now, -400 * DAY)
})

const choose = ({ userId }: Pick<Device, "userId">, keep: History.Keep) =>
  Effect.gen(function* () {
    yield* (yield* HistoryStore).choose(userId, keep, yield* Timestamp.now)
  })

const fixAt = (at: Timestamp.Timestamp) => Uploads.fixes(1, at)

const captured = (device: Pick<Device, "userId">) =>
  Effect.map(Uploads.latest(device, 10_000), (fixes) => fixes.map(({ capturedAt }) => capturedAt).toReversed())

const visits = ({ userId }: Pick<Device, "userId">) =>
  Effect.gen(function* () {
    return (yield* (yield* HistoryStore).survey(userId, NOTHING)).visits
  })

const isOverdue = ({ userId }: Pick<Device, "userId">, moments: DeletionTimes) =>
  Effect.gen(function* () {
    const store = yield* HistoryStore
    let after: UserId | undefined
    do {
      const { next, overdue } = yield* store.listOverdue(moments, 100, after)
      if (overdue.includes(userId)) return true
      after = next
    } while (after !== undefined)
    return false
  })

/** A time within 2 ms of a cutoff (history is kept for 30, 90 or 365 days), or a random time of the last 800 days. */
const someMoment = (now: Timestamp.Timestamp) =>
  FastCheck.oneof(
    FastCheck.tuple(FastCheck.constantFrom(30, 90, 365), FastCheck.integer({ min: -2, max: 2 })).map(
      ([days, off]) => now - days * DAY + off
    ),
    FastCheck.integer({ min: now - 800 * DAY, max: now })
  ).map(Timestamp.make)

const someHistory = (now: Timestamp.Timestamp) =>
  FastCheck.record({
    keep: FastCheck.constantFrom<History.Keep>(30, 90, 365, null),
    limit: FastCheck.constantFrom(1, 2, 100),
    fixes: FastCheck.uniqueArray(someMoment(now), { maxLength: 12 }),
    departures: FastCheck.uniqueArray(someMoment(now), { maxLength: 6 })
  })

/**
 * What every `HistoryStore` must guarantee: how long history is kept, and which rows a sweep deletes. Each case makes
 * its own people.
 */
export const historyStoreContract: Contract<Ports | Visits.VisitSamplePorts> = [
  ...erasedViews,
  {
    name: "a phone that reported a visit stays one that does, also when no report is left [devices-8]",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const device = yield* phone
      const now = yield* Timestamp.now
      yield* choose(device, 30)
      yield* Uploads.commit(device, { visits: [Uploads.visit(Timestamp.plus(now, -DAY), now)] })
      const later = Timestamp.plus(now, 31 * DAY)
      Check.isTrue((yield* sweep(device, momentsAt(later))) > 0, "deleted")
      Check.equal(yield* visits(device), 0, "reports left")
      Check.isTrue(yield* devices.sendsVisits(device.userId, device.id), "reports visits")
    })
  },
  {
    name: "the choice: none at first, then the last one; for ever is a choice",
    run: Effect.gen(function* () {
      const store = yield* HistoryStore
      const { id } = yield* Fixtures.user
      const now = yield* Timestamp.now
      Check.equal(yield* store.choice(id), Option.none(), "at first")
      yield* store.choose(id, 30, now)
      yield* store.choose(id, null, now)
      Check.equal(yield* store.choice(id), Option.some(null), "for ever")
      yield* store.choose(id, 365, now)
      Check.equal(yield* store.choice(id), Option.some(365), "the last one")
      Check.equal(yield* store.choice((yield* Fixtures.user).id), Option.none(), "of somebody else")
    })
  },
  {
    name: "an account is made together with its choice, or not at all",
    run: Effect.gen(function* () {
      const [accounts, store] = [yield* AccountStore, yield* HistoryStore]
      const made = yield* Fixtures.user
      const account = (id: UserId, email: Email) => ({ ...made, id, email })
      const fresh = Effect.gen(function* () {
        return [UserId.make(yield* Entropy.id("usr")), Email.make(`${yield* Entropy.id("ada")}@example.com`)] as const
      })
      for (const keep of [30, null] as const) {
        const [id, email] = yield* fresh
        yield* accounts.create(account(id, email), "hash", keep)
        Check.equal(yield* store.choice(id), Option.some(keep), "chosen")
      }
      const [id] = yield* fresh
      yield* Effect.flip(accounts.create(account(id, made.email), "hash", 30))
      Check.equal(yield* store.choice(id), Option.none(), "the e-mail was taken")
    })
  },
  ...([30, 90, 365] as const).map((keep) => ({
    name: `fixes, kept ${keep} days: a millisecond younger stays, exactly so old goes`,
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* choose(device, keep)
      const now = yield* Timestamp.now
      const edge = Timestamp.plus(now, -keep * DAY)
      yield* Uploads.commit(device, { fixes: fixAt(Timestamp.plus(edge, 1)) })
      Check.isTrue(!(yield* isOverdue(device, momentsAt(now))), "nothing is overdue")
      Check.equal(yield* sweep(device, momentsAt(now)), 0, "nothing goes")
      yield* Uploads.commit(device, { fixes: [...fixAt(edge), ...fixAt(Timestamp.plus(edge, -500 * DAY))] })
      Check.isTrue(yield* isOverdue(device, momentsAt(now)), "overdue")
      Check.equal(yield* sweep(device, momentsAt(now)), 2, "two go")
      Check.equal(yield* captured(device), [Timestamp.plus(edge, 1)], "the younger one stays")
      Check.isTrue(!(yield* isOverdue(device, momentsAt(now))), "nothing more is overdue")
      Check.isTrue(yield* isOverdue(device, momentsAt(Timestamp.plus(now, 1))), "a millisecond later it is")
    })
  })),
  {
    name: "where a device rests goes with its newest reading, to the millisecond; the device stays",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* choose(device, 30)
      const now = yield* Timestamp.now
      const devices = yield* DeviceStore
      const movement = Effect.map(devices.list(device.userId), ([only]) => only?.movement)
      const rested = Samples.movement(Timestamp.plus(now, -30 * DAY + 1))
      yield* Uploads.commit(device, { putAside: [{ reason: "future", count: 1 }], movement: rested })
      Check.isTrue(!(yield* isOverdue(device, momentsAt(now))), "nothing is overdue")
      Check.equal(yield* sweep(device, momentsAt(now)), 0, "nothing goes")
      Check.equal(yield* movement, rested, "it stays")
      const later = momentsAt(Timestamp.plus(now, 1))
      Check.isTrue(yield* isOverdue(device, later), "a millisecond later it is")
      Check.equal(yield* sweep(device, later), 1, "one goes")
      Check.equal(yield* movement, null, "it is gone, and the device is not")
      Check.isTrue(!(yield* isOverdue(device, later)), "nothing more is overdue")
    })
  },
  ...([undefined, null] as const).map((keep) => ({
    name: `kept for ever, ${keep === null ? "chosen" : "because nothing was chosen"}: nothing goes but entries of the access log, after 400 days [P3]`,
    run: Effect.gen(function* () {
      const device = yield* phone
      if (keep !== undefined) yield* choose(device, keep)
      const now = yield* Timestamp.now
      const old = Timestamp.plus(now, -4_000 * DAY)
      yield* Uploads.commit(device, { fixes: fixAt(old), visits: [Uploads.visit(old, Timestamp.plus(old, 1))] })
      Check.isTrue(!(yield* isOverdue(device, momentsAt(now))), "not overdue")
      const edge = Timestamp.plus(now, -400 * DAY)
      yield* entryAt(device.userId, Timestamp.plus(edge, 1))
      Check.isTrue(!(yield* isOverdue(device, momentsAt(now))), "a millisecond younger")
      yield* entryAt(device.userId, edge)
      const other = yield* Fixtures.user
      yield* entryAt(other.id, edge)
      Check.isTrue(yield* isOverdue(device, momentsAt(now)), "exactly so old")
      Check.equal(yield* sweep(device, momentsAt(now)), 1, "one goes")
      Check.equal(yield* entries(device.userId), [Timestamp.plus(edge, 1)], "the younger one stays")
      Check.equal(yield* entries(other.id), [edge], "another person's is not touched")
      Check.equal([(yield* captured(device)).length, yield* visits(device)], [1, 1], "the history is there")
    })
  })),
  {
    name: "an upload is evaluated with the choice as it is then: nothing chosen and for ever have no cutoff",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const cutoff = Effect.flatMap(FixStore, (fixes) =>
        Effect.map(fixes.view(device.userId, [], now), (view) => view.cutoff)
      )
      Check.equal(yield* cutoff, null, "nothing chosen")
      yield* choose(device, 30)
      Check.equal(yield* cutoff, Timestamp.plus(now, -30 * DAY), "30 days")
      yield* choose(device, null)
      Check.equal(yield* cutoff, null, "for ever")
    })
  },
  {
    name: "what was put aside goes by when it came: it may carry any time [retention-choice-2]",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* choose(device, 90)
      const now = yield* Timestamp.now
      const put = (receivedAt: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          const [fix = Check.fail("a fix")] = fixAt(Timestamp.plus(now, 3_000 * DAY))
          const key = yield* Entropy.id("key")
          yield* Uploads.commit(device, { receivedAt, quarantined: [{ key, reading: fix, reason: "future" }] })
        })
      yield* put(Timestamp.plus(now, -90 * DAY + 1))
      Check.isTrue(!(yield* isOverdue(device, momentsAt(now))), "a millisecond younger")
      yield* put(Timestamp.plus(now, -90 * DAY))
      Check.isTrue(yield* isOverdue(device, momentsAt(now)), "exactly so old")
      Check.equal(yield* sweep(device, momentsAt(now)), 1, "one goes")
    })
  },
  {
    name: "visits go by their departure [retention-choice-2]",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* choose(device, 90)
      const now = yield* Timestamp.now
      const edge = Timestamp.plus(now, -90 * DAY)
      const arrival = Timestamp.plus(edge, -DAY)
      yield* Uploads.commit(device, {
        visits: [Uploads.visit(arrival, Timestamp.plus(edge, 1)), Uploads.visit(null, Timestamp.plus(edge, 1))]
      })
      Check.equal(yield* sweep(device, momentsAt(now)), 0, "a millisecond younger")
      yield* Uploads.commit(device, { visits: [Uploads.visit(arrival, edge), Uploads.visit(null, edge)] })
      Check.isTrue(yield* isOverdue(device, momentsAt(now)), "exactly so old")
      Check.equal(yield* sweep(device, momentsAt(now)), 2, "two go")
      Check.equal(yield* visits(device), 2, "two stay")
    })
  },
  {
    name: "an arrival alone is a visit that is open: it stays while its phone sends and was not elsewhere in the past [retention-choice-2]",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* choose(device, 90)
      const now = yield* Timestamp.now
      const edge = Timestamp.plus(now, -90 * DAY)
      const arrival = Timestamp.plus(edge, -10 * DAY)
      yield* Uploads.commit(device, { visits: [Uploads.visit(arrival, null)] })
      Check.isTrue(!(yield* isOverdue(device, momentsAt(now))), "the phone sent something today")
      Check.isTrue(!(yield* isOverdue(device, momentsAt(Timestamp.plus(now, 90 * DAY - 1)))), "and still counts")
      Check.isTrue(yield* isOverdue(device, momentsAt(Timestamp.plus(now, 90 * DAY))), "silent for as long as is kept")
      yield* Uploads.commit(device, { visits: [Uploads.visit(null, Timestamp.plus(edge, 1))] })
      Check.equal(yield* sweep(device, momentsAt(now)), 0, "it left a millisecond too late to be past")
      // The visit has two rows: its arrival alone, and its arrival with its departure. Even with the limit 1, a sweep
      // must delete both rows, because the arrival alone would look like an open visit.
      yield* Uploads.commit(device, { visits: [Uploads.visit(arrival, Timestamp.plus(arrival, 1))] })
      Check.equal(yield* sweep(device, momentsAt(now), 1), 2, "left in the past: both go")
      yield* Uploads.commit(device, { visits: [Uploads.visit(arrival, null), Uploads.visit(edge, null)] })
      Check.equal(yield* sweep(device, momentsAt(now)), 1, "arrived elsewhere in the past")
    })
  },
  {
    name: "a visit that a file leaves open stays until the newest entry of the file is past",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const edge = Timestamp.plus(now, -90 * DAY)
      const made = yield* Imports.waiting()
      yield* choose(made, 90)
      const { lease } = yield* Imports.claimed(made, `history_${made.id}`, now)
      const visits = [Uploads.visit(Timestamp.plus(edge, -DAY), null)]
      yield* Imports.advance(Imports.step(made, lease, now, { visits, fixes: fixAt(Timestamp.plus(edge, 1)) }))
      Check.equal(yield* sweep(made, momentsAt(now)), 0, "it ended a millisecond too late to be past")
      Check.equal(yield* sweep(made, momentsAt(Timestamp.plus(now, 1))), 2, "past")
      yield* Imports.forget(made)
    })
  },
  {
    name: "removePast: at most the limit of each kind, the oldest first [retention-choice-3]",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* choose(device, 90)
      const now = yield* Timestamp.now
      const old = Timestamp.plus(now, -100 * DAY)
      yield* Uploads.commit(device, { fixes: Uploads.fixes(5, old) })
      yield* entryAt(device.userId, Timestamp.plus(now, -500 * DAY))
      const store = yield* HistoryStore
      Check.equal(yield* store.removePast(device.userId, momentsAt(now), 2), 3, "two fixes and an entry")
      Check.equal(
        yield* captured(device),
        [2, 3, 4].map((more) => Timestamp.plus(old, more)),
        "the younger ones stay"
      )
    })
  },
  {
    name: "listOverdue: everybody once, however small the pages, and nobody who has nothing [retention-choice-3]",
    run: Effect.gen(function* () {
      const store = yield* HistoryStore
      const now = yield* Timestamp.now
      const people = yield* Effect.forEach([1, 2, 3, 4, 5], () => phone)
      for (const device of people) yield* choose(device, 90)
      const late = people.filter((_, index) => index !== 2)
      for (const device of late) yield* Uploads.commit(device, { fixes: fixAt(Timestamp.plus(now, -100 * DAY)) })
      const found: Array<UserId> = []
      let after: UserId | undefined
      do {
        const { next, overdue } = yield* store.listOverdue(momentsAt(now), 2, after)
        found.push(...overdue)
        after = next
      } while (after !== undefined)
      const ours = found.filter((id) => people.some(({ userId }) => userId === id))
      Check.equal([...ours].sort(), late.map(({ userId }) => userId).sort(), "who is overdue")
    })
  },
  {
    name: "survey: what lies after one moment and until another, that included",
    run: Effect.gen(function* () {
      const store = yield* HistoryStore
      const device = yield* phone
      const now = yield* Timestamp.now
      const at = (days: number) => Timestamp.plus(now, -days * DAY)
      Check.equal(yield* store.survey(device.userId, NOTHING), { fixes: 0, visits: 0, oldestAt: null }, "nothing yet")
      yield* Uploads.commit(device, {
        fixes: [3, 2, 1].flatMap((days) => fixAt(at(days))),
        visits: [Uploads.visit(at(3), at(2)), Uploads.visit(at(1), null)]
      })
      Check.equal(yield* store.survey(device.userId, NOTHING), { fixes: 3, visits: 2, oldestAt: at(3) }, "all")
      Check.equal(
        yield* store.survey(device.userId, { after: at(3), until: at(2) }),
        { fixes: 1, visits: 1, oldestAt: at(2) },
        "the one between"
      )
      Check.equal(
        yield* store.survey(device.userId, { after: at(2), until: null }),
        { fixes: 1, visits: 1, oldestAt: at(1) },
        "after: the open visit"
      )
    })
  },
  {
    name: "whatever was chosen and whatever there is: exactly what is not past stays",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      for (const { departures, fixes, keep, limit } of FastCheck.sample(someHistory(now), { numRuns: 30, seed: 7 })) {
        const [device, other] = [yield* phone, yield* phone]
        yield* choose(device, keep)
        yield* choose(other, null)
        const upload = {
          fixes: fixes.flatMap(fixAt),
          visits: departures.map((at) => Uploads.visit(Timestamp.plus(at, -1), at))
        }
        for (const one of [device, other]) yield* Uploads.commit(one, upload)
        yield* sweep(device, momentsAt(now), limit)
        const stays = (at: Timestamp.Timestamp) => keep === null || now - at < keep * DAY
        Check.equal(
          yield* captured(device),
          fixes.filter(stays).sort((a, b) => a - b),
          "fixes"
        )
        Check.equal(yield* visits(device), departures.filter(stays).length, "visits")
        Check.equal((yield* captured(other)).length, fixes.length, "another person's fixes")
        Check.isTrue(!(yield* isOverdue(device, momentsAt(now))), "nothing more is overdue")
      }
    })
  },
  {
    name: "a removed phone's visits are as old as what it last sent",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* choose(device, 90)
      const now = yield* Timestamp.now
      yield* Uploads.commit(device, { visits: [Uploads.visit(Timestamp.plus(now, -100 * DAY), null)] })
      yield* (yield* DeviceStore).remove(device.userId, device.id, now)
      Check.isTrue(!(yield* isOverdue(device, momentsAt(now))), "not yet")
      Check.isTrue(yield* isOverdue(device, momentsAt(Timestamp.plus(now, 90 * DAY))), "then")
    })
  }
]
