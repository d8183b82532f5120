import { AccountStore, Session } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { listen, Listener, ListenerStore, openListener, sweepListeners } from "@place-access/domain/listeners"
import {
  type EndpointId,
  Entropy,
  EventId,
  ListenerId,
  StoreError,
  Timestamp,
  Vault
} from "@place-access/domain/shared"
import {
  fanOutAll,
  MemoryAccountDeletionStore,
  MemoryDatabase,
  MemoryVault,
  MemoryWebhookSender
} from "@place-access/domain/testing"
import { AccountChange, StaffStore } from "@place-access/domain/staff"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Option, Stream } from "effect"
import { describe } from "vitest"
import { deliveries, fire, inVirtualTime, type Scene, scene, URL, withWorker } from "../support/webhooks.js"

const { answers, Receivers } = MemoryWebhookSender
const { SECOND } = Timestamp

/** The developer signs in and opens a listener. Nobody reads its stream yet. */
const opened = (stage: Scene, endpointId: EndpointId | null = null) =>
  Effect.gen(function* () {
    const cookie = yield* Entropy.secret
    const session = Session.open((yield* Vault.Vault).sha256(cookie), stage.developer.id, yield* Timestamp.now)
    yield* (yield* AccountStore).openSession(session)
    return { opened: yield* openListener(stage.developer, stage.app.id, { endpointId, events: [] }), cookie }
  })

/** Reads the stream in a separate fiber. Returns the messages that have arrived so far, with their times. */
const reading = (given: Effect.Effect.Success<ReturnType<typeof opened>>) =>
  Effect.gen(function* () {
    const received: Array<{ readonly at: Timestamp.Timestamp; readonly message: Listener.ListenerMessage }> = []
    const fiber = yield* Effect.fork(
      Stream.runForEach(listen({ ...given, stopping: Effect.never }), (message) =>
        Effect.map(Timestamp.now, (at) => void received.push({ at, message }))
      )
    )
    yield* Effect.sleep("1 millis")
    return { heard: received, hangUp: Fiber.interrupt(fiber), listener: given.opened.listener }
  })

const start = (stage: Scene, endpointId?: EndpointId) => Effect.flatMap(opened(stage, endpointId), reading)

type Heard = Effect.Effect.Success<ReturnType<typeof reading>>["heard"]
const tags = (received: Heard) => received.map(({ message }) => message._tag)
const events = (received: Heard) =>
  received.flatMap(({ message }) =>
    message._tag === "Event" ? [JSON.parse(message.body) as Record<string, unknown>] : []
  )

const log = Effect.map(MemoryDatabase, ({ accessLog }) => accessLog.map(({ disclosed, error }) => [error, disclosed]))
const tables = Effect.map(MemoryDatabase, ({ listenerEvents, listeners }) => [listeners.size, listenerEvents.size])
const withoutEndpoints = Effect.flatMap(MemoryDatabase, ({ endpoints }) => Effect.sync(() => endpoints.clear()))

const SENT = [null, "arrived at Home"]
const TO_NOBODY = ["no_endpoint", "nothing: “arrived at Home” was sent to nobody"]

