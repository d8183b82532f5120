import { Chunk, Duration, Effect, Option, Stream } from "effect"
import { authenticateSession } from "../accounts/authenticateSession.js"
import { AppStore } from "../apps/AppStore.js"
import { authorisationOf, record, recordUnsent } from "../deliveries/beforeSending.js"
import * as Delivery from "../deliveries/Delivery.js"
import * as Disclosure from "../deliveries/Disclosure.js"
import { signedHeaders, unsealLive } from "../deliveries/signedPost.js"
import { WorkSignal } from "../deliveries/WorkSignal.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import { body } from "../events/Event.js"
import * as Timestamp from "../shared/Timestamp.js"
import { closeListener } from "./closeListener.js"
import * as Listener from "./Listener.js"
import { ListenerStore } from "./ListenerStore.js"
import type { Opened } from "./openListener.js"
import { ownSecrets } from "./ownSecrets.js"

/** How long an event waits at most when the signal of its coming was lost. */
const POLL = Timestamp.SECOND
/** Events that are asked about and signed in one go. */
const BATCH = 20

/** Who listens, with what, and until when. */
export interface Listening {
  readonly opened: Opened
  /** The session that it was opened with: the stream ends with it. */
  readonly cookie: string
  /** Returns when the server is told to stop. */
  readonly stopping: Effect.Effect<void>
}

/**
 * What is sent to a listener, until its session or its app ends, the server stops or nobody reads any more; whatever ends it, the
 * listener is gone then. An event is sent at most once. Whether it may be is asked when it is, as for a delivery (Spec §6.3.5), and
 * the user's access log has it before it leaves.
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
      const told = yield* Effect.forkScoped(Effect.interruptible(stop))

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
          yield* Effect.interruptible(Effect.raceFirst(idle, told.await))
          return goOn([], beatAt)
        }).pipe(
          Effect.catchAll((error) =>
            Effect.as(Effect.logWarning("A stream of events ends", error), end("unavailable"))
          ),
          // A statement that is cut off holds up a connection; the wait is all that is.
          Effect.uninterruptible
        )

      const first = Timestamp.plus(yield* Timestamp.now, Listener.HEARTBEAT)
      const ready: Listener.Message = { _tag: "Ready", listener, secret }
      return Stream.concat(Stream.make(ready), Stream.paginateChunkEffect(first, step))
    })
  )

/** Messages, and when the next beat is due; none: that was the last. */
type Step = readonly [Chunk.Chunk<Listener.Message>, Option.Option<Timestamp.Timestamp>]

const goOn = (messages: ReadonlyArray<Listener.Message>, beatAt: Timestamp.Timestamp): Step => [
  Chunk.fromIterable(messages),
  Option.some(beatAt)
]
const end = (reason: Listener.End): Step => [Chunk.of({ _tag: "End", reason }), Option.none()]

/** The secrets that sign now; or why it is over. */
const standing = ({ account, listener }: Opened, cookie: string, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const { appId, endpointId } = listener
    const signedIn = yield* authenticateSession(cookie)
    if (!Option.exists(signedIn, ({ id }) => id === account.id)) return "signed_out"
    const app = yield* (yield* AppStore).find(appId)
    if (!Option.exists(app, ({ ownerId, revokedAt }) => ownerId === account.id && revokedAt === null)) return "app_gone"
    if (endpointId === null) return yield* ownSecrets(listener, account)
    const endpoint = yield* (yield* EndpointStore).find(appId, endpointId)
    return Option.isNone(endpoint)
      ? "endpoint_gone"
      : yield* unsealLive(endpoint.value.secrets, SigningSecret.sealContext(appId, endpointId), now)
  })

/** Somebody took it away, and why. */
const gone = (opened: Opened, cookie: string, now: Timestamp.Timestamp) =>
  Effect.map(standing(opened, cookie, now), (found) => end(typeof found === "string" ? found : "expired"))

const beat = (opened: Opened, cookie: string, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const found = yield* standing(opened, cookie, now)
    if (typeof found === "string") return end(found)
    const { appId, id } = opened.listener
    const isThere = yield* (yield* ListenerStore).renew(appId, id, now, Listener.seenAt(now))
    return isThere ? goOn([{ _tag: "Beat" }], Timestamp.plus(now, Listener.HEARTBEAT)) : end("expired")
  })

const send = (
  opened: Opened,
  cookie: string,
  waiting: ReadonlyArray<Listener.Waiting>,
  dropped: number,
  beatAt: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    const { listener } = opened
    const secrets = yield* standing(opened, cookie, yield* Timestamp.now)
    if (typeof secrets === "string") return end(secrets)
    const permitted = yield* Effect.filter(waiting, mayBeTold, { concurrency: BATCH })
    const ids = waiting.map(({ envelope }) => envelope.eventId)
    const taken = yield* (yield* ListenerStore).take(listener.appId, listener.id, ids, dropped)
    const at = yield* Timestamp.now
    const messages = yield* Effect.forEach(
      permitted.filter(({ envelope }) => taken.has(envelope.eventId)),
      ({ envelope }) => {
        const text = body(envelope, Listener.receiverId(listener))
        return Effect.map(signedHeaders(secrets, text, at), (headers): Listener.Message => ({
          _tag: "Event",
          headers,
          body: text
        }))
      }
    )
    const lead: ReadonlyArray<Listener.Message> = dropped > 0 ? [{ _tag: "Dropped", count: dropped }] : []
    return goOn([...lead, ...messages], beatAt)
  })

/** From the state of now, and with the entry that the user reads of it. */
const mayBeTold = (waiting: Listener.Waiting) =>
  Effect.gen(function* () {
    const told = { ...waiting, attempt: 1, replayNo: 0, originalAt: waiting.createdAt }
    const authorisation = yield* authorisationOf(waiting)
    const now = yield* Timestamp.now
    switch (Delivery.verdict(waiting, authorisation, now)) {
      case "not_authorised":
        // Of a connection that is gone altogether nothing is kept.
        if (Option.isSome(authorisation)) yield* recordUnsent(Disclosure.notAllowed(told, now))
        return false
      case "too_old":
        yield* recordUnsent(Disclosure.withheld(told))
        return false
      case "send":
        yield* record(Disclosure.sent(told))
        return true
    }
  })
