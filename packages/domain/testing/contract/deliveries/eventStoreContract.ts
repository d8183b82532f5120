import { Effect, Option, TestClock } from "effect"
import { AppStore } from "../../../src/apps/AppStore.js"
import type { OutboxEvent } from "../../../src/events/Event.js"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ConnectionId, RuleId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Connections from "../connection/connectionSamples.js"
import * as Rules from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"

const LEASE = 30 * Timestamp.SECOND

/** A user whose rule fired `count` times, in one upload each, a millisecond apart. */
const fired = (count: number) =>
  Effect.gen(function* () {
    const { connection, place } = yield* Rules.sharing()
    const rule = yield* Rules.rule(connection, Rules.onPlace(place))
    const phone = yield* Rules.device(connection.userId)
    const events: Array<OutboxEvent> = []
    for (let made = 0; made < count; made++) {
      const event = yield* Uploads.event(rule)
      Check.isTrue(yield* Uploads.commit(phone, { events: [event] }), "uploaded")
      events.push(event)
      yield* TestClock.adjust(1)
    }
    return { connection, events }
  })

/**
 * Claims the waiting events, as a worker does, and returns those of the user. The claim also leases events of other
 * cases, which no case waits for.
 */
const claim = (userId: OutboxEvent["userId"], limit = 10_000) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const claimed = yield* (yield* EventStore).claimPending(limit, now, Timestamp.plus(now, LEASE))
    return claimed.filter((event) => event.userId === userId)
  })

const mark = (events: ReadonlyArray<OutboxEvent>) =>
  Effect.gen(function* () {
    yield* (yield* EventStore).markFannedOut(events, yield* Timestamp.now)
  })

const outbox: Contract<Uploads.UploadSamplePorts> = [
  {
    name: "claimPending: the oldest first, each as it was written",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(4)
      Check.equal(yield* claim(connection.userId), events, "claimed")
      yield* mark(events)
    })
  },
  {
    name: "claimPending: held until the lease is over, and not a millisecond longer",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(2)
      yield* claim(connection.userId)
      yield* TestClock.adjust(LEASE - 1)
      Check.equal(yield* claim(connection.userId), [], "before")
      yield* TestClock.adjust(1)
      Check.equal(yield* claim(connection.userId), events, "at its end")
      yield* mark(events)
    })
  },
  {
    name: "claimPending: never more than the limit, and in the end all",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(7)
      const seen: Array<string> = []
      for (let round = 0; round < 500 && seen.length < events.length; round++) {
        const some = yield* claim(connection.userId, 3)
        Check.isTrue(some.length <= 3, "at most three")
        yield* mark(some)
        seen.push(...some.map(({ id }) => id))
      }
      Check.equal([...seen].sort(), events.map(({ id }) => id).sort(), "each once")
    })
  },
  {
    name: "claimPending: of many workers at once exactly one gets each event",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(12)
      const rivals = yield* Effect.all(
        Array.from({ length: 6 }, () => claim(connection.userId)),
        { concurrency: "unbounded" }
      )
      const ids = rivals.flatMap((claimed) => claimed.map(({ id }) => id))
      Check.equal([...ids].sort(), events.map(({ id }) => id).sort(), "each once")
      yield* mark(events)
    })
  },
  {
    name: "markFannedOut: for good, also when the lease was over, and as often as one likes",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(3)
      yield* claim(connection.userId)
      yield* TestClock.adjust(2 * LEASE)
      yield* mark(events.slice(0, 2))
      yield* mark(events.slice(0, 2))
      yield* mark([])
      Check.equal(yield* claim(connection.userId), events.slice(2), "only the other one is left")
      yield* mark(events)
    })
  }
]

/** What the check before an attempt reads about a rule's event. */
const authorisation = (rule: {
  readonly userId: OutboxEvent["userId"]
  readonly connectionId: ConnectionId
  readonly id: RuleId | null
}) =>
  Effect.gen(function* () {
    const found = yield* (yield* EventStore).authorisation(rule.userId, rule.connectionId, rule.id)
    return Option.getOrElse(found, () => Check.fail("the connection is there"))
  })

const stands = (rule: Parameters<typeof authorisation>[0]) =>
  Effect.map(authorisation(rule), (found) => found.ruleStands)

