import { TokenStore } from "../../../src/tokens/TokenStore.js"
import { Effect, Either, Option, TestClock } from "effect"
import { EndpointUrl } from "../../../src/endpoints/EndpointUrl.js"
import type { Connection } from "../../../src/connection/Connection.js"
import { LegacyStore } from "../../../src/legacy/LegacyStore.js"
import * as Receiver from "../../../src/legacy/Receiver.js"
import type { Imported, RuleImportFacts } from "../../../src/legacy/RuleImport.js"
import type { Rule, PlaceTarget } from "../../../src/rules/Rule.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { SubscriptionId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Sealed } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Rules from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"

type Ports = LegacyStore | Uploads.UploadSamplePorts

const draft = (connection: Connection) =>
  Effect.gen(function* () {
    const id = SubscriptionId.make(yield* Entropy.id("sbs"))
    const subscription: Receiver.Subscription = {
      userId: connection.userId,
      id,
      connectionId: connection.id,
      appId: connection.appId,
      url: EndpointUrl.make(`https://hooks.example.com/${id}`),
      sealed: Sealed.make(`sealed ${id}`),
      createdAt: yield* Timestamp.now
    }
    return subscription
  })

const subscribe = (connection: Connection) =>
  Effect.gen(function* () {
    const subscription = yield* draft(connection)
    Check.equal(yield* (yield* LegacyStore).subscribe(subscription), "created", "subscribed")
    yield* TestClock.adjust(1)
    return subscription
  })

const end = (connection: Connection) =>
  Effect.gen(function* () {
    yield* (yield* TokenStore).change(connection.id, {}, (_, at) => ({
      outcome: true,
      writes: [{ _tag: "End", reason: "user_disconnected", at }]
    }))
  })

const asReceiver = ({ id, sealed, url }: Receiver.Subscription): Receiver.LegacyReceiver => ({
  _tag: "Subscription",
  id,
  sealed,
  url
})

/** Makes an imported rule, which has its own webhook address and secret, without storing the rule. */
const legacyRule = (connection: Connection, place: PlaceTarget, overrides: Partial<Rule> = {}) =>
  Effect.gen(function* () {
    const rule = yield* Rules.draftRule(connection, place, {
      isLegacy: true,
      webhookUrl: "https://old.example.com/hook",
      ...overrides
    })
    const imported: Imported = { rule: { ...rule, target: place }, sealed: Sealed.make(`sealed ${rule.id}`) }
    return imported
  })

/** Imports the rules. Returns the facts that `importRules` passed to the decision. */
const importAll = (all: ReadonlyArray<Imported>) =>
  Effect.gen(function* () {
    let seen: RuleImportFacts | undefined
    const requested = all.map(({ rule }) => ({
      id: rule.id,
      owner: { userId: rule.userId, id: rule.connectionId, appId: rule.appId }
    }))
    yield* (yield* LegacyStore).importRules(requested, (state) => {
      seen = state
      return Either.right(all)
    })
    return seen ?? Check.fail("it was decided")
  })

const sharing = Effect.map(Rules.sharing(), (all) => {
  const target: PlaceTarget = { _tag: "Place", placeId: all.place.id, label: all.place.label }
  return { ...all, target }
})

