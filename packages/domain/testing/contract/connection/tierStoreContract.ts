import { Effect, Option, Struct } from "effect"
import type { Connection } from "../../../src/connection/Connection.js"
import type { Write } from "../../../src/connection/ConnectionStore.js"
import type { OutboxEvent } from "../../../src/events/Event.js"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ConnectionId, EventId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { SensitiveNotice } from "../../../src/tiers/SensitiveNotice.js"
import { type Dated, type DueTiers, TierStore } from "../../../src/sweeps/TierStore.js"
import { bucketOf } from "../../memory/leases/buckets.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Samples from "./connectionSamples.js"
import { type SuspensionPorts, suspendedTiers } from "./suspended.js"

type Ports = Samples.ConnectionSamplePorts | TierStore | EventStore

const now = Timestamp.now
const inFuture = (millis: number) => Effect.map(now, (at) => Timestamp.plus(at, millis))

/**
 * Stores a connection that becomes due for the tier sweep in `millis` milliseconds. If `millis` is null, the connection
 * is never due.
 */
const toLookAt = (millis: number | null, overrides: Partial<Connection> = {}) =>
  Effect.gen(function* () {
    const made = yield* Samples.connected(overrides)
    const at = millis === null ? null : yield* inFuture(millis)
    yield* Samples.change(made.connection.id, { _tag: "LookAt", at })
    return made.connection
  })

/** All connections of these buckets that are due for the tier sweep at the time `at`, read in pages of two. */
const allDue = (at: Timestamp.Timestamp, buckets: ReadonlyArray<number> = Bucket.ALL) =>
  Effect.gen(function* () {
    const store = yield* TierStore
    const all: Array<DueTiers> = []
    let page = yield* store.due({ buckets, now: at, limit: 2, after: undefined })
    while (page.length > 0) {
      Check.isTrue(page.length <= 2, "at most two")
      all.push(...page)
      page = yield* store.due({ buckets, now: at, limit: 2, after: page.at(-1) })
    }
    return all
  })

/** The ids of the connections in `ours` that are due for the tier sweep now. */
const due = (ours: ReadonlyArray<Connection>, buckets?: ReadonlyArray<number>) =>
  Effect.map(
    Effect.flatMap(now, (at) => allDue(at, buckets)),
    (all) => all.map(({ id }) => id).filter((id) => ours.some((one) => one.id === id))
  )

/**
 * Runs `TierStore.sweep` with a decision that returns `writes` and `notices`. Returns the state that the store passed
 * to the decision.
 */
const sweep = (
  { id, userId }: Pick<Connection, "id" | "userId">,
  writes: ReadonlyArray<Write> = [],
  notices: ReadonlyArray<SensitiveNotice> = []
) =>
  Effect.flatMap(TierStore, (store) =>
    store.sweep({ id, userId }, (state, at) => ({ outcome: { ...state, at }, writes, notices }))
  )

const swept = (of: Connection, writes: ReadonlyArray<Write> = [], notices: ReadonlyArray<SensitiveNotice> = []) =>
  Effect.map(sweep(of, writes, notices), (seen): Dated & { readonly at: Timestamp.Timestamp } =>
    Option.getOrElse(seen, () => Check.fail("there is something to look at"))
  )

const settle = (...ours: ReadonlyArray<Connection>) =>
  Effect.forEach(ours, ({ id }) => Samples.change(id, { _tag: "LookAt", at: null }), { discard: true })

