import { Effect, Option } from "effect"
import * as Import from "../../../src/imports/Import.js"
import { ImportStore } from "../../../src/imports/ImportStore.js"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import * as StayProgress from "../../../src/visits/StayProgress.js"
import { StayStore } from "../../../src/visits/StayStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "../rules/ruleSamples.js"
import { sweep } from "../sweeps/historySamples.js"
import {
  BYTES,
  advance,
  begin,
  claim,
  claimed,
  done,
  forget,
  found,
  step,
  undone,
  waiting,
  type ImportSamplePorts
} from "./importSamples.js"
import * as Uploads from "./uploadSamples.js"

/**
 * What every `ImportStore` must guarantee about undoing an import, the counts of entries by month, tables whose columns
 * the owner has not confirmed yet, the limit on files that wait, and incomplete uploads.
 */
export const undoneImports: Contract<ImportSamplePorts | HistoryStore | StayStore> = [
  {
    name: "undo: the fixes and visits of the import go with it; those of phones and of other people stay [imports-13]",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const now = yield* Timestamp.now
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const fixes = Uploads.fixes(6, Timestamp.plus(now, -Timestamp.DAY * 9))
      const visits = [Uploads.visit(Timestamp.make(now - 9e8), Timestamp.make(now - 8e8))]
      yield* Uploads.commit(phone, { fixes: fixes.slice(0, 2) })
      const other = yield* done((yield* Fixtures.user).id, now, { fixes, visits })
      const made = yield* done(phone.userId, now, { fixes, visits })
      Check.equal((yield* Uploads.latest({ userId: phone.userId }, 50)).length, 6, "before")
      const { version } = yield* Uploads.view(phone)
      yield* undone(made, now)
      Check.isTrue((yield* Uploads.view(phone)).version > version, "the version has grown")
      const kept = yield* Uploads.latest({ userId: phone.userId }, 50)
      Check.equal(
        kept.map(({ deviceId }) => deviceId),
        [phone.id, phone.id],
        "what the phone sent"
      )
      Check.isTrue(Option.isNone(yield* store.find(made)), "the import is gone")
      Check.equal((yield* Uploads.latest({ userId: other.userId }, 50)).length, 6, "of another person")
      const second = yield* done(phone.userId, now, { fixes, visits })
      Check.equal((yield* found(second)).counts.stored, 5, "the same file adds what went, its visit too")
      yield* forget(other, second)
    })
  },
  {
    name: "undo: what another import brought too stays with that import, until it is undone as well [imports-13]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const user = yield* Fixtures.user
      const fixes = Uploads.fixes(6, Timestamp.plus(now, -Timestamp.DAY * 9))
      const visits = [Uploads.visit(Timestamp.make(now - 9e8), Timestamp.make(now - 8e8))]
      const first = yield* done(user.id, now, { fixes, visits })
      const second = yield* done(user.id, now, { fixes: fixes.slice(2), visits })
      const third = yield* done(user.id, now, { fixes: fixes.slice(4) })
      Check.equal((yield* found(second)).counts.stored, 0, "all of it was known")
      const left = Effect.map(Uploads.latest({ userId: user.id }, 50), (all) => all.map(({ deviceId }) => deviceId))
      yield* undone(first, now)
      Check.equal(
        yield* left,
        Array.from({ length: 4 }, () => second.deviceId),
        "the second has them"
      )
      const visitsAgain = yield* done(user.id, now, { visits })
      Check.equal((yield* found(visitsAgain)).counts.duplicates, 1, "the visit is still known")
      yield* undone(second, now)
      Check.equal(yield* left, [third.deviceId, third.deviceId], "then the third")
      yield* undone(third, now)
      Check.equal(yield* left, [], "then nobody")
      yield* forget(visitsAgain)
    })
  },
  {
    name: "undo: of two imports that are undone at the same time, neither inherits what both brought [imports-13]",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const history = yield* HistoryStore
      const now = yield* Timestamp.now
      const user = yield* Fixtures.user
      const fixes = Uploads.fixes(6, Timestamp.plus(now, -Timestamp.DAY * 9))
      const visits = [Uploads.visit(Timestamp.make(now - 9e8), Timestamp.make(now - 8e8))]
      const first = yield* done(user.id, now, { fixes: fixes.slice(0, 4), visits })
      const second = yield* done(user.id, now, { fixes, visits })
      Check.isTrue(Option.isSome(yield* store.beginUndo(first)), "the first begins")
      Check.isTrue(Option.isSome(yield* store.beginUndo(second)), "the second begins")
      // The second import deletes only the fixes that the first import does not have. `undo` returns the time from
      // which its next step continues.
      const { lease } = yield* claimed(second, "undo_second", now)
      const until = yield* store.undo({ ...second, lease }, null)
      Check.equal(until, fixes[5]?.capturedAt, "the second goes on after its newest fix")
      const { lease: ofFirst } = yield* claimed(first, "undo_first", now)
      const after = yield* store.undo({ ...first, lease: ofFirst }, null)
      Check.equal(after, fixes[3]?.capturedAt, "the first goes on after its newest fix")
      Check.equal(yield* Uploads.latest({ userId: user.id }, 50), [], "no fix is left")
      for (const [of, own, last] of [
        [first, ofFirst, fixes[3]?.capturedAt],
        [second, lease, fixes[5]?.capturedAt]
      ] as const) {
        Check.equal(yield* store.undo({ ...of, lease: own }, last ?? null), "gone", "the import is gone")
      }
      const { fixes: readings, visits: stayed } = yield* history.survey(user.id, { after: null, until: null })
      Check.equal([readings, stayed], [0, 0], "nothing is left")
    })
  },
  {
    name: "undo: an import that was removed inherits nothing, because nobody could undo it any more [imports-13]",
    run: Effect.gen(function* () {
      const history = yield* HistoryStore
      const now = yield* Timestamp.now
      const user = yield* Fixtures.user
      const fixes = Uploads.fixes(6, Timestamp.plus(now, -Timestamp.DAY * 9))
      const visits = [Uploads.visit(Timestamp.make(now - 9e8), Timestamp.make(now - 8e8))]
      const first = yield* done(user.id, now, { fixes, visits })
      const removed = yield* done(user.id, now, { fixes, visits })
      const third = yield* done(user.id, now, { fixes: fixes.slice(4), visits })
      yield* forget(removed)
      yield* undone(first, now)
      const left = yield* Uploads.latest({ userId: user.id }, 50)
      Check.equal(
        left.map(({ deviceId }) => deviceId),
        [third.deviceId, third.deviceId],
        "the third has what it brought too"
      )
      yield* undone(third, now)
      const { fixes: readings, visits: stayed } = yield* history.survey(user.id, { after: null, until: null })
      Check.equal([readings, stayed], [0, 0], "nothing is left")
    })
  },
  {
    name: "undo: the stays of a removed import become due, because they were also derived from what goes [imports-13, visits-7]",
    run: Effect.gen(function* () {
      const stays = yield* StayStore
      const now = yield* Timestamp.now
      const { id: userId } = yield* Fixtures.user
      const fixes = Uploads.fixes(6, Timestamp.plus(now, -Timestamp.DAY * 9))
      const from = fixes[0]?.capturedAt ?? Check.fail("six fixes")
      const first = yield* done(userId, now, { fixes: fixes.slice(0, 4) })
      const removed = yield* done(userId, now, { fixes })
      yield* forget(removed)
      const view = stays.view(userId, removed.deviceId)
      const derived = { from, to: null, placeIds: [], stays: [], progress: StayProgress.DONE, isAnew: false }
      yield* stays.commit({ userId, deviceId: removed.deviceId, view: yield* view, ...derived })
      Check.equal((yield* view).progress.dueFrom, null, "before")
      yield* undone(first, now)
      Check.equal((yield* view).progress.dueFrom, from, "after")
    })
  },
  {
    name: "undo: a visit that another import brought too stays with that import also after it was cut off [imports-13, retention-choice-4]",
    run: Effect.gen(function* () {
      const history = yield* HistoryStore
      const now = yield* Timestamp.now
      const user = yield* Fixtures.user
      const t = (minutes: number) => Timestamp.plus(now, (minutes - 60) * Timestamp.MINUTE)
      const visits = [Uploads.visit(t(0), t(40))]
      const first = yield* done(user.id, now, { visits })
      const second = yield* done(user.id, now, { visits })
      yield* history.erase(user.id, { from: t(10), until: t(20) }, now)
      const left = Effect.map(history.survey(user.id, { after: null, until: null }), (survey) => survey.visits)
      yield* undone(first, now)
      Check.equal(yield* left, 1, "the second has it")
      yield* undone(second, now)
      Check.equal(yield* left, 0, "then nobody")
    })
  },
  {
    name: "undo: an import inherits no row that went because it was too old and that a later file brought again [imports-13]",
    run: Effect.gen(function* () {
      const history = yield* HistoryStore
      const now = yield* Timestamp.now
      const user = yield* Fixtures.user
      const fixes = Uploads.fixes(6, Timestamp.plus(now, -Timestamp.DAY * 40))
      const visits = [Uploads.visit(Timestamp.plus(now, -Timestamp.DAY * 41), Timestamp.plus(now, -Timestamp.DAY * 40))]
      const [first, second] = [
        yield* done(user.id, now, { fixes, visits }),
        yield* done(user.id, now, { fixes, visits })
      ]
      yield* history.choose(user.id, 30, now)
      yield* sweep({ userId: user.id }, { now, accessLogUntil: Timestamp.plus(now, -Timestamp.DAY * 400) })
      yield* history.choose(user.id, null, now)
      const third = yield* done(user.id, now, { fixes, visits })
      Check.equal((yield* found(third)).counts.stored, 7, "all of it is new again")
      yield* undone(third, now)
      const { fixes: readings, visits: stayed } = yield* history.survey(user.id, { after: null, until: null })
      Check.equal([readings, stayed], [0, 0], "nothing is left")
      yield* forget(first, second)
    })
  },
  {
    name: "beginUndo: the first worker that undoes is at its first attempt, however often the file was tried [imports-13]",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const now = yield* Timestamp.now
      const made = yield* waiting()
      yield* claimed(made, "read_1", now)
      const later = Timestamp.plus(now, Timestamp.HOUR)
      yield* claimed(made, "read_2", later)
      yield* store.beginUndo(made)
      Check.equal((yield* claimed(made, "undo_1", later)).claimed.attempt, 1, "the first attempt")
    })
  },
  {
    name: "undo: no stays of the import are due afterwards, also when a new place had made them due [imports-13]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const user = yield* Fixtures.user
      const made = yield* done(user.id, now, { fixes: Uploads.fixes(3, Timestamp.plus(now, -Timestamp.DAY)) })
      yield* Samples.place(user.id)
      const due = Effect.flatMap(StayStore, (stays) => stays.due(user.id))
      Check.equal(yield* due, [made.deviceId], "before")
      yield* undone(made, now)
      Check.equal(yield* due, [], "after")
    })
  },
  {
    name: "StayStore.due: phones come before imported files, because their newest readings matter most [visits-7]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const phone = yield* Samples.device((yield* Fixtures.user).id)
      const files = [yield* done(phone.userId, now, {}), yield* done(phone.userId, now, {})]
      yield* Samples.place(phone.userId)
      yield* Samples.device(phone.userId)
      const due = yield* (yield* StayStore).due(phone.userId)
      Check.equal(due, [phone.id, ...files.map(({ deviceId }) => deviceId).sort()], "due")
      yield* forget(...files)
    })
  },
  {
    name: "undo: an attempt to read loses its lease, a second worker undoes nothing, and the file is gone at once",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const now = yield* Timestamp.now
      const made = yield* waiting()
      const { lease } = yield* claimed(made, "reading", now)
      Check.isTrue(Option.isSome(yield* store.beginUndo(made)), "begun")
      Check.equal((yield* found(made)).state, "undoing", "its state")
      Check.isTrue(!(yield* advance(step(made, lease, now))), "the reading is over")
      Check.isTrue(!(yield* store.remove(made)), "not removed while half of it is left")
      Check.isTrue(Option.isNone(yield* store.piece(made, 0)), "its file")
      Check.equal(yield* store.undo({ ...made, lease }, null), "lost", "by the reader")
      const undoing = yield* claimed(made, "undoing", now)
      Check.isTrue(yield* store.renew({ ...made, lease: undoing.lease }, Timestamp.plus(now, 5)), "renewed")
      Check.isTrue(Option.isNone(yield* claim(made, "rival", Timestamp.plus(now, 4))), "one at a time")
      Check.equal(yield* store.undo({ ...made, lease: undoing.lease }, null), "gone", "of nothing")
      Check.isTrue(Option.isNone(yield* store.beginUndo(made)), "no second time")
    })
  },
  {
    name: "finish: the months have what was read and what was stored of them [imports-12]",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const now = yield* Timestamp.now
      const made = yield* waiting()
      const { lease } = yield* claimed(made, "months", now)
      const at = Timestamp.parseIso("2025-12-31T23:59:00Z") ?? now
      const fixes = Uploads.fixes(3, at)
      yield* advance(step(made, lease, now, { fixes: [...fixes, ...fixes] }))
      const none = { tooRecent: 0, tooOld: 0, quarantined: 0 }
      const months = [
        { month: null, read: 1, stored: 0, ...none, quarantined: 1 },
        { month: "2025-12", read: 4, stored: 0, ...none },
        { month: "2026-01", read: 2, stored: 0, ...none }
      ]
      yield* store.finish({ ...made, lease }, null, now, months)
      const shown = (yield* found(made)).months
      Check.equal(
        shown.map(({ month, read }) => [month, read]),
        months.map(({ month, read }) => [month, read]),
        "read"
      )
      Check.equal(
        shown.reduce((sum, { stored }) => sum + stored, 0),
        3,
        "stored"
      )
      Check.equal(shown[0]?.quarantined, 1, "put aside")
      yield* forget(made)
    })
  },
  {
    name: "a table whose owner is asked waits for them, no worker gets it, and it is removed when nobody answers for seven days [imports-10]",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const now = yield* Timestamp.now
      const columns = { time: "Zeit", lat: "Breite", lon: "Länge" }
      const begun = yield* begin((yield* Fixtures.user).id)
      yield* store.complete(begun, 0, now, { columns: { lat: "Breite" }, isAsking: true })
      Check.equal((yield* found(begun)).state, "asking", "asking")
      Check.equal((yield* found(begun)).columns, { lat: "Breite" }, "as guessed")
      Check.isTrue(Option.isNone(yield* claim(begun, "early", now)), "no worker gets it")
      const end = Timestamp.plus(now, Import.ASKING_PATIENCE)
      Check.isTrue(Option.isNone(yield* store.confirm(begun, columns, end)), "too late")
      const made = yield* store.confirm(begun, columns, Timestamp.plus(end, -1))
      Check.equal(Option.getOrNull(made)?.state, "waiting", "waiting")
      Check.isTrue(Option.isNone(yield* store.confirm(begun, columns, now)), "once")
      Check.equal((yield* claimed(begun, "later", now)).claimed.import.columns, columns, "the worker's columns")
      const old = yield* begin((yield* Fixtures.user).id)
      yield* store.complete(old, 0, now, { columns: {}, isAsking: true })
      yield* store.dropBrokenOff(Timestamp.plus(end, -1))
      Check.isTrue(Option.isSome(yield* store.find(old)), "not yet")
      yield* store.dropBrokenOff(end)
      Check.isTrue(Option.isNone(yield* store.find(old)), "removed")
      yield* forget(begun)
    })
  },
  {
    name: "begin: no more than fits: the files that wait, and the largest file for each upload in progress [imports-5]",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const user = yield* Fixtures.user
      const now = yield* Timestamp.now
      const first = yield* begin(user.id)
      yield* store.complete(first, 2 * Import.MAX_BYTES, now)
      const second = yield* begin(user.id)
      Check.isTrue(second.isBegun, "up to the bound")
      Check.isTrue(!(yield* begin(user.id)).isBegun, "beyond the bound")
      yield* store.complete(second, 0, now)
      const third = yield* begin(user.id)
      Check.isTrue(third.isBegun, "an empty one counts nothing")
      yield* forget(first, second, third)
    })
  },
  {
    name: "beginUndo: not of an upload in progress, which then completes with all its pieces [imports-13]",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const begun = yield* begin((yield* Fixtures.user).id)
      const now = yield* Timestamp.now
      yield* store.append(begun, 0, BYTES, now)
      Check.isTrue(Option.isNone(yield* store.beginUndo(begun)), "nothing to undo yet")
      yield* store.complete(begun, BYTES.length, now)
      const piece = Option.getOrElse(yield* store.piece(begun, 0), () => Check.fail("the piece is gone"))
      Check.equal(Array.from(piece), Array.from(BYTES), "the piece")
      yield* forget(begun)
    })
  },
  {
    name: "dropBrokenOff: uploads that have not grown since then, and nothing else",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const user = yield* Fixtures.user
      const now = yield* Timestamp.now
      const old = Timestamp.plus(now, -Timestamp.HOUR)
      const broken = yield* begin(user.id, { at: old })
      const growing = yield* begin(user.id, { at: old })
      const whole = yield* begin(user.id, { at: old })
      yield* store.append(broken, 0, BYTES, old)
      yield* store.append(growing, 0, BYTES, now)
      yield* store.complete(whole, 0, old)
      Check.isTrue((yield* store.dropBrokenOff(Timestamp.plus(old, Import.UPLOAD_PATIENCE + 1))) >= 1, "dropped")
      Check.isTrue(!(yield* store.append(broken, 1, BYTES, now)), "the broken one")
      Check.isTrue(yield* store.append(growing, 1, BYTES, now), "the growing one")
      Check.equal((yield* store.list(user.id, 10)).items.length, 1, "the whole one")
      yield* forget(growing, whole)
    })
  },
  {
    name: "handBack: due at once, also while it is undone, and the attempt does not count; nothing of an attempt that lost its lease",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const made = yield* waiting()
      const now = yield* Timestamp.now
      const first = { ...made, lease: (yield* claimed(made, "first", now)).lease }
      yield* store.handBack({ ...first, lease: "another" })
      Check.isTrue(Option.isNone(yield* claim(made, "rival", now)), "another's lease hands nothing back")
      yield* store.handBack(first)
      yield* store.handBack(first)
      Check.isTrue(!(yield* store.renew(first, now)), "its lease is lost")
      Check.equal((yield* claimed(made, "second", now)).claimed.attempt, 1, "the attempt did not count")
      const later = Timestamp.plus(now, Import.RETRY_AFTER)
      Check.equal((yield* claimed(made, "third", later)).claimed.attempt, 2, "an attempt without an end counts")
      yield* store.beginUndo(made)
      const undoing = { ...made, lease: (yield* claimed(made, "undoing", later)).lease }
      yield* store.handBack(undoing)
      Check.equal((yield* claimed(made, "undone", later)).claimed.attempt, 1, "nor an attempt to undo it")
      yield* store.undo({ ...made, lease: "undone" }, null)
    })
  }
]