const subscriptions: Contract<Ports> = [
  {
    name: "subscribe: up to five of a connection, whatever others have",
    run: Effect.gen(function* () {
      const { connection } = yield* Rules.sharing()
      const { connection: other } = yield* Rules.sharing()
      for (let made = 0; made < Receiver.MAX_PER_CONNECTION; made++) yield* subscribe(connection)
      const store = yield* LegacyStore
      Check.equal(yield* store.subscribe(yield* draft(connection)), "full", "the sixth")
      yield* subscribe(other)
    })
  },
  {
    name: "subscribe: of several at once none gets past the limit [§4.8-create]",
    run: Effect.gen(function* () {
      const { connection } = yield* Rules.sharing()
      const store = yield* LegacyStore
      const drafts = yield* Effect.forEach(Array.from({ length: 8 }), () => draft(connection))
      const outcomes = yield* Effect.forEach(drafts, store.subscribe, { concurrency: "unbounded" })
      Check.equal(outcomes.filter((one) => one === "created").length, Receiver.MAX_PER_CONNECTION, "five")
    })
  },
  {
    name: "subscribe: not to a connection that has ended, nor past its standard tier",
    run: Effect.gen(function* () {
      const store = yield* LegacyStore
      const { connection: gone } = yield* Rules.sharing()
      yield* end(gone)
      Check.equal(yield* store.subscribe(yield* draft(gone)), "ended", "ended")
      const now = yield* Timestamp.now
      const { connection: short } = yield* Rules.sharing({ standardExpiresAt: Timestamp.plus(now, 1_000) })
      yield* TestClock.adjust(999)
      yield* subscribe(short)
      Check.equal(yield* store.subscribe(yield* draft(short)), "ended", "expired")
    })
  },
  {
    name: "a connection that ends takes its subscriptions along, and no other's [legacy-1]",
    run: Effect.gen(function* () {
      const [{ connection }, { connection: other }] = [yield* Rules.sharing(), yield* Rules.sharing()]
      const [gone, stays] = [yield* subscribe(connection), yield* subscribe(other)]
      yield* end(connection)
      const store = yield* LegacyStore
      Check.equal(yield* store.isSubscribed(gone.userId, gone.connectionId, gone.id), false, "ended")
      Check.equal(yield* store.isSubscribed(stays.userId, stays.connectionId, stays.id), true, "the other's")
    })
  },
  {
    name: "subscriptions: the connection's own, oldest first, until each is removed [legacy-7]",
    run: Effect.gen(function* () {
      const { connection } = yield* Rules.sharing()
      const { connection: other } = yield* Rules.sharing()
      const store = yield* LegacyStore
      const listed = ({ id, userId }: Connection) => store.subscriptions(userId, id)
      Check.equal(yield* listed(connection), [], "none yet")
      const [first, second] = [yield* subscribe(connection), yield* subscribe(connection)]
      const others = yield* subscribe(other)
      Check.equal(yield* listed(connection), [first, second], "both")
      Check.equal(yield* listed(other), [others], "the other's")
      Check.equal(yield* store.subscriptions(connection.userId, other.id), [], "another user's connection")
      yield* store.unsubscribe(connection.userId, connection.id, first.id)
      Check.equal(yield* listed(connection), [second], "one left")
      yield* end(connection)
      Check.equal(yield* listed(connection), [], "ended")
    })
  },
  {
    name: "unsubscribe: once, and the connection's own alone",
    run: Effect.gen(function* () {
      const { connection } = yield* Rules.sharing()
      const { connection: other } = yield* Rules.sharing()
      const { id } = yield* subscribe(connection)
      const store = yield* LegacyStore
      Check.equal(yield* store.unsubscribe(other.userId, other.id, id), false, "another's")
      Check.equal(yield* store.unsubscribe(connection.userId, other.id, id), false, "of another connection")
      Check.equal(yield* store.isSubscribed(connection.userId, connection.id, id), true, "still there")
      Check.equal(yield* store.isSubscribed(other.userId, other.id, id), false, "not the other's")
      Check.equal(yield* store.unsubscribe(connection.userId, connection.id, id), true, "removed")
      Check.equal(yield* store.unsubscribe(connection.userId, connection.id, id), false, "again")
      Check.equal(yield* store.isSubscribed(connection.userId, connection.id, id), false, "gone")
    })
  }
]

const receiving: Contract<Ports> = [
  {
    name: "receivers: subscriptions get what their connection's rules fire that name no address, oldest first",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Rules.sharing()
      const { connection: other } = yield* Rules.sharing()
      const [one, two] = [yield* subscribe(connection), yield* subscribe(connection)]
      yield* subscribe(other)
      const rule = yield* Rules.rule(connection, Rules.onPlace(place))
      const zone = yield* Rules.rule(connection, Rules.ZONE)
      const named = yield* Rules.rule(connection, Rules.ZONE, { webhookUrl: "https://hooks.example.com/named" })
      const events = yield* Effect.forEach([rule, zone, named], (fired) =>
        Uploads.event(fired, { webhookUrl: fired.webhookUrl })
      )
      const found = yield* (yield* LegacyStore).receivers(events)
      Check.equal(
        events.map(({ id }) => found.get(id) ?? []),
        [[asReceiver(one), asReceiver(two)], [asReceiver(one), asReceiver(two)], []],
        "receivers"
      )
    })
  },
  {
    name: "receivers: none of what no rule fired",
    run: Effect.gen(function* () {
      const { connection, place } = yield* Rules.sharing()
      yield* subscribe(connection)
      const event = yield* Uploads.event(yield* Rules.rule(connection, Rules.onPlace(place)))
      const found = yield* (yield* LegacyStore).receivers([
        { ...event, payload: { type: "places.changed", placesVersion: 2 } }
      ])
      Check.equal(found.get(event.id) ?? [], [], "none")
    })
  },
  {
    name: "receivers: what a rule with its own address fires goes there alone, after its removal too",
    run: Effect.gen(function* () {
      const { connection, target } = yield* sharing
      yield* subscribe(connection)
      const imported = yield* legacyRule(connection, target)
      const { rule, sealed } = imported
      yield* importAll([imported])
      const event = yield* Uploads.event(rule)
      const store = yield* LegacyStore
      const own: Receiver.LegacyReceiver = {
        _tag: "Rule",
        id: rule.id,
        url: EndpointUrl.make("https://old.example.com/hook"),
        sealed
      }
      Check.equal((yield* store.receivers([event])).get(event.id), [own], "its own address")
      yield* (yield* RuleStore).remove(rule.userId, null, rule.id, "all", yield* Timestamp.now)
      Check.equal((yield* store.receivers([event])).get(event.id), [own], "removed")
    })
  }
]