const dues: Contract<Ports> = [
  {
    name: "due: what is to be looked at by now, the longest due first; neither later ones nor those without a date",
    run: Effect.gen(function* () {
      const [soon, old, just, later, never] = yield* Effect.all([
        toLookAt(-1),
        toLookAt(-Timestamp.DAY),
        toLookAt(0),
        toLookAt(1),
        toLookAt(null)
      ])
      const ours = [soon, old, just, later, never]
      Check.equal(yield* due(ours), [old.id, soon.id, just.id], "due")
      const found = (yield* allDue(yield* now)).find(({ id }) => id === soon.id)
      Check.equal(found, { userId: soon.userId, id: soon.id, dueAt: yield* inFuture(-1) }, "since when")
      yield* settle(...ours)
    })
  },
  {
    name: "due: an ended connection is not looked at any more",
    run: Effect.gen(function* () {
      const ended = yield* toLookAt(-1)
      yield* Samples.change(ended.id, { _tag: "End", reason: "user_disconnected", at: yield* now })
      Check.equal(yield* due([ended]), [], "due")
    })
  },
  {
    name: "due: until a sweep sets another date, however often it is read",
    run: Effect.gen(function* () {
      const connection = yield* toLookAt(-1)
      for (const what of ["first", "again"]) Check.equal(yield* due([connection]), [connection.id], what)
      yield* swept(connection, [{ _tag: "LookAt", at: yield* inFuture(1) }])
      Check.equal(yield* due([connection]), [], "swept")
      yield* settle(connection)
    })
  },
  {
    name: "due: page by page each connection once, those of one date by id",
    run: Effect.gen(function* () {
      const ours = yield* Effect.all(Array.from({ length: 5 }, () => toLookAt(-1)))
      Check.equal(yield* due(ours), ours.map(({ id }) => id).sort(), "each once")
      yield* settle(...ours)
    })
  },
  {
    name: "due: only of people of the buckets that are asked for",
    run: Effect.gen(function* () {
      const ours = yield* Effect.all(Array.from({ length: 3 }, () => toLookAt(-1)))
      for (const one of ours) {
        const bucket = bucketOf(one.userId)
        Check.equal(yield* due([one], [bucket]), [one.id], "of the bucket")
        Check.equal(
          yield* due(
            [one],
            Bucket.ALL.filter((other) => other !== bucket)
          ),
          [],
          "of all the others"
        )
        Check.equal(yield* due([one], []), [], "of none")
      }
      yield* settle(...ours)
    })
  }
]

const kept: Contract<Ports> = [
  {
    name: "due: a write that keeps an earlier time never puts a look off, and sets one where there is none",
    run: Effect.gen(function* () {
      for (const [before, wanted, expected] of [
        [-1, 5, -1],
        [5, -1, -1],
        [-1, null, -1],
        [null, -1, -1]
      ] as const) {
        const connection = yield* toLookAt(before)
        const at = wanted === null ? null : yield* inFuture(wanted)
        yield* Samples.change(connection.id, { _tag: "LookAt", at, keepsEarlier: true })
        const { from } = yield* swept(connection)
        Check.equal(from, yield* inFuture(expected), `${before}, then ${wanted}`)
        yield* settle(connection)
      }
    })
  }
]

