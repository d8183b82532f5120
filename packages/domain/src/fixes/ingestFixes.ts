import { Context, Effect } from "effect"
import { WorkSignal } from "../deliveries/WorkSignal.js"
import type { Device } from "../devices/Device.js"
import type { OutboxEvent } from "../events/Event.js"
import * as Entropy from "../shared/Entropy.js"
import { EventId } from "../shared/Ids.js"
import { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as VisitReport from "../visits/VisitReport.js"
import * as Fix from "./Fix.js"
import { FixStore, type Quarantined } from "./FixStore.js"
import * as UploadEvaluation from "./UploadEvaluation.js"
import * as UploadFigures from "./UploadFigures.js"

/** What became of an upload. The three add up to what was sent, visits that could be kept left out. */
export interface Ingested {
  /** Fixes stored by this upload. */
  readonly accepted: number
  /** Fixes that were known, or stood in the upload more than once. */
  readonly duplicates: number
  /** Readings and visit reports put aside: stored, never evaluated (decision L3). */
  readonly quarantined: number
}

/** Every round lets one of the user's racing uploads through; more than these at once are told to come again. */
const MAX_ROUNDS = 64

/**
 * Takes in one upload: stores what is new, evaluates the user's rules over it and puts what fired into the outbox, all in one
 * commit. A repeated upload changes nothing. Fails with a transient `StoreError` when it lost too many races: the phone
 * sends again.
 */
export const ingestFixes = (
  device: Pick<Device, "userId" | "id">,
  readings: ReadonlyArray<Fix.Reading>,
  reports: ReadonlyArray<VisitReport.VisitReport>
): Effect.Effect<Ingested, StoreError, FixStore | WorkSignal | Entropy.Entropy> =>
  Telemetry.program("ingestFixes", (ports: Context.Context<FixStore | WorkSignal | Entropy.Entropy>) =>
    Effect.gen(function* () {
      const receivedAt = yield* Timestamp.now
      const { possible, visits, quarantined } = judged(readings, reports, receivedAt)
      const fixes = Fix.sortedAndDistinct(possible)

      for (let round = 0; round < MAX_ROUNDS; round++) {
        const stored = yield* tryOnce(ports, device, { fixes, visits, quarantined, receivedAt })
        if (stored === undefined) continue
        if (stored.events > 0) yield* Context.get(ports, WorkSignal).raise
        const ingested: Ingested = {
          accepted: stored.fixes,
          duplicates: possible.length - stored.fixes,
          quarantined: quarantined.length
        }
        yield* Telemetry.measure(() => UploadFigures.ingested(ingested, round))
        return ingested
      }
      return yield* StoreError.unavailable("Too many uploads of one user at once")
    })
  )

/** What a phone sent, as it was judged. */
interface Sent {
  readonly fixes: ReadonlyArray<Fix.Fix>
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
  readonly quarantined: ReadonlyArray<Quarantined>
  readonly receivedAt: Timestamp.Timestamp
}

/** Reads, evaluates, commits. Undefined when another upload came between. */
const tryOnce = (
  ports: Context.Context<FixStore | Entropy.Entropy>,
  device: Pick<Device, "userId" | "id">,
  { fixes, quarantined, receivedAt, visits }: Sent
) =>
  Effect.gen(function* () {
    const store = Context.get(ports, FixStore)
    const view = yield* store.view(device.userId, device.id, fixes, receivedAt)
    const fresh = fixes.filter((fix) => !view.known.has(Fix.key(fix)))
    if (fresh.length + visits.length + quarantined.length === 0) return { fixes: 0, events: 0 }

    const { states, firings } = UploadEvaluation.evaluate(view.rules, fresh, receivedAt)
    const entropy = Context.get(ports, Entropy.Entropy)
    const fired: Array<UploadEvaluation.Fired> = []
    for (const { at, rule } of firings) {
      fired.push({ rule, at, eventId: EventId.make(yield* Entropy.idFrom(entropy, "evt")) })
    }
    const committed = yield* store.commit({
      userId: device.userId,
      deviceId: device.id,
      receivedAt,
      version: view.version,
      fixes: fresh,
      quarantined,
      visits,
      states: UploadEvaluation.withEvents(states, fired),
      events: fired.map(event)
    })
    if (committed) yield* Telemetry.measure(() => UploadFigures.evaluated(view.rules, fresh, firings))
    return committed ? { fixes: fresh.length, events: fired.length } : undefined
  })

const event = (fired: UploadEvaluation.Fired): OutboxEvent => ({
  userId: fired.rule.userId,
  id: fired.eventId,
  connectionId: fired.rule.connectionId,
  appId: fired.rule.appId,
  payload: UploadEvaluation.payload(fired),
  occurredAt: fired.at,
  webhookUrl: fired.rule.webhookUrl,
  maxEventAgeS: fired.rule.maxEventAgeS
})

const judged = (
  readings: ReadonlyArray<Fix.Reading>,
  reports: ReadonlyArray<VisitReport.VisitReport>,
  receivedAt: Timestamp.Timestamp
) => {
  const possible: Array<Fix.Fix> = []
  const visits: Array<VisitReport.VisitReport> = []
  const quarantined: Array<Quarantined> = []
  for (const reading of readings) {
    const outcome = Fix.judge(reading, receivedAt)
    if (outcome._tag === "Fix") possible.push(outcome.fix)
    else quarantined.push({ key: Fix.readingKey(reading), reading, reason: outcome.reason })
  }
  for (const report of reports) {
    const outcome = VisitReport.judge(report, receivedAt)
    if (outcome._tag === "Visit") visits.push(outcome.visit)
    else quarantined.push({ key: VisitReport.key(report), reading: report, reason: outcome.reason })
  }
  return { possible, visits, quarantined }
}
