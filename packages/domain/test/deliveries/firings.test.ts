import { DeliveryStore } from "@place-access/domain/deliveries"
import { WorkSignal } from "@place-access/domain/events"
import { DeliveryId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import {
  deliveries,
  fire,
  inVirtualTime,
  register,
  type Scene,
  scene,
  URL,
  withWorker,
  type World
} from "../support/webhooks.js"

const { answers, ourFault, Receivers } = MemoryWebhookSender
const { SECOND } = Timestamp

const log = Effect.map(MemoryDatabase, ({ accessLog }) =>
  accessLog.map(({ disclosed, endpoint, error }) => [endpoint, error, disclosed])
)

const withoutEndpoints = Effect.flatMap(MemoryDatabase, ({ endpoints }) => Effect.sync(() => endpoints.clear()))

/**
 * The possible outcomes of a firing. Each has a program that causes the outcome, the error in the access log, and the
 * text that the user reads.
 */
const fates: ReadonlyArray<
  readonly [string, (stage: Scene) => Effect.Effect<unknown, unknown, World>, string | null, string]
> = [
  ["it is sent", (stage) => fire(stage), null, "arrived at Home"],
  [
    "it came too late for its rule",
    (stage) =>
      Effect.flatMap(Timestamp.now, (now) =>
        fire(stage, { maxEventAgeS: 60, occurredAt: Timestamp.plus(now, -61 * SECOND) })
      ),
    "too_old",
    "nothing: “arrived at Home” came too late"
  ],
  [
    "the app has no endpoint",
    (stage) => Effect.zipRight(withoutEndpoints, fire(stage)),
    "no_endpoint",
    "nothing: “arrived at Home” was sent to nobody"
  ],
  [
    "no endpoint wants it",
    (stage) =>
      withoutEndpoints.pipe(
        Effect.zipRight(register(stage.app.id, { events: ["places.changed"] })),
        Effect.zipRight(fire(stage))
      ),
    "no_endpoint",
    "nothing: “arrived at Home” was sent to nobody"
  ],
  [
    "the endpoint of its rule is gone",
    (stage) => fire(stage, { webhookUrl: `${URL}/gone` }),
    "no_endpoint",
    "nothing: “arrived at Home” was sent to nobody"
  ],
  [
    "the user has just withdrawn the place",
    (stage) =>
      Effect.flatMap(MemoryDatabase, ({ connections }) =>
        Effect.sync(() => connections.set(stage.connection.id, { ...stage.connection, places: [] }))
      ).pipe(Effect.zipRight(fire(stage))),
    "not_authorised",
    "nothing: “arrived at Home” was not sent"
  ]
]

describe("every firing of a rule is one entry of the user's access log", () => {
  it.each(fates)("%s", (_, happen, error, words) => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* (yield* Receivers).script(URL, answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            yield* happen(stage)
            yield* Effect.sleep("2 days")
            expect(yield* log).toEqual([["webhook place.enter", error, words]])
          })
        )
      })
    )
  })

  it.each([
    ["it never reaches another endpoint in time", ourFault, 60, false],
    ["the user withdraws the place before it reaches another endpoint", ourFault, null, true]
  ])("sent to one endpoint: nothing but that, though %s [§4.6.8]", (_, answer, maxEventAgeS, isWithdrawn) => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { connections } = yield* MemoryDatabase
        const receivers = yield* Receivers
        yield* register(stage.app.id, { url: `${URL}/2` })
        yield* receivers.script(URL, answers(200))
        yield* receivers.script(`${URL}/2`, answer)
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage, { maxEventAgeS })
            yield* Effect.sleep("20 seconds")
            if (isWithdrawn) connections.set(stage.connection.id, { ...stage.connection, places: [] })
            yield* Effect.sleep("2 days")
            const states = (yield* deliveries).map(({ state }) => state)
            expect(states.sort()).toEqual(["delivered", isWithdrawn ? "failed" : "too_old"])
            expect(yield* log).toEqual([["webhook place.enter", null, "arrived at Home"]])
          })
        )
      })
    )
  })

  it.each([
    [
      "the event became too old",
      60,
      false,
      "too_old",
      "nothing more: “arrived at Home” came too late to be sent again"
    ],
    ["the user withdrew the place", null, true, "not_authorised", "nothing more: “arrived at Home” was not sent again"]
  ])("a retry that is withheld has an entry of its own: %s [M10]", (_, maxEventAgeS, isWithdrawn, error, words) => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { connections } = yield* MemoryDatabase
        const receivers = yield* Receivers
        yield* receivers.script(URL, answers(500))
        const firedAt = yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage, { maxEventAgeS })
            const at = yield* Timestamp.now
            yield* Effect.sleep("1 minute")
            if (isWithdrawn) connections.set(stage.connection.id, { ...stage.connection, places: [] })
            yield* Effect.sleep("2 days")
            return at
          })
        )
        expect((yield* receivers.posts(URL)).length).toBe(2)
        expect(yield* log).toEqual([
          ["webhook place.enter", null, "arrived at Home"],
          ["webhook place.enter", error, words]
        ])
        const [sent, withheld] = (yield* MemoryDatabase).accessLog
        expect(withheld?.at).toBeGreaterThan((sent?.at ?? 0) + 59 * SECOND)
        expect(withheld?.at).toBeLessThan(firedAt + 6 * 60 * SECOND)
      })
    )
  })

  it("a withheld retry that is judged again after a crash is the same entry", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { connections, deliveries } = yield* MemoryDatabase
        yield* (yield* Receivers).script(URL, answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 minute")
            connections.set(stage.connection.id, { ...stage.connection, places: [] })
            const waiting = [...deliveries]
            yield* Effect.sleep("1 hour")
            // Restores the deliveries as they were before the worker ended them, as if the worker had died after it
            // wrote the entry of the access log. The next worker must not write a second entry.
            for (const [id, row] of waiting) deliveries.set(id, row)
            yield* Effect.sleep("1 hour")
            expect((yield* log).map(([, error]) => error)).toEqual([null, "not_authorised"])
          })
        )
      })
    )
  })

  it("a zone by the label that the app gave it [access-log-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const target = { placeId: null, label: "Stadium" }
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage, { payload: { type: "zone.exit", ruleId: stage.rule.id, target } })
            yield* withoutEndpoints
            yield* fire(stage, { payload: { type: "zone.dwell", ruleId: stage.rule.id, target } })
            yield* Effect.sleep("1 hour")
            const disclosed = (yield* log).map(([, , words]) => words)
            expect(disclosed.every((words) => words?.includes("Stadium"))).toBe(true)
            expect(disclosed.length).toBe(2)
          })
        )
      })
    )
  })

  it("fanned out again after a crash it is the same entry", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { events } = yield* MemoryDatabase
        yield* withoutEndpoints
        yield* withWorker(
          Effect.gen(function* () {
            const { id } = yield* fire(stage)
            yield* Effect.sleep("1 minute")
            const event = events.get(id)
            if (event !== undefined) events.set(id, { ...event, fannedOutAt: null })
            yield* Effect.sleep("1 hour")
            expect(events.get(id)?.fannedOutAt).not.toBeNull()
            expect((yield* log).length).toBe(1)
          }),
          { pollEvery: "10 minutes" }
        )
      })
    )
  })

  it("events that tell nothing of a place are no firings: unsent they leave no trace", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withoutEndpoints
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage, { payload: { type: "places.changed", placesVersion: 2 } })
            yield* fire(stage, { payload: { type: "sensitive.removed", scopes: ["location.lookup"] } })
            yield* Effect.sleep("1 hour")
            expect(yield* log).toEqual([])
          })
        )
      })
    )
  })

  it("a replay adds none, whatever becomes of it [access-log-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const receivers = yield* Receivers
        yield* receivers.script(URL, answers(204))
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage, { maxEventAgeS: 60 })
            yield* Effect.sleep("1 second")
            const [original] = yield* deliveries
            const replay = (replayNo: number) =>
              Effect.gen(function* () {
                if (original === undefined) throw new Error("the event was delivered")
                const row = { ...original, id: DeliveryId.make(`dlv_${replayNo}`), replayNo, endpointEpoch: 0 }
                yield* (yield* DeliveryStore).insert([row])
                yield* (yield* WorkSignal).raise
              })
            yield* replay(1)
            yield* Effect.sleep("2 minutes")
            yield* replay(2)
            yield* Effect.sleep("1 day")
            expect((yield* deliveries).map(({ state }) => state)).toEqual(["delivered", "delivered", "too_old"])
            expect((yield* receivers.posts(URL)).length).toBe(2)
            expect((yield* log).length).toBe(1)
          })
        )
      })
    )
  })
})
