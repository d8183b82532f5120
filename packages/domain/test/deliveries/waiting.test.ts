import { DeliveryStore, recover, redeliver, Replay, retryNow } from "@place-access/domain/deliveries"
import { removeEndpoint, updateEndpoint, WebhookEndpoint } from "@place-access/domain/endpoints"
import { type Event, WorkSignal } from "@place-access/domain/events"
import { DeliveryId, EventId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryWebhookSender, RuleSamples } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import {
  attempts,
  deliveries,
  endpointNow,
  fire,
  inVirtualTime,
  posts,
  register,
  type Scene,
  scene,
  script,
  seconds,
  URL,
  withWorker
} from "../support/webhooks.js"

const { answers, hangs, inTurn, refuses } = MemoryWebhookSender
const { MINUTE, SECOND } = Timestamp

/** A scene with a rule that names the endpoint's address. `fired` fires the rule; `moveTo` changes the address. */
const namedAddress = Effect.gen(function* () {
  const stage = yield* scene
  const { app, developer, endpoint } = stage
  const rule = yield* RuleSamples.rule(stage.connection, RuleSamples.onPlace(stage.place), { webhookUrl: URL })
  const fired = fire({ ...stage, rule }, { webhookUrl: URL })
  const moveTo = (url: string) => updateEndpoint(developer, app.id, endpoint.id, { url }, "unchecked")
  return { app, developer, endpoint, fired, moveTo, stage }
})

