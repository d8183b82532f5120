import { Array as Arr, Effect, Either } from "effect"
import type { Device } from "../devices/index.js"
import { type DeviceId, JudgedClock, Pacing, program, Telemetry, Timestamp, type UserId } from "../shared/index.js"
import * as VisitReport from "./VisitReport.js"
import * as Fix from "./Fix.js"
import type { Quarantined } from "./FixStore.js"
import { type Ingested, type JudgedUpload, storeUploads, type IngestOutcome } from "./storeUploads.js"
import * as UploadPace from "./UploadPace.js"
import * as UploadFigures from "./UploadFigures.js"

/** An upload of a phone, as it arrived. */
export interface ArrivedUpload {
  readonly deviceId: DeviceId
  readonly readings: ReadonlyArray<Fix.Reading>
  readonly reports: ReadonlyArray<VisitReport.VisitReport>
  /** When the request arrived. The request may have waited for its turn since then (decision fixes-6). */
  readonly arrivedAt: Timestamp.Timestamp
}

/**
 * The maximum number of readings and visit reports in all uploads of one commit together. A larger upload is divided
 * into parts.
 */
const MOST_AT_ONCE = 1_000

/** The maximum number of uploads that one commit stores. */
const MOST_UPLOADS = 32

/**
 * Takes in one upload: stores new fixes, evaluates the user's rules over them and writes the events of firings into the
 * outbox, all in one commit. An upload of more than `MOST_AT_ONCE` entries is taken in like several uploads, the oldest
 * readings first (decision fixes-8).
 *
 * The commit is optimistic: no lock is held while the rules are evaluated. The store refuses the commit when the user's
 * version (`UploadView.version`) grew after the view was read, for example by another upload; then this program reads
 * the view and evaluates again. A repeated upload stores no entry twice, and no rule evaluates a fix twice. A repeated
 * upload may still change counts of quarantined entries (`QuarantineEntry`), `lastSeenAt` and `lastKeptAt`, and fire
 * due rules.
 *
 * Fails with a transient `StoreError` when all rounds of `storeUploads` failed, and while this process's clock is known
 * to be wrong. The phone then sends the upload again. Fails with `InvalidDeviceToken` when the owner removed the phone
 * meanwhile; the parts that were committed before stay stored. `arrivedAt`: when the request arrived, for a request
 * that had to wait for its turn (decision fixes-6). When `arrivedAt` is left out, the present time counts.
 */
export const ingestFixes = program(
  "ingestFixes",
  function* (
    device: Pick<Device.Device, "userId" | "id">,
    readings: ReadonlyArray<Fix.Reading>,
    reports: ReadonlyArray<VisitReport.VisitReport>,
    arrivedAt?: Timestamp.Timestamp
  ) {
    const receivedAt = arrivedAt ?? (yield* Effect.zipRight(JudgedClock.required, Timestamp.now))
    const upload = { deviceId: device.id, readings, reports, arrivedAt: receivedAt }
    const [outcome] = yield* ingestTogether(device.userId, [upload])
    return yield* outcome
  }
)

/**
 * Takes in the first of these uploads of one person, in one commit, and as many of the next uploads as belong in the
 * same commit (decision fixes-10). Returns their outcomes, at least one, in the order of the uploads. The caller passes
 * the other uploads again, in another call. What is stored is the same as if `ingestFixes` had taken in the uploads one
 * after another; `storeUploads` names one exception.
 *
 * Fails as `ingestFixes` does, and then none of the uploads is stored, except parts of a large first upload. The
 * outcome of an upload is `InvalidDeviceToken` when the owner removed its phone meanwhile.
 */
export const ingestTogether = program(
  "ingestTogether",
  function* (userId: UserId, uploads: Arr.NonEmptyReadonlyArray<ArrivedUpload>) {
    // If this process's clock is slow, readings of the present look like readings from the future: they would be
    // quarantined and fire no rule. So an upload fails while the clock is known to be wrong.
    yield* JudgedClock.required
    const [first] = uploads
    if (entriesOf(first) > MOST_AT_ONCE) return Arr.of<IngestOutcome>(yield* inParts(userId, first))
    const { outcomes, round } = yield* storeUploads(userId, together(uploads))
    yield* Telemetry.measure(() => {
      for (const [index, outcome] of outcomes.entries())
        if (Either.isRight(outcome)) UploadFigures.ingested(outcome.right, index === 0 ? round : 0)
    })
    return outcomes
  }
)

const entriesOf = ({ readings, reports }: ArrivedUpload): number => readings.length + reports.length

/**
 * The first uploads that one commit stores, at least one. An upload with a quarantined reading or report is the last of
 * its commit: a later upload may accept the reading, and finds it only in the store (`FixStore.waiting`).
 */
const together = (uploads: Arr.NonEmptyReadonlyArray<ArrivedUpload>): Arr.NonEmptyReadonlyArray<JudgedUpload> => {
  const [first, ...others] = uploads
  const judged: Arr.NonEmptyArray<JudgedUpload> = [judge(first)]
  let entries = entriesOf(first)
  for (const upload of others) {
    entries += entriesOf(upload)
    const isLast = Arr.lastNonEmpty(judged).quarantined.length > 0
    if (isLast || entries > MOST_AT_ONCE || judged.length === MOST_UPLOADS) break
    judged.push(judge(upload))
  }
  return judged
}

/**
 * Takes in a large upload in parts, so that other people's requests run between the parts (`UploadPace`). After an
 * error the phone sends the whole upload again, and fixes that are stored count as duplicates.
 */
const inParts = (userId: UserId, { arrivedAt, deviceId, readings, reports }: ArrivedUpload) =>
  Effect.gen(function* () {
    let ingested: Ingested = { accepted: 0, duplicates: 0, quarantined: 0 }
    let rounds = 0
    const pace = yield* UploadPace.Current
    const pause = yield* Pacing.pausing(pace)
    const readingParts = partsOf(readings, pace.partEntries)
    const reportParts = Arr.chunksOf(reports, pace.partEntries)
    for (let index = 0; index < Math.max(readingParts.length, reportParts.length); index++) {
      const part = { deviceId, readings: readingParts[index] ?? [], reports: reportParts[index] ?? [], arrivedAt }
      const {
        outcomes: [outcome],
        round
      } = yield* storeUploads(userId, [judge(part)])
      if (Either.isLeft(outcome)) return outcome
      ingested = added(ingested, outcome.right)
      rounds = Math.max(rounds, round)
      yield* pause
    }
    yield* Telemetry.measure(() => UploadFigures.ingested(ingested, rounds))
    return Either.right(ingested)
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

/** Accepts or quarantines each reading and visit report of an upload, by the time at which the upload arrived. */
const judge = ({ arrivedAt: receivedAt, deviceId, readings, reports }: ArrivedUpload): JudgedUpload => {
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
  const distinct = Fix.sortedAndDistinct(fixes)
  return { deviceId, receivedAt, fixes: distinct, repeated: fixes.length - distinct.length, visits, quarantined }
}
