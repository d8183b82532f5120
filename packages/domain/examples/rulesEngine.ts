import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { WorkSignal } from "@place-access/domain/events"
import type { Event } from "@place-access/domain/events"
import { Fix, FixStore, type Ingested, ingestFixes, type StoredUpload } from "@place-access/domain/fixes"
import type { Geometry } from "@place-access/domain/places"
import { type LiveRule, type Rule, RuleEvaluation } from "@place-access/domain/rules"
import { type DeviceId, Entropy, StoreError, Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Layer, ManagedRuntime, Option } from "effect"

/**
 * The times at which a rule fires on a recorded walk, as if each fix had arrived when it was captured, and the phone
 * had sent nothing more until `now`.
 */
export const firings = (
  question: RuleEvaluation.Question,
  fixes: ReadonlyArray<RuleEvaluation.Observation>,
  now: Timestamp.Timestamp
): ReadonlyArray<Timestamp.Timestamp> => {
  const fired: Array<Timestamp.Timestamp> = []
  let state = RuleEvaluation.unseeded("a circle that never moves")
  const settle = (at: Timestamp.Timestamp) => {
    const settled = RuleEvaluation.settle(question, state, at)
    state = settled.state
    if (settled.firedAt !== null) fired.push(settled.firedAt)
  }
  for (const fix of fixes) {
    settle(fix.capturedAt)
    const evaluated = RuleEvaluation.step(question, state, fix, fix.capturedAt)
    state = evaluated.state
    if (evaluated.settled !== undefined) fired.push(evaluated.settled)
    if (evaluated.outcome === "fired") fired.push(fix.capturedAt)
  }
  settle(now)
  return fired
}

/** A rule with its circle. */
export interface OwnRule {
  readonly rule: Rule.Rule
  readonly circle: Geometry.Circle
}

/** Everything about one person, in one file. */
export interface Person {
  readonly version: number
  /** When a phone last uploaded something. */
  readonly seenAt: Timestamp.Timestamp | null
  readonly fixes: ReadonlyArray<Fix.StoredFix>
  readonly progress: ReadonlyArray<LiveRule.RuleProgress>
  readonly outbox: ReadonlyArray<Event.OutboxEvent>
}

const NOBODY: Person = { version: 0, seenAt: null, fixes: [], progress: [], outbox: [] }

export const read = (folder: string, userId: UserId): Effect.Effect<Person, StoreError> =>
  Effect.tryPromise({
    try: async () => JSON.parse(await readFile(join(folder, `${userId}.json`), "utf8")) as Person,
    catch: StoreError.broken
  }).pipe(Effect.catchIf(isMissing, () => Effect.succeed(NOBODY)))

const isMissing = ({ cause }: StoreError) => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

const write = (folder: string, userId: UserId, person: Person): Effect.Effect<void, StoreError> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(folder, { recursive: true })
      const draft = join(folder, `${userId}.json.new`)
      await writeFile(draft, JSON.stringify(person), { flush: true })
      await rename(draft, join(folder, `${userId}.json`))
    },
    catch: StoreError.broken
  })