describe("what may change while a delivery waits for its next attempt", () => {
  it("the endpoint's address: the next attempt goes to the new one, the log keeps one row [deliveries-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const moved = `${URL}/moved`
        yield* script(answers(500))
        yield* script(answers(200), moved)
        yield* withWorker(
          Effect.gen(function* () {
            const { occurredAt } = yield* fire(stage)
            yield* Effect.sleep("10 seconds")
            yield* updateEndpoint(stage.developer, stage.app.id, stage.endpoint.id, { url: moved }, "unchecked")
            yield* Effect.sleep("1 hour")
            expect(seconds(yield* posts(), occurredAt)).toEqual([0])
            expect(seconds(yield* posts(moved), occurredAt)).toEqual([30])
            expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 2 }])
          })
        )
      })
    )
  })

  it("the endpoint's address, which the rule names: nothing is sent to the new one, not by hand either, and there is no strike [endpoints-3, deliveries-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint, fired, moveTo, stage } = yield* namedAddress
        const moved = `${URL}/moved`
        yield* script(answers(500))
        yield* script(answers(200), moved)
        yield* withWorker(
          Effect.gen(function* () {
            const { occurredAt } = yield* fired
            yield* Effect.sleep("10 seconds")
            yield* moveTo(moved)
            yield* Effect.sleep("1 hour")
            const [row] = yield* deliveries
            expect(row).toMatchObject({ state: "failed", failReason: "address_changed", attempt: 2 })
            yield* redeliver(developer, app.id, row?.id ?? DeliveryId.make(""))
            yield* Effect.sleep("1 hour")
            // `recover` leaves out replays that failed like this: otherwise each call would add another failing replay.
            expect(yield* recover(developer, app.id, endpoint.id, occurredAt)).toBe(0)
            expect((yield* deliveries).map(({ failReason }) => failReason)).toEqual(
              Array.from({ length: 2 }, () => "address_changed")
            )
            expect([(yield* posts()).length, (yield* posts(moved)).length]).toEqual([1, 0])
            expect((yield* endpointNow(stage)).strikes).toBe(0)

            // When the endpoint has its old address again, the event can be sent there.
            yield* moveTo(URL)
            yield* script(answers(200))
            yield* redeliver(developer, app.id, row?.id ?? DeliveryId.make(""))
            yield* Effect.sleep("1 minute")
            expect([(yield* posts()).length, (yield* posts(moved)).length]).toEqual([2, 0])
          })
        )
      })
    )
  })

  it("the endpoint's address, which rules name: recover sends all events when the endpoint has the old one again, and before that each once [endpoints-3, deliveries-11]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint, fired, moveTo } = yield* namedAddress
        const since = yield* Timestamp.now
        const recovered = recover(developer, app.id, endpoint.id, since)
        yield* withWorker(
          Effect.gen(function* () {
            for (const early of [true, false]) {
              yield* script(answers(500))
              yield* Effect.replicateEffect(fired, 2)
              yield* Effect.sleep("10 seconds")
              yield* moveTo(`${URL}/moved`)
              yield* Effect.sleep("1 hour")
              // While the endpoint does not have its old address again, only the first call of `recover` replays the
              // events. Each further call would only add replays that fail again.
              if (early) expect([yield* recovered, yield* Effect.delay(recovered, "1 hour")]).toEqual([2, 0])
              const before = (yield* posts()).length
              yield* moveTo(URL)
              yield* script(answers(200))
              expect(yield* recovered).toBe(early ? 0 : 2)
              yield* Effect.sleep("1 minute")
              expect((yield* posts()).length - before).toBe(early ? 0 : 2)
            }
          })
        )
      })
    )
  })

  it("an address that may not be registered does not become the endpoint's: the next attempt goes where it went", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(refuses, answers(200)))
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("10 seconds")
            const edit = { url: "https://private.example.com/", events: ["places.changed"] as const }
            const refused = yield* Effect.either(
              updateEndpoint(stage.developer, stage.app.id, stage.endpoint.id, edit, "unchecked")
            )
            expect(Either.isLeft(refused)).toBe(true)
            yield* Effect.sleep("1 hour")
            expect((yield* posts()).length).toBe(2)
            expect(yield* endpointNow(stage)).toEqual(stage.endpoint)
          })
        )
      })
    )
  })

  it("what the endpoint subscribes to: an event that was on its way goes on, later ones do not begin", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(answers(500), answers(200)))
        yield* withWorker(
          Effect.gen(function* () {
            const event = yield* fire(stage)
            yield* Effect.sleep("1 second")
            const edit = { events: ["places.changed"] as const }
            yield* updateEndpoint(stage.developer, stage.app.id, stage.endpoint.id, edit, "unchecked")
            yield* fire(stage)
            yield* Effect.sleep("1 hour")
            expect((yield* posts()).map(({ body }) => JSON.parse(body).event_id)).toEqual([event.id, event.id])
          })
        )
      })
    )
  })

  it("the endpoint is removed: the row fails, is neither redelivered, hurried nor recovered, and nothing is sent [endpoints-6]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { app, developer, endpoint } = stage
        yield* script(answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            const { occurredAt } = yield* fire(stage)
            yield* Effect.sleep("1 second")
            yield* removeEndpoint(developer, app.id, endpoint.id)
            const [row] = yield* deliveries
            const id = row?.id ?? DeliveryId.make("")
            const left = (outcome: Either.Either<unknown, { readonly _tag: string }>) =>
              Either.isLeft(outcome) ? outcome.left._tag : "done"
            expect(left(yield* Effect.either(redeliver(developer, app.id, id)))).toBe("Conflict")
            expect(left(yield* Effect.either(retryNow(developer, app.id, id)))).toBe("Conflict")
            expect(left(yield* Effect.either(recover(developer, app.id, endpoint.id, occurredAt)))).toBe("NotFound")
            yield* Effect.sleep("2 days")
            expect((yield* posts()).length).toBe(1)
            expect((yield* deliveries).map(({ failReason }) => failReason)).toEqual(["endpoint_removed"])
          })
        )
      })
    )
  })
})

