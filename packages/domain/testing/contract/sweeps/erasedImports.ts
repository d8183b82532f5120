import { Effect } from "effect"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import type { ImportStore } from "../../../src/imports/ImportStore.js"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import type { PlaceId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { VisitStore } from "../../../src/visits/VisitStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Imports from "../fixes/importSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import { file, ground } from "../visits/ground.js"
import * as Visits from "../visits/visitSamples.js"
import { sweep } from "./historySamples.js"

type Ports = HistoryStore | ImportStore | Visits.VisitSamplePorts

const erase = (userId: UserId, from: Timestamp.Timestamp, until: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    yield* (yield* HistoryStore).erase(userId, { from, until }, yield* Timestamp.now)
  })

/** The departures of the device's stays at the place. Fails unless all methods of `VisitStore` answer the same. */
const departures = ({ id: deviceId, userId }: Visits.Phone, placeId: PlaceId) =>
  Effect.gen(function* () {
    const store = yield* VisitStore
    const now = yield* Timestamp.now
    const span = { from: null, to: null }
    const places = [{ placeId, since: null }]
    const query = { userId, places, span, after: undefined, limit: 10, now, cutoff: null, unfinished: [] }
    const stays = (yield* store.stays(query)).filter((one) => one.deviceId === deviceId)
    const ever = { deviceId, placeId, from: Timestamp.make(0), to: null }
    const within = yield* store.staysWithin(userId, [ever])
    Check.equal(within.toReversed(), stays, "staysWithin")
    const all = within.map(({ departure }) => departure)
    const [end] = yield* store.ends(userId, [ever])
    Check.equal(end?.departure, all[0] ?? null, "ends")
    const [last] = all.toReversed()
    if (last === undefined || last === null) return all
    const cutoff = { ...query, cutoff: last }
    Check.isTrue(!(yield* store.stays(cutoff)).some(({ departure }) => departure === last), "its age")
    Check.equal(yield* store.staysWithin(userId, [{ ...ever, from: last }]), [], "nothing after it")
    return all
  })

/**
 * What `HistoryStore` and `VisitStore` must guarantee about the last stay of an imported file: the stay ends with the
 * file's newest entry at the latest. A stretch of history that was deleted after this time does not lengthen the stay.
 */
