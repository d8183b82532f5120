import { Effect } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import type { Account } from "../accounts/Account.js"
import { getApp } from "../apps/readApps.js"
import * as Disclosure from "../deliveries/Disclosure.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import { envelope, normalise, type Subscribable, type WaitingEvent } from "../events/Event.js"
import { sweepEach } from "../shared/Errors.js"
import { Conflict, Entropy, Invalid, NotFound, program, retryTransient, Timestamp } from "../shared/index.js"
import { type AppId, type EndpointId, type EventId, ListenerId } from "../shared/Ids.js"
import { Vault } from "../shared/Vault.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { type Listener, seenAt, type ListenerDelivery, wants } from "./Listener.js"
import { ListenerStore } from "./ListenerStore.js"

export interface NewListener {
  readonly endpointId: EndpointId | null
  readonly events: ReadonlyArray<Subscribable>
}

/** A listener and the account that opened it. */
export interface OpenedListener {
  readonly listener: Listener
  readonly account: Account
  /**
   * The signing secret. Null for a listener of an endpoint, because the endpoint's secret is shown only when it is
   * created.
   */
  readonly secret: string | null
}

/**
 * Opens a listener. From this moment on, the app's events wait for the listener. Its errors:
 * - `NotFound` when the account is not in the app's team, or the app has no such endpoint.
 * - `Forbidden` when the account's role may only read.
 * - `Conflict` for a revoked app, and for an app that already has the maximum number of listeners.
 * - `Invalid` for `events` together with an endpoint, because a listener of an endpoint uses the endpoint's
 *   subscription.
 */
export const openListener = program("openListener", function* (account: Account, appId: AppId, input: NewListener) {
  const app = yield* getApp(account, appId, "develop")
  const { endpointId } = input
  if (endpointId !== null) {
    if (input.events.length > 0) {
      return yield* Invalid.of("events", "must be left out with endpoint_id: the endpoint's own are used")
    }
    const found = yield* (yield* EndpointStore).find(appId, endpointId)
    yield* Effect.mapError(found, () => new NotFound({ what: "endpoint" }))
  }
  if (app.revokedAt !== null) return yield* new Conflict({ reason: "the app was revoked, so it gets no events" })
  const id = ListenerId.make(yield* Entropy.id("lst"))
  const createdAt = yield* Timestamp.now
  const listener: Listener = {
    appId,
    id,
    endpointId,
    events: normalise(input.events),
    createdAt,
    seenUntil: seenAt(createdAt)
  }
  const [secret = null] = endpointId === null ? yield* ownSecrets(listener, account) : []
  if (!(yield* (yield* ListenerStore).open(listener))) {
    return yield* new Conflict({
      reason: AccountLimits.LISTENERS.refusal
    })
  }
  const opened: OpenedListener = { listener, account, secret }
  return opened
})

/**
 * The signing secrets of a listener without an endpoint. They are derived from the service's keys. So they need not be
 * stored, and are the same each time this developer listens to this app. One secret is derived from each of the newest
 * `SigningSecret.MAX_LIVE` accepted keys, newest first. After a key rotation, events are signed with the secrets of the
 * new and of the old key.
 */
export const ownSecrets = program(
  "ownSecrets",
  function* ({ appId }: Pick<Listener, "appId">, { id }: Pick<Account, "id">) {
    const vault = yield* Vault
    const keys = vault.keys.slice(0, SigningSecret.MAX_LIVE)
    const derived = yield* Effect.forEach(keys, (key) => vault.derive("listener-secret", key, `${appId} ${id}`))
    return derived.map((text) => `${SigningSecret.PREFIX}${text}`)
  }
)

export interface ListenerFanOut {
  readonly appId: AppId
  readonly events: ReadonlyArray<WaitingEvent>
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  /** The app's present listeners. */
  readonly listeners: ReadonlyArray<Listener>
  /** Events that go to the address of their rule and to no endpoint (`FiredMessage.hasOwnAddress`). */
  readonly ownAddress: ReadonlySet<EventId>
  /** The events that an endpoint or a legacy receiver gets too. They are not lost when a listener misses them. */
  readonly withReceiver: ReadonlySet<EventId>
}

/** The rows to store: for each listener, the events that it gets (`wants`). */
export const offersOf = ({
  appId,
  endpoints,
  events,
  listeners,
  ownAddress,
  withReceiver
}: ListenerFanOut): ReadonlyArray<ListenerDelivery> =>
  listeners.flatMap((listener) =>
    events
      .filter((event) => wants(listener, endpoints, { event, hasOwnAddress: ownAddress.has(event.id) }))
      .map((event, position): ListenerDelivery => ({
        appId,
        listenerId: listener.id,
        userId: event.userId,
        envelope: envelope(event),
        maxEventAgeS: event.maxEventAgeS,
        createdAt: event.storedAt,
        position,
        hasReceiver: withReceiver.has(event.id)
      }))
  )

/** Stores the rows for the streams of listeners. Writes an access log entry for each firing that nobody gets. */
export const offer = program("offer", function* (rows: ReadonlyArray<ListenerDelivery>) {
  if (rows.length > 0) yield* recordLost(yield* (yield* ListenerStore).offer(rows))
})

/** How often a write is tried again after a transient error. */
const REPEATS = 3

/** Removes a listener whose stream or server ended. Idempotent. */
export const closeListener = program("closeListener", function* ({ appId, id }: Pick<Listener, "appId" | "id">) {
  yield* recordLost(yield* retryTransient(REPEATS)((yield* ListenerStore).close(appId, id)))
})

/** Writes the access log entries of lost firings, because the user's access log must have every firing of a rule. */
const recordLost = (lost: ReadonlyArray<ListenerDelivery>) =>
  Effect.gen(function* () {
    const log = yield* AccessLogStore
    const entries = lost.flatMap(({ appId, envelope: { eventId, grantId, occurredAt, payload }, userId }) =>
      grantId === null
        ? []
        : (Disclosure.toNobody({ userId, appId, connectionId: grantId, id: eventId, payload, occurredAt }) ?? [])
    )
    yield* Effect.forEach(entries, (entry) => retryTransient(REPEATS)(log.record(entry)), { discard: true })
  })

/** Removes listeners that were not renewed in time, for example because their server died. Returns their number. */
export const sweepListeners = program("sweepListeners", function* () {
  const store = yield* ListenerStore
  const expired = (limit: number) => Effect.flatMap(Timestamp.now, (now) => store.expired(now, limit))
  return yield* sweepEach("A listener that is gone is not closed yet", expired, closeListener)
})