describe("max_event_age_s at its ends, 30 s and 3,600 s [§4.6.8, T3]", () => {
  const cases = [30, 3_600].flatMap((limit) => [
    [limit, "the first attempt", limit * SECOND, [0], "sent and not again"] as const,
    [limit, "the first attempt", limit * SECOND + 1, [], "withheld"] as const,
    [limit, "the retry", (limit - 30) * SECOND, [0, 30], "sent and not again"] as const,
    [limit, "the retry", (limit - 30) * SECOND + 1, [0], "withheld"] as const
  ])
  it.each(cases)(
    "of %i s: %s of an event that was %i ms old when it was queued: posts at %j, %s [§3.5-ages]",
    (limit, _, age, at) => {
      inVirtualTime(
        Effect.gen(function* () {
          const stage = yield* scene
          yield* script(answers(500))
          yield* withWorker(
            Effect.gen(function* () {
              const now = yield* Timestamp.now
              yield* fire(stage, { maxEventAgeS: limit, occurredAt: Timestamp.plus(now, -age) })
              yield* Effect.sleep("3 days")
              expect(seconds(yield* posts(), now)).toEqual(at)
              // The delivery ends when the event becomes too old, and not when the next attempt would have been due.
              const endedAt = Math.max(now, now - age + limit * SECOND + 1)
              expect(yield* deliveries).toMatchObject([{ state: "too_old", attempt: at.length + 1, endedAt }])
              expect((yield* endpointNow(stage)).strikes).toBe(0)
            })
          )
        })
      )
    }
  )
})

describe("an empty list of events [§6.1-subscribing]", () => {
  const ALL: ReadonlyArray<Event.Payload> = [
    { type: "places.changed", placesVersion: 2 },
    { type: "sensitive.removed", scopes: ["location.history.read"] }
  ]
  it("subscribes to every event", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* register(stage.app.id, { url: `${URL}/some`, events: ["sensitive.lapsed"] })
        for (const payload of ALL) yield* fire(stage, { payload })
        yield* fire(stage)
        yield* withWorker(Effect.sleep("1 second"))
        const types = (yield* deliveries).map(({ endpointId, envelope }) => [endpointId, envelope.payload.type])
        expect(types).toEqual([...ALL.map(({ type }) => type), "place.enter"].map((type) => [stage.endpoint.id, type]))
      })
    )
  })

  it("as stored before a type existed, it is that type too; a list that names all others is not [§6.4.1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const named = yield* register(stage.app.id, {
          url: `${URL}/named`,
          events: ["rule.fired", "places.changed", "sensitive.expiring", "sensitive.lapsed", "sensitive.removed"]
        })
        const stored = yield* endpointNow(stage)
        expect(stored.events).toEqual([])
        // An event type that a later release of the service adds. This release does not know it.
        const payload = { type: "phone.silent" } as unknown as Event.Payload
        expect(WebhookEndpoint.wants(stored, { payload, webhookUrl: null })).toBe(true)
        expect(WebhookEndpoint.wants(named.endpoint, { payload, webhookUrl: null })).toBe(false)
      })
    )
  })
})

describe("what ends a worker every time [W2]", () => {
  it("is taken up once directly, then as a row that is claimed: twice at once, then ever later, nine times in all, and given up: the endpoint gets no strike [W3-faults, deliveries-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(() => Effect.die("the process is gone"))
        yield* withWorker(
          Effect.gen(function* () {
            const { occurredAt } = yield* fire(stage)
            // Each attempt ends the worker's fiber, so no attempt has a result. The first attempt comes at once. The
            // event is due again 30 s later, and its delivery is then stored as a row and claimed with a lease of 30 s.
            // The row is claimed again each time its lease has ended, and from the third ended lease on only after a
            // further wait. The last lease ends at 85,230 s.
            const after = [30, 60, 90, 150, 480, 2_310, 9_540, 31_170, 85_200]
            const { raise } = yield* WorkSignal
            // For each of these times, wakes the worker twice: a millisecond before the time, which is too early for an
            // attempt, and at the time.
            for (const at of [...after, 85_230]) {
              const passed = (yield* Timestamp.now) - occurredAt
              yield* Effect.sleep(at * SECOND - 1 - passed)
              yield* raise
              yield* Effect.sleep(1)
              yield* raise
            }
            yield* Effect.sleep("1 second")
            expect(seconds(yield* posts(), occurredAt)).toEqual([0, ...after])
            expect(yield* deliveries).toMatchObject([{ state: "failed", failReason: "abandoned", attempt: 1 }])
            expect(yield* attempts).toEqual([])
            expect((yield* endpointNow(stage)).strikes).toBe(0)
          })
        )
      })
    )
  })

  it("is not given up when the worker comes to an end with it at last", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const dies: MemoryWebhookSender.Behaviour = () => Effect.die("the process is gone")
        yield* script(inTurn(dies, dies, dies, answers(500), dies, dies, dies, dies, dies, dies, dies, answers(200)))
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 day")
            expect((yield* posts()).length).toBe(12)
            expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 2 }])
          }),
          { pollEvery: "10 minutes" }
        )
      })
    )
  })
})

