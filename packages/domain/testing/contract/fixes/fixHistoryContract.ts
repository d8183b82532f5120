import { Effect } from "effect"
import type { Device } from "../../../src/devices/Device.js"
import type * as Fix from "../../../src/fixes/Fix.js"
import { FixHistory } from "../../../src/fixes/FixHistory.js"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"

type Ports = FixHistory | HistoryStore | Uploads.UploadSamplePorts

const phone = Effect.flatMap(Fixtures.user, ({ id }) => Samples.device(id))

/**
 * Stores a fix of the device for each offset, in milliseconds from now. Each fix has a different latitude, so that a
 * case can distinguish the fixes.
 */
const seen = (
  device: Pick<Device, "userId" | "id">,
  offsets: ReadonlyArray<number>,
  overrides: Partial<Fix.Fix> = {}
) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const fixes = offsets.flatMap((offset, index) =>
      Uploads.fixes(1, Timestamp.plus(now, offset), { lat: index + 1, ...overrides })
    )
    Check.isTrue(yield* Uploads.commit(device, { fixes }), "committed")
  })

const newest = (userId: UserId, from: number | null, until: number | null, limit: number) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const at = (offset: number | null) => (offset === null ? null : Timestamp.plus(now, offset))
    return yield* (yield* FixHistory).newest(userId, now, { from: at(from), until: at(until) }, limit)
  })

const offsetsOf = (fixes: ReadonlyArray<Fix.StoredFix>) =>
  Effect.map(Timestamp.now, (now) => fixes.map((fix) => fix.capturedAt - now))

const around = (userId: UserId, at: number, toleranceMs: number) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const fixes = yield* (yield* FixHistory).around(userId, now, Timestamp.plus(now, at), toleranceMs)
    return (yield* offsetsOf(fixes)).toSorted((a, b) => a - b)
  })

/** Reads all pages. Returns the fixes of each page. */
const pages = (userId: UserId, from: number, until: number, limit: number) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const within = { from: Timestamp.plus(now, from), until: Timestamp.plus(now, until) }
    const pages: Array<ReadonlyArray<Fix.StoredFix>> = []
    let after: ReadonlyArray<string | number> | undefined
    do {
      const page = yield* (yield* FixHistory).range(userId, now, within, limit, after)
      pages.push(page.items)
      after = page.next
    } while (after !== undefined && pages.length < 100)
    return pages
  })

const { DAY } = Timestamp

/**
 * What every `FixHistory` must guarantee: every reader gets the user's fixes in order, and no fix from before the
 * user's cutoff.
 */