const sweeps: Contract<Ports> = [
  {
    name: "sweep: sees the connection with its app, since when there is something to look at, and the clock",
    run: Effect.gen(function* () {
      const { app, connection } = yield* Samples.connected()
      const at = yield* inFuture(-5)
      yield* Samples.change(connection.id, { _tag: "LookAt", at })
      Check.equal(yield* swept(connection), { connection, app, from: at, notices: [], at: yield* now }, "seen")
      yield* settle(connection)
    })
  },
  {
    name: "sweep: what it tells, takes off and emits is stored together",
    run: Effect.gen(function* () {
      const expiresAt = yield* inFuture(-1)
      const connection = yield* toLookAt(-1, {
        heldScopes: ["location.place.current", "location.lookup"],
        sensitiveExpiresAt: expiresAt
      })
      const event: OutboxEvent = {
        userId: connection.userId,
        id: EventId.make(yield* Entropy.id("evt")),
        connectionId: connection.id,
        appId: connection.appId,
        payload: { type: "sensitive.removed", scopes: ["location.lookup"] },
        occurredAt: expiresAt,
        webhookUrl: null,
        maxEventAgeS: null
      }
      const notices: ReadonlyArray<SensitiveNotice> = [
        { expiresAt, kind: "lapsed" },
        { expiresAt, kind: "removed" }
      ]
      const look = yield* inFuture(Timestamp.DAY)
      yield* swept(
        connection,
        [
          { _tag: "Emit", event },
          { _tag: "SetScopes", heldScopes: ["location.place.current"], sensitiveExpiresAt: null },
          { _tag: "LookAt", at: look }
        ],
        notices
      )
      const after = yield* swept(connection)
      Check.equal(
        after.connection,
        { ...connection, heldScopes: ["location.place.current"], sensitiveExpiresAt: null },
        "the grant"
      )
      Check.equal(after.from, look, "the next look")
      Check.equal(
        [...after.notices].sort((a, b) => (a.kind < b.kind ? -1 : 1)),
        notices,
        "told"
      )
      const { events } = yield* (yield* EventStore).pending(Bucket.ALL, 10_000, yield* now)
      Check.equal(
        events.filter(({ userId }) => userId === connection.userId).map(Struct.omit("storedAt")),
        [event],
        "the event"
      )
      yield* (yield* EventStore).markFannedOut(events, yield* now)
      yield* settle(connection)
    })
  },
  {
    name: "sweep: every kind of event that it emits is read as it was written",
    run: Effect.gen(function* () {
      const connection = yield* toLookAt(-1)
      const expiresAt = yield* now
      const scopes = ["location.latest.read", "location.history.read"] as const
      const payloads: ReadonlyArray<OutboxEvent["payload"]> = [
        { type: "sensitive.expiring", sensitiveExpiresAt: expiresAt, daysLeft: 7, scopes },
        {
          type: "sensitive.lapsed",
          sensitiveExpiresAt: expiresAt,
          renewalGraceEndsAt: Timestamp.plus(expiresAt, 1),
          scopes
        },
        { type: "sensitive.removed", scopes },
        { type: "places.changed", placesVersion: 3 }
      ]
      for (const payload of payloads) {
        const event: OutboxEvent = {
          userId: connection.userId,
          id: EventId.make(yield* Entropy.id("evt")),
          connectionId: connection.id,
          appId: connection.appId,
          payload,
          occurredAt: expiresAt,
          webhookUrl: null,
          maxEventAgeS: null
        }
        yield* Samples.change(connection.id, { _tag: "Emit", event })
      }
      const { events } = yield* (yield* EventStore).pending(Bucket.ALL, 10_000, yield* now)
      const read = events.filter(({ userId }) => userId === connection.userId).map(({ payload }) => payload)
      const byType = (a: OutboxEvent["payload"], b: OutboxEvent["payload"]) => (a.type < b.type ? -1 : 1)
      Check.equal([...read].sort(byType), [...payloads].sort(byType), "payloads")
      yield* (yield* EventStore).markFannedOut(events, yield* now)
      yield* settle(connection)
    })
  },
  {
    name: "sweep: several at once see each other's notices: nothing is told twice",
    run: Effect.gen(function* () {
      const connection = yield* toLookAt(-1)
      const store = yield* TierStore
      const notice: SensitiveNotice = { expiresAt: yield* now, kind: "lapsed" }
      const tell = store.sweep(connection, ({ notices }) =>
        notices.length > 0
          ? { outcome: false, writes: [], notices: [] }
          : { outcome: true, writes: [], notices: [notice] }
      )
      const outcomes = yield* Effect.all(
        Array.from({ length: 6 }, () => tell),
        { concurrency: "unbounded" }
      )
      Check.equal(outcomes.filter(Option.contains(true)).length, 1, "told once")
      Check.equal((yield* swept(connection)).notices, [notice], "kept once")
      yield* settle(connection)
    })
  },
  {
    name: "sweep: the same kind can be told for another date",
    run: Effect.gen(function* () {
      const connection = yield* toLookAt(-1)
      const at = yield* now
      yield* swept(connection, [], [{ expiresAt: at, kind: "lapsed" }])
      yield* swept(connection, [], [{ expiresAt: Timestamp.plus(at, 1), kind: "lapsed" }])
      Check.equal((yield* swept(connection)).notices.length, 2, "both")
      yield* settle(connection)
    })
  },
  {
    name: "sweep: none, and nothing is asked, for an ended, an unknown or another user's connection, or one without a date",
    run: Effect.gen(function* () {
      const [ended, live, undated] = [yield* toLookAt(-1), yield* toLookAt(-1), yield* toLookAt(null)]
      yield* Samples.change(ended.id, { _tag: "End", reason: "expired", at: yield* now })
      const unknown = ConnectionId.make(yield* Entropy.id("con"))
      Check.equal(yield* sweep(ended), Option.none(), "ended")
      Check.equal(yield* sweep({ ...live, id: unknown }), Option.none(), "unknown")
      Check.equal(yield* sweep({ ...live, userId: ended.userId }), Option.none(), "another user's")
      Check.equal(yield* sweep(undated), Option.none(), "without a date")
      yield* settle(live)
    })
  }
]

/**
 * What every `TierStore` must guarantee: which connections are due for the sweep, and what a sweep reads and writes.
 */
export const tierStoreContract: Contract<Ports | SuspensionPorts> = [...dues, ...kept, ...sweeps, ...suspendedTiers]
