import { Effect } from "effect"
import { FixHistory } from "../../../src/fixes/FixHistory.js"
import { FixStore } from "../../../src/fixes/FixStore.js"
import type { ImportedDevice } from "../../../src/imports/ImportedDevice.js"
import { type ImportKey, ImportStore } from "../../../src/imports/ImportStore.js"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { DeviceId, type UserId } from "../../../src/shared/Ids.js"
import { StayStore } from "../../../src/visits/StayStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Connections from "../connection/connectionSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import {
  advance,
  claim,
  claimed,
  done,
  forget,
  found,
  type ImportSamplePorts,
  step,
  undone,
  waiting
} from "./importSamples.js"
import * as Uploads from "./uploadSamples.js"

/** The capture times of the fixes from which the stays of the device are derived. */
const timesOf = (userId: UserId, deviceId: DeviceId, limit = 10) =>
  Effect.gen(function* () {
    const fixes = yield* (yield* StayStore).fixes(userId, deviceId, Timestamp.make(0), limit)
    return fixes.map(({ capturedAt }) => capturedAt)
  })

/** The time from which on the device's stays are due for derivation. */
const dueFrom = (userId: UserId, deviceId: DeviceId) =>
  Effect.flatMap(StayStore, (store) => Effect.map(store.view(userId, deviceId), ({ progress }) => progress.dueFrom))

const part = Effect.gen(function* () {
  const made: ImportedDevice = { id: DeviceId.make(yield* Entropy.id("dev")), tokenHash: yield* Connections.freshHash }
  return made
})

/**
 * What every `ImportStore` must guarantee about the history in a file: from which fixes the stays of each device are
 * derived, and what happens to the deleted stretches of an archive. Some cases undo an import.
 */
