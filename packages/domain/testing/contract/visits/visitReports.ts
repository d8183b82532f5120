import { Effect } from "effect"
import type { ImportStore } from "../../../src/imports/ImportStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as OsVisit from "../../../src/visits/OsVisit.js"
import type { VisitReport } from "../../../src/fixes/VisitReport.js"
import { VisitStore } from "../../../src/visits/VisitStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Imports from "../fixes/importSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import * as Visits from "./visitSamples.js"
import { file, ground } from "./ground.js"

type ReportsQuery = Parameters<VisitStore["Type"]["reports"]>[0]

const EVER = { from: null, to: null }

const reportsOf = (query: Partial<ReportsQuery> & Pick<ReportsQuery, "userId">) =>
  Effect.flatMap(VisitStore, (store) => store.reports({ span: EVER, after: undefined, limit: 100, ...query }))

const shown = (reports: ReadonlyArray<OsVisit.VisitReports>, now: number) =>
  reports.map((one) => ({
    at: (now - one.arrival) / Timestamp.MINUTE,
    next: one.nextArrival === null ? null : (now - one.nextArrival) / Timestamp.MINUTE,
    reports: one.reports.map(words).sort(),
    departures: one.departures.map(words).sort()
  }))

const words = ({ accuracyM, departure, lat }: VisitReport): string =>
  `${departure ?? "open"} ${lat} ${accuracyM ?? "?"}`

/** What every `VisitStore` must guarantee about visits that phones reported. */
export const reportCases: Contract<Visits.VisitSamplePorts | ImportStore> = [
  {
    name: "reportsWithin: each device's from the last arrival that is not after the beginning until before the end",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* ground
      const store = yield* VisitStore
      const other = yield* Samples.device(userId)
      const visits = [60, 50, 40].map((minutes) => Uploads.visit(t(minutes), null))
      for (const one of [phone, other]) yield* Uploads.commit(one, { visits })
      const found = (from: number, to: number | null, of = userId) =>
        Effect.map(
          store.reportsWithin(of, [{ deviceId: phone.id, from: t(from), to: to === null ? null : t(to) }]),
          (reports) => reports.map((one) => [one.deviceId, (t(0) - one.arrival) / Timestamp.MINUTE])
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
    name: "reportsWithin: of uploads that were committed together, each on its own device [fixes-10]",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* ground
      const other = yield* Samples.device(userId)
      const uploads = [
        yield* Uploads.upload(phone, { visits: [{ ...Uploads.visit(t(60), null), accuracyM: 7 }] }),
        yield* Uploads.upload(other, { visits: [Uploads.visit(t(60), null), Uploads.visit(t(50), null)] }),
        yield* Uploads.upload(phone, { visits: [Uploads.visit(t(60), null), Uploads.visit(t(40), null)] })
      ] as const
      Check.isTrue(yield* Uploads.commitAll(phone, uploads), "committed")
      const found = ({ id: deviceId }: { readonly id: typeof phone.id }) =>
        Effect.flatMap(VisitStore, (store) =>
          Effect.map(store.reportsWithin(userId, [{ deviceId, from: t(70), to: null }]), (reports) =>
            reports.map((one) => (t(0) - one.arrival) / Timestamp.MINUTE)
          )
        )
      Check.equal(
        [yield* found(phone), yield* found(other)],
        [
          [40, 60],
          [50, 60]
        ],
        "arrivals"
      )
      const [, first] = yield* (yield* VisitStore).reportsWithin(userId, [
        { deviceId: phone.id, from: t(70), to: null }
      ])
      Check.equal(
        first?.reports.map(({ accuracyM }) => accuracyM),
        [7],
        "the first of two reports of one visit"
      )
    })
  },
  {
    name: "reportsWithin: an earlier arrival whose departure is within the span, although others came since",
    run: Effect.gen(function* () {
      const { phone, t } = yield* ground
      const days = (count: number) => count * 24 * 60
      const visits = [
        Uploads.visit(t(60), t(20)),
        Uploads.visit(t(50), t(45)),
        Uploads.visit(t(40), t(35)),
        Uploads.visit(t(30 + days(30)), t(10)),
        Uploads.visit(t(30 + days(30) + 1), t(10))
      ]
      yield* Uploads.commit(phone, { visits })
      const found = (from: number) =>
        Effect.map(
          Effect.flatMap(VisitStore, (store) =>
            store.reportsWithin(phone.userId, [{ deviceId: phone.id, from: t(from), to: null }])
          ),
          (reports) => reports.map((one) => (t(0) - one.arrival) / Timestamp.MINUTE)
        )
      Check.equal(yield* found(30), [40, 60, 30 + days(30)], "at most 30 days before")
      Check.equal(yield* found(20), [40], "a departure with the beginning is over")
    })
  },
  {
    name: "reports: a visit that a file leaves open ended with the newest entry that its import has stored so far [visits-6]",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* ground
      const { bring, device, made } = yield* file(userId)
      const departures = Effect.map(reportsOf({ userId }), (reports) =>
        reports.map((one) => [one.deviceId, OsVisit.decide(one)?.departure])
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
    name: "reports: every report of one arrival together, with the next arrival and what departed in between",
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
        shown(yield* reportsOf({ userId }), now),
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
    name: "reports: latest arrival first, then by device; within the span, after a position, no more than asked for, of one user",
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
      const keys = (query: Partial<ReportsQuery>) =>
        Effect.map(reportsOf({ userId, ...query }), (reports) =>
          reports.map(({ arrival, deviceId }) => ({ deviceId, arrival }))
        )
      Check.equal(yield* keys({}), expected, "all")
      Check.equal(yield* keys({ userId: yield* Visits.aUser }), [], "another user's")
      Check.equal(yield* keys({ span: { from: t(50), to: t(40) } }), expected.slice(2, 4), "within the span")
      for (const [index, after] of expected.entries()) {
        Check.equal(yield* keys({ after, limit: 2 }), expected.slice(index + 1, index + 3), `after ${index}`)
      }
      const [, first] = yield* reportsOf({ userId, span: { from: null, to: t(45) } })
      Check.equal(first?.nextArrival, t(40), "the next arrival may lie beyond the span")
    })
  }
]