export const fixHistoryContract: Contract<Ports> = [
  {
    name: "newest: the fixes as they were stored, of every phone of the user and of nobody else",
    run: Effect.gen(function* () {
      const first = yield* phone
      const second = yield* Samples.device(first.userId)
      const now = yield* Timestamp.now
      const unknown = { accuracyM: null, altitudeM: null, speedMps: null, courseDeg: null }
      yield* seen(first, [-3], { lat: -89.1234567, lon: 179.9999999, ...unknown })
      yield* seen(second, [-2])
      yield* seen(yield* phone, [-1])
      const expected = [
        ...Uploads.fixes(1, Timestamp.plus(now, -2), { lat: 1 }).map((fix) => Uploads.stored(second, fix, now)),
        ...Uploads.fixes(1, Timestamp.plus(now, -3), { lat: -89.1234567, lon: 179.9999999, ...unknown }).map((fix) =>
          Uploads.stored(first, fix, now)
        )
      ]
      Check.equal(yield* newest(first.userId, null, null, 10), expected, "newest first")
    })
  },
  {
    name: "newest: from is inclusive, until exclusive; fewer than the limit are all",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* seen(device, [-40 * DAY, -30, -20, -10, 0])
      const newestOffsets = (from: number | null, until: number | null, limit: number) =>
        Effect.flatMap(newest(device.userId, from, until, limit), offsetsOf)
      Check.equal(yield* newestOffsets(null, null, 9), [0, -10, -20, -30, -40 * DAY], "open")
      Check.equal(yield* newestOffsets(-20, null, 9), [0, -10, -20], "from")
      Check.equal(yield* newestOffsets(null, -20, 9), [-30, -40 * DAY], "until")
      Check.equal(yield* newestOffsets(-30, 0, 2), [-10, -20], "limit")
      Check.equal(yield* newestOffsets(1, 2, 9), [], "nothing")
    })
  },
  {
    name: "newest: a page ends with a whole instant, in the order of evaluation, then by device",
    run: Effect.gen(function* () {
      const first = yield* phone
      const second = yield* Samples.device(first.userId)
      yield* seen(first, [-1, -1, -1, -2], { accuracyM: 20 })
      yield* seen(second, [-1, -1], { accuracyM: 20 })
      yield* seen(second, [-1], { accuracyM: null, lat: 7 })
      yield* seen(second, [-1], { accuracyM: 5, lat: 8 })
      const page = yield* newest(first.userId, null, null, 1)
      const twins = [first.id, second.id].toSorted()
      Check.equal(
        page.map((fix) => [fix.lat, fix.deviceId]),
        [
          [8, second.id],
          [1, twins[0]],
          [1, twins[1]],
          [2, twins[0]],
          [2, twins[1]],
          [3, first.id],
          [7, second.id]
        ],
        "one instant"
      )
    })
  },
  {
    name: "around: the last instant until the moment and the first one after it, whole, within the tolerance",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* seen(device, [-400, -300, -300, -100, 100, 100, 300])
      yield* seen(yield* phone, [0])
      Check.equal(yield* around(device.userId, -200, 1_000), [-300, -300, -100], "between")
      Check.equal(yield* around(device.userId, -100, 1_000), [-100, 100, 100], "at one of them: that one and the next")
      Check.equal(yield* around(device.userId, -200, 100), [-300, -300, -100], "exactly the tolerance")
      Check.equal(yield* around(device.userId, -200, 99), [], "a millisecond more")
      Check.equal(yield* around(device.userId, -301, 1), [-300, -300], "one side")
      Check.equal(yield* around(device.userId, 400, 1_000), [300], "nothing after")
      Check.equal(yield* around(device.userId, 100, 0), [100, 100], "no tolerance")
    })
  },
  {
    name: "newest and around leave out what a device sent that was left behind; range and tally tell it",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      yield* seen(device, [-9, -5])
      for (const offset of [-6, -1]) {
        const fixes = Uploads.fixes(1, Timestamp.plus(now, offset))
        Check.isTrue(yield* Uploads.commit(device, { fixes, leftBehind: new Set(fixes) }), "committed")
      }
      Check.equal(yield* offsetsOf(yield* newest(device.userId, null, null, 9)), [-5, -9], "newest")
      Check.equal(yield* around(device.userId, -6, 9), [-9, -5], "around")
      const fixPages = yield* pages(device.userId, -100, 100, 10)
      Check.equal(yield* offsetsOf(fixPages.flat()), [-9, -6, -5, -1], "range")
      const edges = [Timestamp.plus(now, -100), now]
      const [tally] = yield* (yield* FixHistory).tally(device.userId, now, edges)
      Check.equal(tally?.fixes, 4, "tally")
    })
  },
  {
    name: "range: oldest first, from inclusive and until exclusive, across months and phones",
    run: Effect.gen(function* () {
      const first = yield* phone
      const second = yield* Samples.device(first.userId)
      yield* seen(first, [-40 * DAY, -20 * DAY, -10 * DAY])
      yield* seen(second, [-30 * DAY, -10 * DAY + 1])
      yield* seen(yield* phone, [-15 * DAY])
      const [all, ...more] = yield* pages(first.userId, -40 * DAY, -10 * DAY + 1, 10)
      Check.equal(yield* offsetsOf(all ?? []), [-40 * DAY, -30 * DAY, -20 * DAY, -10 * DAY], "fixes")
      Check.equal(more, [], "further pages")
    })
  },
  {
    name: "range: pages of any size tell every fix once and in one order, many of one instant too",
    run: Effect.gen(function* () {
      const first = yield* phone
      const second = yield* Samples.device(first.userId)
      yield* seen(first, [-9, -8, -8, -8, -8, -8, -7, -7])
      yield* seen(second, [-8, -8, -8, -7, -6])
      const [all = []] = yield* pages(first.userId, -100, 0, 50)
      Check.equal(yield* offsetsOf(all), [-9, -8, -8, -8, -8, -8, -8, -8, -8, -7, -7, -7, -6], "in order")
      for (const limit of [1, 2, 3, 4, 5, 12, 13]) {
        const fixPages = yield* pages(first.userId, -100, 0, limit)
        Check.equal(fixPages.flat(), all, `pages of ${limit}`)
        Check.equal(fixPages.length, Math.ceil(all.length / limit), `number of pages of ${limit}`)
      }
    })
  },
  {
    name: "range: a position tells neither phone nor coordinates",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* seen(device, [-3, -2, -1])
      const now = yield* Timestamp.now
      const within = { from: Timestamp.plus(now, -3), until: now }
      const { next } = yield* (yield* FixHistory).range(device.userId, now, within, 2, undefined)
      Check.equal(next, [now - 2, 1], "an instant, and how many of it were told")
    })
  },
  {
    name: "tally: counts between edges, the first and the last of them; stretches without fixes are left out",
    run: Effect.gen(function* () {
      const device = yield* phone
      yield* seen(device, [-45 * DAY, -30 * DAY, -30 * DAY, -30 * DAY + 5, -10 * DAY - 1, -10 * DAY])
      yield* seen(yield* phone, [-20 * DAY])
      const now = yield* Timestamp.now
      const at = (offset: number) => Timestamp.plus(now, offset)
      const edges = [-30 * DAY, -25 * DAY, -20 * DAY, -10 * DAY].map(at)
      Check.equal(
        yield* (yield* FixHistory).tally(device.userId, now, edges),
        [
          { edge: 0, fixes: 3, firstAt: at(-30 * DAY), lastAt: at(-30 * DAY + 5) },
          { edge: 2, fixes: 1, firstAt: at(-10 * DAY - 1), lastAt: at(-10 * DAY - 1) }
        ],
        "tallies"
      )
    })
  },
  {
    name: "tally: a year says the same after uploads, deletions and changes of the choice, in any time zone",
    run: Effect.gen(function* () {
      const device = yield* phone
      const { userId } = device
      const now = yield* Timestamp.now
      const history = yield* FixHistory
      // Returns 100 boundaries (edges) between days, one day apart, the last of them `offset` milliseconds after now. A
      // store may keep one count for each half hour. So the case uses two offsets that differ by a quarter of an hour,
      // because with at least one of them no edge is at the beginning of a half hour.
      const days = (offset: number) =>
        Array.from({ length: 100 }, (_, day) => Timestamp.plus(now, (day - 99) * DAY + offset))
      const counts = (offset: number) =>
        Effect.map(history.tally(userId, now, days(offset)), (all) => all.map(({ edge, fixes }) => [edge, fixes]))
      const QUARTER = 15 * 60_000
      yield* seen(device, [-95 * DAY, -40 * DAY, -40 * DAY + 1, -2 * DAY - 1, -2 * DAY])
      const before = [
        [4, 1],
        [59, 2],
        [96, 1],
        [97, 1]
      ]
      Check.equal(yield* counts(0), before, "the first tally")
      Check.equal(yield* counts(0), before, "the second")
      yield* seen(device, [-40 * DAY + QUARTER, -2 * DAY + 5])
      Check.equal(
        yield* counts(0),
        [
          [4, 1],
          [59, 3],
          [96, 1],
          [97, 2]
        ],
        "after an upload"
      )
      Check.equal(
        yield* counts(QUARTER),
        [
          [3, 1],
          [58, 2],
          [59, 1],
          [96, 3]
        ],
        "from a quarter past"
      )
      const store = yield* HistoryStore
      const erased = { from: Timestamp.plus(now, -40 * DAY), until: Timestamp.plus(now, -40 * DAY + 1) }
      yield* store.erase(userId, erased, now)
      Check.equal(
        yield* counts(0),
        [
          [4, 1],
          [59, 2],
          [96, 1],
          [97, 2]
        ],
        "after a millisecond was deleted"
      )
      yield* store.choose(userId, 90, now)
      Check.equal(
        yield* counts(0),
        [
          [59, 2],
          [96, 1],
          [97, 2]
        ],
        "a shorter choice"
      )
      yield* store.removePast(userId, { now, accessLogUntil: Timestamp.make(0) }, 100)
      yield* store.choose(userId, null, now)
      Check.equal(
        yield* counts(0),
        [
          [59, 2],
          [96, 1],
          [97, 2]
        ],
        "a longer choice after the deletion"
      )
    })
  },
  {
    name: "sent: one device by hour, what arrived later than the bound, and the silences between two readings",
    run: Effect.gen(function* () {
      const device = yield* phone
      const other = yield* Samples.device(device.userId)
      const now = yield* Timestamp.now
      const at = (offset: number) => Timestamp.plus(now, offset)
      yield* seen(device, [-401, -400, -400, -301, -300, -200, -100, 0])
      const left = Uploads.fixes(1, at(-250))
      Check.isTrue(yield* Uploads.commit(device, { fixes: left, leftBehind: new Set(left) }), "committed")
      yield* seen(other, [-350, -150])
      yield* seen(yield* phone, [-150])
      const edges = [-400, -300, -250, -249, 0].map(at)
      Check.equal(
        yield* (yield* FixHistory).sent(device.userId, device.id, now, edges, { lateMs: 300, silentMs: 99 }),
        {
          counts: [
            { edge: 0, readings: 3, late: 3, firstAt: at(-400), lastAt: at(-301) },
            { edge: 1, readings: 1, late: 0, firstAt: at(-300), lastAt: at(-300) },
            { edge: 2, readings: 1, late: 0, firstAt: at(-250), lastAt: at(-250) },
            { edge: 3, readings: 2, late: 0, firstAt: at(-200), lastAt: at(-100) }
          ],
          silences: [
            { from: at(-400), until: at(-301) },
            { from: at(-200), until: at(-100) }
          ]
        },
        "sent"
      )
      Check.equal(
        yield* (yield* FixHistory).sent(other.userId, other.id, now, [-100, 0].map(at), { lateMs: 0, silentMs: 0 }),
        { counts: [], silences: [] },
        "nothing"
      )
    })
  },
  {
    name: "what is past the user's choice of history is in no answer, to the millisecond",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      yield* (yield* HistoryStore).choose(device.userId, 90, now)
      const edge = -90 * DAY
      yield* seen(device, [edge - 1, edge, edge + 1])
      const { userId } = device
      const history = yield* FixHistory
      Check.equal(yield* offsetsOf(yield* newest(userId, null, null, 9)), [edge + 1], "newest")
      Check.equal(yield* around(userId, edge, 10), [edge + 1], "around")
      const [page = []] = yield* pages(userId, edge - 10, edge + 10, 9)
      Check.equal(yield* offsetsOf(page), [edge + 1], "range")
      const edges = [Timestamp.plus(now, edge - 10), Timestamp.plus(now, edge + 10)]
      const [tally] = yield* history.tally(userId, now, edges)
      Check.equal(tally?.fixes, 1, "tally")
      const sent = yield* history.sent(userId, device.id, now, edges, { lateMs: 0, silentMs: 1 })
      Check.equal([sent.counts.map(({ readings }) => readings), sent.silences], [[1], []], "sent")
    })
  },
  {
    name: "what was put aside is no history",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const reading = { capturedAt: now, lat: 91, lon: 4.89 }
      yield* Uploads.commit(device, { quarantined: [{ key: "one", reading, reason: "out_of_range" }] })
      Check.equal(yield* newest(device.userId, null, null, 9), [], "newest")
      Check.equal(yield* around(device.userId, 0, 10), [], "around")
      Check.equal(yield* pages(device.userId, -10, 10, 9), [[]], "range")
    })
  }
]
