import { Effect, Option, Order, TestClock } from "effect"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { AppStore } from "../../../src/apps/AppStore.js"
import * as Listener from "../../../src/listeners/Listener.js"
import { ListenerStore } from "../../../src/listeners/ListenerStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import {
  type AppId,
  ConnectionId,
  EndpointId,
  EventId,
  ListenerId,
  PlaceId,
  RuleId,
  UserId
} from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import { ownedApp } from "./webhookFixtures.js"

type Ports = ListenerStore | AppStore | AccountStore | Entropy.Entropy

const draft = (appId: AppId, overrides: Partial<Listener.Listener> = {}) =>
  Effect.gen(function* () {
    const createdAt = yield* Timestamp.now
    const listener: Listener.Listener = {
      appId,
      id: ListenerId.make(yield* Entropy.id("lst")),
      endpointId: null,
      events: [],
      createdAt,
      seenUntil: Listener.seenAt(createdAt),
      ...overrides
    }
    return listener
  })

const open = (appId: AppId, overrides: Partial<Listener.Listener> = {}) =>
  Effect.gen(function* () {
    const listener = yield* draft(appId, overrides)
    Check.isTrue(yield* (yield* ListenerStore).open(listener), "it listens")
    return listener
  })

/** Makes an event of a rule for the listener `to`, without storing it. */
const row = (to: Listener.Listener, overrides: Partial<Listener.ListenerDelivery> = {}) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const waiting: Listener.ListenerDelivery = {
      appId: to.appId,
      listenerId: to.id,
      userId: UserId.make(yield* Entropy.id("usr")),
      envelope: {
        eventId: EventId.make(yield* Entropy.id("evt")),
        appId: to.appId,
        grantId: ConnectionId.make(yield* Entropy.id("con")),
        payload: {
          type: "place.enter",
          ruleId: RuleId.make(yield* Entropy.id("rul")),
          target: { placeId: PlaceId.make(yield* Entropy.id("plc")), label: 'Mum\'s "place" \\ 🏡' }
        },
        occurredAt: Timestamp.plus(now, -Timestamp.MINUTE)
      },
      maxEventAgeS: 300,
      createdAt: now,
      position: 0,
      hasReceiver: false,
      ...overrides
    }
    return waiting
  })

const offer = (...rows: ReadonlyArray<Listener.ListenerDelivery>) =>
  Effect.flatMap(ListenerStore, (store) => store.offer(rows))

const idsOf = (rows: ReadonlyArray<Listener.ListenerDelivery>) => rows.map(({ envelope }) => envelope.eventId)

const waitingFor = ({ appId, id }: Listener.Listener, limit = 1_000) =>
  Effect.gen(function* () {
    const found = yield* (yield* ListenerStore).waiting(appId, id, limit)
    return Option.isSome(found) ? found.value : Check.fail("it still listens")
  })

const close = ({ appId, id }: Listener.Listener) => Effect.flatMap(ListenerStore, (store) => store.close(appId, id))