const importing: Contract<Ports> = [
  {
    name: "findOwner: by the connection's id, or by app and sub; the one that has not ended",
    run: Effect.gen(function* () {
      const { connection } = yield* Rules.sharing()
      const { app, id, sub, userId } = { ...connection, app: connection.appId }
      const store = yield* LegacyStore
      const owner = { userId, id, appId: app }
      Check.equal(yield* store.findOwner({ connectionId: id }), Option.some(owner), "by id")
      Check.equal(yield* store.findOwner({ appId: app, sub }), Option.some(owner), "by sub")
      const { connection: other } = yield* Rules.sharing()
      Check.equal(yield* store.findOwner({ appId: other.appId, sub }), Option.none(), "another app's")
      yield* end(connection)
      Check.equal(yield* store.findOwner({ appId: app, sub }), Option.some(owner), "ended")
    })
  },
  {
    name: "importRules: the rules are listed like others, with their own address, and take part in the limit",
    run: Effect.gen(function* () {
      const { connection, target } = yield* sharing
      const { rule } = yield* Effect.tap(legacyRule(connection, target), (one) => importAll([one]))
      const rules = yield* RuleStore
      const listed = yield* rules.list(connection.userId, connection.id, "Place", 10, undefined)
      Check.equal(listed.items, [rule], "listed")
      const present = yield* rules.create(connection.userId, connection.id, (all) => ({ outcome: all, rule: null }))
      Check.equal(present, Option.some([rule]), "counted")
    })
  },
  {
    name: "importRules: the decision sees what is shared, the rules that stand, and those of the same id, removed ones too",
    run: Effect.gen(function* () {
      const { connection, place, target } = yield* sharing
      const standing = yield* Rules.rule(connection, target)
      const removed = yield* Rules.rule(connection, target)
      yield* (yield* RuleStore).remove(connection.userId, null, removed.id, "all", yield* Timestamp.now)
      const fresh = yield* legacyRule(connection, target)
      const requested = [fresh.rule, removed].map(({ id }) => ({
        id,
        owner: { userId: connection.userId, id: connection.id, appId: connection.appId }
      }))
      let seen: RuleImportFacts | undefined
      const refused = yield* (yield* LegacyStore).importRules(requested, (state) => {
        seen = state
        return Either.left("no")
      })
      Check.equal(refused, Either.left("no"), "refused")
      const [found] = seen?.connections ?? []
      Check.equal(found?.places, [{ id: place.id, label: place.label }], "places")
      Check.equal(
        found?.rules.map(({ id }) => id),
        [standing.id],
        "rules"
      )
      Check.equal(
        seen?.known.map(({ id }) => id),
        [removed.id],
        "known"
      )
      const listed = yield* (yield* RuleStore).list(connection.userId, connection.id, "all", 10, undefined)
      Check.equal(
        listed.items.map(({ id }) => id),
        [standing.id],
        "nothing was stored"
      )
    })
  },
  {
    name: "importRules: of several users at once",
    run: Effect.gen(function* () {
      const [one, two] = [yield* sharing, yield* sharing]
      const state = yield* importAll([
        yield* legacyRule(one.connection, one.target),
        yield* legacyRule(two.connection, two.target)
      ])
      Check.equal(state.connections.length, 2, "both")
      for (const { connection } of [one, two]) {
        const { items } = yield* (yield* RuleStore).list(connection.userId, connection.id, "Place", 10, undefined)
        Check.equal(
          items.map(({ isLegacy }) => isLegacy),
          [true],
          "stored"
        )
      }
    })
  }
]

export const legacyStoreContract: Contract<Ports> = [...subscriptions, ...receiving, ...importing]
