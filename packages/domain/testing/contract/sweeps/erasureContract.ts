import { Effect, FastCheck, Option } from "effect"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import * as Movement from "../../../src/devices/Movement.js"
import { FixHistory } from "../../../src/fixes/FixHistory.js"
import * as Erasure from "../../../src/retention-choice/Erasure.js"
import type { ImportStore } from "../../../src/imports/ImportStore.js"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { VisitStore } from "../../../src/visits/VisitStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Uploads from "../fixes/uploadSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Visits from "../visits/visitSamples.js"
import { erasedEdges } from "./erasedEdges.js"
import { erasedImports } from "./erasedImports.js"

type Ports = HistoryStore | FixHistory | EventStore | ImportStore | RuleStore | Visits.VisitSamplePorts

/**
 * A phone, and a clock for the case. `t(m, millis)` is `m` minutes and `millis` milliseconds after `t(0)`, and `t(0)`
 * is one hour before now.
 */
const begin = Effect.gen(function* () {
  const phone = yield* Visits.phone
  const now = yield* Timestamp.now
  const t = (minutes: number, millis = 0) => Timestamp.plus(now, (minutes - 60) * Timestamp.MINUTE + millis)
  return { phone, userId: phone.userId, now, t }
})

const erase = (userId: UserId, from: Timestamp.Timestamp, until: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    return yield* (yield* HistoryStore).erase(userId, { from, until }, yield* Timestamp.now)
  })

/** Quarantines a reading of the phone whose capture time is in the future. */
const putAside = (
  phone: Pick<Visits.Phone, "userId" | "id">,
  [receivedAt, at]: readonly [Timestamp.Timestamp, Timestamp.Timestamp]
) =>
  Effect.forEach(Uploads.fixes(1, at), (reading) =>
    Uploads.commit(phone, { receivedAt, quarantined: [{ key: `${receivedAt} ${at}`, reading, reason: "future" }] })
  )

/** The arrival times and the capture times of the phone's readings that the service may still accept. */
const waiting = (phone: Pick<Visits.Phone, "userId" | "id">) =>
  Effect.gen(function* () {
    const found = yield* Uploads.waiting(phone, Timestamp.plus(yield* Timestamp.now, -Timestamp.DAY), { limit: 20 })
    return found.map(({ reading, receivedAt }) => [receivedAt, reading.capturedAt])
  })

const erasures = (userId: UserId) =>
  Effect.gen(function* () {
    return (yield* (yield* HistoryStore).erasures(userId)).map(({ from, until }) => [from, until])
  })

const captured = (phone: Visits.Phone) =>
  Effect.map(Uploads.latest(phone, 1_000), (fixes) => fixes.map(({ capturedAt }) => capturedAt).toReversed())

/** Random readings and deleted stretches. Their times are whole minutes. */
const someErasures = FastCheck.record({
  minutes: FastCheck.uniqueArray(FastCheck.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 20 }),
  stretches: FastCheck.array(
    FastCheck.tuple(FastCheck.integer({ min: 0, max: 40 }), FastCheck.integer({ min: 1, max: 12 })),
    { minLength: 1, maxLength: 6 }
  )
})