const opening: Contract<Ports> = [
  {
    name: `open: the ${Listener.MAX_PER_APP}th of an app is the last, also when several ask at once [listeners-3]`,
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      yield* open(other.id)
      const drafts = yield* Effect.forEach(Array.from({ length: 8 }), () => draft(app.id))
      const opened = yield* Effect.forEach(drafts, store.open, { concurrency: "unbounded" })
      Check.equal(opened.filter(Boolean).length, Listener.MAX_PER_APP, "as many as there is room for")
    })
  },
  {
    name: "open: those that are not seen any more take no room; live: nor are they told of anything",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const app = yield* ownedApp
      yield* Effect.forEach(Array.from({ length: Listener.MAX_PER_APP }), () => open(app.id))
      yield* TestClock.adjust(Listener.LIFETIME - 1)
      Check.equal(yield* store.open(yield* draft(app.id)), false, "a moment before")
      yield* TestClock.adjust(1)
      const next = yield* open(app.id, { endpointId: EndpointId.make("ep_1") })
      Check.equal(yield* store.live(app.id, yield* Timestamp.now), [next], "live")
    })
  },
  {
    name: "live: the app's own alone, as they were opened",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      const mine = yield* open(app.id, { events: ["rule.fired", "places.changed"] })
      yield* open(other.id)
      Check.equal(yield* store.live(app.id, yield* Timestamp.now), [mine], "live")
    })
  },
  {
    name: "live, expired: listeners of one instant come in the order of their ids",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const app = yield* ownedApp
      const drafts = yield* Effect.forEach(Array.from({ length: Listener.MAX_PER_APP }), () => draft(app.id))
      const inOrder = drafts.toSorted((a, b) => Order.string(a.id, b.id))
      for (const one of inOrder.toReversed()) yield* store.open(one)
      const ids = inOrder.map(({ id }) => id)
      const live = yield* store.live(app.id, yield* Timestamp.now)
      Check.equal(
        live.map(({ id }) => id),
        ids,
        "live"
      )
      yield* TestClock.adjust(Listener.LIFETIME)
      const expired = yield* store.expired(yield* Timestamp.now, 1_000)
      const mine = expired.filter(({ appId }) => appId === app.id)
      Check.equal(
        mine.map(({ id }) => id),
        ids,
        "expired"
      )
    })
  },
  {
    name: "renew: as long as it is seen; what was not seen in time does not come back, and another app's is not found",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      const { id } = yield* open(app.id)
      yield* TestClock.adjust(Listener.LIFETIME - 1)
      const now = yield* Timestamp.now
      Check.equal(yield* store.renew(other.id, id, now, Listener.seenAt(now)), false, "another app's")
      Check.equal(yield* store.renew(app.id, id, now, Listener.seenAt(now)), true, "seen")
      yield* TestClock.adjust(Listener.LIFETIME)
      const later = yield* Timestamp.now
      Check.equal(yield* store.renew(app.id, id, later, Listener.seenAt(later)), false, "too late")
      Check.equal(yield* store.live(app.id, later), [], "gone")
    })
  },
  {
    name: "expired: those that are not seen, until they are closed",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const app = yield* ownedApp
      const { id } = yield* open(app.id)
      const mine = Effect.gen(function* () {
        const all = yield* store.expired(yield* Timestamp.now, 1_000)
        return all.filter(({ appId }) => appId === app.id)
      })
      Check.equal(yield* mine, [], "seen")
      yield* TestClock.adjust(Listener.LIFETIME)
      Check.equal(yield* mine, [{ appId: app.id, id }], "not any more")
      yield* store.close(app.id, id)
      Check.equal(yield* mine, [], "closed")
    })
  }
]

const queueing: Contract<Ports> = [
  {
    name: "waiting: in the order of fan-out, whole, and only so many as are asked for",
    run: Effect.gen(function* () {
      const listener = yield* open((yield* ownedApp).id)
      const [one, two] = [
        yield* row(listener, { position: 0 }),
        yield* row(listener, { position: 1, hasReceiver: true })
      ]
      yield* TestClock.adjust(1)
      const three = yield* row(listener, { maxEventAgeS: null })
      yield* offer(three)
      yield* offer(two, one)
      Check.equal(yield* waitingFor(listener), { events: [one, two, three], dropped: 0 }, "all")
      Check.equal((yield* waitingFor(listener, 2)).events, [one, two], "two")
    })
  },
  {
    name: "waiting: events of one instant and one position come in the order of their ids, however they were offered",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const listener = yield* open((yield* ownedApp).id)
      const rows = yield* Effect.forEach(Array.from({ length: 4 }), () => row(listener))
      const inOrder = rows.toSorted((a, b) => Order.string(a.envelope.eventId, b.envelope.eventId))
      // Two workers may fan out events at the same instant, and may store these events in any order. This case stores
      // them in reversed order.
      for (const one of inOrder.toReversed()) yield* offer(one)
      Check.equal(idsOf((yield* waitingFor(listener)).events), idsOf(inOrder), "waiting")
      Check.equal(idsOf((yield* waitingFor(listener, 2)).events), idsOf(inOrder.slice(0, 2)), "two")
      Check.equal(idsOf(yield* store.close(listener.appId, listener.id)), idsOf(inOrder), "lost")
    })
  },
  {
    name: "offer: the same again changes nothing",
    run: Effect.gen(function* () {
      const listener = yield* open((yield* ownedApp).id)
      const one = yield* row(listener)
      yield* offer(one)
      yield* TestClock.adjust(1)
      Check.equal(yield* offer({ ...one, createdAt: yield* Timestamp.now }), [], "lost")
      Check.equal((yield* waitingFor(listener)).events, [one], "waiting")
    })
  },
  {
    name: "waiting, take, close: another app finds nothing of it",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const other = yield* ownedApp
      const listener = yield* open((yield* ownedApp).id)
      const one = yield* row(listener)
      yield* offer(one)
      Check.isTrue(Option.isNone(yield* store.waiting(other.id, listener.id, 10)), "waiting")
      Check.equal((yield* store.take(other.id, listener.id, idsOf([one]), 0)).size, 0, "taken")
      Check.equal(yield* store.close(other.id, listener.id), [], "closed")
      Check.equal((yield* waitingFor(listener)).events, [one], "still there")
    })
  },
  {
    name: `offer: of more than ${Listener.MAX_WAITING} the oldest are dropped, and how many is told until it was told of`,
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const listener = yield* open((yield* ownedApp).id)
      const rows = yield* Effect.forEach(Array.from({ length: Listener.MAX_WAITING + 2 }), (_, position) =>
        row(listener, { position })
      )
      Check.equal(yield* offer(...rows.slice(0, -2)), [], "nothing lost")
      Check.equal(idsOf(yield* offer(...rows.slice(-2))).sort(), idsOf(rows.slice(0, 2)).sort(), "lost")
      const found = yield* waitingFor(listener)
      Check.equal([found.dropped, idsOf(found.events)], [2, idsOf(rows.slice(2))], "the newest wait")
      yield* TestClock.adjust(1)
      yield* offer(yield* row(listener))
      yield* store.take(listener.appId, listener.id, [], found.dropped)
      Check.equal((yield* waitingFor(listener)).dropped, 1, "the one after that is still to be told of")
    })
  },
  {
    name: "take: what is taken waits no more, and is taken once [listeners-4]",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const listener = yield* open((yield* ownedApp).id)
      const [one, two] = [yield* row(listener), yield* row(listener, { position: 1 })]
      yield* offer(one, two)
      const taken = yield* store.take(listener.appId, listener.id, idsOf([one]), 0)
      Check.equal([...taken], idsOf([one]), "taken")
      Check.equal((yield* store.take(listener.appId, listener.id, idsOf([one]), 0)).size, 0, "again")
      Check.equal((yield* waitingFor(listener)).events, [two], "left")
    })
  }
]

