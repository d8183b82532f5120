import { Effect } from "effect"
import type { ImportStore, Step } from "../../imports/ImportStore.js"
import type { DeviceId, PlaceId, UserId } from "../../shared/Ids.js"
import * as Timestamp from "../../shared/Timestamp.js"
import * as OsVisit from "../../visits/OsVisit.js"
import * as Stay from "../../visits/Stay.js"
import type { VisitReport } from "../../visits/VisitReport.js"
import type { Visit } from "../../visits/Visit.js"
import { VisitStore } from "../../visits/VisitStore.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"
import * as Imports from "./importSamples.js"
import * as Samples from "./ruleSamples.js"
import * as Uploads from "./uploadSamples.js"
import * as Visits from "./visitSamples.js"

type StaysAsked = Parameters<VisitStore["Type"]["stays"]>[0]
type ToldAsked = Parameters<VisitStore["Type"]["told"]>[0]

const EVER = { from: null, to: null }

const deviceStaysOf = (asked: Partial<StaysAsked> & Pick<StaysAsked, "userId" | "places">) =>
  Effect.gen(function* () {
    return yield* (yield* VisitStore).stays({
      span: EVER,
      after: undefined,
      limit: 100,
      now: yield* Timestamp.now,
      cutoff: null,
      unfinished: [],
      ...asked
    })
  })

const staysOf = (asked: Parameters<typeof deviceStaysOf>[0]) =>
  Effect.map(deviceStaysOf(asked), (stays) =>
    stays.map(({ arrival, departure, placeId }): Visit => ({ placeId, arrival, departure }))
  )

const toldBy = (asked: Partial<ToldAsked> & Pick<ToldAsked, "userId">) =>
  Effect.flatMap(VisitStore, (store) => store.told({ span: EVER, after: undefined, limit: 100, ...asked }))

/** A user with a phone and two places, in the order of their ids. */
const ground = Effect.gen(function* () {
  const phone = yield* Visits.phone
  const [a, b] = [yield* Samples.place(phone.userId), yield* Samples.place(phone.userId)]
  const [home, gym] = a.id < b.id ? [a, b] : [b, a]
  const now = yield* Timestamp.now
  /** So many minutes before now. */
  const t = (minutes: number) => Timestamp.plus(now, -minutes * Timestamp.MINUTE)
  return { phone, userId: phone.userId, home: home.id, gym: gym.id, now, t }
})

/** An import of the user, under way. */
const file = (userId: UserId) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const made = yield* Imports.waiting(userId)
    const { lease } = yield* Imports.claimed(made.id, `file_${made.id}`, now)
    const bring = (parts: Pick<Partial<Step>, "fixes" | "visits">) =>
      Effect.map(Imports.advance(Imports.step(made, lease, now, parts)), (held) => Check.isTrue(held, "a step"))
    return { made, bring, device: { userId, id: made.deviceId } }
  })

const shown = (told: ReadonlyArray<OsVisit.Told>, now: number) =>
  told.map((one) => ({
    at: (now - one.arrival) / Timestamp.MINUTE,
    next: one.nextArrival === null ? null : (now - one.nextArrival) / Timestamp.MINUTE,
    reports: one.reports.map(words).sort(),
    departures: one.departures.map(words).sort()
  }))

const words = ({ accuracyM, departure, lat }: VisitReport): string =>
  `${departure ?? "open"} ${lat} ${accuracyM ?? "?"}`