/** A `FixStore` for one process: no other process may write to the folder. */
export const layerFiles = (folder: string, rules: ReadonlyArray<OwnRule>): Layer.Layer<FixStore> =>
  Layer.effect(
    FixStore,
    Effect.map(Effect.makeSemaphore(1), (oneAtATime) =>
      FixStore.of({
        view: (userId, sent) =>
          Effect.map(read(folder, userId), (person) => ({
            version: person.version,
            known: new Map(sent.map(({ deviceId }) => [deviceId, keysOf(person, deviceId)])),
            rules: rules.filter(({ rule }) => rule.userId === userId).map((own) => live(own, person)),
            // This example keeps all history, knows only the devices that upload, and does not look at readings from
            // the future a second time.
            cutoff: null,
            erasures: [],
            devices: sent.map(({ deviceId }) => ({
              id: deviceId,
              staysAtHome: false,
              lastSeenAt: person.seenAt,
              lastFutureAt: null,
              movement: null
            }))
          })),

        commit: ({ states, uploads, userId, version }) =>
          Effect.gen(function* () {
            const person = yield* read(folder, userId)
            if (person.version !== version) return false
            const changed = new Set(states.map(({ ruleId }) => ruleId))
            yield* write(folder, userId, {
              version: version + 1,
              seenAt: Timestamp.make(Math.max(person.seenAt ?? 0, ...uploads.map(({ receivedAt }) => receivedAt))),
              fixes: [...person.fixes, ...uploads.flatMap((upload) => fresh(userId, person, upload))],
              progress: [...person.progress.filter(({ ruleId }) => !changed.has(ruleId)), ...states],
              outbox: [...person.outbox, ...uploads.flatMap(({ events }) => events)]
            })
            return true
          }).pipe(oneAtATime.withPermits(1), Effect.uninterruptible),

        waiting: () => Effect.succeed([]),

        // The rules of this example have no `settleS`, so no crossing waits.
        settling: () => Effect.succeed([]),
        commitSettled: () => Effect.succeed(true),

        latest: (userId, limit) =>
          Effect.map(read(folder, userId), ({ fixes }) => [...fixes].sort(lastFirst).slice(0, limit)),

        lastReceivedAt: (userId) => Effect.map(read(folder, userId), ({ seenAt }) => Option.fromNullable(seenAt))
      })
    )
  )

/** The fixes of an upload that the device has not stored yet. */
const fresh = (userId: UserId, person: Person, { deviceId, fixes, receivedAt }: StoredUpload) => {
  const stored = keysOf(person, deviceId)
  return fixes
    .filter((fix) => !stored.has(Fix.key(fix)))
    .map((fix): Fix.StoredFix => ({ ...fix, userId, deviceId, receivedAt }))
}

/** The order that `FixStore.latest` promises: the newest fix first, fixes of one instant by device and position. */
const lastFirst = (a: Fix.StoredFix, b: Fix.StoredFix): number =>
  b.capturedAt - a.capturedAt ||
  (a.deviceId === b.deviceId ? 0 : a.deviceId < b.deviceId ? 1 : -1) ||
  b.lat - a.lat ||
  b.lon - a.lon

/** The keys of one phone's fixes; another phone may have sent the same fix. */
const keysOf = ({ fixes }: Person, deviceId: DeviceId): ReadonlySet<string> =>
  new Set(fixes.filter((fix) => fix.deviceId === deviceId).map(Fix.key))

const live = ({ circle, rule }: OwnRule, { progress }: Person): LiveRule.LiveRule => {
  const basis = `${circle.lat} ${circle.lon} ${circle.radiusM}`
  const known = progress.find(({ ruleId }) => ruleId === rule.id)
  const state = known?.state ?? RuleEvaluation.unseeded(basis)
  // These circles never move, and nobody withdraws a place. So every fix that was captured after the rule was made may
  // fire the rule.
  return { rule, circle, basis, state, firesFrom: rule.createdAt }
}

/** A signal for a sender that polls the outbox every second and needs no wake-up. */
const layerPolled = Layer.succeed(WorkSignal, {
  raise: Effect.void,
  wait: () => Effect.sleep("1 second"),
  subscribe: Effect.succeed(() => Effect.sleep("1 second"))
})

const layerRandom = Layer.succeed(Entropy.Entropy, {
  bytes: (length) => Effect.sync(() => Uint8Array.from(randomBytes(length)))
})

/**
 * The rules engine over your store. `upload` takes the readings of a phone, and the events of rules that fired are then
 * in the outbox of the person's file. The layers are built once.
 */
export const engine = (folder: string, rules: ReadonlyArray<OwnRule>) => {
  const runtime = ManagedRuntime.make(Layer.mergeAll(layerFiles(folder, rules), layerPolled, layerRandom))
  return {
    upload: (
      phone: { readonly userId: UserId; readonly id: DeviceId },
      readings: ReadonlyArray<Fix.Reading>
    ): Promise<Ingested> => runtime.runPromise(ingestFixes(phone, readings, [])),
    close: () => runtime.dispose()
  }
}
