import { Chunk, Duration, Effect, Option, Stream } from "effect"
import { authenticateSession } from "../accounts/sessions.js"
import { AppStore } from "../apps/AppStore.js"
import { roleIn } from "../apps/readApps.js"
import * as TeamRole from "../teams/Role.js"
import { authorisationOf, record, recordUnsent } from "../deliveries/beforeSending.js"
import * as Delivery from "../deliveries/Delivery.js"
import * as Disclosure from "../deliveries/Disclosure.js"
import { signedHeaders, unsealLive } from "../deliveries/signedPost.js"
import { Event, WorkSignal } from "../events/index.js"
import { EndpointStore, SigningSecret } from "../endpoints/index.js"
import * as Timestamp from "../shared/Timestamp.js"
import { closeListener, type OpenedListener, ownSecrets } from "./manageListeners.js"
import * as Listener from "./Listener.js"
import { ListenerStore } from "./ListenerStore.js"

/** How often the stream looks for events, in milliseconds, because the signal that an event arrived may be lost. */
const POLL = Timestamp.SECOND
/** The maximum number of events that are checked and signed together. */
const BATCH = 20

/** An open listener, the session that opened it, and a signal to stop. */
export interface Listening {
  readonly opened: OpenedListener
  /** The cookie of the session that opened the stream. The stream ends with the session. */
  readonly cookie: string
  /** Completes when the server is stopping. */
  readonly stopping: Effect.Effect<void>
}

/**
 * The stream of a listener. The stream goes on until the server ends it (`ListenerEnd` has the reasons) or the client
 * disconnects; then the listener is removed. A waiting event is sent at most once. Right before an event is sent, the
 * user's permission is checked as for a delivery (Spec §6.3.5), and the entry in the user's access log is written.
 */
export const listen = ({ cookie, opened, stopping }: Listening) =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const { listener, secret } = opened
      yield* Effect.addFinalizer(() =>
        Effect.catchAllCause(closeListener(listener), (cause) =>
          Effect.logWarning("A listener is left to expire", listener.id, cause)
        )
      )
      const wait = yield* (yield* WorkSignal).subscribe
      let isStopping = false
      const stop = Effect.zipRight(
        stopping,
        Effect.sync(() => void (isStopping = true))
      )
      const stopSignal = yield* Effect.forkScoped(Effect.interruptible(stop))

      const step = (beatAt: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          if (isStopping) return end("stopping")
          const now = yield* Timestamp.now
          if (now >= beatAt) return yield* beat(opened, cookie, now)
          const found = yield* (yield* ListenerStore).waiting(listener.appId, listener.id, BATCH)
          if (Option.isNone(found)) return yield* gone(opened, cookie, now)
          const { dropped, events } = found.value
          if (dropped > 0 || events.length > 0) return yield* send(opened, cookie, events, dropped, beatAt)
          const idle = wait(Duration.millis(Math.min(POLL, beatAt - now)))
          yield* Effect.interruptible(Effect.raceFirst(idle, stopSignal.await))
          return goOn([], beatAt)
        }).pipe(
          Effect.catchAll((error) =>
            Effect.as(Effect.logWarning("A stream of events ends", error), end("unavailable"))
          ),
          // Only the wait can be interrupted. Interrupting a statement would block its database connection.
          Effect.uninterruptible
        )

      const first = Timestamp.plus(yield* Timestamp.now, Listener.HEARTBEAT)
      const ready: Listener.ListenerMessage = { _tag: "Ready", listener, secret }
      return Stream.concat(Stream.make(ready), Stream.paginateChunkEffect(first, step))
    })
  )

/** The messages of one step, and the time of the next heartbeat. The time is missing after the last message. */
type Step = readonly [Chunk.Chunk<Listener.ListenerMessage>, Option.Option<Timestamp.Timestamp>]

const goOn = (messages: ReadonlyArray<Listener.ListenerMessage>, beatAt: Timestamp.Timestamp): Step => [
  Chunk.fromIterable(messages),
  Option.some(beatAt)
]
const end = (reason: Listener.ListenerEnd): Step => [Chunk.of({ _tag: "End", reason }), Option.none()]

