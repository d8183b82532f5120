import { Array as Arr, Effect, Either } from "effect"
import { Carried, InvalidDeviceToken, type QuarantineReason } from "../devices/index.js"
import { WorkSignal } from "../events/index.js"
import * as Erasure from "../retention-choice/Erasure.js"
import * as History from "../retention-choice/History.js"
import type { LiveRule, RuleProgress } from "../rules/LiveRule.js"
import { type DeviceId, Entropy, EventId, fn, StoreError, Telemetry, Timestamp, type UserId } from "../shared/index.js"
import * as Fix from "./Fix.js"
import {
  FixStore,
  type QuarantineCount,
  type Quarantined,
  type SentFixes,
  type StoredUpload,
  type UploadView
} from "./FixStore.js"
import * as FutureReading from "./FutureReading.js"
import * as UploadEvaluation from "./UploadEvaluation.js"
import * as UploadFigures from "./UploadFigures.js"
import * as ViewAfter from "./ViewAfter.js"
import type * as VisitReport from "./VisitReport.js"

/**
 * The result of an upload. The three counts together are the number of entries that the phone sent, not counting
 * accepted visit reports.
 */
export interface Ingested {
  /** Fixes of this upload that were stored. */
  readonly accepted: number
  /** Fixes that were stored before, or appeared twice in this upload. */
  readonly duplicates: number
  /** Readings and visit reports that are quarantined (decision L3), or are from a time whose history is not kept. */
  readonly quarantined: number
}

/** A phone's upload, after each reading and visit report was accepted or quarantined. */
export interface JudgedUpload {
  readonly deviceId: DeviceId
  readonly receivedAt: Timestamp.Timestamp
  /** The accepted fixes, each once, in the order of `Fix.byCapture`. */
  readonly fixes: ReadonlyArray<Fix.Fix>
  /** How many readings of the upload were left out of `fixes` because they repeat one of `fixes`. */
  readonly repeated: number
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
  readonly quarantined: ReadonlyArray<Quarantined>
}

/**
 * The result of one upload of several that were stored together. `Left` when the owner removed the device meanwhile.
 */
export type IngestOutcome = Either.Either<Ingested, InvalidDeviceToken>

/**
 * How often the program tries at most to store a group of uploads. A try (a round) fails when the user's version
 * (`UploadView.version`) grows before its commit, for example by another upload. After the last round the program
 * fails, and the phones have to send the uploads again.
 */
const MAX_ROUNDS = 64

/**
 * Stores uploads of one person in one commit, and tries again each time the person's version grew before the commit.
 * Returns the outcomes in the order of the uploads, and how many rounds failed. When an upload must be the first of a
 * commit (`mayTakeReadings`), only the uploads before it are stored and have outcomes.
 *
 * The result is the same as if the uploads were stored one after another, except that `view` is read only once, for the
 * time of the latest arrival. Fails with a transient `StoreError` after `MAX_ROUNDS` rounds.
 */
export const storeUploads = fn(function* (userId: UserId, uploads: Arr.NonEmptyReadonlyArray<JudgedUpload>) {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored = yield* tryOnce(userId, uploads)
    if (stored === undefined) continue
    if (stored.events > 0) yield* (yield* WorkSignal).raise
    return { outcomes: stored.outcomes, round }
  }
  return yield* TOO_MANY
})

const TOO_MANY = StoreError.unavailable("Too many uploads of one user at once")

