import { Effect, Option } from "effect"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import { FixStore } from "../../../src/fixes/FixStore.js"
import * as RecentEvaluations from "../../../src/rules/RecentEvaluations.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { EventId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"
import { quarantined } from "./committing.js"

const phone = Effect.flatMap(Fixtures.user, ({ id }) => Samples.device(id))

/** Rules that `FixStore.commit` must keep: what `DeviceStore` and `RuleStore` show after an upload. */
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
