import { Context, Effect } from "effect"
import { WorkSignal } from "../deliveries/WorkSignal.js"
import * as Carried from "../devices/Carried.js"
import type { Device } from "../devices/Device.js"
import type { OutboxEvent } from "../events/Event.js"
import * as History from "../history/History.js"
import * as Entropy from "../shared/Entropy.js"
import { EventId } from "../shared/Ids.js"
import * as JudgedClock from "../shared/JudgedClock.js"
import { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as VisitReport from "../visits/VisitReport.js"
import * as Fix from "./Fix.js"
import { FixStore, type PutAside, type Quarantined } from "./FixStore.js"
import * as UploadEvaluation from "./UploadEvaluation.js"
import * as UploadFigures from "./UploadFigures.js"
import * as FutureReading from "./FutureReading.js"

/** What became of an upload. The three add up to what was sent, visits that could be kept left out. */
export interface Ingested {
  /** Fixes of this upload that were stored. */
  readonly accepted: number
  /** Fixes that were known, or stood in the upload more than once. */
  readonly duplicates: number
  /** Readings and visit reports put aside: not evaluated (decision L3). */
  readonly quarantined: number
}

/** Every round lets one of the user's racing uploads through; more than these at once are told to come again. */
const MAX_ROUNDS = 64

/**
 * Takes in one upload: stores what is new, evaluates the user's rules over it and puts what fired into the outbox, all in one
 * commit. A repeated upload changes nothing. Fails with a transient `StoreError` when it lost too many races, and while
 * this process's clock is known to be wrong: the phone sends again.
 */
export const ingestFixes = (
  device: Pick<Device, "userId" | "id">,
  readings: ReadonlyArray<Fix.Reading>,
  reports: ReadonlyArray<VisitReport.VisitReport>
): Effect.Effect<Ingested, StoreError, FixStore | WorkSignal | Entropy.Entropy> =>
  Telemetry.program("ingestFixes", (ports: Context.Context<FixStore | WorkSignal | Entropy.Entropy>) =>
    Effect.gen(function* () {
      // By a clock that is behind, a reading of this moment is one from the future: it would wait, and fire nothing later.
      yield* JudgedClock.required
      const receivedAt = yield* Timestamp.now
      const sent = judged(readings, reports, receivedAt)
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const stored = yield* tryOnce(ports, device, sent, receivedAt)
        if (stored === undefined) continue
        if (stored.events > 0) yield* Context.get(ports, WorkSignal).raise
        yield* Telemetry.measure(() => UploadFigures.ingested(stored.ingested, round))
        return stored.ingested
      }
      return yield* StoreError.unavailable("Too many uploads of one user at once")
    })
  )

/** What a phone sent, as it was judged. */
interface Sent {
  readonly fixes: ReadonlyArray<Fix.Fix>
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
  readonly quarantined: ReadonlyArray<Quarantined>
}

/** Reads, evaluates, commits. Undefined when another upload came between. */
const tryOnce = (
  ports: Context.Context<FixStore | Entropy.Entropy>,
  { id: deviceId, userId }: Pick<Device, "userId" | "id">,
  { fixes: sent, quarantined, visits: reports }: Sent,
  receivedAt: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    const store = Context.get(ports, FixStore)
    const asked = Fix.sortedAndDistinct(sent)
    const view = yield* store.view(userId, deviceId, asked, receivedAt)
    const unknown = asked.filter((fix) => !view.known.has(Fix.key(fix)))
    const own = unknown.filter(({ capturedAt }) => !History.isPast(capturedAt, view.cutoff))
    const visits = reports.filter(({ departure }) => departure === null || !History.isPast(departure, view.cutoff))
    const notKept = unknown.length - own.length + reports.length - visits.length
    const ingested: Ingested = {
      accepted: own.length,
      duplicates: sent.length - unknown.length,
      quarantined: quarantined.length + notKept
    }
    if (own.length + visits.length + ingested.quarantined === 0) return { ingested, events: 0 }

    const taken =
      own.length > 0 && FutureReading.mayWait(view.lastFutureAt, receivedAt)
        ? FutureReading.due(
            yield* store.waiting(
              userId,
              deviceId,
              Timestamp.plus(receivedAt, -2 * FutureReading.MAX_WAIT),
              FutureReading.MOST
            ),
            own,
            receivedAt
          )
        : []
    const fresh = taken.length === 0 ? own : Fix.sortedAndDistinct([...own, ...taken.map(({ fix }) => fix)])
    const { carried, leftBehind, movement } = Carried.judge(
      deviceId,
      Carried.remembered(view.devices, view.cutoff),
      fresh
    )
    const { states, firings } = UploadEvaluation.evaluate(view.rules, carried, receivedAt)
    const entropy = Context.get(ports, Entropy.Entropy)
    const fired: Array<UploadEvaluation.Fired> = []
    for (const { at, rule } of firings) {
      fired.push({ rule, at, eventId: EventId.make(yield* Entropy.idFrom(entropy, "evt")) })
    }
    const committed = yield* store.commit({
      userId,
      deviceId,
      receivedAt,
      version: view.version,
      fixes: fresh,
      leftBehind,
      movement,
      quarantined,
      putAside: counted(quarantined, notKept),
      taken: taken.map(({ key }) => key),
      visits,
      states: UploadEvaluation.withEvents(states, fired),
      events: fired.map(event)
    })
    if (committed) yield* Telemetry.measure(() => UploadFigures.evaluated(view.rules, carried, firings))
    return committed ? { ingested, events: fired.length } : undefined
  })

/** By reason. What the user does not keep is counted and stored nowhere. */
const counted = (quarantined: ReadonlyArray<Quarantined>, notKept: number): ReadonlyArray<PutAside> => {
  const counts = new Map<Fix.QuarantineReason, number>()
  for (const { reason } of quarantined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  if (notKept > 0) counts.set("not_kept", notKept)
  return [...counts].map(([reason, count]) => ({ reason, count }))
}

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
): Sent => {
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