describe("a developer who listens", () => {
  it("gets it at once, beside the endpoint; the delivery log, the strikes and the user's log know of one event", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* (yield* Receivers).script(URL, answers(200))
        yield* withWorker(
          Effect.gen(function* () {
            const { heard } = yield* start(stage)
            yield* Effect.sleep("10 seconds")
            const event = yield* fire(stage)
            yield* Effect.sleep("1 millis")
            expect(events(heard).map(({ event_id: id }) => id)).toEqual([event.id])
            expect(heard.at(-1)?.at).toBe(event.occurredAt)
            expect((yield* deliveries).map(({ endpointId, state }) => [endpointId, state])).toEqual([
              [stage.endpoint.id, "delivered"]
            ])
            expect(yield* log).toEqual([SENT])
          })
        )
      })
    )
  })

  it("gets it without any endpoint, and the delivery log stays empty", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withoutEndpoints
        const { heard } = yield* start(stage)
        yield* withWorker(Effect.zipRight(fire(stage), Effect.sleep("1 millis")))
        expect(events(heard)).toHaveLength(1)
        expect(yield* deliveries).toEqual([])
        expect(yield* log).toEqual([SENT])
      })
    )
  })

  it("gets it when the worker has fanned out, which says so even when no endpoint is waiting", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withoutEndpoints
        const event = yield* fire(stage)
        yield* Effect.sleep("1 second")
        const { heard } = yield* start(stage)
        // The stream polls at whole seconds. The worker runs between two polls, so that only its signal can wake the
        // stream.
        yield* Effect.sleep("300 millis")
        const begun = yield* Timestamp.now
        yield* withWorker(Effect.sleep("1 millis"))
        expect(events(heard).map(({ event_id: id }) => id)).toEqual([event.id])
        expect(heard.at(-1)?.at).toBe(begun)
      })
    )
  })

  it("waits a second at most for an event whose signal was lost", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { heard } = yield* start(stage)
        yield* Effect.sleep("10 seconds")
        yield* fire(stage)
        yield* Effect.sleep("1 millis")
        yield* fanOutAll(10)
        expect(events(heard)).toEqual([])
        yield* Effect.sleep("1 second")
        expect(events(heard)).toHaveLength(1)
      })
    )
  })

  it("hears every fifteen seconds that the line is alive, and stays for as long as it reads", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { heard } = yield* start(stage)
        yield* Effect.sleep("5 minutes")
        expect(tags(heard)).toEqual(["Ready", ...Array.from({ length: 20 }, () => "Beat")])
        const [first, ...beats] = heard
        expect(beats.map(({ at }) => (at - Number(first?.at)) / SECOND)).toEqual(
          beats.map((_, index) => 15 * (index + 1))
        )
        expect(yield* sweepListeners()).toBe(0)
        expect(yield* tables).toEqual([1, 0])
      })
    )
  })

  it("who hangs up gets nothing more, and what waited was sent to nobody", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withoutEndpoints
        const { hangUp } = yield* start(stage)
        yield* fire(stage)
        // Fans the event out between two polls of the stream, so that the event still waits when the stream ends.
        yield* Effect.sleep("10 millis")
        yield* fanOutAll(10)
        expect(yield* log).toEqual([])
        yield* hangUp
        expect(yield* log).toEqual([TO_NOBODY])
        expect(yield* tables).toEqual([0, 0])
        yield* fire(stage)
        yield* fanOutAll(10)
        expect(yield* log).toEqual([TO_NOBODY, TO_NOBODY])
      })
    )
  })

  it("what one of two got is one entry, whatever becomes of the other [listeners-5]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withoutEndpoints
        const silent = yield* opened(stage)
        const { heard } = yield* start(stage)
        yield* withWorker(Effect.zipRight(fire(stage), Effect.sleep("1 millis")))
        expect(events(heard)).toHaveLength(1)
        yield* Effect.sleep(Listener.LIFETIME)
        yield* sweepListeners()
        expect(yield* log).toEqual([SENT])
        const late = yield* reading(silent)
        expect(late.heard.map(({ message }) => message)).toMatchObject([
          { _tag: "Ready" },
          { _tag: "End", reason: "expired" }
        ])
      })
    )
  })

  it("of a server that died nothing is left after a minute, and the users read that nobody got it", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withoutEndpoints
        yield* opened(stage)
        yield* fire(stage)
        yield* fanOutAll(10)
        expect(yield* tables).toEqual([1, 1])
        yield* Effect.sleep(Listener.LIFETIME)
        // The listener has expired, but no sweep has removed it yet. Events must not wait for it.
        yield* fire(stage)
        yield* fanOutAll(10)
        expect(yield* log).toEqual([TO_NOBODY])
        expect(yield* sweepListeners()).toBe(1)
        expect(yield* tables).toEqual([0, 0])
        expect(yield* log).toEqual([TO_NOBODY, TO_NOBODY])
      })
    )
  })

  it("of a developer whose account goes, the stream ends, and the users read that nobody got what waited", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withoutEndpoints
        const { heard } = yield* start(stage)
        yield* fire(stage)
        // Fans the event out between two polls of the stream, so that the event still waits when the stream ends.
        yield* Effect.sleep("10 millis")
        yield* fanOutAll(10)
        yield* (yield* AccountDeletionStore).begin(stage.developer.id, AccountDeletion.decide)
        yield* Effect.sleep("1 second")
        expect(heard.at(-1)?.message).toEqual({ _tag: "End", reason: "signed_out" })
        expect(events(heard)).toEqual([])
        expect(yield* log).toEqual([TO_NOBODY])
        expect(yield* tables).toEqual([0, 0])
      }).pipe(Effect.provide(MemoryAccountDeletionStore.layer))
    )
  })

  it("one that cannot be closed is left to the next look and holds up no other", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const first = yield* opened(stage)
        yield* opened(stage)
        yield* Effect.sleep(Listener.LIFETIME)
        const store = yield* ListenerStore
        const failing = {
          ...store,
          close: (...args: Parameters<typeof store.close>) =>
            args[1] === first.opened.listener.id ? StoreError.unavailable("as a test wants it") : store.close(...args)
        }
        expect(yield* Effect.provideService(sweepListeners(), ListenerStore, failing)).toBe(1)
        expect(yield* tables).toEqual([1, 0])
        expect(yield* sweepListeners()).toBe(1)
        expect(yield* tables).toEqual([0, 0])
      })
    )
  })

  it("a hundred that can never be closed do not keep the sweep from the others", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const store = yield* ListenerStore
        const { listener } = (yield* opened(stage)).opened
        const now = yield* Timestamp.now
        const ids = Array.from({ length: 100 }, (_, index) => ListenerId.make(`lst_${index}`))
        yield* Effect.forEach(ids, (id) => store.open({ ...listener, id, seenUntil: now }))
        yield* Effect.sleep(Listener.LIFETIME)
        const failing = {
          ...store,
          close: (...args: Parameters<typeof store.close>) =>
            args[1] === listener.id ? store.close(...args) : StoreError.unavailable("as a test wants it")
        }
        expect(yield* Effect.provideService(sweepListeners(), ListenerStore, failing)).toBe(1)
        expect(yield* tables).toEqual([100, 0])
      })
    )
  })

  it("gets the number of dropped events when more wait than are kept, and then the newest in order [listeners-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const given = yield* opened(stage)
        const fired = yield* Effect.forEach(Array.from({ length: Listener.MAX_WAITING + 3 }), () =>
          Effect.zipLeft(fire(stage), Effect.sleep("1 millis"))
        )
        yield* fanOutAll(150)
        yield* Effect.sleep("1 millis")
        yield* fanOutAll(150)
        const { heard } = yield* reading(given)
        yield* Effect.sleep("1 second")
        expect(heard[1]?.message).toEqual({ _tag: "Dropped", count: 3 })
        expect(tags(heard).filter((tag) => tag === "Dropped")).toHaveLength(1)
        expect(events(heard).map(({ event_id: id }) => id)).toEqual(fired.slice(3).map(({ id }) => id))
      })
    )
  })

  it("an event that is dropped right before it is taken was not sent, and the log does not say so [listeners-5]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const given = yield* opened(stage)
        yield* fire(stage)
        yield* fanOutAll(10)
        const store = yield* ListenerStore
        const { appId, id } = given.opened.listener
        const { events: found } = Option.getOrThrow(yield* store.waiting(appId, id, 1))
        const [first] = found
        if (first === undefined) throw new Error("an event waits")
        const later = Array.from({ length: Listener.MAX_WAITING }, (_, index) => ({
          ...first,
          envelope: { ...first.envelope, eventId: EventId.make(`evt_later_${index}`) },
          createdAt: Timestamp.plus(first.createdAt, 1)
        }))
        const take = (...args: Parameters<typeof store.take>) =>
          Effect.zipRight(store.offer(later.splice(0)), store.take(...args))
        const { heard } = yield* Effect.provideService(reading(given), ListenerStore, { ...store, take })
        yield* Effect.sleep("2 seconds")
        expect(events(heard)).toHaveLength(Listener.MAX_WAITING)
        const { accessLog } = yield* MemoryDatabase
        expect(accessLog).toHaveLength(Listener.MAX_WAITING)
        expect(accessLog.filter(({ id: entry }) => entry.includes(first.envelope.eventId))).toEqual([])
      })
    )
  })

  it("is not told what is too old for its rule, and the user reads that it was kept back [§4.6.8]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withoutEndpoints
        const given = yield* opened(stage)
        yield* fire(stage, { maxEventAgeS: 30 })
        yield* fanOutAll(10)
        yield* Effect.sleep(30 * SECOND + 1)
        const { heard } = yield* reading(given)
        yield* Effect.sleep("1 second")
        expect(events(heard)).toEqual([])
        expect(yield* log).toEqual([["too_old", "nothing: “arrived at Home” came too late"]])
      })
    )
  })

  it("is not told during a suspension what happened before it, and the user reads that it was not sent [staff-1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withoutEndpoints
        const { heard } = yield* start(stage)
        yield* fire(stage)
        yield* Effect.sleep("1 second")
        const suspend = AccountChange.suspend(AuditEvent.OPERATOR)
        yield* Effect.flatMap(StaffStore, (staff) => staff.change(stage.connection.userId, suspend))
        yield* withWorker(Effect.sleep("2 seconds"))
        expect(events(heard)).toEqual([])
        expect(yield* log).toEqual([["not_authorised", "nothing: “arrived at Home” was not sent"]])
      })
    )
  })

  it("an event that is fanned out twice, because a worker died, waits once [listeners-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const given = yield* opened(stage)
        const event = yield* fire(stage)
        yield* fanOutAll(10)
        const { events: outbox } = yield* MemoryDatabase
        outbox.set(event.id, { ...event, fanOutDueAt: yield* Timestamp.now, fannedOutAt: null })
        yield* fanOutAll(10)
        const { heard } = yield* reading(given)
        expect(events(heard)).toHaveLength(1)
      })
    )
  })

  it("after a new key the old secret signs too, so that a program that knows it goes on [listeners-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const before = yield* Effect.map(opened(stage), ({ opened }) => opened.secret)
        yield* Effect.gen(function* () {
          const { heard } = yield* start(stage)
          const [first] = heard
          const secret = first?.message._tag === "Ready" ? first.message.secret : null
          expect(secret).not.toBe(before)
          yield* fire(stage)
          yield* fanOutAll(10)
          yield* Effect.sleep("1 second")
          const message = heard.at(-1)?.message
          if (message?._tag !== "Event") throw new Error("an event was sent")
          const t = Math.floor(Number(heard.at(-1)?.at) / SECOND)
          const v1 = [secret, before].map(
            (one) => `v1=${MemoryWebhookSender.sign(String(one), `${t}.${message.body}`)}`
          )
          expect(new Map(message.headers).get("X-Service-Signature")).toBe(`t=${t},${v1.join(",")}`)
        }).pipe(Effect.provide(MemoryVault.layerKeys(["k2", "k1"])))
      })
    )
  })

  it("a store that fails ends the stream with a word, and the developer's program may come again", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const given = yield* opened(stage)
        const store = yield* ListenerStore
        const failing = { ...store, waiting: () => StoreError.unavailable("gone") }
        const { heard } = yield* Effect.provideService(reading(given), ListenerStore, failing)
        expect(heard.map(({ message }) => message)).toMatchObject([
          { _tag: "Ready" },
          { _tag: "End", reason: "unavailable" }
        ])
        expect(yield* tables).toEqual([0, 0])
      })
    )
  })
})