/** Reads the view, evaluates and commits once. Undefined when the user's version grew in between. */
const tryOnce = fn(function* (userId: UserId, uploads: Arr.NonEmptyReadonlyArray<JudgedUpload>) {
  const store = yield* FixStore
  const [first, ...others] = uploads
  const latest = others.reduce((at, { receivedAt }) => (receivedAt > at ? receivedAt : at), first.receivedAt)
  let view = yield* store.view(userId, sentOf(uploads), latest)
  let one = yield* evaluate(userId, view, first)
  const outcomes: Arr.NonEmptyArray<IngestOutcome> = [one.outcome]
  const evaluated = one.stored === undefined ? [] : [one.stored]
  for (const upload of others) {
    if (mayTakeReadings(view, upload)) break
    if (one.stored !== undefined) view = ViewAfter.of(view, one.stored.upload, one.stored.states)
    one = yield* evaluate(userId, view, upload)
    outcomes.push(one.outcome)
    if (one.stored !== undefined) evaluated.push(one.stored)
  }
  if (!Arr.isNonEmptyArray(evaluated)) return { outcomes, events: 0 }
  const isCommitted = yield* store.commit({
    userId,
    version: view.version,
    uploads: Arr.map(evaluated, ({ upload }) => upload),
    states: evaluated.slice(1).reduce((states, next) => ViewAfter.followed(states, next.states), evaluated[0].states)
  })
  if (!isCommitted) return undefined
  yield* Telemetry.measure(() => {
    for (const { carried, firings, rules } of evaluated) UploadFigures.evaluated(rules, carried, firings)
  })
  return { outcomes, events: evaluated.reduce((sum, { upload }) => sum + upload.events.length, 0) }
})

/**
 * Whether the upload may accept readings that were quarantined earlier, because their time was in the future. Such an
 * upload must be the first of its commit: earlier uploads of the same commit may contradict or accept these readings,
 * but `FixStore.waiting` sees only uploads that are stored.
 */
const mayTakeReadings = ({ devices }: UploadView, { deviceId, receivedAt }: JudgedUpload): boolean =>
  devices.some(({ id, lastFutureAt }) => id === deviceId && FutureReading.mayWait(lastFutureAt, receivedAt))

/** The fixes of the uploads by device. */
const sentOf = (uploads: ReadonlyArray<JudgedUpload>): ReadonlyArray<SentFixes> => {
  const sent = new Map<DeviceId, ReadonlyArray<Fix.Fix>>()
  for (const { deviceId, fixes } of uploads) sent.set(deviceId, [...(sent.get(deviceId) ?? []), ...fixes])
  return [...sent].map(([deviceId, fixes]) => ({ deviceId, fixes }))
}

/** What an upload changes, and the figures of its evaluation. */
interface Evaluated {
  readonly upload: StoredUpload
  readonly states: ReadonlyArray<RuleProgress>
  readonly rules: ReadonlyArray<LiveRule>
  readonly carried: ReadonlyArray<Fix.Fix>
  readonly firings: ReadonlyArray<UploadEvaluation.Firing>
}

interface EvaluatedUpload {
  readonly outcome: IngestOutcome
  /** Undefined when the upload changes nothing. */
  readonly stored: Evaluated | undefined
}

const REMOVED: EvaluatedUpload = { outcome: Either.left(new InvalidDeviceToken()), stored: undefined }

/** Evaluates an upload on `view`: the stored data, with the changes by the earlier uploads of the same commit. */
const evaluate = fn(function* (userId: UserId, view: UploadView, upload: JudgedUpload) {
  const { deviceId, receivedAt } = upload
  const device = view.devices.find(({ id }) => id === deviceId)
  // The owner removed the phone after the upload began. A dwell rule may have waited for the silence of this phone, and
  // the removal ended this wait. If the phone's readings were stored now, the wait could begin again (decision
  // rules-14).
  if (device === undefined) return REMOVED
  const { ingested, notKept, own, putAside, visits } = keptOf(view, upload)
  const outcome: IngestOutcome = Either.right(ingested)
  if (own.length + visits.length + ingested.quarantined === 0) return { outcome, stored: undefined }

  const noLongerWaiting =
    own.length > 0 && FutureReading.mayWait(device.lastFutureAt, receivedAt)
      ? FutureReading.due(yield* waitingReadings(userId, { deviceId, receivedAt, fixes: own }), own, receivedAt)
      : []
  // The person may have imported an archive after a reading was quarantined. If the archive says that the person
  // deleted the history of the reading's time, the reading is not accepted.
  const dueReadings = noLongerWaiting.filter(({ fix }) => isKept(view, fix.capturedAt))
  const fresh = dueReadings.length === 0 ? own : Fix.sortedAndDistinct([...own, ...dueReadings.map(({ fix }) => fix)])
  const { carried, leftBehind, movement } = Carried.judge(
    deviceId,
    Carried.remembered(view.devices, view.cutoff),
    fresh
  )
  const { states, firings } = UploadEvaluation.evaluate(view.rules, carried, receivedAt)
  const fired = yield* named(firings)
  const stored: Evaluated = {
    upload: {
      deviceId,
      receivedAt,
      fixes: fresh,
      leftBehind,
      movement,
      quarantined: putAside,
      putAside: counted(putAside, notKept),
      taken: noLongerWaiting.map(({ key }) => key),
      arrivals: new Map(dueReadings.map((one) => [one.fix, one.receivedAt])),
      visits,
      events: fired.map(UploadEvaluation.event)
    },
    states: UploadEvaluation.withEvents(states, fired),
    rules: view.rules,
    carried,
    firings
  }
  const evaluated: EvaluatedUpload = { outcome, stored }
  return evaluated
})