const checks: Contract<Uploads.UploadSamplePorts> = [
  {
    name: "authorisation: the grant and the app's scopes as they are now [events-4]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const { app, connection } = yield* Rules.sharing({
        heldScopes: ["location.rules.place", "location.lookup"],
        standardExpiresAt: Timestamp.plus(now, Timestamp.DAY),
        sensitiveExpiresAt: Timestamp.plus(now, Timestamp.HOUR)
      })
      const before = yield* authorisation({ userId: connection.userId, connectionId: connection.id, id: null })
      const { appId, heldScopes, standardExpiresAt, sensitiveExpiresAt } = connection
      const grant = { appId, heldScopes, standardExpiresAt, sensitiveExpiresAt, endedAt: null }
      const pick = ({ connection: c }: typeof before) => ({
        appId: c.appId,
        heldScopes: c.heldScopes,
        standardExpiresAt: c.standardExpiresAt,
        sensitiveExpiresAt: c.sensitiveExpiresAt,
        endedAt: c.endedAt
      })
      Check.equal(pick(before), grant, "the grant")
      Check.equal(
        [before.app.declaredScopes, before.app.allowedScopes, before.app.revokedAt],
        [app.declaredScopes, null, null],
        "the app"
      )
      yield* (yield* AppStore).update(app.id, (stored) => ({
        outcome: undefined,
        after: { ...stored, app: { ...stored.app, allowedScopes: ["location.rules.zone"], revokedAt: now } }
      }))
      yield* Connections.change(connection.id, { _tag: "End", reason: "user_disconnected", at: now })
      const after = yield* authorisation({ userId: connection.userId, connectionId: connection.id, id: null })
      Check.equal(pick(after), { ...grant, endedAt: now }, "ended")
      Check.equal(
        [after.app.allowedScopes, after.app.revokedAt],
        [["location.rules.zone"], now],
        "narrowed and revoked"
      )
    })
  },
  {
    name: "authorisation: none for a connection that is not there or another user's",
    run: Effect.gen(function* () {
      const store = yield* EventStore
      const [one, other] = [yield* Rules.sharing(), yield* Rules.sharing()]
      const unknown = ConnectionId.make(yield* Entropy.id("con"))
      Check.isTrue(Option.isNone(yield* store.authorisation(one.user.id, unknown, null)), "unknown")
      Check.isTrue(Option.isNone(yield* store.authorisation(one.user.id, other.connection.id, null)), "another user's")
    })
  },
  {
    name: "authorisation: a rule stands while it is there and its place is shared and not archived [events-4]",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Rules.sharing()
      const rule = yield* Rules.rule(connection, Rules.onPlace(place))
      const shared = connection.places
      Check.isTrue(yield* stands(rule), "at first")
      yield* Connections.change(connection.id, { _tag: "SetPlaces", places: [], placesVersion: 2 })
      Check.isTrue(!(yield* stands(rule)), "not while the place is withdrawn")
      yield* Connections.change(connection.id, { _tag: "SetPlaces", places: shared, placesVersion: 3 })
      Check.isTrue(yield* stands(rule), "again when it is shared again")
      const now = yield* Timestamp.now
      yield* (yield* PlaceStore).update(place.userId, place.id, (before) => ({ ...before, archivedAt: now }))
      Check.isTrue(!(yield* stands(rule)), "not when the place is archived")
    })
  },
  {
    name: "authorisation: a deleted rule does not stand, nor an unknown one, nor one of another connection",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Rules.sharing()
      const rule = yield* Rules.rule(connection, Rules.onPlace(place))
      const other = yield* Rules.sharing()
      const strange = yield* Rules.rule(other.connection, Rules.onPlace(other.place))
      const of = (id: RuleId) => ({ userId: connection.userId, connectionId: connection.id, id })
      Check.isTrue(!(yield* stands(of(strange.id))), "another connection's")
      Check.isTrue(!(yield* stands(of(RuleId.make(yield* Entropy.id("rul"))))), "unknown")
      const rules = yield* RuleStore
      yield* rules.remove(connection.userId, connection.id, rule.id, "Place", yield* Timestamp.now)
      Check.isTrue(!(yield* stands(rule)), "deleted")
    })
  },
  {
    name: "authorisation: a zone rule needs no place, an event without a rule needs none",
    run: Effect.gen(function* () {
      const { connection } = yield* Rules.sharing({ places: [] })
      const zone = yield* Rules.rule(connection, Rules.ZONE)
      Check.isTrue(yield* stands(zone), "the zone's")
      Check.isTrue(yield* stands({ ...zone, id: null }), "without a rule")
      yield* (yield* RuleStore).remove(connection.userId, connection.id, zone.id, "Zone", yield* Timestamp.now)
      Check.isTrue(!(yield* stands(zone)), "the zone's, deleted")
    })
  }
]

/** Rules of `EventStore`. */
export const eventStoreContract: Contract<Uploads.UploadSamplePorts> = [...outbox, ...checks]
