import { Array as Arr, Effect } from "effect"
import { WorkSignal } from "../events/index.js"
import { Carried, type Device, InvalidDeviceToken, type QuarantineReason } from "../devices/index.js"
import * as Erasure from "../retention-choice/Erasure.js"
import * as History from "../retention-choice/History.js"
import {
  Entropy,
  EventId,
  fn,
  JudgedClock,
  Pacing,
  program,
  StoreError,
  Telemetry,
  Timestamp
} from "../shared/index.js"
import * as VisitReport from "./VisitReport.js"
import * as Fix from "./Fix.js"
import { FixStore, type QuarantineCount, type Quarantined, type UploadView } from "./FixStore.js"
import * as UploadEvaluation from "./UploadEvaluation.js"
import * as UploadPace from "./UploadPace.js"
import * as UploadFigures from "./UploadFigures.js"
import * as FutureReading from "./FutureReading.js"

/** The result of an upload. The three counts add up to the number of entries sent, without accepted visit reports. */
export interface Ingested {
  /** Fixes of this upload that were stored. */
  readonly accepted: number
  /** Fixes that were stored before, or appeared twice in this upload. */
  readonly duplicates: number
  /** Readings and visit reports that are quarantined (decision L3), or of whose time the user keeps no history. */
  readonly quarantined: number
}

/**
 * The most rounds of one upload. A round fails when another upload of the user is committed first. After the last round
 * the program fails, and the phone has to send the upload again.
 */
const MAX_ROUNDS = 64

/**
 * The most readings and visit reports together that an upload stores in one commit. A larger upload is divided into
 * parts.
 */
const MOST_AT_ONCE = 1_000

/**
 * Takes in one upload: stores new fixes, evaluates the user's rules over them and writes the events of firings into the
 * outbox, all in one commit. An upload of more than `MOST_AT_ONCE` entries is taken in like several uploads, the oldest
 * readings first (decision fixes-8).
 *
 * The commit is optimistic: no lock is held while the rules are evaluated. The store refuses the commit when another
 * upload of the user was committed after the view was read; then this program reads the view and evaluates again. A
 * repeated upload changes nothing.
 *
 * Fails with a transient `StoreError` after too many rounds, and while this process's clock is known to be wrong. The
 * phone then sends the upload again. `InvalidDeviceToken`: the owner removed the phone meanwhile; the parts that were
 * committed before stay stored. `arrivedAt`: when the request arrived, for a request that had to wait for its turn
 * (decision fixes-6). Left out: the present time.
 */
export const ingestFixes = program(
  "ingestFixes",
  function* (
    device: Pick<Device.Device, "userId" | "id">,
    readings: ReadonlyArray<Fix.Reading>,
    reports: ReadonlyArray<VisitReport.VisitReport>,
    arrivedAt?: Timestamp.Timestamp
  ) {
    // If this process's clock is slow, readings of the present look like readings from the future: they would be
    // quarantined and fire no rule. So an upload fails while the clock is known to be wrong.
    yield* JudgedClock.required
    const receivedAt = arrivedAt ?? (yield* Timestamp.now)
    if (readings.length + reports.length > MOST_AT_ONCE) return yield* inParts(device, readings, reports, receivedAt)
    const { ingested, round } = yield* storePart(device, judged(readings, reports, receivedAt), receivedAt)
    yield* Telemetry.measure(() => UploadFigures.ingested(ingested, round))
    return ingested
  }
)

const tooMany = StoreError.unavailable("Too many uploads of one user at once")

/**
 * Takes in a large upload in parts, so that other people's requests run between the parts (`UploadPace`). After an
 * error the phone sends the whole upload again, and fixes that are stored count as duplicates.
 */
