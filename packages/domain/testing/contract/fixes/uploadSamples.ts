import { type Array as Arr, Effect, Struct } from "effect"
import type { Connection } from "../../../src/connection/Connection.js"
import type { Device } from "../../../src/devices/Device.js"
import type { OutboxEvent } from "../../../src/events/Event.js"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import * as Fix from "../../../src/fixes/Fix.js"
import { FixStore, type StoredUpload, type UploadCommit } from "../../../src/fixes/FixStore.js"
import type { RuleProgress } from "../../../src/rules/LiveRule.js"
import * as RecentEvaluations from "../../../src/rules/RecentEvaluations.js"
import type { Rule } from "../../../src/rules/Rule.js"
import type { RuleOutcome, RuleMemory } from "../../../src/rules/RuleEvaluation.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { EventId, type UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { VisitReport } from "../../../src/fixes/VisitReport.js"
import * as Check from "../../Check.js"
import * as Samples from "../rules/ruleSamples.js"

/** The ports that the cases of `fixStoreRulesContract` need. */
export type UploadSamplePorts = FixStore | EventStore | Samples.RuleSamplePorts

/** Fixes that were captured a millisecond apart, the first at the time `from`. */
export const fixes = (count: number, from: Timestamp.Timestamp, overrides: Partial<Fix.Fix> = {}) =>
  Array.from({ length: count }, (_, index): Fix.Fix => ({
    capturedAt: Timestamp.plus(from, index),
    lat: 52.37,
    lon: 4.89,
    accuracyM: 12.5,
    altitudeM: -3,
    speedMps: 0,
    courseDeg: 359.9,
    ...overrides
  }))

/** The answer of `FixStore.view` for an upload of the given fixes from the device at the present time. */
export const view = (device: Pick<Device, "userId" | "id">, fixes: ReadonlyArray<Fix.Fix> = []) =>
  Effect.gen(function* () {
    return yield* (yield* FixStore).view(device.userId, [{ deviceId: device.id, fixes }], yield* Timestamp.now)
  })

const NONE: ReadonlySet<Fix.Fix> = new Set()

/** The parts of an upload and of its commit that a case names. All other parts are empty. */
export type Parts = Partial<StoredUpload & Pick<UploadCommit, "states" | "version">>

/**
 * An upload from the device with only the given `parts`. It arrives at the present time, unless `parts` says otherwise.
 */
export const upload = (device: Pick<Device, "id">, parts: Partial<StoredUpload> = {}) =>
  Effect.map(Timestamp.now, (now): StoredUpload => ({
    deviceId: device.id,
    receivedAt: now,
    fixes: [],
    leftBehind: NONE,
    movement: null,
    quarantined: [],
    putAside: [],
    taken: [],
    arrivals: new Map(),
    visits: [],
    events: [],
    ...parts
  }))

/**
 * Commits an upload. The upload has the present version of the user's uploads, unless `parts` has another version. The
 * store refuses every version except the present version.
 */
export const commit = (device: Pick<Device, "userId" | "id">, { states = [], version, ...parts }: Parts = {}) =>
  Effect.gen(function* () {
    return yield* (yield* FixStore).commit({
      userId: device.userId,
      version: version ?? (yield* view(device)).version,
      uploads: [yield* upload(device, parts)],
      states
    })
  })

/**
 * Stores several uploads of one user in one commit. The commit has the present version of the user's uploads, unless
 * `more` has another version. The store refuses every version except the present version.
 */
export const commitAll = (
  { userId }: Pick<Device, "userId">,
  uploads: Arr.NonEmptyReadonlyArray<StoredUpload>,
  more: Partial<Pick<UploadCommit, "states" | "version">> = {}
) =>
  Effect.gen(function* () {
    const store = yield* FixStore
    const { version } = yield* store.view(userId, [], yield* Timestamp.now)
    return yield* store.commit({ userId, version, uploads, states: [], ...more })
  })

/**
 * The readings of the device that were quarantined after `since` because their time was in the future, and that an
 * upload of `fixes` may accept. The upload arrives at the present time, unless `receivedAt` says otherwise.
 */
export const waiting = (
  { id, userId }: Pick<Device, "userId" | "id">,
  since: Timestamp.Timestamp,
  { limit = 10, ...parts }: Partial<Pick<StoredUpload, "fixes" | "receivedAt">> & { readonly limit?: number } = {}
) =>
  Effect.flatMap(FixStore, (store) =>
    Effect.flatMap(Timestamp.now, (now) =>
      store.waiting(userId, { deviceId: id, receivedAt: now, fixes: [], ...parts }, since, limit)
    )
  )