/** Rules of `VisitStore`. */
export const visitStoreContract: Contract<Visits.Needs | ImportStore> = [
  {
    name: "stays: at the places asked about and no others, newest first, then by place",
    run: Effect.gen(function* () {
      const { gym, home, phone, t, userId } = yield* ground
      const shop = yield* Samples.place(userId)
      const spans = [
        [t(60), t(50)],
        [t(30), null]
      ] as const
      for (const place of [gym, home, shop.id]) yield* Visits.stays(phone, place, spans)
      const both = [gym, home].map((placeId) => ({ placeId, since: null }))
      const expected = [
        { placeId: home, arrival: t(30), departure: null },
        { placeId: gym, arrival: t(30), departure: null },
        { placeId: home, arrival: t(60), departure: t(50) },
        { placeId: gym, arrival: t(60), departure: t(50) }
      ]
      Check.equal(yield* staysOf({ userId, places: both }), expected, "both")
      Check.equal(yield* staysOf({ userId, places: [] }), [], "none")
      Check.equal(yield* staysOf({ userId: yield* Visits.aUser, places: both }), [], "another user's")
      for (const [index, { arrival, placeId }] of expected.entries()) {
        const after = { arrival, placeId }
        Check.equal(yield* staysOf({ userId, places: both, after }), expected.slice(index + 1), `after ${index}`)
        Check.equal(
          yield* staysOf({ userId, places: both, limit: index }),
          expected.slice(0, index),
          `${index} of them`
        )
      }
    })
  },
  {
    name: "stays: where a device is not derived to the end, those that ended two minutes before what is due; others are not touched",
    run: Effect.gen(function* () {
      const { gym, home, phone, t, userId } = yield* ground
      const other = yield* Samples.device(userId)
      const places = [home, gym].map((placeId) => ({ placeId, since: null }))
      const spans = [
        [t(60), t(50)],
        [t(40), t(30)],
        [t(20), null]
      ] as const
      yield* Visits.stays(phone, home, spans)
      yield* Visits.stays(phone, gym, [[t(25), null]])
      yield* Visits.stays(other, home, [[t(15), null]])
      const begun = (unfinished: StaysAsked["unfinished"]) =>
        Effect.map(staysOf({ userId, places, unfinished }), (all) =>
          all.map(({ arrival }) => (t(0) - arrival) / Timestamp.MINUTE)
        )
      const due = (dueFrom: Timestamp.Timestamp) => [{ deviceId: phone.id, placeId: home, dueFrom }]
      Check.equal(yield* begun(due(t(28))), [15, 25, 40, 60], "ended two minutes before")
      Check.equal(yield* begun(due(Timestamp.plus(t(28), -1))), [15, 25, 60], "a millisecond less")
      Check.equal(yield* begun(due(t(55))), [15, 25], "nothing has ended")
      const both = [...due(t(0)), { deviceId: phone.id, placeId: gym, dueFrom: t(0) }]
      Check.equal(yield* begun(both), [15, 40, 60], "what is open is not final")
    })
  },
  {
    name: "stays: those that last five minutes, open ones by now",
    run: Effect.gen(function* () {
      const { gym, home, now, phone, t, userId } = yield* ground
      const places = [home, gym].map((placeId) => ({ placeId, since: null }))
      const short = Timestamp.plus(t(55), -1)
      yield* Visits.stays(phone, home, [
        [t(60), short],
        [t(50), t(45)]
      ])
      yield* Visits.stays(phone, gym, [[t(0), null]])
      const arrivals = (at: number) =>
        Effect.map(staysOf({ userId, places, now: Timestamp.make(at) }), (stays) => stays.map((one) => one.arrival))
      Check.equal(yield* arrivals(now + Stay.MIN_STAY - 1), [t(50)], "a millisecond too early")
      Check.equal(yield* arrivals(now + Stay.MIN_STAY), [t(0), t(50)], "five minutes")
    })
  },
  {
    name: "stays: from `since` on, place by place, and within the span: its beginning included, its end not",
    run: Effect.gen(function* () {
      const { gym, home, phone, t, userId } = yield* ground
      const spans = [60, 50, 40].map((minutes) => [t(minutes), t(minutes - 6)] as const)
      yield* Visits.stays(phone, home, spans)
      yield* Visits.stays(phone, gym, spans)
      const places = [
        { placeId: home, since: t(50) },
        { placeId: gym, since: Timestamp.plus(t(50), 1) }
      ]
      const found = (from: Timestamp.Timestamp | null, to: Timestamp.Timestamp | null) =>
        Effect.map(staysOf({ userId, places, span: { from, to } }), (stays) =>
          stays.map((one) => [one.placeId === home ? "home" : "gym", one.arrival] as const)
        )
      Check.equal(
        yield* found(null, null),
        [
          ["home", t(40)],
          ["gym", t(40)],
          ["home", t(50)]
        ],
        "since"
      )
      Check.equal(yield* found(null, t(40)), [["home", t(50)]], "to")
      Check.equal(
        yield* found(t(40), null),
        [
          ["home", t(40)],
          ["gym", t(40)]
        ],
        "from"
      )
    })
  },
  {
    name: "stays: of one arrival the longest first, then by device; those of phones that tell their visits, too",
    run: Effect.gen(function* () {
      const { home, phone, t, userId } = yield* ground
      const ids = [phone.id, (yield* Samples.device(userId)).id, (yield* Samples.device(userId)).id].sort()
      const [a, b, c] = ids
      if (a === undefined || b === undefined || c === undefined) return Check.fail("three phones")
      const of = (id: DeviceId) => ({ userId, id })
      yield* Visits.stays(of(a), home, [[t(60), t(50)]])
      yield* Visits.stays(of(b), home, [
        [t(60), t(40)],
        [t(30), null]
      ])
      yield* Visits.stays(of(c), home, [
        [t(60), t(40)],
        [t(30), null]
      ])
      yield* Uploads.commit(of(b), { visits: [Uploads.visit(t(1), null)] })
      const asked = { userId, places: [{ placeId: home, since: null }] }
      const found = (limit: number) =>
        Effect.map(deviceStaysOf({ ...asked, limit }), (stays) =>
          stays.map((one) => [one.arrival, one.deviceId] as const)
        )
      const expected: Array<readonly [Timestamp.Timestamp, DeviceId]> = [
        [t(30), b],
        [t(30), c],
        [t(60), b],
        [t(60), c],
        [t(60), a]
      ]
      Check.equal(yield* found(100), expected, "all")
      Check.equal(yield* found(3), expected.slice(0, 3), "three")
    })
  },
  {
    name: "ends: when the first stay of the device at the place ended that has a part within the span; null while it goes on",
    run: Effect.gen(function* () {
      const { gym, home, phone, t, userId } = yield* ground
      const store = yield* VisitStore
      const { bring, device, made } = yield* file(userId)
      yield* bring({ fixes: Uploads.fixes(1, t(35)) })
      yield* Visits.stays(device, home, [[t(60), null]])
      yield* Visits.stays(phone, home, [
        [t(90), t(80)],
        [t(60), t(50)],
        [t(40), t(39)],
        [t(20), null]
      ])
      yield* Visits.stays(phone, gym, [[t(95), t(94)]])
      const end = (from: number, to: number | null, placeId = home, deviceId = phone.id) => ({
        deviceId,
        placeId,
        from: t(from),
        to: to === null ? null : t(to)
      })
      const spans = [
        end(100, 90),
        end(100, null),
        end(85, 84),
        end(80, null),
        end(70, 60),
        end(50, 45),
        end(50, 39),
        end(39, null),
        end(10, null),
        end(100, null, gym),
        end(30, null, gym),
        end(100, null, home, device.id)
      ]
      Check.equal(
        yield* store.ends(userId, spans),
        [null, t(80), t(80), t(50), null, null, t(39), null, null, t(94), null, t(35)],
        "ends"
      )
      Check.equal(yield* store.ends(yield* Visits.aUser, spans.slice(1, 2)), [null], "another user's")
      yield* Imports.forget(made)
    })
  },
  {
    name: "staysWithin: each stay once that has a part within one of the spans of its device and place, by arrival",
    run: Effect.gen(function* () {
      const { gym, home, phone, t, userId } = yield* ground
      const store = yield* VisitStore
      const other = yield* Samples.device(userId)
      for (const one of [phone, other]) {
        yield* Visits.stays(one, home, [
          [t(90), t(80)],
          [t(60), t(59)],
          [t(40), null]
        ])
        yield* Visits.stays(one, gym, [[t(70), t(50)]])
      }
      const span = (placeId: PlaceId, from: number, to: number | null) => ({
        deviceId: phone.id,
        placeId,
        from: t(from),
        to: to === null ? null : t(to)
      })
      const found = (spans: ReadonlyArray<ReturnType<typeof span>>, of = userId) =>
        Effect.map(store.staysWithin(of, spans), (stays) =>
          stays.map((one) => [one.deviceId === phone.id, one.placeId === home, (t(0) - one.arrival) / Timestamp.MINUTE])
        )
      const at = (isHome: boolean, minutes: number) => [true, isHome, minutes]
      Check.equal(yield* found([span(home, 100, null)]), [at(true, 90), at(true, 60), at(true, 40)], "all")
      Check.equal(yield* found([span(home, 80, 60)]), [], "neither what ends nor what begins at an edge")
      Check.equal(yield* found([span(home, 85, 59)]), [at(true, 90), at(true, 60)], "parts")
      Check.equal(
        yield* found([span(gym, 60, 55), span(home, 60, 30), span(home, 62, 10)]),
        [at(false, 70), at(true, 60), at(true, 40)],
        "once"
      )
      Check.equal(yield* found([span(home, 100, null)], yield* Visits.aUser), [], "another user's")
    })
  },
  {
    name: "medians: of the fixes of one device within a span, the lower of two, latitude and longitude apart; null without any that it was carried for",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* ground
      const store = yield* VisitStore
      const other = yield* Samples.device(userId)
      const at = (minutes: number, lat: number, lon: number) => Uploads.fixes(1, t(minutes), { lat, lon })
      yield* Uploads.commit(phone, {
        fixes: [...at(50, 9, 1), ...at(40, 1, 9), ...at(30, 5, 5), ...at(20, 7, 7), ...at(10, -80, 80)]
      })
      yield* Uploads.commit(other, { fixes: at(45, 60, 60) })
      const leftBehind = [...at(35, 70, 70), ...at(25, 71, 71), ...at(5, 72, 72)]
      yield* Uploads.commit(phone, { fixes: leftBehind, leftBehind: new Set(leftBehind) })
      const span = (from: number, to: number | null) => ({
        deviceId: phone.id,
        from: t(from),
        to: to === null ? null : t(to)
      })
      const spans = [span(50, 20), span(50, 10), span(10, null), span(50, null), span(9, null), span(60, 50)]
      Check.equal(
        yield* store.medians(userId, spans),
        [{ lat: 5, lon: 5 }, { lat: 5, lon: 5 }, { lat: -80, lon: 80 }, { lat: 5, lon: 7 }, null, null],
        "medians"
      )
      Check.equal(yield* store.medians(yield* Visits.aUser, spans.slice(0, 1)), [null], "another user's")
    })
  },
  {
    name: "toldWithin: each device's from the last arrival that is not after the beginning until before the end",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* ground
      const store = yield* VisitStore
      const other = yield* Samples.device(userId)
      const visits = [60, 50, 40].map((minutes) => Uploads.visit(t(minutes), null))
      for (const one of [phone, other]) yield* Uploads.commit(one, { visits })
      const found = (from: number, to: number | null, of = userId) =>
        Effect.map(
          store.toldWithin(of, [{ deviceId: phone.id, from: t(from), to: to === null ? null : t(to) }]),
          (told) => told.map((one) => [one.deviceId, (t(0) - one.arrival) / Timestamp.MINUTE])
        )
      const own = (minutes: ReadonlyArray<number>) => minutes.map((one) => [phone.id, one])
      Check.equal(yield* found(70, null), own([40, 50, 60]), "all")
      Check.equal(yield* found(60, 50), own([60]), "the end is not included")
      Check.equal(yield* found(55, 40), own([50, 60]), "the one that goes on when the span begins")
      Check.equal(yield* found(50, null), own([40, 50]), "one that begins with it")
      Check.equal(yield* found(90, 60), [], "before all")
      Check.equal(yield* found(30, null), own([40]), "after all")
      Check.equal(yield* found(70, null, yield* Visits.aUser), [], "another user's")
    })
  },
  {
    name: "stays: none that ended by the cutoff; an open one counts as long as its phone sends",
    run: Effect.gen(function* () {
      const { home, phone, t, userId } = yield* ground
      const other = yield* Samples.device(userId)
      yield* Uploads.commit(other, { receivedAt: t(30) })
      yield* Visits.stays(phone, home, [
        [t(90), t(80)],
        [t(70), t(60)]
      ])
      yield* Visits.stays(other, home, [[t(95), null]])
      const arrivals = (cutoff: Timestamp.Timestamp) =>
        Effect.map(staysOf({ userId, places: [{ placeId: home, since: null }], cutoff }), (stays) =>
          stays.map((one) => one.arrival)
        )
      const before = (minutes: number) => Timestamp.plus(t(minutes), -1)
      Check.equal(yield* arrivals(before(80)), [t(70), t(90), t(95)], "all")
      Check.equal(yield* arrivals(t(80)), [t(70), t(95)], "one ended then")
      Check.equal(yield* arrivals(before(30)), [t(95)], "the open one")
      Check.equal(yield* arrivals(t(30)), [], "whose phone is silent since")
    })
  },
  {
    name: "stays: one that a file leaves open ended with the newest entry that its import has stored so far",
    run: Effect.gen(function* () {
      const { gym, home, phone, t, userId } = yield* ground
      const { bring, device, made } = yield* file(userId)
      const asked = { userId, places: [{ placeId: home, since: null }] }
      yield* bring({ fixes: Uploads.fixes(1, t(60)) })
      yield* Visits.stays(device, home, [
        [t(90), t(80)],
        [t(60), null]
      ])
      yield* Visits.stays(phone, gym, [[t(60), null]])
      const past = { placeId: home, arrival: t(90), departure: t(80) }
      Check.equal(yield* staysOf(asked), [past], "too short so far")
      yield* bring({ fixes: Uploads.fixes(1, Timestamp.plus(t(55), -1)) })
      Check.equal(yield* staysOf(asked), [past], "a millisecond too short")
      yield* bring({ fixes: Uploads.fixes(1, t(40)) })
      yield* bring({ fixes: Uploads.fixes(1, t(70)) })
      const ended = { placeId: home, arrival: t(60), departure: t(40) }
      Check.equal(yield* staysOf(asked), [ended, past], "ended, while the import goes on")
      Check.equal(yield* staysOf({ ...asked, cutoff: Timestamp.plus(t(40), -1) }), [ended], "within the history")
      Check.equal(yield* staysOf({ ...asked, cutoff: t(40) }), [], "past it")
      yield* Imports.forget(made)
      Check.equal(yield* staysOf(asked), [ended, past], "without the import")
      Check.equal(
        yield* staysOf({ userId, places: [{ placeId: gym, since: null }] }),
        [{ placeId: gym, arrival: t(60), departure: null }],
        "the phone's is open"
      )
    })
  },
  {
    name: "told: a visit that a file leaves open ended with the newest entry that its import has stored so far",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* ground
      const { bring, device, made } = yield* file(userId)
      const departures = Effect.map(toldBy({ userId }), (told) =>
        told.map((one) => [one.deviceId, OsVisit.decide(one)?.departure])
      )
      yield* Uploads.commit(phone, { visits: [Uploads.visit(t(30), null)] })
      yield* bring({ visits: [Uploads.visit(t(60), null)] })
      const open = [phone.id, null]
      Check.equal(yield* departures, [open, [device.id, t(60)]], "its own arrival")
      yield* bring({ fixes: Uploads.fixes(1, t(50)) })
      Check.equal(yield* departures, [open, [device.id, t(50)]], "a reading")
      yield* bring({ visits: [Uploads.visit(t(70), t(65))], fixes: Uploads.fixes(1, t(55)) })
      Check.equal(yield* departures, [open, [device.id, t(50)], [device.id, t(65)]], "earlier ones")
      yield* bring({ visits: [{ ...Uploads.visit(null, t(45)), lat: 1 }] })
      Check.equal(yield* departures, [open, [device.id, t(45)], [device.id, t(65)]], "a departure from elsewhere")
      yield* Imports.forget(made)
    })
  },
  {
    name: "told: every report of one arrival together, with the next arrival and what departed in between",
    run: Effect.gen(function* () {
      const { now, phone, t, userId } = yield* ground
      const visits: ReadonlyArray<VisitReport> = [
        { ...Uploads.visit(t(60), null), lat: 1 },
        { ...Uploads.visit(t(60), t(50)), lat: 2, accuracyM: 7 },
        Uploads.visit(null, Timestamp.plus(t(60), -1)),
        Uploads.visit(null, t(60)),
        Uploads.visit(null, Timestamp.plus(t(40), -1)),
        Uploads.visit(t(40), null),
        Uploads.visit(null, t(40)),
        Uploads.visit(null, t(1))
      ]
      for (const one of visits) yield* Uploads.commit(phone, { visits: [one] })
      const lone = (departure: number) => `${departure} 52.37 ?`
      Check.equal(
        shown(yield* toldBy({ userId }), now),
        [
          { at: 40, next: null, reports: ["open 52.37 ?"], departures: [lone(t(40)), lone(t(1))].sort() },
          {
            at: 60,
            next: 40,
            reports: ["open 1 ?", `${t(50)} 2 7`].sort(),
            departures: [lone(t(60)), lone(t(40) - 1)].sort()
          }
        ],
        "told"
      )
    })
  },
  {
    name: "told: latest arrival first, then by device; within the span, after a position, no more than asked for, of one user",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* ground
      const phones = [phone.id, (yield* Samples.device(userId)).id].sort()
      for (const id of phones) {
        yield* Uploads.commit(
          { userId, id },
          { visits: [60, 50, 40].map((minutes) => Uploads.visit(t(minutes), null)) }
        )
      }
      const expected = [40, 50, 60].flatMap((minutes) => phones.map((deviceId) => ({ deviceId, arrival: t(minutes) })))
      const keys = (asked: Partial<ToldAsked>) =>
        Effect.map(toldBy({ userId, ...asked }), (told) => told.map(({ arrival, deviceId }) => ({ deviceId, arrival })))
      Check.equal(yield* keys({}), expected, "all")
      Check.equal(yield* keys({ userId: yield* Visits.aUser }), [], "another user's")
      Check.equal(yield* keys({ span: { from: t(50), to: t(40) } }), expected.slice(2, 4), "within the span")
      for (const [index, after] of expected.entries()) {
        Check.equal(yield* keys({ after, limit: 2 }), expected.slice(index + 1, index + 3), `after ${index}`)
      }
      const [, first] = yield* toldBy({ userId, span: { from: null, to: t(45) } })
      Check.equal(first?.nextArrival, t(40), "the next arrival may lie beyond the span")
    })
  }
]