const inParts = (
  device: Pick<Device.Device, "userId" | "id">,
  readings: ReadonlyArray<Fix.Reading>,
  reports: ReadonlyArray<VisitReport.VisitReport>,
  receivedAt: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    let ingested: Ingested = { accepted: 0, duplicates: 0, quarantined: 0 }
    let rounds = 0
    const pace = yield* UploadPace.Current
    const pause = yield* Pacing.pausing(pace)
    const readingParts = partsOf(readings, pace.partEntries)
    const reportParts = Arr.chunksOf(reports, pace.partEntries)
    for (let index = 0; index < Math.max(readingParts.length, reportParts.length); index++) {
      const sent = judged(readingParts[index] ?? [], reportParts[index] ?? [], receivedAt)
      const stored = yield* storePart(device, sent, receivedAt)
      ingested = added(ingested, stored.ingested)
      rounds = Math.max(rounds, stored.round)
      yield* pause
    }
    yield* Telemetry.measure(() => UploadFigures.ingested(ingested, rounds))
    return ingested
  })

/** Stores an upload, or a part of an upload. Tries again each time another upload of the user is committed first. */
const storePart = (device: Pick<Device.Device, "userId" | "id">, sent: JudgedUpload, receivedAt: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const stored = yield* tryOnce(device, sent, receivedAt)
      if (stored === undefined) continue
      if (stored.events > 0) yield* (yield* WorkSignal).raise
      return { ingested: stored.ingested, round }
    }
    return yield* tooMany
  })

/** The parts of a large upload, the oldest readings first. */
const partsOf = (readings: ReadonlyArray<Fix.Reading>, most: number): ReadonlyArray<ReadonlyArray<Fix.Reading>> => {
  const sorted = [...readings].sort((a, b) => a.capturedAt - b.capturedAt)
  const made: Array<ReadonlyArray<Fix.Reading>> = []
  for (let from = 0; from < sorted.length;) {
    let until = Math.min(from + most, sorted.length)
    // Readings with the same time stay in one part, because only the evaluation of a part orders them, by accuracy and
    // position. The bound `2 * most` keeps parts small even for a phone that always sends the same time.
    while (
      until < Math.min(from + 2 * most, sorted.length) &&
      sorted[until]?.capturedAt === sorted[until - 1]?.capturedAt
    )
      until++
    made.push(sorted.slice(from, until))
    from = until
  }
  return made
}

const added = (a: Ingested, b: Ingested): Ingested => ({
  accepted: a.accepted + b.accepted,
  duplicates: a.duplicates + b.duplicates,
  quarantined: a.quarantined + b.quarantined
})

/** A phone's upload, after each reading and visit report was accepted or quarantined. */
interface JudgedUpload {
  readonly fixes: ReadonlyArray<Fix.Fix>
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
  readonly quarantined: ReadonlyArray<Quarantined>
}

/** Reads the view, evaluates and commits once. Undefined when another upload of the user was committed in between. */
const tryOnce = fn(function* (
  { id: deviceId, userId }: Pick<Device.Device, "userId" | "id">,
  sent: JudgedUpload,
  receivedAt: Timestamp.Timestamp
) {
  const store = yield* FixStore
  const distinct = Fix.sortedAndDistinct(sent.fixes)
  const view = yield* store.view(userId, deviceId, distinct, receivedAt)
  // The owner removed the phone after the upload began. A dwell rule may have waited for the silence of this phone, and
  // the removal ended this wait. If the phone's readings were stored now, the wait could begin again (decision
  // rules-14).
  if (!view.devices.some(({ id }) => id === deviceId)) return yield* new InvalidDeviceToken()
  const { ingested, notKept, own, putAside, visits } = keptOf(view, distinct, sent)
  if (own.length + visits.length + ingested.quarantined === 0) return { ingested, events: 0 }

  const dueReadings =
    own.length > 0 && FutureReading.mayWait(view.lastFutureAt, receivedAt)
      ? FutureReading.due(yield* waitingReadings(userId, deviceId, receivedAt), own, receivedAt)
      : []
  const fresh = dueReadings.length === 0 ? own : Fix.sortedAndDistinct([...own, ...dueReadings.map(({ fix }) => fix)])
  const { carried, leftBehind, movement } = Carried.judge(
    deviceId,
    Carried.remembered(view.devices, view.cutoff),
    fresh
  )
  const { states, firings } = UploadEvaluation.evaluate(view.rules, carried, receivedAt)
  const fired = yield* named(firings)
  const committed = yield* store.commit({
    userId,
    deviceId,
    receivedAt,
    version: view.version,
    fixes: fresh,
    leftBehind,
    movement,
    quarantined: putAside,
    putAside: counted(putAside, notKept),
    taken: dueReadings.map(({ key }) => key),
    arrivals: new Map(dueReadings.map((one) => [one.fix, one.receivedAt])),
    visits,
    states: UploadEvaluation.withEvents(states, fired),
    events: fired.map(UploadEvaluation.event)
  })
  if (committed) yield* Telemetry.measure(() => UploadFigures.evaluated(view.rules, carried, firings))
  return committed ? { ingested, events: fired.length } : undefined
})

