import { Effect } from "effect"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import * as Fix from "../../../src/fixes/Fix.js"
import type { Quarantined } from "../../../src/fixes/FixStore.js"
import * as FutureReading from "../../../src/fixes/FutureReading.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"

const phone = Effect.flatMap(Fixtures.user, ({ id }) => Samples.device(id))

const listed = (device: { readonly userId: Parameters<DeviceStore["Type"]["list"]>[0] }) =>
  Effect.map(
    Effect.flatMap(DeviceStore, (devices) => devices.list(device.userId)),
    ([only]) => ({ lastSeenAt: only?.lastSeenAt, lastKeptAt: only?.lastKeptAt, putAside: only?.putAside })
  )

/**
 * When a reading of the device was last quarantined because its time was in the future, as `FixStore.view` shows it.
 */
const lastFutureAt = (device: Parameters<typeof Uploads.view>[0]) =>
  Effect.map(Uploads.view(device), ({ devices }) => devices.find(({ id }) => id === device.id)?.lastFutureAt)

/** The keys of the quarantined readings that the service may accept because of the given upload. */
const waitingKeys = (...of: Parameters<typeof Uploads.waiting>) =>
  Effect.map(Uploads.waiting(...of), (all) => all.map(({ key }) => key))

const ahead = (capturedAt: Timestamp.Timestamp, key: string): Quarantined => ({
  key,
  reading: { capturedAt, lat: 52.5, lon: 4.5, accuracyM: 7, altitudeM: null, speedMps: 1 },
  reason: "future"
})

/**
 * What every `FixStore` must guarantee about readings that the service did not accept. The store counts these readings
 * for their owner. It keeps the readings whose capture time is in the future, because the service may accept them
 * later.
 */
