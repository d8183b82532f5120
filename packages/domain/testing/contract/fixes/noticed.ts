import { Effect, Option } from "effect"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import { FixStore, type Quarantined, type UploadView } from "../../../src/fixes/FixStore.js"
import * as ViewAfter from "../../../src/fixes/ViewAfter.js"
import * as RecentEvaluations from "../../../src/rules/RecentEvaluations.js"
import type { RuleProgress } from "../../../src/rules/LiveRule.js"
import type { Rule } from "../../../src/rules/Rule.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { type DeviceId, EventId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"
import { quarantined } from "./committing.js"

const phone = Effect.flatMap(Fixtures.user, ({ id }) => Samples.device(id))

/** What `FixStore.commit` must guarantee: what `DeviceStore` and `RuleStore` show after an upload. */
export const noticed: Contract<Uploads.UploadSamplePorts> = [
  {
    name: "commit: evaluations are added to those before, field by field; the last 20 are kept",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const rule = yield* Samples.rule(connection, Samples.onPlace(place))
      const device = yield* Samples.device(connection.userId)
      const now = yield* Timestamp.now
      const { basis } = yield* Uploads.onlyLive(connection)
      const listed = Effect.map((yield* RuleStore).evaluations(connection.userId, connection.id, [rule.id]), (all) =>
        all.get(rule.id)
      )
      const firesFrom = rule.createdAt
      const none = { recent: RecentEvaluations.none, zonesBefore: 0, firesFrom, suspensions: [], isPaused: false }
      Check.equal(yield* listed, none, "none before the first upload")
      const eventId = EventId.make(yield* Entropy.id("evt"))
      const every = Uploads.OUTCOMES.map((outcome, index) =>
        Uploads.evaluation(Timestamp.plus(now, -index), {
          outcome,
          // A phone's clock may be ahead of the service's clock, so some fixes are received before their capture time.
          receivedAt: Timestamp.plus(now, index - 3),
          eventId: outcome === "fired" ? eventId : null
        })
      )
      const full = Array.from({ length: RecentEvaluations.KEPT }, (_, index) =>
        Uploads.evaluation(Timestamp.plus(now, index), { outcome: "fired", eventId })
      )
      let recent = RecentEvaluations.none
      for (const made of [every, RecentEvaluations.none, every.slice(0, 9), every.slice(0, 1), every.slice(5), full]) {
        const states = [Uploads.progress(rule, Uploads.state(basis, now), made)]
        Check.isTrue(yield* Uploads.commit(device, { states }), "committed")
        recent = RecentEvaluations.append(recent, made)
        Check.equal(
          yield* listed,
          { recent, zonesBefore: 0, firesFrom, suspensions: [], isPaused: false },
          `after ${made.length} more`
        )
      }
    })
  },
  {
    name: "view, commit: after several uploads at once, the view is the one that `ViewAfter` expects [fixes-10]",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Samples.sharing()
      const enter = yield* Samples.rule(connection, Samples.onPlace(place))
      const exit = yield* Samples.rule(connection, Samples.onPlace(place), { type: "exit" })
      const [one, other] = [yield* Samples.device(connection.userId), yield* Samples.device(connection.userId)]
      const now = yield* Timestamp.now
      const at = (after: number) => Timestamp.plus(now, after)
      const [first, second, third] = [Uploads.fixes(2, at(-9)), Uploads.fixes(1, at(-9)), Uploads.fixes(1, at(-3))]
      const uploads = [
        yield* Uploads.upload(one, { receivedAt: at(5), fixes: first, movement: Samples.movement(at(-8)) }),
        yield* Uploads.upload(other, { receivedAt: at(6), fixes: second, movement: Samples.movement(at(-9)) }),
        yield* Uploads.upload(one, { receivedAt: at(4), fixes: third })
      ] as const
      const sent = [
        { deviceId: one.id, fixes: [...first, ...third] },
        { deviceId: other.id, fixes: second }
      ]
      const view = Effect.map(
        Effect.flatMap(FixStore, (store) => store.view(connection.userId, sent, now)),
        (seen): UploadView => ({ ...seen, devices: seen.devices.toSorted((a, b) => (a.id < b.id ? -1 : 1)) })
      )
      const before = yield* view
      const stateOf = (rule: Rule, asOf: number) => {
        const basis = before.rules.find((live) => live.rule.id === rule.id)?.basis ?? ""
        return Uploads.progress(rule, Uploads.state(basis, at(asOf)), [Uploads.evaluation(at(asOf))])
      }
      const states: ReadonlyArray<ReadonlyArray<RuleProgress>> = [
        [stateOf(enter, -9)],
        [stateOf(enter, -8), stateOf(exit, -8)],
        []
      ]
      const expected = uploads.reduce<UploadView>(
        (seen, upload, index) => ViewAfter.of(seen, upload, states[index] ?? []),
        before
      )
      const all = states.reduce(ViewAfter.followed)
      Check.isTrue(yield* Uploads.commitAll(one, uploads, { states: all }), "committed")
      const plain = ({ known, ...parts }: UploadView) => ({
        ...parts,
        known: sent.map(({ deviceId }) => [...(known.get(deviceId) ?? [])].sort())
      })
      Check.equal(plain(yield* view), plain({ ...expected, version: before.version + 1 }), "the view")
      const listed = yield* (yield* RuleStore).evaluations(connection.userId, connection.id, [enter.id])
      Check.equal(
        listed.get(enter.id)?.recent,
        [Uploads.evaluation(at(-9)), Uploads.evaluation(at(-8))],
        "both evaluations"
      )
    })
  },
  {
    name: "commit: what several uploads at once put aside and report counts on their own devices [fixes-10]",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const one = yield* phone
      const other = yield* Samples.device(one.userId)
      const now = yield* Timestamp.now
      const at = (after: number) => Timestamp.plus(now, after)
      const ahead = (key: string): Quarantined => ({
        key,
        reading: { capturedAt: at(20 * Timestamp.MINUTE), lat: 1, lon: 2 },
        reason: "future"
      })
      yield* Uploads.commit(one, { quarantined: [ahead("earlier"), ahead("taken")] })
      const uploads = [
        yield* Uploads.upload(one, {
          receivedAt: at(3),
          visits: [Uploads.visit(now, null)],
          putAside: [
            { reason: "not_kept", count: 2 },
            { reason: "future", count: 1 }
          ],
          quarantined: [ahead("one")],
          taken: ["taken"]
        }),
        yield* Uploads.upload(other, {
          receivedAt: at(7),
          putAside: [{ reason: "future", count: 1 }],
          quarantined: [ahead("other")]
        }),
        yield* Uploads.upload(one, {
          receivedAt: at(2),
          fixes: Uploads.fixes(1, at(-9)),
          putAside: [{ reason: "not_kept", count: 3 }]
        }),
        // The reading "one" is already quarantined, so this upload adds no second row.
        yield* Uploads.upload(one, {
          receivedAt: at(8),
          visits: [Uploads.visit(now, at(1))],
          quarantined: [ahead("one")]
        })
      ] as const
      Check.isTrue(yield* Uploads.commitAll(one, uploads), "committed")
      const waiting = (id: DeviceId) =>
        Effect.map(Uploads.waiting({ ...one, id }, at(-1)), (all) =>
          all.map(({ key, receivedAt }) => [key, receivedAt - now])
        )
      Check.equal(
        [yield* waiting(one.id), yield* waiting(other.id)],
        [
          [
            ["earlier", 0],
            ["one", 3]
          ],
          [["other", 7]]
        ],
        "quarantined"
      )
      const listed = (yield* devices.list(one.userId)).toSorted(({ id }) => (id === one.id ? -1 : 1))
      Check.equal(
        listed.map(({ lastKeptAt, lastSeenAt, putAside }) => ({ lastKeptAt, lastSeenAt, putAside })),
        [
          {
            lastKeptAt: at(8),
            lastSeenAt: at(8),
            putAside: [
              { reason: "future", count: 1, lastAt: at(3) },
              { reason: "not_kept", count: 5, lastAt: at(3) }
            ]
          },
          { lastKeptAt: null, lastSeenAt: at(7), putAside: [{ reason: "future", count: 1, lastAt: at(7) }] }
        ],
        "devices"
      )
      Check.equal(
        [yield* devices.sendsVisits(one.userId, one.id), yield* devices.sendsVisits(one.userId, other.id)],
        [true, false],
        "which sends visits"
      )
    })
  },
  {
    name: "DeviceStore.list: a device was last seen at its newest upload [devices-3]",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      for (const age of [0, 5]) yield* Uploads.commit(device, { receivedAt: Timestamp.plus(now, -age) })
      const [listed] = yield* (yield* DeviceStore).list(device.userId)
      Check.equal(listed?.lastSeenAt, now, "on the device")
    })
  },
  {
    name: "lastReceivedAt: of removed phones, too",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      yield* Uploads.commit(device, { receivedAt: now })
      yield* (yield* DeviceStore).remove(device.userId, device.id, now)
      Check.equal(yield* (yield* FixStore).lastReceivedAt(device.userId), Option.some(now), "last received")
    })
  },
  {
    name: "DeviceStore.sendsVisits: from the phone's first visit on; fixes and what was put aside are none, nor are other phones'",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const [one, other] = [yield* phone, yield* phone]
      const now = yield* Timestamp.now
      yield* Uploads.commit(one, { fixes: Uploads.fixes(1, now), quarantined: quarantined(now) })
      Check.equal(yield* devices.sendsVisits(one.userId, one.id), false, "before")
      yield* Uploads.commit(one, { visits: [Uploads.visit(now, null)] })
      Check.equal(yield* devices.sendsVisits(one.userId, one.id), true, "after")
      Check.equal(yield* devices.sendsVisits(other.userId, other.id), false, "another phone")
      Check.equal(yield* devices.sendsVisits(other.userId, one.id), false, "another user")
    })
  }
]