/**
 * The entries of an upload that are stored: without entries that are stored already, and without history that the user
 * does not keep.
 */
interface KeptUpload {
  readonly own: ReadonlyArray<Fix.Fix>
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
  /** The quarantined readings to store. */
  readonly putAside: ReadonlyArray<Quarantined>
  /**
   * How many readings and visit reports are only counted and not stored, because the user does not keep history of
   * their time.
   */
  readonly notKept: number
  readonly ingested: Ingested
}

const keptOf = (
  view: UploadView,
  distinct: ReadonlyArray<Fix.Fix>,
  { fixes, quarantined, visits: reports }: JudgedUpload
): KeptUpload => {
  const unknown = distinct.filter((fix) => !view.known.has(Fix.key(fix)))
  const own = unknown.filter(({ capturedAt }) => isKept(view, capturedAt))
  const visits = reports.flatMap((report) => {
    const kept = Erasure.withoutErased(report, view.erasures)
    return kept === undefined || (kept.departure !== null && History.isPast(kept.departure, view.cutoff)) ? [] : [kept]
  })
  // A quarantined reading is stored with its position. So a reading from a stretch that the user deleted is not stored,
  // not even in quarantine.
  const putAside = quarantined.filter(({ reading }) => !Erasure.isAbout(reading, view.erasures))
  const notKept = unknown.length - own.length + reports.length - visits.length
  return {
    own,
    visits,
    putAside,
    notKept: notKept + quarantined.length - putAside.length,
    ingested: {
      accepted: own.length,
      duplicates: fixes.length - unknown.length,
      quarantined: quarantined.length + notKept
    }
  }
}

/**
 * The readings of the phone that were quarantined because their time was in the future, and that may be accepted now.
 */
const waitingReadings = (userId: Device.Device["userId"], deviceId: Device.Device["id"], now: Timestamp.Timestamp) =>
  Effect.flatMap(FixStore, (store) =>
    store.waiting(userId, deviceId, Timestamp.plus(now, -2 * FutureReading.MAX_WAIT), FutureReading.MOST)
  )

/** Whether the user keeps history of this instant, and has not deleted it. */
const isKept = ({ cutoff, erasures }: Pick<UploadView, "cutoff" | "erasures">, at: Timestamp.Timestamp): boolean =>
  !History.isPast(at, cutoff) && !Erasure.isErased(at, erasures)

/**
 * Counts quarantined entries by reason. `notKept` is the number of entries that are not stored, because the user keeps
 * no history of their time.
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

const judged = (
  readings: ReadonlyArray<Fix.Reading>,
  reports: ReadonlyArray<VisitReport.VisitReport>,
  receivedAt: Timestamp.Timestamp
): JudgedUpload => {
  const fixes: Array<Fix.Fix> = []
  const visits: Array<VisitReport.VisitReport> = []
  const quarantined: Array<Quarantined> = []
  for (const reading of readings) {
    const outcome = Fix.judge(reading, receivedAt)
    if (outcome._tag === "Fix") fixes.push(outcome.fix)
    else quarantined.push({ key: Fix.readingKey(reading), reading, reason: outcome.reason })
  }
  for (const report of reports) {
    const outcome = VisitReport.judge(report, receivedAt)
    if (outcome._tag === "Visit") visits.push(outcome.visit)
    else quarantined.push({ key: VisitReport.key(report), reading: report, reason: outcome.reason })
  }
  return { fixes, visits, quarantined }
}
