import { Effect, Option, Struct, TestClock } from "effect"
import { AppStore } from "../../../src/apps/AppStore.js"
import type { OutboxEvent } from "../../../src/events/Event.js"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ConnectionId, EventId, RuleId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { StaffStore } from "../../../src/staff/StaffStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import { bucketOf } from "../../memory/leases/buckets.js"
import * as Connections from "../connection/connectionSamples.js"
import * as Rules from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import { fired, mark, pending } from "./firedEvents.js"
import { suspendedEvents } from "./suspendedEvents.js"

const WAIT = 30 * Timestamp.SECOND

const outbox: Contract<Uploads.UploadSamplePorts> = [
  {
    name: "pending: the oldest first, each as it was written, and again until they are marked",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(4)
      Check.equal(yield* pending(connection.userId), events, "read")
      Check.equal(yield* pending(connection.userId), events, "read again")
      yield* mark(events)
      Check.equal(yield* pending(connection.userId), [], "marked")
    })
  },
  {
    name: "pending: of events with one due time the one that occurred first, then by id, also of two people [deliveries-16]",
    run: Effect.gen(function* () {
      const people = [yield* fired(0), yield* fired(0)]
      const at = yield* Timestamp.now
      const stem = yield* Entropy.id("evt")
      const written: Array<OutboxEvent> = []
      // Ordered by character code, the ids are B, a, a-b, ab. The events are stored in a different order. The event `z`
      // occurred a minute before the others.
      for (const [index, ending] of ["ab", "B", "a-b", "a", "z"].entries()) {
        const { rule, phone } = people[index % 2] ?? Check.fail("two people")
        const occurredAt = Timestamp.plus(at, ending === "z" ? -Timestamp.MINUTE : 0)
        const event = { ...(yield* Uploads.event(rule)), id: EventId.make(`${stem}_${ending}`), occurredAt }
        Check.isTrue(yield* Uploads.commit(phone, { events: [event] }), "uploaded")
        written.push(event)
      }
      const { events } = yield* (yield* EventStore).pending(Bucket.ALL, 10_000, at)
      const endings = events.filter(({ id }) => id.startsWith(stem)).map(({ id }) => id.slice(stem.length + 1))
      Check.equal(endings, ["z", "B", "a", "a-b", "ab"], "the order")
      yield* mark(written)
    })
  },
  {
    name: "pending: only of people in the buckets that are asked for; a person's bucket is the same in every store",
    run: Effect.gen(function* () {
      const people = yield* Effect.forEach([1, 2, 3], () => fired(1))
      for (const { connection, events } of people) {
        const bucket = bucketOf(connection.userId)
        const others = Bucket.ALL.filter((one) => one !== bucket)
        Check.equal(yield* pending(connection.userId, [bucket]), events, "of the bucket")
        Check.equal(yield* pending(connection.userId, others), [], "of all the others")
        Check.equal(yield* pending(connection.userId, []), [], "of none")
        yield* mark(events)
      }
    })
  },
  {
    name: "pending: without those that the worker has in hand, which take no room of the others",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(4)
      const inHand = events.slice(0, 2).map(({ id }) => id)
      Check.equal(yield* pending(connection.userId, Bucket.ALL, inHand), events.slice(2), "the others")
      const buckets = [bucketOf(connection.userId)]
      const before = yield* (yield* EventStore).pending(buckets, 10_000, yield* Timestamp.now)
      const strangers = before.events.filter(({ userId }) => userId !== connection.userId).map(({ id }) => id)
      const except = [...inHand, ...strangers]
      const { events: some } = yield* (yield* EventStore).pending(buckets, 1, yield* Timestamp.now, except)
      Check.equal(
        some.map(({ id }) => id),
        events.slice(2, 3).map(({ id }) => id),
        "up to the limit"
      )
      yield* mark(events)
    })
  },
  {
    name: "pending: with the time at which each was stored, also of one that was postponed since",
    run: Effect.gen(function* () {
      const before = yield* Timestamp.now
      const { connection, events } = yield* fired(2)
      const times = Effect.gen(function* () {
        const all = yield* (yield* EventStore).pending(Bucket.ALL, 10_000, yield* Timestamp.now)
        return all.events.filter(({ userId }) => userId === connection.userId).map(({ storedAt }) => storedAt)
      })
      const stored = [before, Timestamp.plus(before, 1)]
      Check.equal(yield* times, stored, "at first")
      yield* (yield* EventStore).postpone(events, Timestamp.plus(before, WAIT))
      yield* TestClock.adjust(WAIT)
      Check.equal(yield* times, stored, "after they were postponed")
      yield* mark(events)
    })
  },
  {
    name: "pending: never more than the limit, and in the end all",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(7)
      const store = yield* EventStore
      const seen: Array<OutboxEvent> = []
      for (let round = 0; round < 500 && seen.length < events.length; round++) {
        const some = yield* store.pending([bucketOf(connection.userId)], 3, yield* Timestamp.now)
        Check.isTrue(some.events.length <= 3, "at most three")
        yield* mark(some.events)
        seen.push(...some.events.filter(({ userId }) => userId === connection.userId).map(Struct.omit("storedAt")))
      }
      Check.equal(seen, events, "each once")
    })
  },
  {
    name: "postpone: due again at that time, and not a millisecond before; the others stay as they are",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(3)
      const until = Timestamp.plus(yield* Timestamp.now, WAIT)
      yield* (yield* EventStore).postpone(events.slice(0, 1), until)
      yield* (yield* EventStore).postpone([], until)
      Check.equal(yield* pending(connection.userId), events.slice(1), "the others")
      yield* TestClock.adjust(WAIT - 1)
      Check.equal(yield* pending(connection.userId), events.slice(1), "before")
      yield* TestClock.adjust(1)
      Check.equal(yield* pending(connection.userId), [...events.slice(1), ...events.slice(0, 1)], "at that time, last")
      yield* mark(events)
    })
  },
  {
    name: "postpone: an event that was fanned out stays so",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(2)
      yield* mark(events)
      const now = yield* Timestamp.now
      yield* (yield* EventStore).postpone(events, now)
      Check.equal(yield* pending(connection.userId), [], "none")
    })
  },
  {
    name: "markFannedOut: for good, and as often as one likes",
    run: Effect.gen(function* () {
      const { connection, events } = yield* fired(3)
      yield* mark(events.slice(0, 2))
      yield* mark(events.slice(0, 2))
      yield* mark([])
      Check.equal(yield* pending(connection.userId), events.slice(2), "only the other one is left")
      yield* mark(events)
    })
  }
]

/** The facts from which the service decides, before an attempt, whether it may still send an event of the rule. */
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
    name: "authorisation: the address that the rule names, if it names one [endpoints-3]",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Rules.sharing()
      const webhookUrl = "https://hooks.example.com/places"
      const naming = yield* Rules.rule(connection, Rules.onPlace(place), { webhookUrl })
      const zone = yield* Rules.rule(connection, Rules.ZONE, { webhookUrl })
      const silent = yield* Rules.rule(connection, Rules.onPlace(place))
      const questions = [naming, zone, silent, { ...naming, id: null }]
      const named = yield* Effect.forEach(questions, authorisation, { concurrency: "unbounded" })
      Check.equal(
        named.map((found) => found.webhookUrl),
        [webhookUrl, webhookUrl, undefined, undefined],
        "the addresses"
      )
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

/** What every `EventStore` must guarantee: which events wait for fan-out, and whether an event may still be sent. */
export const eventStoreContract: Contract<Uploads.UploadSamplePorts | StaffStore> = [
  ...outbox,
  ...checks,
  ...suspendedEvents
]
