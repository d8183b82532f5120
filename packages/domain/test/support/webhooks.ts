import { AccountStore } from "@place-access/domain/accounts"
import { runWorker, type WorkerOptions } from "@place-access/domain/dispatch"
import { WorkSignal } from "@place-access/domain/events"
import { createEndpoint, type NewEndpoint } from "@place-access/domain/endpoints"
import type { Event } from "@place-access/domain/events"
import { type AppId, Entropy, EventId, Timestamp } from "@place-access/domain/shared"
import {
  MemoryAccessLogStore,
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryDeliveryStore,
  MemoryDeviceStore,
  MemoryEndpointStore,
  MemoryEntropy,
  MemoryEventStore,
  MemoryFixStore,
  MemoryLeaseStore,
  MemoryLegacyStore,
  MemoryListenerStore,
  MemoryPlaceStore,
  MemoryRuleStore,
  MemoryStaffStore,
  MemoryVault,
  MemoryWebhookSender,
  MemoryWorkSignal,
  RuleSamples,
  VirtualTime
} from "@place-access/domain/testing"
import { Effect, Exit, Fiber, Layer, Logger, LogLevel, Option } from "effect"

/** The in-memory layers of all ports that events and deliveries use. */
const world = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryPlaceStore.layer,
  MemoryDeviceStore.layer,
  MemoryRuleStore.layer,
  MemoryStaffStore.layer,
  MemoryFixStore.layer,
  MemoryLeaseStore.layer,
  MemoryLegacyStore.layer,
  MemoryListenerStore.layer,
  MemoryAccessLogStore.layer,
  MemoryEventStore.layer,
  MemoryEndpointStore.layer,
  MemoryDeliveryStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer,
  MemoryWebhookSender.layer,
  MemoryWorkSignal.layer
).pipe(Layer.provideMerge(MemoryDatabase.layer))

export type World = Layer.Layer.Success<typeof world>

const quiet = Logger.minimumLogLevel(LogLevel.None)

/**
 * Runs a program on virtual time from `VirtualTime.START` on, with empty stores. The log lines of the worker are not
 * shown.
 */
export const inVirtualTime = <A>(program: Effect.Effect<A, unknown, World>): A =>
  Exit.getOrElse(VirtualTime.runVirtual(program.pipe(Effect.provide(Layer.merge(world, quiet)))), (cause) => {
    throw new Error(String(cause))
  })

export const URL = "https://hooks.example.com/places"

const owner = (appId: AppId) =>
  Effect.gen(function* () {
    const { apps } = yield* MemoryDatabase
    const ownerId = apps.get(appId)?.app.ownerId
    const account = ownerId === undefined ? Option.none() : yield* (yield* AccountStore).find(ownerId)
    return yield* account
  })

/** Registers an endpoint of the app, as its developer does. */
export const register = (appId: AppId, overrides: Partial<NewEndpoint> = {}) =>
  Effect.gen(function* () {
    const developer = yield* owner(appId)
    const input = { url: URL, events: [], description: null, ...overrides }
    const { endpoint, secret } = yield* createEndpoint(developer, appId, input)
    return { developer, endpoint, secret }
  })

/** A user who shares a place with an app. The app has one rule on the place, and one endpoint. */
export const scene = Effect.gen(function* () {
  const { app, connection, place, user } = yield* RuleSamples.sharing({ standardExpiresAt: null })
  const rule = yield* RuleSamples.rule(connection, RuleSamples.onPlace(place))
  const registered = yield* register(app.id)
  return { app, user, connection, place, rule, ...registered }
})

export type Scene = Effect.Effect.Success<typeof scene>

/** Stores an event of the rule in the outbox, as an upload would, and signals the workers. */
export const fire = ({ rule, place }: Pick<Scene, "rule" | "place">, overrides: Partial<Event.OutboxEvent> = {}) =>
  Effect.gen(function* () {
    const { events } = yield* MemoryDatabase
    const now = yield* Timestamp.now
    const event: Event.OutboxEvent = {
      userId: rule.userId,
      id: EventId.make(yield* Entropy.id("evt")),
      connectionId: rule.connectionId,
      appId: rule.appId,
      payload: { type: "place.enter", ruleId: rule.id, target: { placeId: place.id, label: place.label } },
      occurredAt: now,
      webhookUrl: null,
      maxEventAgeS: null,
      ...overrides
    }
    events.set(event.id, { ...event, fanOutDueAt: now, fannedOutAt: null })
    yield* (yield* WorkSignal).raise
    return event
  })

/**
 * Runs `use` while a worker runs, and then stops the worker. The worker polls only once a day, so anything that the
 * worker does earlier is the effect of a signal or of a due time.
 */
export const withWorker = <A, E, R>(use: Effect.Effect<A, E, R>, overrides: Partial<WorkerOptions> = {}) => {
  const options: Partial<WorkerOptions> = { pollEvery: "1 day", ...overrides }
  return Effect.acquireUseRelease(
    // `acquireUseRelease` runs its first argument in an uninterruptible region, and a forked fiber inherits this.
    // Without `interruptible`, the release could not stop the worker.
    Effect.fork(Effect.interruptible(runWorker(options))),
    () => use,
    (worker) => Fiber.interrupt(worker)
  )
}

/**
 * With these options a worker makes no first attempt from memory. It stores every delivery as a row, and claims the
 * row.
 */
export const BY_CLAIMS: Partial<WorkerOptions> = { perEndpoint: 1 }

/** Sets what the receiver at `url` does from now on. */
export const script = (behaviour: MemoryWebhookSender.Behaviour, url = URL) =>
  Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.script(url, behaviour))

/** The POSTs to `url`. */
export const posts = (url = URL) => Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.posts(url))

/** The times of the POSTs, in seconds after `from`. */
export const seconds = (all: ReadonlyArray<MemoryWebhookSender.Post>, from: number): ReadonlyArray<number> =>
  all.map(({ at }) => (at - from) / Timestamp.SECOND)

/** All deliveries, oldest first. */
export const deliveries = Effect.map(MemoryDatabase, (tables) =>
  [...tables.deliveries.values()].map(({ delivery }) => delivery)
)

export const attempts = Effect.map(MemoryDatabase, (tables) => [...tables.attempts])

export const endpointNow = ({ endpoint }: Pick<Scene, "endpoint">) =>
  Effect.flatMap(MemoryDatabase, (tables) => Effect.fromNullable(tables.endpoints.get(endpoint.id)))

/**
 * A receiver that counts its POSTs in flight. `most` returns the largest number of POSTs that were in flight at the
 * same time since the last `reset`.
 */
export const counting = (behaviour: MemoryWebhookSender.Behaviour) => {
  let [underWay, most] = [0, 0]
  const receiver: MemoryWebhookSender.Behaviour = (post) =>
    Effect.gen(function* () {
      most = Math.max(most, ++underWay)
      const answer = yield* behaviour(post)
      underWay--
      return answer
    })
  return { receiver, most: () => most, reset: () => void (most = underWay) }
}