export const puttingAside: Contract<Uploads.UploadSamplePorts> = [
  {
    name: "commit: what was put aside is counted by reason on its device, with the time of the last; the latest comes first",
    run: Effect.gen(function* () {
      const device = yield* phone
      const other = yield* phone
      const now = yield* Timestamp.now
      const later = Timestamp.plus(now, 5_000)
      Check.equal(yield* listed(device), { lastSeenAt: null, lastKeptAt: null, putAside: [] }, "before")
      yield* Uploads.commit(device, { putAside: [{ reason: "future", count: 3 }] })
      yield* Uploads.commit(device, {
        receivedAt: later,
        putAside: [
          { reason: "not_kept", count: 160_000 },
          { reason: "null_island", count: 1 }
        ]
      })
      yield* Uploads.commit(device, { putAside: [{ reason: "null_island", count: 2 }] })
      Check.equal(
        yield* listed(device),
        {
          lastSeenAt: later,
          lastKeptAt: null,
          putAside: [
            { reason: "not_kept", count: 160_000, lastAt: later },
            { reason: "null_island", count: 3, lastAt: later },
            { reason: "future", count: 3, lastAt: now }
          ]
        },
        "after"
      )
      Check.equal((yield* listed(other)).putAside, [], "of another")
    })
  },
  {
    name: "commit: a device was useful when it last brought a fix or a visit, whatever was put aside since",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const at = (seconds: number) => Timestamp.plus(now, seconds * 1_000)
      yield* Uploads.commit(device, { receivedAt: at(1), fixes: Uploads.fixes(1, now) })
      Check.equal((yield* listed(device)).lastKeptAt, at(1), "a fix")
      yield* Uploads.commit(device, { receivedAt: at(2), visits: [Uploads.visit(now, null)] })
      Check.equal((yield* listed(device)).lastKeptAt, at(2), "a visit")
      yield* Uploads.commit(device, { receivedAt: at(3), putAside: [{ reason: "future", count: 1 }] })
      yield* Uploads.commit(device, { receivedAt: at(1), fixes: Uploads.fixes(1, at(-9)) })
      const { lastKeptAt, lastSeenAt } = yield* listed(device)
      Check.equal([lastKeptAt, lastSeenAt], [at(2), at(3)], "never earlier")
    })
  },
  {
    name: "waiting: the device's readings from the future since a moment, the earliest captured first, until they are taken",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const at = (minutes: number) => Timestamp.plus(now, minutes * Timestamp.MINUTE)
      const waiting = (since = at(-1), limit = 10) => waitingKeys(device, since, { limit })
      Check.equal(yield* lastFutureAt(device), null, "never")
      yield* Uploads.commit(device, {
        receivedAt: at(-60),
        quarantined: [ahead(at(10), "old")],
        putAside: [{ reason: "future", count: 1 }]
      })
      const readings = [ahead(at(30), "third"), ahead(at(10), "first"), ahead(at(20), "second")]
      const others: ReadonlyArray<Quarantined> = [
        { ...ahead(at(10), "impossible"), reason: "out_of_range" },
        { key: "visit", reading: Uploads.visit(at(10), null), reason: "future" }
      ]
      yield* Uploads.commit(device, {
        quarantined: [...readings, ...others],
        putAside: [{ reason: "future", count: 4 }]
      })
      const tablet = yield* Samples.device(device.userId)
      yield* Uploads.commit(tablet, { quarantined: [ahead(at(15), "first"), ahead(at(16), "of another")] })
      Check.equal(yield* lastFutureAt(device), now, "the last time")
      Check.equal(yield* waiting(), ["first", "second", "third"], "keys")
      Check.equal(yield* waiting(at(-1), 2), ["first", "second"], "as many as asked for")
      Check.equal(yield* waiting(at(-61)), ["first", "old", "second", "third"], "since earlier")
      const [first] = yield* Uploads.waiting(device, at(-1), { limit: 1 })
      Check.equal(first, { key: "first", reading: readings[1]?.reading, receivedAt: now }, "field by field")
      yield* Uploads.commit(device, { receivedAt: at(31), taken: ["first", "third", "nothing"] })
      Check.equal(yield* waiting(), ["second"], "less those that were taken")
      Check.equal(yield* waitingKeys(tablet, at(-1)), ["first", "of another"], "another device keeps its own")
    })
  },
  {
    name: "waiting: a reading that was a day ahead of its arrival, and none that was further ahead",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const dayLater = Timestamp.plus(now, FutureReading.MAX_WAIT)
      yield* Uploads.commit(device, {
        quarantined: [ahead(Timestamp.plus(dayLater, 1), "more than a day"), ahead(dayLater, "a day")],
        putAside: [{ reason: "future", count: 2 }]
      })
      Check.equal(yield* waitingKeys(device, Timestamp.plus(now, -1)), ["a day"], "keys")
    })
  },
  {
    name: "waiting: a reading that was accepted keeps the time at which it arrived, so it contradicts none that still waits",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const at = (minutes: number) => Timestamp.plus(now, minutes * Timestamp.MINUTE)
      yield* Uploads.commit(device, { quarantined: [ahead(at(10), "one"), ahead(at(20), "two")] })
      const accepted = Uploads.fixes(1, at(10))
      yield* Uploads.commit(device, {
        receivedAt: at(30),
        fixes: [...accepted, ...Uploads.fixes(1, at(30))],
        taken: ["one"],
        arrivals: new Map(accepted.map((fix) => [fix, now]))
      })
      Check.equal(
        (yield* Uploads.latest(device)).map(({ receivedAt }) => receivedAt),
        [at(30), now],
        "arrivals, the newest capture first"
      )
      Check.equal(yield* waitingKeys(device, at(-1)), ["two"], "still waits")
    })
  },
  {
    name: "waiting: an accepted reading contradicts none that arrived before it, because it was from the future itself",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const at = (minutes: number, millis = 0) => Timestamp.plus(now, minutes * Timestamp.MINUTE + millis)
      const waiting = waitingKeys(device, at(-1))
      yield* Uploads.commit(device, { quarantined: [ahead(at(40), "first to arrive")] })
      yield* Uploads.commit(device, { receivedAt: at(1), quarantined: [ahead(at(20), "captured earlier")] })
      const accepted = Uploads.fixes(1, at(20))
      yield* Uploads.commit(device, {
        receivedAt: at(61),
        fixes: accepted,
        taken: ["captured earlier"],
        arrivals: new Map(accepted.map((fix) => [fix, at(1)]))
      })
      Check.equal(yield* waiting, ["first to arrive"], "the other still waits")
      const atOnce = (minutes: number, millis: number) =>
        Uploads.commit(device, { receivedAt: at(minutes), fixes: Uploads.fixes(1, at(minutes, millis)) })
      yield* atOnce(10, Fix.MAX_AHEAD + 1)
      Check.equal(yield* waiting, ["first to arrive"], "too far ahead of its arrival")
      yield* atOnce(20, Fix.MAX_AHEAD)
      Check.equal(yield* waiting, [], "not from the future: the clock was set back")
    })
  },
  {
    name: "waiting: none that its device contradicted: by a fix that came later and was captured between arrival and time of the reading",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const at = (minutes: number) => Timestamp.plus(now, minutes * Timestamp.MINUTE)
      const waiting = waitingKeys(device, at(-1))
      yield* Uploads.commit(device, { fixes: Uploads.fixes(1, at(4)) })
      yield* Uploads.commit(device, { quarantined: [ahead(at(30), "two")] })
      yield* Uploads.commit(device, {
        receivedAt: at(1),
        fixes: Uploads.fixes(1, at(3)),
        quarantined: [ahead(at(10), "one")]
      })
      yield* Uploads.commit(device, {
        receivedAt: at(6),
        fixes: [...Uploads.fixes(1, at(10)), ...Uploads.fixes(1, now)]
      })
      yield* Uploads.commit(yield* Samples.device(device.userId), { receivedAt: at(2), fixes: Uploads.fixes(1, at(5)) })
      Check.equal(
        yield* waiting,
        ["one"],
        "one is not contradicted by its own time, what came before or with it, or another device"
      )
      yield* Uploads.commit(device, { receivedAt: at(10), fixes: Uploads.fixes(1, at(9)) })
      Check.equal(yield* waiting, [], "both")
    })
  },
  {
    name: "waiting: a contradicted reading keeps each reading that arrived before it or with it in quarantine, and none that arrived later",
    run: Effect.gen(function* () {
      const device = yield* phone
      const other = yield* Samples.device(device.userId)
      const now = yield* Timestamp.now
      const at = (minutes: number) => Timestamp.plus(now, minutes * Timestamp.MINUTE)
      for (const minutes of [0, 20, 40, 60, 80]) {
        const both = [ahead(at(minutes + 10), `${minutes}`), ahead(at(minutes + 15), `${minutes}, 15 ahead`)]
        yield* Uploads.commit(device, {
          receivedAt: at(minutes),
          quarantined: minutes === 40 ? both : both.slice(0, 1)
        })
      }
      yield* Uploads.commit(other, { receivedAt: at(20), quarantined: [ahead(at(30), "other")] })
      const all = ["0", "20", "40", "40, 15 ahead", "60", "80"]
      Check.equal(yield* waitingKeys(device, at(-1)), all, "before")
      // The fix contradicts only the reading that was 15 minutes ahead.
      yield* Uploads.commit(device, { receivedAt: at(100), fixes: Uploads.fixes(1, at(52)) })
      Check.equal(yield* waitingKeys(device, at(-1)), ["60", "80"], "after")
      Check.equal(yield* waitingKeys(device, at(-1), { limit: 1 }), ["60"], "as many as asked for")
      Check.equal(yield* waitingKeys(other, at(-1)), ["other"], "of another device")
      Check.equal(yield* waitingKeys(device, at(60)), ["80"], "since later")
    })
  },
  {
    name: "waiting: the fixes of the upload contradict like stored fixes that arrived with it, also readings beyond the limit",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const at = (minutes: number, millis = 0) => Timestamp.plus(now, minutes * Timestamp.MINUTE + millis)
      for (const minutes of [0, 20, 40])
        yield* Uploads.commit(device, {
          receivedAt: at(minutes),
          quarantined: [ahead(at(minutes + 10), `${minutes}`)]
        })
      const waiting = (receivedAt: Timestamp.Timestamp, ...captured: ReadonlyArray<Timestamp.Timestamp>) =>
        waitingKeys(device, at(-1), { limit: 1, receivedAt, fixes: captured.flatMap((from) => Uploads.fixes(1, from)) })
      Check.equal(yield* waiting(at(60)), ["0"], "without fixes")
      Check.equal(yield* waiting(at(60), at(-9), at(0), at(50), at(60)), ["0"], "at its arrival or from its time on")
      Check.equal(yield* waiting(at(60), at(40, 1)), [], "just after the last arrived")
      Check.equal(yield* waiting(at(60), at(60), at(50, -1)), [], "just before the last was captured")
      Check.equal(yield* waiting(at(60), at(25)), ["40"], "only those before")
      Check.equal(yield* waiting(at(40), at(44)), ["0"], "arrived with it")
      Check.equal(yield* waiting(at(40, 1), at(44)), [], "arrived after it")
    })
  },
  {
    name: "waiting: a reading that was more than a day ahead keeps earlier ones in quarantine; one from before does not",
    run: Effect.gen(function* () {
      const device = yield* phone
      const now = yield* Timestamp.now
      const at = (minutes: number) => Timestamp.plus(now, minutes * Timestamp.MINUTE)
      const year = Timestamp.plus(now, 365 * Timestamp.DAY)
      yield* Uploads.commit(device, { receivedAt: at(-30), quarantined: [ahead(year, "a year, before")] })
      yield* Uploads.commit(device, { quarantined: [ahead(at(10), "ten minutes")] })
      yield* Uploads.commit(device, { receivedAt: at(60), fixes: Uploads.fixes(1, at(60)) })
      Check.equal(yield* waitingKeys(device, at(-61)), ["ten minutes"], "before")
      yield* Uploads.commit(device, { receivedAt: at(30), quarantined: [ahead(year, "a year, after")] })
      Check.equal(yield* waitingKeys(device, at(-61)), [], "after")
      Check.equal(yield* waitingKeys(device, at(-1)), [], "since later")
    })
  }
]