/**
 * The entries of an upload to store: without fixes that are stored already, and without history that the user does not
 * keep. Visits and quarantined entries may be stored already: the commit does not change the stored ones.
 */
interface UploadToStore {
  readonly own: ReadonlyArray<Fix.Fix>
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
  /** The quarantined readings and visit reports to store. */
  readonly putAside: ReadonlyArray<Quarantined>
  /**
   * How many readings and visit reports are only counted and not stored, because the user keeps no history of their
   * time, or because their time is, or may be, in a stretch that the user deleted.
   */
  readonly notKept: number
  readonly ingested: Ingested
}

const keptOf = (view: UploadView, upload: JudgedUpload): UploadToStore => {
  const { deviceId, fixes, quarantined, receivedAt, repeated, visits: reports } = upload
  const known = view.known.get(deviceId)
  const unknown = known === undefined ? fixes : fixes.filter((fix) => !known.has(Fix.key(fix)))
  const own = unknown.filter(({ capturedAt }) => isKept(view, capturedAt))
  const visits = reports.flatMap((report) => {
    const kept = Erasure.withoutErased(report, view.erasures)
    return kept === undefined || (kept.departure !== null && History.isPast(kept.departure, view.cutoff)) ? [] : [kept]
  })
  // A quarantined reading is stored with its position. So a reading that may come from a stretch that the user deleted
  // is not stored, not even in quarantine.
  const putAside = quarantined.filter(({ reading }) => !Erasure.mayComeFrom({ reading, receivedAt }, view.erasures))
  const notKept = unknown.length - own.length + reports.length - visits.length
  return {
    own,
    visits,
    putAside,
    notKept: notKept + quarantined.length - putAside.length,
    ingested: {
      accepted: own.length,
      duplicates: repeated + fixes.length - unknown.length,
      quarantined: quarantined.length + notKept
    }
  }
}

/**
 * The readings of the phone that were quarantined because their time was in the future, and that may be accepted now.
 */
const waitingReadings = (userId: UserId, upload: Pick<StoredUpload, "deviceId" | "receivedAt" | "fixes">) =>
  Effect.flatMap(FixStore, (store) =>
    store.waiting(userId, upload, Timestamp.plus(upload.receivedAt, -2 * FutureReading.MAX_WAIT), FutureReading.MOST)
  )

/** Whether the user keeps history of this instant, and has not deleted it. */
const isKept = ({ cutoff, erasures }: Pick<UploadView, "cutoff" | "erasures">, at: Timestamp.Timestamp): boolean =>
  !History.isPast(at, cutoff) && !Erasure.isErased(at, erasures)

/**
 * Counts quarantined entries by reason. `notKept` is the number of entries that are only counted and not stored
 * (`UploadToStore.notKept`).
 */
const counted = (quarantined: ReadonlyArray<Quarantined>, notKept: number): ReadonlyArray<QuarantineCount> => {
  const counts = new Map<QuarantineReason, number>()
  for (const { reason } of quarantined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  if (notKept > 0) counts.set("not_kept", notKept)
  return [...counts].map(([reason, count]) => ({ reason, count }))
}

/** Gives each firing the id of its event. */
export const named = (firings: ReadonlyArray<UploadEvaluation.Firing>) =>
  Effect.forEach(firings, ({ at, rule }) =>
    Effect.map(Entropy.id("evt"), (id): UploadEvaluation.RuleFiring => ({ rule, at, eventId: EventId.make(id) }))
  )