describe("a black hole with 5,000 rows that are due", () => {
  /** Stores `count` deliveries to the endpoint, as if their events had been fanned out an hour ago. */
  const backlog = ({ endpoint }: Pick<Scene, "endpoint">, like: Scene, count: number) =>
    Effect.gen(function* () {
      yield* fire(like)
      yield* withWorker(Effect.sleep("1 second"))
      const { deliveries: rows } = yield* MemoryDatabase
      const [template] = [...rows.values()]
      if (template === undefined) throw new Error("there is one to copy")
      const dueAt = Timestamp.plus(template.delivery.createdAt, -60 * MINUTE)
      for (let index = 0; index < count; index++) {
        const id = DeliveryId.make(`dlv_hole_${index}`)
        const envelope = { ...template.delivery.envelope, eventId: EventId.make(`evt_hole_${index}`) }
        const delivery = { ...template.delivery, id, envelope, endpointId: endpoint.id, state: "trying" as const }
        rows.set(id, { ...template, delivery: { ...delivery, attempt: 1, dueAt, endedAt: null }, leasedUntil: null })
      }
    })

  it("delays the first attempts of healthy endpoints by less than a second, though all its attempts hang for five [deliveries-7]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(200))
        const hole = yield* register(stage.app.id, { url: `${URL}/hole`, events: ["sensitive.lapsed"] })
        const other = yield* register(stage.app.id, { url: `${URL}/other` })
        yield* script(hangs, hole.endpoint.url)
        yield* script(answers(204), other.endpoint.url)
        yield* backlog(hole, stage, 5_000)
        const fired = new Map<string, number>()
        yield* withWorker(
          withWorker(
            Effect.gen(function* () {
              for (let made = 0; made < 40; made++) {
                yield* Effect.sleep(137)
                const event = yield* fire(stage)
                fired.set(event.id, event.occurredAt)
              }
              yield* Effect.sleep("2 seconds")
            }),
            { pollEvery: "1 second" }
          ),
          { pollEvery: "1 second" }
        )
        for (const url of [URL, other.endpoint.url]) {
          const late = (yield* posts(url)).flatMap(({ at, body }) => {
            const firedAt = fired.get(JSON.parse(body).event_id)
            return firedAt === undefined ? [] : [at - firedAt]
          })
          expect(late.length).toBe(40)
          expect(Math.max(...late)).toBeLessThanOrEqual(1_000)
        }
        // The workers ran for 7.5 seconds. A POST to the endpoint that never answers ends after five seconds, and at
        // most four claimed deliveries of an endpoint are in flight. So the workers sent four POSTs at the beginning,
        // and four after five seconds.
        expect((yield* posts(hole.endpoint.url)).length).toBe(8)
      })
    )
  })
})

