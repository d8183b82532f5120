import { Effect, Either, Option, TestClock } from "effect"
import type { DeliveryFinish } from "../../../src/deliveries/Delivery.js"
import { DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import * as Replay from "../../../src/deliveries/Replay.js"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import type { FixStore } from "../../../src/fixes/FixStore.js"
import type { RetentionKind } from "../../../src/sweeps/Retention.js"
import { type EventPlace, RetentionStore } from "../../../src/sweeps/RetentionStore.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { DeliveryId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { claimMail } from "../../claimMail.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Connections from "../connection/connectionSamples.js"
import * as Rules from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import * as Hooks from "../deliveries/webhookFixtures.js"

type Ports = RetentionStore | MailOutbox | EventStore | FixStore | Hooks.WebhookFixturePorts | Rules.RuleSamplePorts

const remove = (kind: RetentionKind, until: Timestamp.Timestamp) =>
  Effect.flatMap(RetentionStore, (store) => store.remove(kind, until, 1_000))

/** Deletes the events that were fanned out at `until` or earlier and have no delivery. Returns their number. */
const removeEvents = (until: Timestamp.Timestamp) =>
  Effect.flatMap(RetentionStore, (store) =>
    Effect.map(store.removeEvents(until, 1_000, undefined), ({ removed }) => removed)
  )

const now = Timestamp.now
const before = Effect.map(now, (at) => Timestamp.plus(at, -1))

/** An attempt that succeeded at the present time, as the delivery log stores it. */
const attempt = Effect.map(now, (at) => ({
  attempt: 1,
  startedAt: at,
  endedAt: at,
  status: 200,
  error: null,
  snippet: "ok"
}))

const isThere = (row: Parameters<typeof Hooks.found>[0]) =>
  Effect.flatMap(DeliveryStore, (store) => Effect.map(store.find(row.appId, row.id), Option.isSome))

/**
 * What every `RetentionStore` must guarantee about the delivery log, the outbox and mail. The cases delete rows that
 * other contracts store, so the cases need their own database.
 */
export const logRetentionContract: Contract<Ports> = [
  {
    name: "deliveries: delivered ones and failed ones by when they ended, each kind alone; those that are tried never [§8-log]",
    run: Hooks.withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const at = yield* now
        const end = (how: DeliveryFinish) =>
          Effect.gen(function* () {
            const row = yield* Hooks.insert(endpoint)
            Check.isTrue(yield* Hooks.finish(yield* Hooks.claimOne(endpoint), how, yield* attempt), "ended")
            return row
          })
        const delivered = yield* end({ _tag: "Delivered", at })
        const failed = yield* end({ _tag: "Failed", at, reason: "exhausted" })
        const tooOld = yield* end({ _tag: "TooOld", at })
        const trying = yield* Hooks.insert(endpoint)
        const there = Effect.all([delivered, failed, tooOld, trying].map(isThere))

        yield* remove("delivered_deliveries", yield* before)
        yield* remove("failed_deliveries", yield* before)
        Check.equal(yield* there, [true, true, true, true], "a millisecond too early")
        Check.equal(yield* remove("delivered_deliveries", at), 1, "delivered ones")
        Check.equal(yield* there, [false, true, true, true], "the others stay")
        Check.equal(yield* remove("failed_deliveries", at), 2, "failed ones")
        Check.equal(yield* there, [false, false, false, true], "what is tried stays")
        yield* remove("failed_deliveries", Timestamp.plus(at, 400 * Timestamp.DAY))
        Check.isTrue(yield* isThere(trying), "for ever")
      })
    )
  },
  {
    name: "deliveries: a replay that was delivered goes like any; what it was made from stays marked as replayed and is not recovered [deliveries-9]",
    run: Hooks.withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const at = yield* now
        yield* remove("failed_deliveries", at)
        const original = yield* Hooks.insert(endpoint)
        const end = (how: DeliveryFinish) =>
          Effect.flatMap(Hooks.claimOne(endpoint), (claimed) => Hooks.finish(claimed, how, null))
        yield* end({ _tag: "Failed", at, reason: "exhausted" })
        const { appId, id: endpointId } = endpoint
        const recover = Effect.gen(function* () {
          const ids = [DeliveryId.make(yield* Entropy.id("dlv"))]
          return yield* store.recover({
            appId,
            endpointId,
            since: Timestamp.plus(at, -1_000),
            before: Timestamp.plus(at, 1_000),
            ids,
            now: at,
            dueFrom: at
          })
        })
        Check.equal(yield* recover, 1, "recovered")
        yield* end({ _tag: "Delivered", at })

        Check.equal(yield* remove("delivered_deliveries", at), 1, "the replay")
        Check.isTrue((yield* Hooks.found(original)).isReplayed, "marked")
        Check.equal(yield* recover, 0, "recovered once")
        Check.equal(yield* remove("failed_deliveries", at), 1, "the original")

        const second = yield* Hooks.insert(endpoint)
        yield* end({ _tag: "Failed", at, reason: "exhausted" })
        const replay = Effect.gen(function* () {
          const id = DeliveryId.make(yield* Entropy.id("dlv"))
          return yield* store.replay(second.appId, second.id, (state, when) => Replay.decide(state, id, when))
        })
        yield* replay
        yield* end({ _tag: "Delivered", at })
        Check.equal(yield* remove("delivered_deliveries", at), 1, "a replay by hand")
        Check.isTrue((yield* Hooks.found(second)).isReplayed, "marked by hand")
        Check.equal(yield* recover, 0, "not recovered")
        Check.isTrue(Option.exists(yield* replay, Either.isRight), "by hand it is sent again all the same")
        yield* end({ _tag: "Delivered", at })
        Check.equal(yield* remove("delivered_deliveries", at), 1, "the second replay")
      })
    )
  },
  {
    name: "events: by when they were fanned out, those without a delivery; those that wait never",
    run: Effect.gen(function* () {
      const events = yield* EventStore
      const { app, connection, place, user } = yield* Rules.sharing()
      const rule = yield* Rules.rule(connection, Rules.onPlace(place))
      const device = yield* Rules.device(user.id)
      const at = yield* now
      yield* removeEvents(at)
      const [sent, unsent, waiting] = [
        yield* Uploads.event(rule),
        yield* Uploads.event(rule),
        yield* Uploads.event(rule)
      ]
      yield* Uploads.commit(device, { events: [sent, unsent, waiting] })
      const endpoint = yield* Hooks.endpoint(app.id)
      const envelope = { ...(yield* Hooks.draft(endpoint)).envelope, eventId: sent.id }
      yield* Hooks.insert(endpoint, { envelope, userId: user.id })
      yield* events.markFannedOut([sent, unsent], at)

      Check.equal(yield* removeEvents(yield* before), 0, "a millisecond too early")
      Check.equal(yield* removeEvents(at), 1, "the one without a delivery")
      Check.equal(yield* removeEvents(at), 0, "the other one has a delivery")
      yield* Hooks.finish(yield* Hooks.claimOne(endpoint), { _tag: "Delivered", at }, null)
      yield* remove("delivered_deliveries", at)
      Check.equal(yield* removeEvents(at), 1, "it has none any more")
      Check.equal((yield* Uploads.outbox(user.id)).length, 1, "what waits is there")
    })
  },
  {
    name: "events: a sweep looks at each event once, also at those that stay, whenever they were fanned out [sweeps-2]",
    run: Effect.gen(function* () {
      const events = yield* EventStore
      const { app, connection, place, user } = yield* Rules.sharing()
      const rule = yield* Rules.rule(connection, Rules.onPlace(place))
      const device = yield* Rules.device(user.id)
      yield* removeEvents(yield* now)
      const endpoint = yield* Hooks.endpoint(app.id)
      const made = yield* Effect.all(Array.from({ length: 9 }, () => Uploads.event(rule)))
      yield* Uploads.commit(device, { events: made })
      // The first three events are fanned out at one instant, and the other six events a millisecond later. Of each
      // group of three events, the first event has no delivery.
      for (const [index, event] of made.entries()) {
        if (index === 3) yield* TestClock.adjust(1)
        if (index % 3 === 0) continue
        const envelope = { ...(yield* Hooks.draft(endpoint)).envelope, eventId: event.id }
        yield* Hooks.insert(endpoint, { envelope, userId: user.id })
      }
      const at = yield* now
      yield* events.markFannedOut(made.slice(0, 3), Timestamp.plus(at, -1))
      yield* events.markFannedOut(made.slice(3), at)

      const store = yield* RetentionStore
      const steps: Array<number> = []
      let after: EventPlace | undefined
      do {
        const { next, removed } = yield* store.removeEvents(at, 4, after)
        steps.push(removed)
        after = next
      } while (after !== undefined)
      Check.equal([steps.length, steps.reduce((sum, removed) => sum + removed)], [3, 3], "nine events, four at a time")
      Check.equal(yield* removeEvents(at), 0, "six have deliveries")
    })
  },
  {
    name: "mail: by when it was written, sent or not",
    run: Effect.gen(function* () {
      const outbox = yield* MailOutbox
      const { connection } = yield* Connections.connected()
      const at = yield* now
      yield* remove("mail", at)
      const message = { to: connection.userId, dedupeKey: "one", subject: "One", body: "One" }
      yield* Connections.change(
        connection.id,
        { _tag: "Mail", message },
        { _tag: "Mail", message: { ...message, dedupeKey: "two" } }
      )
      const [claimed = Check.fail("claimed")] = yield* claimMail(1, at, at)
      yield* outbox.finish(claimed, { _tag: "Sent", at })
      Check.equal(yield* remove("mail", yield* before), 0, "a millisecond too early")
      Check.equal(yield* remove("mail", at), 2, "gone")
      const left = (yield* outbox.recent(10_000)).filter((one) => one.message.to === connection.userId)
      Check.equal(left, [], "none is left")
    })
  }
]