const losing: Contract<Ports> = [
  {
    name: "close: once; with all that waits for it, of which that is lost which nobody else is told",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const listener = yield* open((yield* ownedApp).id)
      const [alone, event] = [yield* row(listener), yield* row(listener, { position: 1, hasReceiver: true })]
      yield* offer(alone, event)
      Check.equal(yield* close(listener), [alone], "lost")
      Check.equal(yield* close(listener), [], "again")
      Check.isTrue(Option.isNone(yield* store.waiting(listener.appId, listener.id, 10)), "gone")
    })
  },
  {
    name: "offer: to a listener that has gone it is lost, unless somebody else is told",
    run: Effect.gen(function* () {
      const app = yield* ownedApp
      const [gone, here] = [yield* open(app.id), yield* open(app.id)]
      yield* close(gone)
      const alone = yield* row(gone)
      const event = yield* row(gone, { hasReceiver: true })
      const both = yield* row(gone)
      Check.equal(yield* offer(alone, event, both, { ...both, listenerId: here.id }), [alone], "lost")
      Check.equal((yield* waitingFor(here)).events, [{ ...both, listenerId: here.id }], "the other's")
    })
  },
  {
    name: "close: what waits for two is lost with the second, and not at all when the first was told",
    run: Effect.gen(function* () {
      const store = yield* ListenerStore
      const app = yield* ownedApp
      const [first, second] = [yield* open(app.id), yield* open(app.id)]
      const [one, two] = [yield* row(first), yield* row(first, { position: 1 })]
      const also = [one, two].map((waiting) => ({ ...waiting, listenerId: second.id }))
      yield* offer(one, two, ...also)
      yield* store.take(app.id, first.id, idsOf([one]), 0)
      Check.equal(yield* close(first), [], "the second may still be told")
      Check.equal(idsOf(yield* close(second)), idsOf([two]), "the first was told of the other one")
    })
  },
  {
    name: "close: of two at the same moment one loses what waits for both [listeners-5]",
    run: Effect.gen(function* () {
      const app = yield* ownedApp
      const both = [yield* open(app.id), yield* open(app.id)]
      const [first, second] = both
      if (first === undefined || second === undefined) return Check.fail("two")
      const one = yield* row(first)
      yield* offer(one, { ...one, listenerId: second.id })
      const lost = yield* Effect.forEach(both, close, { concurrency: "unbounded" })
      Check.equal(idsOf(lost.flat()), idsOf([one]), "lost once")
    })
  }
]

export const listenerStoreContract: Contract<Ports> = [...opening, ...queueing, ...losing]