describe("recover since", () => {
  it("what does not fit one batch is due after all of the batch before it; a smaller batch is not the last [deliveries-11]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        const batches: Array<{ readonly dueFrom: number; readonly count: number }> = []
        // A developer replayed one delivery of the second batch at the same time, so the store replayed only the other
        // 499 deliveries of this batch.
        const left = [500, 499, 7]
        const store = {
          ...(yield* DeliveryStore),
          recover: ({ dueFrom, ids }: { readonly dueFrom: number; readonly ids: ReadonlyArray<unknown> }) =>
            Effect.sleep(3).pipe(
              Effect.map(() => {
                const count = Math.min(ids.length, left[batches.length] ?? 0)
                batches.push({ dueFrom, count })
                return count
              })
            )
        }
        const recovering = recover(developer, app.id, endpoint.id, Timestamp.make(0))
        expect(yield* Effect.provideService(recovering, DeliveryStore, store)).toBe(1_006)
        const ends = batches.map(({ count, dueFrom }) => dueFrom + count)
        expect(batches.slice(1).map(({ dueFrom }) => dueFrom)).toEqual(ends.slice(0, -1))
      })
    )
  })

  it("one call sends at most 10,000 again, also after a batch that was smaller [deliveries-11]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        let batches = 0
        const store = {
          ...(yield* DeliveryStore),
          recover: ({ ids }: { readonly ids: ReadonlyArray<unknown> }) =>
            Effect.sync(() => (batches++ === 0 ? ids.length - 1 : ids.length))
        }
        const recovering = recover(developer, app.id, endpoint.id, Timestamp.make(0))
        expect(yield* Effect.provideService(recovering, DeliveryStore, store)).toBe(Replay.RECOVERED_MAX)
      })
    )
  })

  it("one call does not take up its own replays, also when they fail while it goes on [deliveries-11]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { app, developer, endpoint } = stage
        const { endpoints } = yield* MemoryDatabase
        // Makes every delivery that waits for the endpoint fail, as when the endpoint is disabled and immediately
        // enabled again.
        const interrupt = Effect.sync(() =>
          endpoints.set(endpoint.id, { ...endpoint, epoch: (endpoints.get(endpoint.id)?.epoch ?? 0) + 1 })
        )
        const store = yield* DeliveryStore
        yield* script(answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            // A batch of replays has at most 500 events, so these 501 events need two batches.
            yield* Effect.replicateEffect(fire(stage), 501)
            yield* Effect.sleep("10 seconds")
            yield* interrupt
            yield* Effect.sleep("1 hour")
            // A worker ends the replays of the first batch as failed. The pause of an hour gives the worker time to do
            // this before the second batch. The second batch must not contain the failed replays.
            const slow = {
              ...store,
              recover: (recovery: Parameters<typeof store.recover>[0]) =>
                store.recover(recovery).pipe(Effect.zipLeft(interrupt), Effect.zipLeft(Effect.sleep("1 hour")))
            }
            const recovering = recover(developer, app.id, endpoint.id, Timestamp.make(0))
            expect(yield* Effect.provideService(recovering, DeliveryStore, slow)).toBe(501)
            expect((yield* deliveries).length).toBe(1_002)
          })
        )
      })
    )
  })

  it("goes out in the order in which the events were queued first, from the moment asked for on, that included [§3.5-failed]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { app, developer, endpoint } = stage
        yield* script(answers(500))
        const events: Array<Event.OutboxEvent> = []
        yield* withWorker(
          Effect.gen(function* () {
            for (let made = 0; made < 12; made++) {
              events.push(yield* fire(stage))
              yield* Effect.sleep(10)
            }
            yield* Effect.sleep("2 days")
            yield* script(answers(200))
            const before = (yield* posts()).length
            const since = events[3]?.occurredAt ?? Timestamp.make(0)
            expect(yield* recover(developer, app.id, endpoint.id, since)).toBe(9)
            yield* Effect.sleep("1 minute")
            const sent = (yield* posts()).slice(before).map(({ body }) => JSON.parse(body).event_id)
            expect(sent).toEqual(events.slice(3).map(({ id }) => id))
            const { items } = yield* (yield* DeliveryStore).list(app.id, { state: "delivered" }, 50, undefined)
            expect(items.map(({ delivery }) => delivery.replayNo)).toEqual(Array.from({ length: 9 }, () => 1))
            expect(yield* recover(developer, app.id, endpoint.id, since)).toBe(0)
          })
        )
      })
    )
  })
})