export const erasedImports: Contract<Ports> = [
  {
    name: "erase: a stretch after the end of an imported file does not lengthen the file's last stay [retention-choice-4, visits-6]",
    run: Effect.gen(function* () {
      const { home, phone, t, userId } = yield* ground
      const { bring, device, made } = yield* file(userId)
      yield* bring({ fixes: [...Uploads.fixes(1, t(90)), ...Uploads.fixes(1, t(70))] })
      yield* Visits.stays(device, home, [[t(90), null]])
      yield* Visits.stays(phone, home, [[t(90), null]])
      yield* erase(userId, t(50), t(40))
      Check.equal(yield* departures(device, home), [t(70)], "the end of the file")
      Check.equal(yield* departures(phone, home), [t(50)], "a phone may have been there until the stretch")
      yield* bring({ fixes: Uploads.fixes(1, t(60)) })
      Check.equal(yield* departures(device, home), [t(60)], "the file goes on")
      yield* bring({ fixes: Uploads.fixes(1, t(30)) })
      Check.equal(yield* departures(device, home), [t(50)], "through the stretch")
      yield* erase(userId, t(65), t(62))
      Check.equal(yield* departures(device, home), [t(65)], "a stretch within the file")
      yield* Imports.forget(made)
      Check.equal(yield* departures(device, home), [t(65)], "without the import")
    })
  },
  {
    name: "a stretch that was deleted before the import, or that an archive brings, does not lengthen the last stay of a file [exports-10, visits-6]",
    run: Effect.gen(function* () {
      const { home, t, userId } = yield* ground
      yield* erase(userId, t(50), t(40))
      const { bring, device, made } = yield* file(userId)
      yield* bring({ fixes: [...Uploads.fixes(1, t(90)), ...Uploads.fixes(1, t(70))] })
      // If a deleted stretch comes after the last fix of an open stay, the derivation stores the stay with an end: the
      // beginning of the first deleted stretch after this fix. It does the same for a stay of an imported file.
      yield* Visits.stays(device, home, [[t(90), t(50)]])
      Check.equal(yield* departures(device, home), [t(70)], "deleted by the owner")

      const now = yield* Timestamp.now
      const archive = yield* Imports.waiting(userId)
      const { lease } = yield* Imports.claimed(archive, `archive_${archive.id}`, now)
      const erasures = [{ from: t(30), until: t(20) }]
      const fixes = [...Uploads.fixes(1, t(120)), ...Uploads.fixes(1, t(110))]
      yield* Imports.advance(Imports.step(archive, lease, now, { erasures, fixes }))
      const old = { userId, id: archive.deviceId }
      yield* Visits.stays(old, home, [[t(120), t(30)]])
      Check.equal(yield* departures(old, home), [t(110)], "of an archive")
      yield* Imports.forget(made, archive)
    })
  },
  {
    name: "erase: the stay of a removed phone ends where the stretch begins [retention-choice-4]",
    run: Effect.gen(function* () {
      const { home, phone, t, userId } = yield* ground
      yield* Visits.stays(phone, home, [[t(90), null]])
      yield* (yield* DeviceStore).remove(userId, phone.id, t(60))
      yield* erase(userId, t(50), t(40))
      Check.equal(yield* departures(phone, home), [t(50)], "where it begins")
    })
  },
  {
    name: "removePast, survey: the last stay of a file is as old as the file's newest entry, whatever was deleted later [retention-choice-2, visits-6]",
    run: Effect.gen(function* () {
      const { DAY } = Timestamp
      const history = yield* HistoryStore
      const { id: userId } = yield* Fixtures.user
      const phone = yield* Samples.device(userId)
      const [home, gym] = [(yield* Samples.place(userId)).id, (yield* Samples.place(userId)).id]
      const now = yield* Timestamp.now
      const edge = Timestamp.plus(now, -90 * DAY)
      const after = (days: number) => Timestamp.plus(edge, days * DAY)
      const { bring, device, made } = yield* file(userId)
      yield* bring({ fixes: [...Uploads.fixes(1, after(-1)), ...Uploads.fixes(1, Timestamp.plus(edge, 1))] })
      yield* Visits.stays(device, home, [[after(-1), null]])
      yield* Visits.stays(device, gym, [[after(-1), null]])
      yield* Visits.stays(phone, home, [[after(-1), null]])
      yield* erase(userId, after(20), after(21))
      // Stores this stay once more without a departure, as the derivation does for a stay that no deleted stretch cuts
      // off. The store need not know the file's end now, because it can apply the end when it reads the stay.
      yield* Visits.stays(device, gym, [[after(-1), null]])
      const visits = (from: number, until: number | null) =>
        Effect.map(
          history.survey(userId, { after: after(from), until: until === null ? null : after(until) }),
          (extent) => extent.visits
        )
      Check.equal([yield* visits(0, 1), yield* visits(19, 20), yield* visits(21, null)], [2, 1, 0], "survey")
      yield* history.choose(userId, 90, now)
      const at = (millis: number) => {
        const moment = Timestamp.plus(now, millis)
        return { now: moment, accessLogUntil: Timestamp.plus(moment, -400 * DAY) }
      }
      Check.equal(yield* sweep(device, at(0)), 1, "the first fix: the file ended a millisecond too late to be past")
      Check.isTrue((yield* history.listOverdue(at(1), 10_000, undefined)).overdue.includes(userId), "overdue")
      Check.equal(yield* sweep(device, at(1), 1), 3, "the second fix, and both stays of the file")
      Check.equal([yield* departures(device, home), yield* departures(phone, home)], [[], [after(20)]], "what is left")
      yield* Imports.forget(made)
    })
  }
]