/** The secrets with which events are signed at `now`, or the reason why the stream must end. */
const standing = ({ account, listener }: OpenedListener, cookie: string, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const { appId, endpointId } = listener
    const signedIn = yield* authenticateSession(cookie)
    if (!Option.exists(signedIn, ({ id }) => id === account.id)) return "signed_out"
    const app = yield* (yield* AppStore).find(appId)
    if (Option.isNone(app) || app.value.revokedAt !== null) return "app_gone"
    // The account may have left the app's team, or have another role, since the stream was opened.
    const role = yield* roleIn(app.value, account.id)
    if (role === undefined || !TeamRole.can(role, "develop")) return "app_gone"
    if (endpointId === null) return yield* ownSecrets(listener, account)
    const endpoint = yield* (yield* EndpointStore).find(appId, endpointId)
    return Option.isNone(endpoint)
      ? "endpoint_gone"
      : yield* unsealLive(endpoint.value.secrets, SigningSecret.sealContext(appId, endpointId), now)
  })

/** The reason why the stream of a removed listener ends. */
const gone = (opened: OpenedListener, cookie: string, now: Timestamp.Timestamp) =>
  Effect.map(standing(opened, cookie, now), (found) => end(typeof found === "string" ? found : "expired"))

const beat = (opened: OpenedListener, cookie: string, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const found = yield* standing(opened, cookie, now)
    if (typeof found === "string") return end(found)
    const { appId, id } = opened.listener
    const isThere = yield* (yield* ListenerStore).renew(appId, id, now, Listener.seenAt(now))
    return isThere ? goOn([{ _tag: "Beat" }], Timestamp.plus(now, Listener.HEARTBEAT)) : end("expired")
  })

const send = (
  opened: OpenedListener,
  cookie: string,
  waiting: ReadonlyArray<Listener.ListenerDelivery>,
  dropped: number,
  beatAt: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    const { listener } = opened
    const secrets = yield* standing(opened, cookie, yield* Timestamp.now)
    if (typeof secrets === "string") return end(secrets)
    const judged = yield* Effect.forEach(waiting, judge, { concurrency: BATCH })
    const ids = waiting.map(({ envelope }) => envelope.eventId)
    const taken = yield* (yield* ListenerStore).take(listener.appId, listener.id, ids, dropped)
    const own = judged.filter(({ envelope }) => taken.has(envelope.eventId))
    // Only taken events get an access log entry here. An event that was dropped before `take` gets one from
    // `recordLost`.
    yield* Effect.forEach(own, ({ write }) => write, { concurrency: BATCH, discard: true })
    const at = yield* Timestamp.now
    const messages = yield* Effect.forEach(
      own.filter(({ verdict }) => verdict === "send"),
      ({ envelope }) => {
        const text = Event.body(envelope, Listener.receiverId(listener))
        return Effect.map(signedHeaders(secrets, text, at), (headers): Listener.ListenerMessage => ({
          _tag: "Event",
          headers,
          body: text
        }))
      }
    )
    const lead: ReadonlyArray<Listener.ListenerMessage> = dropped > 0 ? [{ _tag: "Dropped", count: dropped }] : []
    return goOn([...lead, ...messages], beatAt)
  })

/**
 * Whether the event may be sent at this moment. `write` writes the event's entry into the user's access log. A deleted
 * connection has no access log to write to.
 */
const judge = (waiting: Listener.ListenerDelivery) =>
  Effect.gen(function* () {
    const delivery = { ...waiting, attempt: 1, replayNo: 0, originalAt: waiting.createdAt }
    const authorisation = yield* authorisationOf(waiting)
    const now = yield* Timestamp.now
    const found = Delivery.verdict(delivery, authorisation, now)
    // A delivery to an endpoint waits for the end of a suspension. An event for a listener does not (decision staff-1).
    const verdict = found === "suspended" ? "not_authorised" : found
    const write = {
      not_authorised: Option.isSome(authorisation) ? recordUnsent(Disclosure.notAllowed(delivery, now)) : Effect.void,
      too_old: recordUnsent(Disclosure.withheld(delivery)),
      send: record(Disclosure.sent(delivery))
    }[verdict]
    return { ...waiting, verdict, write }
  })
