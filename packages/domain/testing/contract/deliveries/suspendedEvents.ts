import { Effect, Option, TestClock } from "effect"
import { AppStore } from "../../../src/apps/AppStore.js"
import { OPERATOR } from "../../../src/audit/AuditEvent.js"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import type { UserId } from "../../../src/shared/Ids.js"
import { fn } from "../../../src/shared/Program.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as AccountChange from "../../../src/staff/AccountChange.js"
import { StaffStore } from "../../../src/staff/StaffStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Rules from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import { fired, mark, pending } from "./firedEvents.js"

/** What every `EventStore` and `RuleStore` must guarantee while the person or the app's holder is suspended. */
export const suspendedEvents: Contract<Uploads.UploadSamplePorts | StaffStore> = [
  {
    name: "pending: says which events occurred while the person or the app's developer was suspended [staff-1]",
    run: Effect.gen(function* () {
      const { connection, events, phone, rule } = yield* fired(1)
      const other = yield* fired(1)
      const app = yield* (yield* AppStore).find(connection.appId)
      const ownerId = Option.getOrElse(app, () => Check.fail("the app is there")).ownerId
      const fire = Effect.gen(function* () {
        const event = yield* Uploads.event(rule)
        Check.isTrue(yield* Uploads.commit(phone, { events: [event] }), "uploaded")
        events.push(event)
      })
      const change = (id: UserId, step: AccountChange.AccountStep) =>
        Effect.flatMap(StaffStore, (store) => store.change(id, step))
      const suspended = Effect.map(pending(connection.userId), (all) =>
        all.map(({ id, wasSuspended }) => [events.findIndex((event) => event.id === id), wasSuspended === true])
      )
      Check.equal(yield* suspended, [[0, false]], "before any suspension")
      for (const id of [connection.userId, ownerId]) {
        yield* change(id, AccountChange.suspend(OPERATOR))
        yield* fire
        yield* TestClock.adjust("10 seconds")
        yield* fire
        Check.equal(
          (yield* suspended).slice(-2),
          [events.length - 2, events.length - 1].map((at) => [at, true]),
          "now"
        )
        yield* TestClock.adjust(1)
        yield* change(id, AccountChange.resume(OPERATOR))
        yield* fire
        yield* TestClock.adjust("10 seconds")
      }
      const all = [false, true, true, false, true, true, false]
      Check.equal(
        yield* suspended,
        all.map((is, at) => [at, is]),
        "after the suspensions"
      )
      Check.equal(yield* pending(other.connection.userId), other.events, "of somebody else")
      yield* mark([...events, ...other.events])
    })
  },
  {
    name: "authorisation: suspended now, and at the time of the event: the person's account or the developer's [staff-1]",
    run: Effect.gen(function* () {
      const { app, connection, user } = yield* Rules.sharing()
      const other = yield* Rules.sharing()
      const start = yield* Timestamp.now
      const at = (seconds: number) => Timestamp.plus(start, seconds * Timestamp.SECOND)
      const change = (id: UserId, step: AccountChange.AccountStep) =>
        Effect.flatMap(StaffStore, (store) => store.change(id, step))
      const seen = (of: typeof connection, occurredAt: Timestamp.Timestamp | undefined) =>
        Effect.gen(function* () {
          const found = yield* (yield* EventStore).authorisation(of.userId, of.id, null, occurredAt)
          const { isSuspended, wasSuspended } = Option.getOrElse(found, () => Check.fail("the connection is there"))
          return { isNow: isSuspended === true, wasThen: wasSuspended === true }
        })
      const seconds = [-1, 0, 9, 10, 19, 20, 29, 30, 40]
      // All reads begin at the same time, because a store may answer several reads with one statement, and must not mix
      // up the answers.
      const suspended = Effect.map(
        Effect.forEach(seconds, (one) => seen(connection, at(one)), { concurrency: "unbounded" }),
        (all) => ({
          now: all.every(({ isNow }) => isNow) || (all.some(({ isNow }) => isNow) ? "for some events only" : false),
          events: seconds.filter((_, index) => all[index]?.wasThen)
        })
      )
      Check.equal(yield* suspended, { now: false, events: [] }, "before any suspension")
      Check.equal(
        yield* Effect.forEach(
          [user.id, app.ownerId],
          fn(function* (id) {
            yield* change(id, AccountChange.suspend(OPERATOR))
            const during = yield* suspended
            yield* TestClock.adjust("10 seconds")
            yield* change(id, AccountChange.resume(OPERATOR))
            yield* TestClock.adjust("10 seconds")
            return [during, yield* suspended]
          })
        ),
        [
          [
            { now: true, events: [0, 9, 10, 19, 20, 29, 30, 40] },
            { now: false, events: [0, 9] }
          ],
          [
            { now: true, events: [0, 9, 20, 29, 30, 40] },
            { now: false, events: [0, 9, 20, 29] }
          ]
        ],
        "during and after each suspension"
      )
      Check.equal(yield* seen(connection, undefined), { isNow: false, wasThen: false }, "without a time")
      Check.equal(yield* seen(other.connection, at(5)), { isNow: false, wasThen: false }, "of somebody else")
      yield* change(user.id, AccountChange.suspend(OPERATOR))
      Check.equal(yield* seen(connection, undefined), { isNow: true, wasThen: false }, "now, without a time")
    })
  },
  {
    name: "evaluations: with the past suspensions of the person and of the app's holder [rules-9, staff-1]",
    run: Effect.gen(function* () {
      const { app, connection, place, user } = yield* Rules.sharing()
      const rule = yield* Rules.rule(connection, Rules.onPlace(place))
      const suspensions = Effect.gen(function* () {
        const made = yield* (yield* RuleStore).evaluations(user.id, connection.id, [rule.id])
        return (made.get(rule.id)?.suspensions ?? []).toSorted((a, b) => a.from - b.from)
      })
      const start = yield* Timestamp.now
      const at = (seconds: number) => Timestamp.plus(start, seconds * Timestamp.SECOND)
      Check.equal(yield* suspensions, [], "never suspended")
      for (const id of [user.id, app.ownerId]) {
        yield* (yield* StaffStore).change(id, AccountChange.suspend(OPERATOR))
        yield* TestClock.adjust("10 seconds")
        yield* (yield* StaffStore).change(id, AccountChange.resume(OPERATOR))
        yield* TestClock.adjust("10 seconds")
      }
      Check.equal(
        yield* suspensions,
        [
          { from: at(0), until: at(10) },
          { from: at(20), until: at(30) }
        ],
        "of both"
      )
    })
  }
]
