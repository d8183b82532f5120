import { Effect, Option } from "effect"
import * as Fix from "../../../src/fixes/Fix.js"
import { FixStore, type Quarantined } from "../../../src/fixes/FixStore.js"
import type { Entropy } from "../../../src/shared/Entropy.js"
import * as RuleEvaluation from "../../../src/rules/RuleEvaluation.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import { CLOCK_CHANGES } from "../clockChanges.js"
import * as FixSubjects from "./FixSubjects.js"
import * as Uploads from "./uploadSamples.js"

/**
 * Readings that the service quarantines: a latitude out of range, a visit without a time, and numbers that JSON cannot
 * express.
 */
export const quarantined = (at: Timestamp.Timestamp): ReadonlyArray<Quarantined> => [
  { key: "one", reading: { capturedAt: at, lat: 91, lon: 181, accuracyM: -1 }, reason: "out_of_range" },
  { key: "two", reading: Uploads.visit(null, null), reason: "no_stay" },
  { key: "three", reading: { capturedAt: at, lat: Number.NaN, lon: Number.POSITIVE_INFINITY }, reason: "out_of_range" }
]

/** The only rule that an upload of the phone evaluates. Fails when there is none, or several. */
const only = (phone: FixSubjects.Phone) =>
  Effect.map(Uploads.view(phone), ({ rules: [first, ...others] }) =>
    first === undefined || others.length > 0 ? Check.fail("one rule stands") : first
  )

/**
 * What every `FixStore` must guarantee: what `view` shows, what `commit` writes, and when `commit` must write nothing.
 */
