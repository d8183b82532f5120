import { Effect } from "effect"
import type { ImportStore } from "../../../src/imports/ImportStore.js"
import type { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import type { DeviceId, PlaceId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Stay from "../../../src/visits/Stay.js"
import { VisitStore } from "../../../src/visits/VisitStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Imports from "../fixes/importSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import { file, ground } from "./ground.js"
import { sharedImports } from "./sharedImports.js"
import { reportCases } from "./visitReports.js"
import * as Visits from "./visitSamples.js"

type StaysQuery = Parameters<VisitStore["Type"]["stays"]>[0]
const EVER = { from: null, to: null }

const deviceStaysOf = (query: Partial<StaysQuery> & Pick<StaysQuery, "userId" | "places">) =>
  Effect.gen(function* () {
    return yield* (yield* VisitStore).stays({
      span: EVER,
      after: undefined,
      limit: 100,
      now: yield* Timestamp.now,
      cutoff: null,
      unfinished: [],
      ...query
    })
  })

const staysOf = (query: Parameters<typeof deviceStaysOf>[0]) =>
  Effect.map(deviceStaysOf(query), (stays) =>
    stays.map(({ arrival, departure, placeId }) => ({ placeId, arrival, departure }))
  )

/** What every `VisitStore` must guarantee: which stays and reported visits a reader gets, and in which order. */
export const visitStoreContract: Contract<Visits.VisitSamplePorts | HistoryStore | ImportStore> = [
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
    name: "stays: where a device is not derived to the end, those that ended ten minutes before what is due; others are not touched [visits-8]",
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
      const begun = (unfinished: StaysQuery["unfinished"]) =>
        Effect.map(staysOf({ userId, places, unfinished }), (all) =>
          all.map(({ arrival }) => (t(0) - arrival) / Timestamp.MINUTE)
        )
      const due = (dueFrom: Timestamp.Timestamp) => [{ deviceId: phone.id, placeId: home, dueFrom }]
      Check.equal(yield* begun(due(t(20))), [15, 25, 40, 60], "ended ten minutes before")
      Check.equal(yield* begun(due(Timestamp.plus(t(20), -1))), [15, 25, 60], "a millisecond less")
      Check.equal(yield* begun(due(t(41))), [15, 25], "nothing has ended")
      const both = [...due(t(0)), { deviceId: phone.id, placeId: gym, dueFrom: t(0) }]
      Check.equal(yield* begun(both), [15, 40, 60], "what is open is not final")
    })
  },
  {
    name: "stays: those that last five minutes, open ones by now [visits-4]",
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
      const query = { userId, places: [{ placeId: home, since: null }] }
      const found = (limit: number) =>
        Effect.map(deviceStaysOf({ ...query, limit }), (stays) =>
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
      yield* Visits.stays(phone, gym, [
        [t(130), t(120), t(125)],
        [t(95), t(94)]
      ])
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
        (yield* store.ends(userId, spans)).map(({ departure }) => departure),
        [null, t(80), t(80), t(50), null, null, t(39), null, null, t(94), null, t(35)],
        "ends"
      )
      const uncertain = { departure: t(125), isUncertain: true }
      Check.equal(yield* store.ends(userId, [end(140, 110, gym)]), [uncertain], "an uncertain end")
      const none = { departure: null, isUncertain: false }
      Check.equal(yield* store.ends(yield* Visits.aUser, spans.slice(1, 2)), [none], "another user's")
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
    name: "medians: of fixes on both sides of the 180° meridian, and of a few fixes far away from the other fixes [M15]",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* ground
      const store = yield* VisitStore
      const at = (minutes: number, lon: number) => Uploads.fixes(1, t(minutes), { lat: 5, lon })
      const seen = (from: number, ...lons: ReadonlyArray<number>) =>
        Uploads.commit(phone, { fixes: lons.flatMap((lon, index) => at(from - index, lon)) })
      yield* seen(90, -179.75, 179.5, -179.5, 179.75)
      yield* seen(80, -179.75, 179.5, -179.5, 179.75, -179.25)
      yield* seen(70, -180, 180, -180)
      yield* seen(60, 170, 0.25, -170, 0, -0.25)
      yield* seen(50, -122.5, 179, -122.25, -10, -122.75)
      const spans = [90, 80, 70, 60, 50].map((from) => ({ deviceId: phone.id, from: t(from), to: t(from - 9) }))
      Check.equal(
        (yield* store.medians(userId, spans)).map((median) => median?.lon),
        [179.75, -179.75, 180, 0, -122.5],
        "medians"
      )
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
    name: "stays: one that a file leaves open ended with the newest entry that its import has stored so far [visits-6]",
    run: Effect.gen(function* () {
      const { gym, home, phone, t, userId } = yield* ground
      const { bring, device, made } = yield* file(userId)
      const query = { userId, places: [{ placeId: home, since: null }] }
      yield* bring({ fixes: Uploads.fixes(1, t(60)) })
      yield* Visits.stays(device, home, [
        [t(90), t(80)],
        [t(60), null]
      ])
      yield* Visits.stays(phone, gym, [[t(60), null]])
      const past = { placeId: home, arrival: t(90), departure: t(80) }
      Check.equal(yield* staysOf(query), [past], "too short so far")
      yield* bring({ fixes: Uploads.fixes(1, Timestamp.plus(t(55), -1)) })
      Check.equal(yield* staysOf(query), [past], "a millisecond too short")
      yield* bring({ fixes: Uploads.fixes(1, t(40)) })
      yield* bring({ fixes: Uploads.fixes(1, t(70)) })
      const ended = { placeId: home, arrival: t(60), departure: t(40) }
      Check.equal(yield* staysOf(query), [ended, past], "ended, while the import goes on")
      Check.equal(yield* staysOf({ ...query, cutoff: Timestamp.plus(t(40), -1) }), [ended], "within the history")
      Check.equal(yield* staysOf({ ...query, cutoff: t(40) }), [], "past it")
      yield* Imports.forget(made)
      Check.equal(yield* staysOf(query), [ended, past], "without the import")
      Check.equal(
        yield* staysOf({ userId, places: [{ placeId: gym, since: null }] }),
        [{ placeId: gym, arrival: t(60), departure: null }],
        "the phone's is open"
      )
    })
  },
  ...reportCases,
  ...sharedImports
]