export const importedHistory: Contract<ImportSamplePorts | FixHistory | HistoryStore | StayStore> = [
  {
    name: "advance: a fix of an archive keeps the mark that its device was left behind [M14, exports-7]",
    run: Effect.gen(function* () {
      const begun = yield* waiting()
      const { deviceId, userId } = begun
      const now = yield* Timestamp.now
      yield* claim(begun, "lease", now)
      const fixes = Uploads.fixes(3, Timestamp.plus(now, -Timestamp.DAY))
      const marked = fixes.map((fix, index) => (index === 1 ? { ...fix, isLeftBehind: true as const } : fix))
      Check.isTrue(yield* advance(step(begun, "lease", now, { fixes: marked })), "the step")
      const stored = yield* (yield* FixStore).latest(userId, 10)
      const marks = stored.map(({ isLeftBehind }) => isLeftBehind === true)
      Check.equal(marks, [false, true, false], "the marks")
      const from = Timestamp.make(0)
      const seen = yield* (yield* StayStore).fixes(userId, deviceId, from, 10)
      const seenMarks = seen.map(({ isLeftBehind }) => isLeftBehind === true)
      Check.equal(seenMarks, [false, true, false], "the marks, for stays")
      yield* forget(begun)
    })
  },
  {
    name: "advance: the stays of a file are derived from all its fixes, also from those that the user had [L10, imports-2]",
    run: Effect.gen(function* () {
      const stays = yield* StayStore
      const now = yield* Timestamp.now
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const { userId } = phone
      const fixes = Uploads.fixes(5, Timestamp.plus(now, -Timestamp.DAY * 9))
      const times = fixes.map(({ capturedAt }) => capturedAt)
      const [first, second, third] = times
      if (first === undefined || second === undefined || third === undefined) return Check.fail("five fixes")
      const ofPhone = fixes.filter((_, index) => index % 2 === 0)
      yield* Uploads.commit(phone, { fixes: ofPhone })
      const made = yield* done(userId, now, { fixes })
      Check.equal(yield* timesOf(userId, made.deviceId), times, "all of the file")
      Check.equal(yield* timesOf(userId, made.deviceId, 3), times.slice(0, 3), "the first three")
      Check.equal(yield* stays.heardBefore(userId, made.deviceId, third), second, "one of its own")
      Check.equal(yield* stays.heardBefore(userId, made.deviceId, second), first, "one of the phone")
      Check.equal(yield* dueFrom(userId, made.deviceId), first, "due")
      Check.equal(
        yield* timesOf(userId, phone.id),
        ofPhone.map(({ capturedAt }) => capturedAt),
        "of the phone"
      )
      yield* undone(made, now)
      Check.equal(
        yield* timesOf(userId, phone.id),
        ofPhone.map(({ capturedAt }) => capturedAt),
        "the phone's stay"
      )
    })
  },
  {
    name: "advance: a fix of one device of an archive that another device has too is counted once, and is in the stays of both [exports-7, imports-2]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const made = yield* waiting()
      const { deviceId, userId } = made
      const { lease } = yield* claimed(made, "shared", now)
      const [file, other] = [yield* part, yield* part]
      const fixes = Uploads.fixes(4, Timestamp.plus(now, -Timestamp.DAY * 9))
      const times = fixes.map(({ capturedAt }) => capturedAt)
      const [first] = fixes
      if (first === undefined) return Check.fail("four fixes")
      // The first three fixes belong to the archive's phone, which is the device of the import itself. The second fix
      // also belongs to the device `file`. The last fix belongs to `file`, and its entry names the phone as a further
      // device.
      const entries = fixes.map((fix, index) => {
        if (index === 1) return { ...fix, alsoOf: [file] }
        return index === 3 ? { ...fix, device: file, alsoOf: [undefined] } : fix
      })
      // The second step says that the first fix also belongs to the devices `other` and `file`. The device `other` has
      // no other fix.
      Check.isTrue(yield* advance(step(made, lease, now, { fixes: entries })), "the step")
      const second = [{ ...first, alsoOf: [other, file] }]
      Check.isTrue(yield* advance(step(made, lease, now, { fixes: second })), "the second step")
      yield* (yield* ImportStore).finish({ ...made, lease }, null, now)
      const { counts } = yield* found(made)
      Check.equal([counts.read, counts.stored, counts.duplicates], [5, 4, 1], "counts")
      Check.equal(yield* timesOf(userId, deviceId), times, "of the phone")
      Check.equal(yield* timesOf(userId, file.id), [times[0], times[1], times[3]], "of the file")
      Check.equal(yield* timesOf(userId, other.id), [], "of a device that brought nothing")
      Check.equal(yield* dueFrom(userId, file.id), times[0], "due")
      const from = Timestamp.make(0)
      const { items } = yield* (yield* FixHistory).range(userId, now, { from, until: now }, 10, undefined)
      Check.equal(
        items.map((fix) => [fix.deviceId, [...(fix.alsoFrom ?? [])].sort()]),
        [
          [deviceId, [other.id, file.id].sort()],
          [deviceId, [file.id]],
          [deviceId, []],
          [file.id, [deviceId]]
        ],
        "the history"
      )
      yield* undone(made, now)
      Check.equal(yield* (yield* FixStore).latest(userId, 10), [], "nothing is left")
    })
  },
  {
    name: "advance: a file that is known makes no stays due; with its first new entry, they are due from its beginning [imports-2]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const { userId } = phone
      const fixes = Uploads.fixes(6, Timestamp.plus(now, -Timestamp.DAY * 9))
      const [first] = fixes
      if (first === undefined) return Check.fail("six fixes")
      yield* Uploads.commit(phone, { fixes: fixes.slice(0, 4) })
      const made = yield* waiting(userId)
      const { lease } = yield* claimed(made, "steps", now)
      yield* advance(step(made, lease, now, { fixes: fixes.slice(0, 2) }))
      yield* advance(step(made, lease, now, { fixes: fixes.slice(2, 4) }))
      Check.equal(yield* dueFrom(userId, made.deviceId), null, "nothing new")
      yield* advance(step(made, lease, now, { fixes: fixes.slice(4) }))
      Check.equal(yield* dueFrom(userId, made.deviceId), first.capturedAt, "from the beginning")
      yield* forget(made)
    })
  },
  {
    name: "advance: a file that is known has no fixes for stays, also when the stays of all devices become due [imports-2, visits-6]",
    run: Effect.gen(function* () {
      const stays = yield* StayStore
      const now = yield* Timestamp.now
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const { userId } = phone
      const fixes = Uploads.fixes(3, Timestamp.plus(now, -Timestamp.DAY * 9))
      const times = fixes.map(({ capturedAt }) => capturedAt)
      const [first, second] = times
      if (first === undefined || second === undefined) return Check.fail("three fixes")
      yield* Uploads.commit(phone, { fixes })
      const made = yield* done(userId, now, { fixes })
      const from = Timestamp.plus(first, -Timestamp.DAY)
      const stretch = { from, until: Timestamp.plus(from, Timestamp.MINUTE) }
      yield* (yield* HistoryStore).erase(userId, stretch, now)
      Check.equal(yield* dueFrom(userId, made.deviceId), from, "due")
      Check.equal(yield* timesOf(userId, made.deviceId), [], "of the file")
      Check.equal(yield* stays.heardBefore(userId, made.deviceId, second), null, "before the second one")
      Check.equal(yield* timesOf(userId, phone.id), times, "of the phone")
      yield* undone(made, now)
    })
  },
  {
    name: "advance: each device of an archive has a device, whose stays are derived by themselves; undo removes all [L10, exports-7]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const { id: userId } = yield* Fixtures.user
      const [tablet, watch] = [yield* part, yield* part]
      const fixes = Uploads.fixes(6, Timestamp.plus(now, -Timestamp.DAY * 9))
      const times = (numbers: ReadonlyArray<number>) => numbers.map((index) => fixes[index]?.capturedAt)
      const senders = [undefined, tablet, tablet, undefined, watch, tablet]
      const sent = fixes.map((fix, index) => ({ ...fix, device: senders[index] }))
      const visits = [{ ...Uploads.visit(Timestamp.make(now - 9e8), Timestamp.make(now - 8e8)), device: watch }]
      const made = yield* waiting(userId)
      const { lease } = yield* claimed(made, "archive", now)
      yield* advance(step(made, lease, now, { fixes: sent.slice(0, 3) }))
      yield* advance(step(made, lease, now, { fixes: [...sent.slice(3), ...sent.slice(0, 1)], visits }))
      Check.equal(yield* timesOf(userId, made.deviceId), times([0, 3]), "the phone")
      Check.equal(yield* timesOf(userId, tablet.id), times([1, 2, 5]), "the tablet")
      Check.equal(yield* timesOf(userId, watch.id), times([4]), "the watch")
      const survey = Effect.flatMap(HistoryStore, (store) => store.survey(userId, { after: null, until: null }))
      Check.equal((yield* survey).visits, 1, "the visit")
      const second = yield* done(userId, now, { fixes: fixes.slice(4) })
      yield* undone(made, now)
      Check.equal(yield* timesOf(userId, second.deviceId), times([4, 5]), "the other file inherits")
      yield* undone(second, now)
      const { fixes: left, visits: shownVisits } = yield* survey
      Check.equal([left, shownVisits], [0, 0], "then nothing is left")
      Check.equal(yield* (yield* StayStore).due(userId), [], "nothing is due")
    })
  },
  {
    name: "undo: what an import has under one device passes to the devices of a later import of the file, and nothing is doubled or lost [imports-13]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const { id: userId } = yield* Fixtures.user
      const tablet = yield* part
      const fixes = Uploads.fixes(4, Timestamp.plus(now, -Timestamp.DAY * 9))
      const times = (numbers: ReadonlyArray<number>) => numbers.map((index) => fixes[index]?.capturedAt)
      const apart = fixes.map((fix, index) => (index % 2 === 0 ? fix : { ...fix, device: tablet }))
      const old = yield* done(userId, now, { fixes })
      const again = yield* done(userId, now, { fixes: apart })
      const { counts } = yield* found(again)
      Check.equal([counts.stored, counts.duplicates], [0, 4], "the second import")
      Check.equal(yield* timesOf(userId, old.deviceId), times([0, 1, 2, 3]), "the stays of the first import")
      Check.equal(yield* timesOf(userId, tablet.id), [], "no stays of the second import")
      yield* undone(old, now)
      Check.equal(yield* timesOf(userId, again.deviceId), times([0, 2]), "the phone")
      Check.equal(yield* timesOf(userId, tablet.id), times([1, 3]), "the tablet")
      Check.equal(yield* dueFrom(userId, tablet.id), fixes[1]?.capturedAt, "the tablet's stays are due")
      const { fixes: left } = yield* (yield* HistoryStore).survey(userId, { after: null, until: null })
      Check.equal(left, 4, "every fix is there once")
      yield* undone(again, now)
    })
  },
  {
    name: "advance: a deleted stretch comes back where the user has no history, and is counted [exports-10, retention-choice-4]",
    run: Effect.gen(function* () {
      const history = yield* HistoryStore
      const now = yield* Timestamp.now
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const { userId } = phone
      const t = (minutes: number) => Timestamp.plus(now, -3 * Timestamp.DAY + minutes * Timestamp.MINUTE)
      const stretch = (from: number, until: number) => ({ from: t(from), until: t(until) })
      yield* Uploads.commit(phone, { fixes: Uploads.fixes(1, t(50)), visits: [Uploads.visit(t(100), t(120))] })
      yield* history.erase(userId, stretch(0, 10), now)
      const made = yield* waiting(userId)
      const { lease } = yield* claimed(made, "stretches", now)
      const erasures = [
        stretch(2, 8),
        stretch(50, 51),
        stretch(90, 101),
        stretch(119, 130),
        stretch(9, 20),
        stretch(30, 50),
        stretch(120, 125)
      ]
      yield* advance(step(made, lease, now, { erasures }))
      const { counts } = yield* found(made)
      Check.equal([counts.read, counts.stored, counts.duplicates], [7, 3, 4], "counts")
      Check.equal(
        (yield* history.erasures(userId)).map(({ from, until }) => [from, until]),
        [
          [t(0), t(20)],
          [t(30), t(50)],
          [t(120), t(125)]
        ],
        "the stretches"
      )
      Check.equal((yield* history.survey(userId, { after: null, until: null })).fixes, 1, "nothing is deleted")
      Check.equal(yield* dueFrom(userId, phone.id), t(0), "the stays are derived again")
      yield* forget(made)
    })
  },
  {
    name: "advance: the stretches of a step come before its fixes, and leave those of the same step out [exports-10]",
    run: Effect.gen(function* () {
      const history = yield* HistoryStore
      const now = yield* Timestamp.now
      const { id: userId } = yield* Fixtures.user
      const from = Timestamp.plus(now, -9 * Timestamp.DAY)
      const fixes = Uploads.fixes(3, from)
      const [, second, third] = fixes
      if (second === undefined || third === undefined) return Check.fail("three fixes")
      const made = yield* waiting(userId)
      const { lease } = yield* claimed(made, "stretches", now)
      const erasures = [{ from: second.capturedAt, until: third.capturedAt }]
      yield* advance(step(made, lease, now, { fixes, erasures }))
      const { counts } = yield* found(made)
      Check.equal([counts.read, counts.stored, counts.tooOld, counts.duplicates], [4, 3, 1, 0], "counts")
      Check.equal(yield* timesOf(userId, made.deviceId), [fixes[0]?.capturedAt, third.capturedAt], "the fixes")
      Check.equal((yield* history.erasures(userId)).length, 1, "the stretch")
      yield* forget(made)
    })
  },
  {
    name: "undo: of two reports that a deletion made equal, the other import gets the one that it brought too [imports-13, exports-7]",
    run: Effect.gen(function* () {
      const history = yield* HistoryStore
      const now = yield* Timestamp.now
      const { id: userId } = yield* Fixtures.user
      const t = (minutes: number) => Timestamp.plus(now, (minutes - 600) * Timestamp.MINUTE)
      const [short, long] = [Uploads.visit(t(0), t(75)), Uploads.visit(t(0), t(480))]
      const parts = [yield* part, yield* part].sort((a, b) => (a.id < b.id ? -1 : 1))
      const visits = [
        { ...short, device: parts[0] },
        { ...long, device: parts[1] }
      ]
      const archive = yield* done(userId, now, { visits })
      const other = yield* done(userId, now, { visits: [long] })
      yield* history.erase(userId, { from: t(60), until: t(120) }, now)
      yield* undone(archive, now)
      Check.equal((yield* history.survey(userId, { after: null, until: null })).visits, 1, "the other one has it")
      yield* undone(other, now)
    })
  },
  {
    name: "undo: the stretches of the archive go, and those that the owner deleted stay [imports-13, exports-10, retention-choice-4]",
    run: Effect.gen(function* () {
      const history = yield* HistoryStore
      const now = yield* Timestamp.now
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const { userId } = phone
      const t = (minutes: number) => Timestamp.plus(now, -3 * Timestamp.DAY + minutes * Timestamp.MINUTE)
      const stretch = (from: number, until: number) => ({ from: t(from), until: t(until) })
      const stretches = Effect.map(history.erasures(userId), (all) => all.map(({ from, until }) => [from, until]))
      yield* history.erase(userId, stretch(10, 20), now)
      const made = yield* waiting(userId)
      const { lease } = yield* claimed(made, "stretches", now)
      yield* advance(step(made, lease, now, { erasures: [stretch(0, 30), stretch(40, 60)] }))
      yield* history.erase(userId, stretch(45, 50), now)
      const all = [
        [t(0), t(30)],
        [t(40), t(60)]
      ]
      Check.equal(yield* stretches, all, "of both")
      const repeated = yield* waiting(userId)
      const second = yield* claimed(repeated, "again", now)
      yield* advance(step(repeated, second.lease, now, { erasures: [stretch(0, 30), stretch(42, 58)] }))
      Check.equal((yield* found(repeated)).counts.duplicates, 2, "there already")
      yield* undone(made, now)
      const own = [
        [t(10), t(20)],
        [t(45), t(50)]
      ]
      Check.equal(yield* stretches, own, "the owner's")
      Check.equal(yield* dueFrom(userId, phone.id), t(0), "the stays are derived again")
      yield* forget(repeated)
    })
  },
  {
    name: "undo: ends also when a deletion has cut off two reports to equal times [imports-13, retention-choice-4]",
    run: Effect.gen(function* () {
      const history = yield* HistoryStore
      const now = yield* Timestamp.now
      const { id: userId } = yield* Fixtures.user
      const t = (minutes: number) => Timestamp.plus(now, (minutes - 600) * Timestamp.MINUTE)
      const [short, long] = [Uploads.visit(t(0), t(75)), Uploads.visit(t(0), t(480))]
      const first = yield* done(userId, now, { visits: [short] })
      const second = yield* done(userId, now, { visits: [long] })
      yield* history.erase(userId, { from: t(60), until: t(120) }, now)
      const third = yield* done(userId, now, { visits: [long] })
      const left = Effect.map(history.survey(userId, { after: null, until: null }), ({ visits }) => visits)
      const undo = (of: ImportKey) => undone(of, now)
      yield* undo(first)
      yield* undo(second)
      Check.equal(yield* left, 1, "the third has it")
      yield* undo(third)
      Check.equal(yield* left, 0, "then nobody")
    })
  }
]
