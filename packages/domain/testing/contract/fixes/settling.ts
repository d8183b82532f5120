import { Effect } from "effect"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import { FixStore } from "../../../src/fixes/FixStore.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import type { RuleMemory, Unsettled } from "../../../src/rules/RuleEvaluation.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import type { StoreError } from "../../../src/shared/Errors.js"
import { DeviceId, RuleId, type UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import { bucketOf } from "../../memory/leases/buckets.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"

/**
 * What every `FixStore` must guarantee about unsettled crossings: crossings after which a rule still waits (`settleS`).
 * The rule fires only if no fix contradicts the crossing during this wait (decision rules-13).
 */

/**
 * A user with a phone, and a rule whose stored state has the crossing `unsettled`. If `unsettled` is null, the state
 * has no crossing.
 */
const waiting = (unsettled: Unsettled | null) =>
  Effect.gen(function* () {
    const { connection, place, user } = yield* Samples.sharing()
    const rule = yield* Samples.rule(connection, Samples.onPlace(place), { settleS: 60 })
    const phone = yield* Samples.device(user.id)
    const { basis } = yield* Uploads.onlyLive(connection)
    const state = Uploads.state(basis, yield* Timestamp.now, { lastFiredAt: null, unsettled })
    Check.isTrue(yield* Uploads.commit(phone, { states: [Uploads.progress(rule, state)] }), "committed")
    return { user, connection, place, rule, phone, state }
  })

const dueOf = (now: Timestamp.Timestamp, users: ReadonlyArray<UserId>, buckets: ReadonlyArray<number> = Bucket.ALL) =>
  Effect.map(
    Effect.flatMap(FixStore, (store) => store.settling(buckets, now, 10_000)),
    (due) => due.filter((one) => users.includes(one))
  )

const version = (user: UserId, now: Timestamp.Timestamp) =>
  Effect.map(
    Effect.flatMap(FixStore, (store) => store.view(user, [], now)),
    (view) => view.version
  )

/**
 * More states than fit into an INSERT with one parameter for each value: a statement has at most 65,535 parameters, and
 * a state has 12 values.
 */
const MANY = 5_500

export const settling: Contract<Uploads.UploadSamplePorts> = [
  {
    name: "commit: a crossing that waits is stored field by field, whether it fires or not",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      for (const fires of [true, false]) {
        const { connection, state } = yield* waiting({
          at: Timestamp.plus(now, -1_001),
          until: Timestamp.plus(now, 58_999),
          fires
        })
        Check.equal((yield* Uploads.onlyLive(connection)).state, state, `fires: ${fires}`)
      }
    })
  },
  {
    name: "settling: people with a crossing that fires now, the earliest first; of these buckets only",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const crossing = (after: number, fires = true) => ({ at: now, until: Timestamp.plus(now, after), fires })
      const later = (yield* waiting(crossing(5))).user.id
      const sooner = (yield* waiting(crossing(4))).user.id
      const silent = (yield* waiting(crossing(4, false))).user.id
      const settled = (yield* waiting(null)).user.id
      const all = [later, sooner, silent, settled]
      Check.equal(yield* dueOf(Timestamp.plus(now, 3), all), [], "before its time")
      Check.equal(yield* dueOf(Timestamp.plus(now, 4), all), [sooner], "at its time")
      Check.equal(yield* dueOf(Timestamp.plus(now, 5), all), [sooner, later], "both")
      const bucket = bucketOf(sooner)
      const others = Bucket.ALL.filter((one) => one !== bucket)
      Check.equal(yield* dueOf(Timestamp.plus(now, 4), [sooner], [bucket]), [sooner], "of its bucket")
      Check.equal(yield* dueOf(Timestamp.plus(now, 4), [sooner], others), [], "of the others")
    })
  },
  {
    name: "settling: at most `limit` people, the earliest; people with the same time in the order of their ids",
    run: Effect.gen(function* () {
      // The times are long ago, so that no crossing of another case is due.
      const at = Timestamp.plus(yield* Timestamp.now, -300 * Timestamp.DAY)
      const due = (after: number) =>
        Effect.map(waiting({ at, until: Timestamp.plus(at, after), fires: true }), ({ user }) => user.id)
      const last = yield* due(5)
      const twins = [yield* due(4), yield* due(4), yield* due(4), yield* due(4), yield* due(4)].sort()
      const first = yield* due(3)
      const all = [first, ...twins, last]
      const store = yield* FixStore
      for (const limit of [1, 2, 4, 6, 7, 8]) {
        const found = yield* store.settling(Bucket.ALL, Timestamp.plus(at, 5), limit)
        Check.equal(found, all.slice(0, limit), `of seven at most ${limit}`)
      }
    })
  },
  {
    name: "commitSettled: stores states, evaluations and events, and raises the version; with an old version, nothing",
    run: Effect.gen(function* () {
      const store = yield* FixStore
      const now = yield* Timestamp.now
      const at = Timestamp.plus(now, -60_000)
      const { connection, rule, state, user } = yield* waiting({ at, until: now, fires: true })
      const event = yield* Uploads.event(rule, { occurredAt: at })
      const next: RuleMemory = { ...state, lastFiredAt: at, unsettled: null }
      const made = [Uploads.evaluation(at, { receivedAt: now, outcome: "fired", eventId: event.id })]
      const seen = yield* version(user.id, now)
      const settled = { userId: user.id, now, states: [Uploads.progress(rule, next, made)], events: [event] }
      Check.isTrue(!(yield* store.commitSettled({ ...settled, version: seen - 1 })), "an old version")
      Check.equal((yield* Uploads.onlyLive(connection)).state, state, "unchanged")
      Check.equal(yield* Uploads.outbox(user.id), [], "no event")
      Check.isTrue(yield* store.commitSettled({ ...settled, version: seen }), "committed")
      Check.equal((yield* Uploads.onlyLive(connection)).state, next, "state")
      Check.equal(yield* version(user.id, now), seen + 1, "version")
      Check.equal(
        (yield* Uploads.outbox(user.id)).map(({ id, occurredAt }) => ({ id, occurredAt })),
        [{ id: event.id, occurredAt: at }],
        "event"
      )
      Check.equal(yield* dueOf(Timestamp.plus(now, 300_000), [user.id]), [], "not due again")
    })
  },
  {
    name: "commit, commitSettled: any number of states, also more than a statement has room for",
    run: Effect.gen(function* () {
      const store = yield* FixStore
      const now = yield* Timestamp.now
      const { connection, phone, place, rule, state, user } = yield* waiting(null)
      const last = yield* Samples.rule(connection, Samples.onPlace(place), { type: "exit" })
      // The rules in `others` are not stored, as when an app removes rules during the upload. So the commit also gets
      // states of rules that are not stored.
      const others = Array.from({ length: MANY }, (_, index) => ({ ...rule, id: RuleId.make(`rul_many${index}`) }))
      const statesAt = (asOf: Timestamp.Timestamp) =>
        [rule, ...others, last].map((one) => Uploads.progress(one, { ...state, asOf }))
      const stored = Effect.map(Uploads.live(connection), (live) => live.map((one) => one.state.asOf))
      const [first, second] = [Timestamp.plus(now, 1), Timestamp.plus(now, 2)]
      Check.isTrue(yield* Uploads.commit(phone, { states: statesAt(first) }), "committed")
      Check.equal(yield* stored, [first, first], "the first and the last state")
      const seen = yield* version(user.id, now)
      const settled = { userId: user.id, now, version: seen, states: statesAt(second), events: [] }
      Check.isTrue(yield* store.commitSettled(settled), "committed")
      Check.equal(yield* stored, [second, second], "the first and the last state")
    })
  },
  {
    name: "DeviceStore.remove: a dwell that waits for silence is forgotten with the last phone that may be carried [rules-14]",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const now = yield* Timestamp.now
      const until = Timestamp.plus(now, 1)
      const { connection, phone, place, rule, state, user } = yield* waiting({ at: now, until, fires: true })
      const dwells = { type: "dwell", dwellMinutes: 5, silenceS: 300, settleS: null } as const
      const [waits, isDue] = [
        yield* Samples.rule(connection, Samples.onPlace(place), dwells),
        yield* Samples.rule(connection, Samples.onPlace(place), dwells)
      ]
      const states = [
        Uploads.progress(waits, state),
        Uploads.progress(isDue, { ...state, unsettled: { at: now, until: now, fires: true } })
      ]
      Check.isTrue(yield* Uploads.commit(phone, { states }), "committed")
      const other = yield* Samples.device(user.id, { lastSeenAt: now })
      const tablet = yield* Samples.device(user.id, { staysAtHome: true, lastSeenAt: now })
      // This phone never sent anything, perhaps because the person has not set it up. If the person went out with this
      // phone, the service would not notice. So `DeviceStore.remove` must delete the dwell whose wait is not over,
      // although this phone is still registered.
      const silent = yield* Samples.device(user.id)
      const unsettled = Effect.gen(function* () {
        const { rules } = yield* (yield* FixStore).view(user.id, [], now)
        return [waits, isDue, rule].map(({ id }) =>
          rules.some((one) => one.rule.id === id && one.state.unsettled !== null)
        )
      })
      // `Uploads.onlyLive` has made a further phone, which has sent nothing. The case removes this phone, so that only
      // the four devices above are left.
      for (const { id } of yield* devices.list(user.id)) {
        if (![phone, other, silent, tablet].some((one) => one.id === id)) yield* devices.remove(user.id, id, now)
      }
      Check.isTrue(yield* devices.remove(user.id, other.id, now), "another phone is left")
      Check.equal(yield* unsettled, [true, true, true], "with another phone")
      const seen = yield* version(user.id, now)
      Check.isTrue(
        yield* devices.remove(user.id, phone.id, now),
        "only the tablet and a phone that never sent anything are left"
      )
      // The dwell of the rule `waits` is deleted, because its wait is not over. The dwell of the rule `isDue` stays,
      // because its wait is over: this rule must fire, even if no worker has read the dwell yet. The crossing of `rule`
      // stays, too, because a fix showed the crossing.
      Check.equal(yield* unsettled, [false, true, true], "without a phone")
      Check.isTrue((yield* version(user.id, now)) > seen, "what was read before is not committed")
      Check.isTrue(yield* devices.remove(user.id, tablet.id, now), "no device is left")
      Check.equal(yield* unsettled, [false, true, true], "without any device")
    })
  },
  {
    name: "RuleStore.remove, DeviceStore.remove: a removal raises the version, and one that finds nothing does not",
    run: Effect.gen(function* () {
      const rules = yield* RuleStore
      const devices = yield* DeviceStore
      const now = yield* Timestamp.now
      const { connection, phone, rule, user } = yield* waiting(null)
      const rise = (removal: Effect.Effect<boolean, StoreError>) =>
        Effect.gen(function* () {
          const before = yield* version(user.id, now)
          const isRemoved = yield* removal
          return { isRemoved, by: (yield* version(user.id, now)) - before }
        })
      const nothing = { isRemoved: false, by: 0 }
      const removed = { isRemoved: true, by: 1 }
      Check.equal(yield* rise(rules.remove(user.id, connection.id, RuleId.make("rul_none"), "all", now)), nothing, "id")
      Check.equal(yield* rise(rules.remove(user.id, connection.id, rule.id, "Zone", now)), nothing, "another kind")
      Check.equal(yield* rise(devices.remove(user.id, DeviceId.make("dev_none"), now)), nothing, "an unknown device")
      Check.equal(yield* rise(rules.remove(user.id, connection.id, rule.id, "Place", now)), removed, "the rule")
      Check.equal(yield* rise(rules.remove(user.id, connection.id, rule.id, "Place", now)), nothing, "the rule again")
      Check.equal(yield* rise(devices.remove(user.id, phone.id, now)), removed, "the device")
      Check.equal(yield* rise(devices.remove(user.id, phone.id, now)), nothing, "the device again")
    })
  },
  {
    name: "commitSettled: a crossing whose time has come is forgotten when its rule is not live; others still wait",
    run: Effect.gen(function* () {
      const store = yield* FixStore
      const now = yield* Timestamp.now
      const { connection, phone, place, rule, state, user } = yield* waiting({ at: now, until: now, fires: true })
      const other = yield* Samples.rule(connection, Samples.onPlace(place), { type: "exit", settleS: 300 })
      const waits = { ...state, unsettled: { at: now, until: Timestamp.plus(now, 1), fires: true } }
      Check.isTrue(yield* Uploads.commit(phone, { states: [Uploads.progress(other, waits)] }), "committed")
      const seen = yield* version(user.id, now)
      Check.isTrue(
        yield* store.commitSettled({ userId: user.id, now, version: seen, states: [], events: [] }),
        "committed"
      )
      const after = new Map((yield* Uploads.live(connection)).map((live) => [live.rule.id, live.state.unsettled]))
      Check.equal(after.get(rule.id), null, "forgotten")
      Check.equal(after.get(other.id), waits.unsettled, "waits")
    })
  }
]