export const committing: Contract<FixStore | FixSubjects.FixSubjects | Entropy> = [
  {
    name: "view: a user who never uploaded has version 0, no known fix and no rule",
    run: Effect.gen(function* () {
      const seen = yield* Uploads.view(yield* FixSubjects.phone, Uploads.fixes(2, yield* Timestamp.now))
      Check.equal(seen.version, 0, "version")
      Check.equal(
        [...seen.known.values()].flatMap((keys) => [...keys]),
        [],
        "known"
      )
      Check.equal(seen.rules, [], "rules")
    })
  },
  {
    name: "view: a rule that stands comes with its circle and basis, and without a state",
    run: Effect.gen(function* () {
      const { circle, phone, rule } = yield* FixSubjects.withRule
      const seen = yield* only(phone)
      Check.equal(seen.rule, rule, "rule")
      Check.equal(seen.circle, circle, "circle")
      Check.equal(seen.state, RuleEvaluation.unseeded(seen.basis), "state")
      Check.isTrue(seen.firesFrom >= rule.createdAt, "it fires for nothing that was captured before it was made")
      Check.equal((yield* Uploads.view(yield* FixSubjects.phone)).rules, [], "of another user")
    })
  },
  {
    name: "commit: fixes are stored field by field, unknown values as null, and known from then on to their device",
    run: Effect.gen(function* () {
      const device = yield* FixSubjects.phone
      const twin = yield* FixSubjects.another(device)
      const now = yield* Timestamp.now
      const unknown = { accuracyM: null, altitudeM: null, speedMps: null, courseDeg: null }
      const precise = { lat: -89.1234567, lon: 179.9999999, accuracyM: 0.1 + 0.2 }
      const fixes = [
        ...Uploads.fixes(1, Timestamp.plus(now, -2), precise),
        ...Uploads.fixes(1, Timestamp.plus(now, -1), unknown)
      ]
      Check.isTrue(yield* Uploads.commit(device, { fixes }), "committed")
      Check.equal(
        yield* Uploads.latest(device),
        fixes.toReversed().map((fix) => Uploads.stored(device, fix, now)),
        "stored"
      )
      const others = Uploads.fixes(1, Timestamp.plus(now, -1), { lat: 1 })
      Check.equal(yield* Uploads.known(device, [...fixes, ...others]), [true, true, false], "known to the device")
      Check.equal(yield* Uploads.known(twin, fixes), [false, false], "to another device of the user")
      Check.equal(yield* Uploads.known(yield* FixSubjects.phone, fixes), [false, false], "to another user's")
    })
  },
  {
    name: "view: of many fixes those that were stored are known, whatever else was",
    run: Effect.gen(function* () {
      const device = yield* FixSubjects.phone
      const from = Timestamp.plus(yield* Timestamp.now, -1_000_000)
      const all = Uploads.fixes(3_000, from)
      const every = (step: number) => all.filter((_, index) => index % step === 0)
      Check.isTrue(yield* Uploads.commit(device, { fixes: every(3) }), "committed")
      Check.equal(
        yield* Uploads.known(device, every(2)),
        every(2).map((fix) => (fix.capturedAt - from) % 3 === 0),
        "known"
      )
    })
  },
  {
    name: "commit: each one raises the version by one, whatever it carries",
    run: Effect.gen(function* () {
      const device = yield* FixSubjects.phone
      const versions: Array<number> = []
      for (const fixes of [Uploads.fixes(1, yield* Timestamp.now), []]) {
        Check.isTrue(yield* Uploads.commit(device, { fixes }), "committed")
        versions.push((yield* Uploads.view(device)).version)
      }
      Check.equal(versions, [1, 2], "versions")
      Check.equal((yield* Uploads.view(yield* FixSubjects.phone)).version, 0, "another user's")
    })
  },
  {
    name: "commit: false and nothing written when another upload of the user came between",
    run: Effect.gen(function* () {
      const { phone: device, rule } = yield* FixSubjects.withRule
      const now = yield* Timestamp.now
      const [first, second] = [Uploads.fixes(1, now), Uploads.fixes(1, now, { lat: 1 })]
      const { version: read } = yield* Uploads.view(device)
      Check.isTrue(yield* Uploads.commit(device, { version: read, fixes: first }), "the first")
      const before = yield* only(device)
      for (const version of [read, read + 2]) {
        const written = yield* Uploads.commit(device, {
          version,
          receivedAt: Timestamp.plus(now, 1),
          fixes: second,
          quarantined: quarantined(now),
          visits: [Uploads.visit(now, null)],
          states: [Uploads.progress(rule, Uploads.state(before.basis, now), [Uploads.evaluation(now)])],
          events: [yield* Uploads.event(rule)]
        })
        Check.isTrue(!written, `on version ${version}`)
      }
      Check.equal(
        yield* Uploads.latest(device),
        first.map((fix) => Uploads.stored(device, fix, now)),
        "fixes"
      )
      Check.equal(yield* only(device), before, "state")
      Check.equal(yield* FixSubjects.outbox(device), [], "events")
      Check.equal((yield* Uploads.view(device)).version, read + 1, "version")
      Check.equal(yield* (yield* FixStore).lastReceivedAt(device.userId), Option.some(now), "last seen")
    })
  },
  {
    name: "commit: of several on one version exactly one is written; on the very first version too [fixes-6]",
    run: Effect.gen(function* () {
      const device = yield* FixSubjects.phone
      const now = yield* Timestamp.now
      for (const version of [0, 1]) {
        const written = yield* Effect.all(
          Array.from({ length: 5 }, (_, index) =>
            Uploads.commit(device, { version, fixes: Uploads.fixes(1, now, { lat: version * 10 + index }) })
          ),
          { concurrency: "unbounded" }
        )
        Check.equal(written.filter(Boolean).length, 1, `written on version ${version}`)
      }
      Check.equal((yield* Uploads.latest(device)).length, 2, "fixes")
    })
  },
  {
    name: "view, commit: of uploads at the same time each one is evaluated on the states of the one before [fixes-6]",
    run: Effect.gen(function* () {
      const { phone, rule } = yield* FixSubjects.withRule
      const now = yield* Timestamp.now
      // The field `lastFiredAt` of the rule's state is a counter: `addOne` adds a millisecond, and `counted` reads the
      // sum. So the case can count the uploads that were committed.
      const counted = Effect.gen(function* () {
        const { rules, version } = yield* Uploads.view(phone)
        const live = rules.find((one) => one.rule.id === rule.id) ?? Check.fail("the rule stands")
        return { basis: live.basis, count: (live.state.lastFiredAt ?? now) - now, version }
      })
      const addOne = Effect.gen(function* () {
        for (;;) {
          const { basis, count, version } = yield* counted
          const state = Uploads.state(basis, now, { lastFiredAt: Timestamp.plus(now, count + 1) })
          if (yield* Uploads.commit(phone, { version, states: [Uploads.progress(rule, state)] })) return
          yield* Effect.yieldNow()
        }
      })
      yield* Effect.all(
        Array.from({ length: 5 }, () => Effect.repeatN(addOne, 5)),
        { concurrency: "unbounded" }
      )
      Check.equal((yield* counted).count, 30, "uploads that were counted")
    })
  },
  {
    name: "commit: what is stored already is no failure: fixes, quarantined readings and visits",
    run: Effect.gen(function* () {
      const device = yield* FixSubjects.phone
      const now = yield* Timestamp.now
      const second = {
        fixes: Uploads.fixes(2, now),
        quarantined: quarantined(now),
        visits: [Uploads.visit(now, null), Uploads.visit(null, now), Uploads.visit(now, now)]
      }
      Check.isTrue(yield* Uploads.commit(device, second), "the first time")
      const later = Timestamp.plus(now, 1)
      Check.isTrue(yield* Uploads.commit(device, { ...second, receivedAt: later }), "the second time")
      const stored = yield* Uploads.latest(device)
      Check.equal(
        stored.map((fix) => fix.receivedAt),
        [now, now],
        "as they were"
      )
    })
  },
  {
    name: "commit: states are stored field by field and replace the ones before",
    run: Effect.gen(function* () {
      const { phone: device, rule } = yield* FixSubjects.withRule
      const now = yield* Timestamp.now
      const states = [
        Uploads.state("some basis", now, { lastFiredAt: Timestamp.plus(now, -1), since: Timestamp.plus(now, -2) }),
        Uploads.state("another", Timestamp.plus(now, 1), {
          side: "outside",
          since: null,
          dwellSpent: false,
          lastFiredAt: null
        }),
        Uploads.state("a third", now, { side: null, since: null, asOf: null })
      ]
      for (const state of states) {
        Check.isTrue(yield* Uploads.commit(device, { states: [Uploads.progress(rule, state)] }), "committed")
        Check.equal((yield* only(device)).state, state, "state")
      }
    })
  },
  {
    name: "commit: events wait in the outbox field by field, from the time of receipt",
    run: Effect.gen(function* () {
      const { phone: device, rule } = yield* FixSubjects.withRule
      const now = yield* Timestamp.now
      const events = [
        yield* Uploads.event(rule, { occurredAt: Timestamp.plus(now, -10) }),
        yield* Uploads.event(rule, { webhookUrl: null, maxEventAgeS: null }),
        // The clock of the phone is a minute ahead. Workers send this event at once, too.
        yield* Uploads.event(rule, { occurredAt: Timestamp.plus(now, Timestamp.MINUTE) })
      ]
      Check.isTrue(yield* Uploads.commit(device, { events }), "committed")
      const pending = yield* FixSubjects.outbox(device)
      Check.equal(
        [...pending].sort((a, b) => a.occurredAt - b.occurredAt),
        events,
        "events"
      )
    })
  },
  {
    name: "commit: uploads of several phones at once are stored as one after another, or none of them [fixes-10]",
    run: Effect.gen(function* () {
      const { phone, rule } = yield* FixSubjects.withRule
      const twin = yield* FixSubjects.another(phone)
      const now = yield* Timestamp.now
      const [first, second, third] = [
        Uploads.fixes(2, Timestamp.plus(now, -2)),
        Uploads.fixes(2, Timestamp.plus(now, -2)),
        Uploads.fixes(1, Timestamp.plus(now, -5))
      ]
      const events = [yield* Uploads.event(rule), yield* Uploads.event(rule)]
      const ago = (millis: number) => Timestamp.plus(now, -millis)
      const uploads = [
        yield* Uploads.upload(phone, { receivedAt: ago(9), fixes: first, events: events.slice(0, 1) }),
        yield* Uploads.upload(twin, { receivedAt: ago(0), fixes: second }),
        yield* Uploads.upload(phone, { receivedAt: ago(5), fixes: third, events: events.slice(1) })
      ] as const
      const { version } = yield* Uploads.view(phone)
      const { basis } = yield* only(phone)
      const states = [Uploads.progress(rule, Uploads.state(basis, now))]
      Check.isTrue(!(yield* Uploads.commitAll(phone, uploads, { states, version: version + 1 })), "a version too late")
      Check.equal([yield* Uploads.latest(phone), yield* FixSubjects.outbox(phone)], [[], []], "nothing")
      Check.isTrue(yield* Uploads.commitAll(phone, uploads, { states }), "committed")
      const byTime = (a: { readonly receivedAt: number }, b: { readonly receivedAt: number }) =>
        a.receivedAt - b.receivedAt
      Check.equal(
        (yield* Uploads.latest(phone)).toReversed().toSorted(byTime),
        [
          ...first.map((fix) => Uploads.stored(phone, fix, ago(9))),
          ...third.map((fix) => Uploads.stored(phone, fix, ago(5))),
          ...second.map((fix) => Uploads.stored(twin, fix, ago(0)))
        ],
        "fixes"
      )
      const idsOf = (all: ReadonlyArray<{ readonly id: string }>) => all.map(({ id }) => id).sort()
      Check.equal(idsOf(yield* FixSubjects.outbox(phone)), idsOf(events), "events")
      Check.equal((yield* only(phone)).state, Uploads.state(basis, now), "state")
      Check.equal((yield* Uploads.view(phone)).version, version + 1, "version")
      Check.equal(yield* (yield* FixStore).lastReceivedAt(phone.userId), Option.some(now), "last received")
      const others = Uploads.fixes(1, now, { lat: 1 })
      const sent = [
        { deviceId: phone.id, fixes: [...third, ...others] },
        { deviceId: twin.id, fixes: [...others, ...third, ...second] }
      ]
      const { known } = yield* (yield* FixStore).view(phone.userId, sent, now)
      const knownOf = sent.map(({ deviceId, fixes }) => fixes.map((fix) => known.get(deviceId)?.has(Fix.key(fix))))
      Check.equal(
        knownOf,
        [
          [true, false],
          [false, false, true, true]
        ],
        "known to each phone"
      )
    })
  },
  {
    name: "commit: marks the device as seen, and never as seen earlier than it was",
    run: Effect.gen(function* () {
      const device = yield* FixSubjects.phone
      const store = yield* FixStore
      const now = yield* Timestamp.now
      Check.equal(yield* store.lastReceivedAt(device.userId), Option.none<Timestamp.Timestamp>(), "before")
      for (const age of [0, 5]) {
        const receivedAt = Timestamp.plus(now, -age)
        Check.isTrue(yield* Uploads.commit(device, { receivedAt, visits: [Uploads.visit(now, null)] }), "committed")
      }
      Check.equal(yield* store.lastReceivedAt(device.userId), Option.some(now), "after")
    })
  },
  {
    name: "lastReceivedAt: of any of the user's phones; of nobody else's",
    run: Effect.gen(function* () {
      const first = yield* FixSubjects.phone
      const second = yield* FixSubjects.another(first)
      const now = yield* Timestamp.now
      yield* Uploads.commit(yield* FixSubjects.phone, { receivedAt: Timestamp.plus(now, 9) })
      yield* Uploads.commit(first, { receivedAt: Timestamp.plus(now, -1) })
      yield* Uploads.commit(second, { receivedAt: now })
      Check.equal(yield* (yield* FixStore).lastReceivedAt(first.userId), Option.some(now), "last received")
    })
  },
  {
    name: "latest: the newest of the user's fixes, whatever their months and devices, and no more than asked for",
    run: Effect.gen(function* () {
      const first = yield* FixSubjects.phone
      const second = yield* FixSubjects.another(first)
      const now = yield* Timestamp.now
      const ago = (days: number, lat: number) =>
        Uploads.fixes(1, Timestamp.plus(now, -days * Timestamp.DAY), { lat, lon: lat })
      yield* Uploads.commit(first, {
        fixes: [...ago(400, 1), ...ago(40, 2), ...ago(0, 3)],
        quarantined: quarantined(now)
      })
      yield* Uploads.commit(second, { fixes: [...ago(20, 4), ...ago(0, 5), ...ago(0, 6)] })
      yield* Uploads.commit(yield* FixSubjects.phone, { fixes: ago(0, 7) })
      const order = (limit: number) => Effect.map(Uploads.latest(first, limit), (fixes) => fixes.map((fix) => fix.lat))
      const newest = first.id > second.id ? [3, 6, 5] : [6, 5, 3]
      Check.equal(yield* order(100), [...newest, 4, 2, 1], "all")
      Check.equal(yield* order(2), newest.slice(0, 2), "two")
    })
  },
  {
    name: "commit, latest: times at which a local clock changes come back as they were, and in their order",
    run: Effect.gen(function* () {
      const phone = yield* FixSubjects.phone
      const times = CLOCK_CHANGES.flat().sort((a, b) => a - b)
      const fixes = times.flatMap((capturedAt) => Uploads.fixes(1, capturedAt))
      for (const fix of fixes) yield* Uploads.commit(phone, { receivedAt: fix.capturedAt, fixes: [fix] })
      const stored = fixes.map((fix) => Uploads.stored(phone, fix, fix.capturedAt))
      Check.equal(yield* Uploads.latest(phone), stored.toReversed(), "stored")
      Check.isTrue((yield* Uploads.known(phone, fixes)).every(Boolean), "known")
      Check.equal(yield* (yield* FixStore).lastReceivedAt(phone.userId), Option.fromNullable(times.at(-1)), "received")
    })
  },
  {
    name: "latest: fixes of one instant and one device by latitude, then by longitude, the greatest first",
    run: Effect.gen(function* () {
      const phone = yield* FixSubjects.phone
      const now = yield* Timestamp.now
      const at = (lat: number, lon: number) => Uploads.fixes(1, now, { lat, lon })
      const fixes = [...at(1, 2), ...at(-3, 9), ...at(2, -5), ...at(1, 7), ...at(1, -4), ...at(2, 3)]
      yield* Uploads.commit(phone, { fixes })
      Check.equal(
        (yield* Uploads.latest(phone)).map(({ lat, lon }) => [lat, lon]),
        [
          [2, 3],
          [2, -5],
          [1, 7],
          [1, 2],
          [1, -4],
          [-3, 9]
        ],
        "order"
      )
    })
  }
]