/** The newest fixes of the phone's user. */
export const latest = ({ userId }: Pick<Device, "userId">, limit = 100) =>
  Effect.flatMap(FixStore, (store) => store.latest(userId, limit))

/** The fix as the store returns it after it was stored. */
export const stored = (device: Pick<Device, "userId" | "id">, fix: Fix.Fix, receivedAt: Timestamp.Timestamp) => ({
  ...fix,
  userId: device.userId,
  deviceId: device.id,
  receivedAt
})

/** For each of the given fixes, whether the store already has it. */
export const known = (device: Pick<Device, "userId" | "id">, fixes: ReadonlyArray<Fix.Fix>) =>
  Effect.map(view(device, fixes), (seen) => fixes.map((fix) => seen.known.get(device.id)?.has(Fix.key(fix)) === true))

/** The rules that an upload of the user would evaluate, ordered by id. Stores a phone of the user for this upload. */
export const live = ({ userId }: Pick<Connection, "userId">) =>
  Effect.gen(function* () {
    const phone = yield* Samples.device(userId)
    return (yield* view(phone)).rules
  })

/** The ids of the rules that an upload of the user would evaluate, in order. */
export const liveIds = (of: Pick<Connection, "userId">) =>
  Effect.map(live(of), (rules) => rules.map(({ rule }) => rule.id))

/** The only rule that an upload of the user would evaluate. Fails when there is none, or several. */
export const onlyLive = (of: Pick<Connection, "userId">) =>
  Effect.map(live(of), ([only, ...others]) =>
    only === undefined || others.length > 0 ? Check.fail("one live rule") : only
  )

/** The state of a rule that fired at the time `asOf`, when the person came inside. */
export const state = (basis: string, asOf: Timestamp.Timestamp, overrides: Partial<RuleMemory> = {}): RuleMemory => ({
  side: "inside",
  since: asOf,
  dwellSpent: true,
  asOf,
  lastFiredAt: asOf,
  unsettled: null,
  basis,
  ...overrides
})

/** The data that an upload stores about a rule: the rule's state after the upload, and the evaluations. */
export const progress = (
  { id }: Rule,
  state: RuleMemory,
  made: RecentEvaluations.RecentEvaluations = RecentEvaluations.none
): RuleProgress => ({ ruleId: id, state, made })

export const OUTCOMES: ReadonlyArray<RuleOutcome> = [
  "outside_window",
  "late",
  "out_of_order",
  "boundary",
  "seeded",
  "no_change",
  "crossed",
  "stale",
  "cooling_down",
  "settling",
  "contradicted",
  "fired"
]

/** An evaluation of one fix by a rule, as it is stored. */
export const evaluation = (
  capturedAt: Timestamp.Timestamp,
  overrides: Partial<RecentEvaluations.Evaluation> = {}
): RecentEvaluations.Evaluation => ({
  capturedAt,
  receivedAt: capturedAt,
  outcome: "no_change",
  eventId: null,
  ...overrides
})

/** A visit that a phone reported. */
export const visit = (arrival: Timestamp.Timestamp | null, departure: Timestamp.Timestamp | null): VisitReport => ({
  arrival,
  departure,
  lat: 52.37,
  lon: 4.89,
  accuracyM: null
})

/**
 * Makes an event of the rule without storing it. A `commit` with this event in `parts.events` stores the event in the
 * outbox.
 */
export const event = (rule: Rule, overrides: Partial<OutboxEvent> = {}) =>
  Effect.gen(function* () {
    const made: OutboxEvent = {
      userId: rule.userId,
      id: EventId.make(yield* Entropy.id("evt")),
      connectionId: rule.connectionId,
      appId: rule.appId,
      payload: { type: "place.enter", ruleId: rule.id, target: { placeId: null, label: 'Mum\'s "place" \\ 🏡' } },
      occurredAt: yield* Timestamp.now,
      webhookUrl: "https://hooks.example.com/a?b=c",
      maxEventAgeS: 3_600,
      ...overrides
    }
    return made
  })

/** The user's events in the outbox. */
export const outbox = (userId: UserId) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const { events: pending } = yield* (yield* EventStore).pending(Bucket.ALL, 10_000, now)
    return pending.filter((one) => one.userId === userId).map(Struct.omit("storedAt"))
  })