/** What `HistoryStore.erase` must guarantee. Each case makes its own people. */
export const erasureContract: Contract<Ports> = [
  ...erasedImports,
  ...erasedEdges,
  {
    name: "erase: fixes from the first instant until before the last one go, of this person only",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* begin
      const other = yield* Visits.phone
      const times = [t(10, -1), t(10), t(20, -1), t(20)]
      for (const device of [phone, other]) {
        yield* Uploads.commit(device, { fixes: times.flatMap((at) => Uploads.fixes(1, at)) })
      }
      Check.isTrue(yield* erase(userId, t(10), t(20)), "there is room")
      Check.equal(yield* captured(phone), [t(10, -1), t(20)], "the edges")
      Check.equal(yield* captured(other), times, "another person's")
    })
  },
  {
    name: "erase: stretches that touch become one, and the view of an upload and of stays has them all by time",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* begin
      yield* erase(userId, t(20), t(30))
      yield* erase(userId, t(0), t(5))
      yield* erase(userId, t(30), t(40))
      yield* erase(userId, t(15), t(25))
      const stretches = [
        { from: t(0), until: t(5) },
        { from: t(15), until: t(40) }
      ]
      Check.equal(
        yield* erasures(userId),
        stretches.map(({ from, until }) => [from, until]),
        "the list"
      )
      const plain = (all: ReadonlyArray<Erasure.Stretch>) => all.map(({ from, until }) => ({ from, until }))
      Check.equal(plain((yield* Uploads.view(phone)).erasures), stretches, "the view of an upload")
      Check.equal(plain((yield* Visits.view(phone)).erasures), stretches, "the view of stays")
      Check.equal(yield* erasures((yield* begin).userId), [], "another person's")
    })
  },
  {
    name: "erase: an upload that was evaluated before it is refused, and stays are due from its beginning",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* begin
      const { version } = yield* Uploads.view(phone)
      const home = yield* Samples.place(userId)
      yield* Visits.commit(phone, home.id, t(0))
      yield* erase(userId, t(10), t(20))
      Check.isTrue(!(yield* Uploads.commit(phone, { version, fixes: Uploads.fixes(1, t(15)) })), "the upload")
      Check.equal((yield* Visits.progress(phone)).dueFrom, t(10), "due")
      yield* erase(userId, t(30), t(40))
      Check.equal((yield* Visits.progress(phone)).dueFrom, t(10), "still from the first one")
    })
  },
  {
    name: "erase: stays that begin in it go, those that reach into it end where it begins",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* begin
      const home = yield* Samples.place(userId)
      yield* Visits.stays(phone, home.id, [
        [t(0), t(5)],
        [t(8), t(15)],
        [t(16), t(18)],
        [t(20), null]
      ])
      yield* erase(userId, t(10), t(20))
      Check.equal(
        yield* Visits.openAt(phone, t(10)),
        [{ placeId: home.id, arrival: t(8), heardUntil: null }],
        "until its beginning"
      )
      Check.equal(yield* Visits.openAt(phone, t(10, 1)), [], "not beyond")
      Check.equal(
        yield* Visits.openAt(phone, t(21)),
        [{ placeId: home.id, arrival: t(20), heardUntil: null }],
        "from its end on"
      )
      yield* erase(userId, t(30), t(40))
      Check.equal(
        yield* Visits.openAt(phone, t(30)),
        [{ placeId: home.id, arrival: t(20), heardUntil: null }],
        "an open one ends"
      )
      Check.equal(yield* Visits.openAt(phone, t(30, 1)), [], "at its beginning")
    })
  },
  {
    name: "erase: a stay with an uncertain end is known no longer than to where the stretch begins",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* begin
      const home = yield* Samples.place(userId)
      const heardUntil = [t(5), t(10), t(15)]
      for (const lastReading of heardUntil) {
        const stay = { placeId: home.id, arrival: t(0), departure: t(40), heardUntil: lastReading }
        yield* Visits.commit(phone, home.id, t(0), { stays: [stay] })
        yield* erase(userId, t(10), t(20))
        const known = lastReading < t(10) ? lastReading : null
        Check.equal(
          yield* Visits.openAt(phone, t(10)),
          [{ placeId: home.id, arrival: t(0), heardUntil: known }],
          "the last reading before the stretch, or no uncertain end"
        )
        Check.equal(yield* Visits.openAt(phone, t(10, 1)), [], "not beyond")
      }
    })
  },
  {
    name: "erase: of a report of a visit only what lies before the stretch stays, however often it is sent",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* begin
      const survey = Effect.flatMap(HistoryStore, (store) => store.survey(userId, { after: null, until: null }))
      const whole = Uploads.visit(t(0), t(40))
      yield* Uploads.commit(phone, {
        visits: [whole, Uploads.visit(t(12), t(14)), Uploads.visit(null, t(19)), Uploads.visit(t(0), t(10))]
      })
      Check.equal((yield* survey).visits, 4, "all of them")
      yield* erase(userId, t(10), t(20))
      Check.equal((yield* survey).visits, 1, "two are the same now")
      const store = yield* HistoryStore
      Check.equal((yield* store.survey(userId, { after: t(10, -1), until: t(10) })).visits, 1, "it ends at the stretch")
    })
  },
  {
    name: "erase: a report that is cut off to the times of another one goes, and the other one stays as it is",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* begin
      const whole = { ...Uploads.visit(t(0), t(40)), accuracyM: 80 }
      yield* Uploads.commit(phone, { visits: [{ ...Uploads.visit(t(0), t(10)), accuracyM: 20 }, whole] })
      yield* erase(userId, t(10), t(20))
      const reported = yield* (yield* VisitStore).reportsWithin(userId, [{ deviceId: phone.id, from: t(0), to: null }])
      Check.equal(
        reported.flatMap(({ reports }) => reports.map(({ accuracyM, departure }) => [departure, accuracyM])),
        [[t(10), 20]],
        "what is left"
      )
    })
  },
  {
    name: "erase: a quarantined reading goes when its time or its receipt is in the stretch, or when the stretch is between its receipt and its time [retention-choice-5]",
    run: Effect.gen(function* () {
      const { t, userId } = yield* begin
      const sent = [
        [t(0), t(10, -1)],
        [t(0), t(10)],
        [t(0), t(20, -1)],
        [t(0), t(20)],
        [t(10), t(9)],
        [t(20, -1), t(30)],
        [t(20), t(10, -1)],
        [t(20), t(10)],
        [t(20), t(20, -1)],
        [t(20), t(20)],
        [t(20), t(40)]
      ] as const
      // Each reading comes from a different phone. For one phone, a deletion that removes a reading would also remove
      // the phone's earlier readings, and this case must not depend on that.
      const phones = yield* Effect.forEach(sent, (one) =>
        Effect.tap(Samples.device(userId), (phone) => putAside(phone, one))
      )
      yield* erase(userId, t(10), t(20))
      const left = [
        [t(0), t(10, -1)],
        [t(20), t(10, -1)],
        [t(20), t(20)],
        [t(20), t(40)]
      ]
      Check.equal((yield* Effect.forEach(phones, waiting)).flat(), left, "the edges")
      Check.equal((yield* (yield* DeviceStore).list(userId)).length, 1 + sent.length, "the phones stay")
    })
  },
  {
    name: "erase: a reading from the future that goes takes with it those of its phone that arrived before it or with it [retention-choice-5]",
    run: Effect.gen(function* () {
      const { phone, t, userId } = yield* begin
      const other = yield* Samples.device(userId)
      const early = [t(0), t(6)] as const
      const late = [t(20), t(30)] as const
      for (const one of [early, [t(4), t(9)], [t(4), t(15)], late] as const) yield* putAside(phone, one)
      yield* putAside(other, early)
      yield* erase(userId, t(10), t(20))
      Check.equal([yield* waiting(phone), yield* waiting(other)], [[late], [early]], "what is left")
    })
  },
  {
    name: "erase: a device loses the positions of the stretch, and stays the one that moved last",
    run: Effect.gen(function* () {
      const { t, userId } = yield* begin
      const rests = (at: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          const device = yield* Samples.device(userId)
          yield* Uploads.commit(device, { fixes: Uploads.fixes(1, at), movement: Samples.movement(at) })
          return device
        })
      // In `Samples.movement(at)` the device rested for one millisecond, until the time `at`.
      const times = [t(10, -1), t(10), t(20), t(20, 1)] as const
      const devices = yield* Effect.forEach(times, rests)
      yield* erase(userId, t(10), t(20))
      const [first] = devices
      if (first === undefined) return Check.fail("four devices")
      const known = new Map((yield* Uploads.view(first)).devices.map(({ id, movement }) => [id, movement]))
      const [before, into, within, after] = times.map(Samples.movement)
      Check.equal(
        devices.map(({ id }) => known.get(id)),
        [
          before,
          into === undefined ? into : { ...into, spot: Movement.DELETED, last: Movement.DELETED },
          within === undefined ? within : { ...within, before: null },
          after
        ],
        "what is known"
      )
    })
  },
  {
    name: "erase: a rule forgets a side that reaches into the stretch or through it, and its evaluations there",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const { t } = yield* begin
      const phone = yield* Samples.device(connection.userId)
      const rule = yield* Samples.rule(connection, Samples.onPlace(place))
      const { basis } = yield* Uploads.onlyLive(connection)
      const state = Effect.map(Uploads.onlyLive(connection), (live) => live.state)
      const set = (parts: Parameters<typeof Uploads.state>[2], asOf: Timestamp.Timestamp) =>
        Uploads.commit(phone, {
          states: [Uploads.progress(rule, Uploads.state(basis, asOf, parts), [Uploads.evaluation(asOf)])]
        })
      const outside = { side: "outside", since: null, dwellSpent: false, lastFiredAt: t(1) } as const
      const inside = { lastFiredAt: t(1) } as const

      for (const [parts, asOf, isKept] of [
        [outside, t(10, -1), true],
        [outside, t(10), false],
        [outside, t(20, -1), false],
        [outside, t(20), true],
        [{ ...inside, since: t(5) }, t(9), false],
        [{ ...inside, since: t(20, -1) }, t(25), false],
        [{ ...inside, since: t(20) }, t(25), true]
      ] as const) {
        yield* set(parts, asOf)
        yield* erase(connection.userId, t(10), t(20))
        const { side, since, ...rest } = yield* state
        Check.equal(side, isKept ? (parts === outside ? "outside" : "inside") : null, `${parts.since} ${asOf}`)
        Check.equal([rest.asOf, rest.lastFiredAt], [asOf, t(1)], "what stops a second firing stays")
        Check.isTrue(isKept || since === null, "no dwell")
      }
      const evaluated = yield* (yield* RuleStore).evaluations(connection.userId, connection.id, [rule.id])
      Check.equal(
        (evaluated.get(rule.id)?.recent ?? []).map(({ capturedAt }) => capturedAt),
        [t(10, -1), t(20), t(9), t(25), t(25)],
        "evaluations"
      )
    })
  },
  {
    name: "authorisation: says that the time of the event was deleted",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const { t } = yield* begin
      const rule = yield* Samples.rule(connection, Samples.onPlace(place))
      const { userId } = connection
      yield* erase(userId, t(10), t(20))
      const isErased = (at: Timestamp.Timestamp | undefined) =>
        Effect.gen(function* () {
          const found = yield* (yield* EventStore).authorisation(userId, connection.id, rule.id, at)
          return Option.getOrThrow(found).isErased ?? false
        })
      const times = [t(10, -1), t(10), t(20, -1), t(20), undefined]
      // All reads begin at the same time, because a store may answer several reads with one statement, and must not mix
      // up the answers.
      const answers = yield* Effect.forEach(times, isErased, { concurrency: "unbounded" })
      Check.equal(answers, [false, true, true, false, false], "the edges")
    })
  },
  {
    name: "around: nothing is near a moment that was deleted, and what is beside it is near the others",
    run: Effect.gen(function* () {
      const { now, phone, t, userId } = yield* begin
      yield* Uploads.commit(phone, { fixes: [t(9), t(15), t(21)].flatMap((at) => Uploads.fixes(1, at)) })
      yield* erase(userId, t(10), t(20))
      const around = (at: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          const found = yield* (yield* FixHistory).around(userId, now, at, 5 * Timestamp.MINUTE)
          return found.map(({ capturedAt }) => capturedAt)
        })
      Check.equal(yield* around(t(10, -1)), [t(9)], "just before")
      Check.equal(yield* around(t(10)), [], "the first instant")
      Check.equal(yield* around(t(20, -1)), [], "the last one")
      Check.equal(yield* around(t(20)), [t(21)], "just after")
    })
  },
  {
    name: "erase: whatever is deleted in whatever order, exactly the fixes outside stay",
    run: Effect.gen(function* () {
      for (const { minutes, stretches } of FastCheck.sample(someErasures, { numRuns: 20, seed: 5 })) {
        const { phone, t, userId } = yield* begin
        yield* Uploads.commit(phone, { fixes: minutes.flatMap((at) => Uploads.fixes(1, t(at))) })
        for (const [from, length] of stretches) yield* erase(userId, t(from), t(from + length))
        const isErased = (at: number) => stretches.some(([from, length]) => from <= at && at < from + length)
        const left = minutes.filter((at) => !isErased(at)).sort((a, b) => a - b)
        Check.equal(
          yield* captured(phone),
          left.map((at) => t(at)),
          "what is left"
        )
        const remembered = yield* (yield* HistoryStore).erasures(userId)
        for (let at = 0; at <= 52; at++) {
          Check.equal(Erasure.isErased(t(at), remembered), isErased(at), `minute ${at} is remembered`)
        }
        Check.isTrue(
          remembered.every((one, index) => index === 0 || one.from > (remembered[index - 1]?.until ?? one.from)),
          "no two of them touch"
        )
      }
    })
  }
]
