import type { WebhookAnswer } from "@place-access/domain/endpoints"
import { type Delivery, DeliveryStore, EventStore, RetrySchedule } from "@place-access/domain/deliveries"
import { WebhookSender } from "@place-access/domain/endpoints"
import { EndpointStore } from "@place-access/domain/endpoints"
import { Timestamp } from "@place-access/domain/shared"
import { type Retention, RetentionStore } from "@place-access/domain/sweeps"
import { Simulation } from "@place-access/domain/testing"
import { Context, Effect, FiberRef, flow, Option } from "effect"
import { instead, type Plant, readingNothingAhead } from "./plant.js"
import { DAY, FAR, HOME, HOUR, inScene, MINUTE, type Scene, SECOND } from "./scene.js"

/** Deliberate bugs (plants) in the attempts and states of deliveries. */

const fire = ({ rule, walk }: Scene) => Effect.zipRight(rule(), walk(FAR, HOME))

type ClaimedDelivery = Effect.Effect.Success<ReturnType<(typeof DeliveryStore.Service)["claim"]>>["claims"][number]

const claiming = (change: (claim: ClaimedDelivery) => Effect.Effect<ClaimedDelivery>) =>
  instead(DeliveryStore, (store) => ({
    claim: (request) =>
      Effect.flatMap(store.claim(request), (claimed) =>
        Effect.map(Effect.forEach(claimed.claims, change), (claims) => ({ ...claimed, claims }))
      )
  }))

/**
 * Plants a bug in the time of retries. `dueAt` gets the right time of the retry, the duration `tookMs` of the failed
 * attempt, and the time `inFull` at which the whole wait of the schedule is over, even if the event is too old by then.
 * It returns the wrong time.
 */
const retryingAt = (dueAt: (at: number, tookMs: number, inFull: number) => number) =>
  instead(DeliveryStore, (store) => {
    type Attempt = Parameters<typeof store.finish>[2]
    const changed = (finish: Delivery.DeliveryFinish, attempt: Attempt): Delivery.DeliveryFinish => {
      const tookMs = attempt === null ? 0 : attempt.endedAt - attempt.startedAt
      if (finish._tag !== "Retry") return finish
      const inFull = attempt === null ? undefined : RetrySchedule.nextDue(finish.attempt - 1, attempt.endedAt)
      return { ...finish, dueAt: Timestamp.make(dueAt(finish.dueAt, tookMs, inFull ?? finish.dueAt)) }
    }
    return {
      insertAttempted: (row, finish, attempt, isOnly) =>
        store.insertAttempted(row, changed(finish, attempt), attempt, isOnly),
      finish: (claim, finish, attempt) => store.finish(claim, changed(finish, attempt), attempt)
    }
  })

/** Plants a bug in the moment up to which rows of one kind are deleted. `change` gets the right moment. */
const retaining = (kind: Retention.RetentionKind, change: (until: Timestamp.Timestamp) => Timestamp.Timestamp) =>
  instead(RetentionStore, (store) => ({
    remove: (one, until, limit) => store.remove(one, one === kind ? change(until) : until, limit)
  }))

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "D1",
    what: "retries come a second too early",
    sabotage: retryingAt((at) => at - SECOND),
    scenario: inScene((scene) => Effect.zipRight(scene.hook.script([500, 200]), fire(scene)))
  },
  {
    oracle: "D1",
    what: "retries count from the beginning of the attempt before",
    sabotage: retryingAt((at, tookMs) => at - tookMs),
    scenario: inScene((scene) => Effect.zipRight(scene.hook.script(["hang", 200]), fire(scene)))
  },
  {
    oracle: "D1",
    what: "retries come ten minutes too late",
    sabotage: retryingAt((at) => at + 10 * MINUTE),
    scenario: inScene((scene) => Effect.zipRight(scene.hook.script([500, 200]), fire(scene)))
  },
  {
    oracle: "D2",
    what: "a row shows the time of the reading as its end",
    sabotage: instead(DeliveryStore, (store) => ({
      list: (...args) =>
        Effect.zipWith(store.list(...args), Timestamp.now, (page, now) => ({
          ...page,
          items: page.items.map((row) => {
            const endedAt = row.delivery.endedAt === null ? null : now
            return { ...row, delivery: { ...row.delivery, endedAt } }
          })
        })),
      find: (...args) =>
        Effect.zipWith(store.find(...args), Timestamp.now, (found, now) =>
          Option.map(found, (row) => {
            const endedAt = row.delivery.endedAt === null ? null : now
            return { ...row, delivery: { ...row.delivery, endedAt } }
          })
        )
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* fire(scene)
        yield* scene.world.advance(MINUTE)
        yield* scene.hook.deliveries
      })
    )
  },
  {
    oracle: "D3",
    what: "a receiver that never answers counts as a success",
    sabotage: instead(WebhookSender, (sender) => ({
      post: (...args) =>
        Effect.map(sender.post(...args), (answer): WebhookAnswer =>
          answer._tag === "Unreachable" && answer.detail.includes("5 s")
            ? { _tag: "Answered", status: 200, snippet: "" }
            : answer
        )
    })),
    scenario: inScene((scene) => Effect.zipRight(scene.hook.script("slow"), fire(scene)))
  },
  {
    oracle: "D4",
    what: "an event that exhausted its attempts counts twice",
    sabotage: instead(DeliveryStore, (store, ports) => ({
      finish: (claim, finish, attempt) =>
        Effect.tap(store.finish(claim, finish, attempt), (isWritten) =>
          Effect.gen(function* () {
            if (!isWritten || finish._tag !== "Failed" || finish.reason !== "exhausted") return
            const found = yield* store.find(claim.appId, claim.id)
            if (Option.isNone(found)) return
            const { endpointId } = found.value.delivery
            const endpoints = Context.get(ports, EndpointStore)
            yield* endpoints.update(claim.appId, endpointId, (one) => ({ ...one, strikes: one.strikes + 1 }))
          })
        )
    })),
    scenario: inScene((scene) => Effect.zipRight(scene.hook.script(500), fire(scene)))
  },
  {
    oracle: "D5",
    what: "the queue forgets the age limit of an event",
    sabotage: claiming((claim) => Effect.succeed({ ...claim, delivery: { ...claim.delivery, maxEventAgeS: null } })),
    scenario: inScene(({ hook, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* hook.script([500, 500, 200])
        yield* rule("enter", { maxEventAgeS: 30 })
        yield* walk(FAR, HOME)
        yield* world.advance(HOUR)
      })
    )
  },
  {
    oracle: "D5",
    what: "the age of an event counts from its first attempt",
    sabotage: claiming((claim) => {
      const { createdAt, envelope, maxEventAgeS } = claim.delivery
      const least = Math.ceil((createdAt - envelope.occurredAt) / SECOND)
      const later = maxEventAgeS === null ? null : maxEventAgeS + least
      return Effect.succeed({ ...claim, delivery: { ...claim.delivery, maxEventAgeS: later } })
    }),
    scenario: inScene(({ hook, phone, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* hook.script([500, 200])
        yield* rule("enter", { maxEventAgeS: 60 })
        yield* walk(FAR)
        yield* phone.offline
        yield* walk(HOME)
        yield* world.advance(45 * SECOND)
        yield* phone.online()
        yield* world.advance(HOUR)
      })
    )
  },
  {
    oracle: "D5",
    what: "an event that is too old waits for its next retry",
    sabotage: retryingAt((_at, _tookMs, inFull) => inFull),
    scenario: inScene(({ hook, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* hook.script([500, 500, 200])
        yield* rule("enter", { maxEventAgeS: 60 })
        yield* walk(FAR, HOME)
        yield* world.advance(HOUR)
        yield* hook.deliveries
      })
    )
  },
  {
    oracle: "D6",
    what: "the fourth attempt is put off for a year",
    sabotage: instead(DeliveryStore, (store) => ({
      finish: (claim, finish, attempt) =>
        store.finish(
          claim,
          finish._tag === "Retry" && finish.attempt === 4
            ? { ...finish, dueAt: Timestamp.plus(finish.dueAt, 365 * DAY) }
            : finish,
          attempt
        )
    })),
    scenario: inScene((scene) => Effect.zipRight(scene.hook.script(500), fire(scene)))
  },
  {
    oracle: "D7",
    what: "a worker that was started again begins at the first attempt",
    sabotage: (ports) => {
      const last = new Map<string, number>()
      return claiming((claim) =>
        Effect.map(FiberRef.get(Simulation.Process.current), ({ epoch }) => {
          const { delivery } = claim
          const before = last.get(delivery.id) ?? epoch
          last.set(delivery.id, epoch)
          return before === epoch ? claim : { ...claim, delivery: { ...delivery, attempt: 1 } }
        })
      )(ports)
    },
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script(500)
        yield* fire(scene)
        yield* scene.world.advance(MINUTE)
        yield* scene.world.crash("worker")
        yield* scene.world.restart("worker")
      })
    )
  },
  {
    oracle: "D8",
    what: "a delivery in flight is claimed a second time",
    sabotage: instead(DeliveryStore, (store) => {
      const underWay = new Map<string, ClaimedDelivery>()
      return {
        claim: (request) =>
          Effect.map(store.claim(request), (claimed) => {
            const second = [...underWay.values()].map((claim) => ({ ...claim, lease: request.lease }))
            for (const claim of claimed.claims) underWay.set(claim.delivery.id, claim)
            return { ...claimed, claims: [...claimed.claims, ...second] }
          }),
        finish: (claim, finish, attempt) =>
          Effect.tap(store.finish(claim, finish, attempt), () => Effect.sync(() => underWay.delete(claim.id)))
      }
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script([500, 500, "hang", "hang", 200])
        yield* scene.rule()
        yield* fire(scene)
        yield* scene.world.advance(31 * SECOND)
        yield* scene.ana.share(scene.connection, [])
        yield* scene.world.advance(MINUTE)
      })
    )
  },
  {
    oracle: "D8",
    what: "an attempt has to wait when its second lease runs out",
    isRare: "It takes two crashes during one attempt, and a look into the log before the next claim.",
    sabotage: instead(DeliveryStore, (store) => {
      const claims = new Map<string, number>()
      const putOff = new Map<string, Timestamp.Timestamp>()
      const seen = (delivery: Delivery.Delivery): Delivery.Delivery => ({
        ...delivery,
        dueAt: delivery.dueAt === null ? null : (putOff.get(`${delivery.id} ${delivery.attempt}`) ?? delivery.dueAt)
      })
      return {
        claim: (request) =>
          Effect.tap(store.claim(request), (claimed) => {
            for (const { delivery } of claimed.claims) {
              const key = `${delivery.id} ${delivery.attempt}`
              claims.set(key, (claims.get(key) ?? 0) + 1)
              if (claims.get(key) === 2) putOff.set(key, Timestamp.plus(request.leaseUntil, 30 * SECOND))
            }
            return Effect.void
          }),
        find: (...args) =>
          Effect.map(
            store.find(...args),
            Option.map((row) => ({ ...row, delivery: seen(row.delivery) }))
          )
      }
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script([500, "hang"])
        yield* fire(scene)
        yield* scene.world.advance(32 * SECOND)
        yield* scene.world.crash("worker")
        yield* scene.world.advance(MINUTE)
        yield* scene.world.restart("worker")
        yield* scene.world.advance(2 * SECOND)
        yield* scene.world.crash("worker")
        yield* scene.hook.deliveries
        yield* scene.world.restart("worker")
      })
    )
  },
  {
    oracle: "D9",
    what: "an event that is being sent is read from the outbox again, and sent a second time",
    sabotage: instead(EventStore, (store) => ({
      pending: (buckets, limit, now) => store.pending(buckets, limit, now, [])
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script({ status: 200, delayMillis: 3 * SECOND })
        yield* scene.rule()
        yield* scene.rule("exit")
        yield* scene.walk(FAR, HOME)
        yield* scene.world.advance(SECOND)
        yield* scene.ana.share(scene.connection, [])
      })
    )
  },
  {
    oracle: "D9",
    what: "a first attempt is stored as a delivery that waits for its first attempt",
    sabotage: instead(DeliveryStore, (store) => ({
      insertAttempted: (row) => Effect.as(store.insert([row]), { isStored: true, isFannedOut: false })
    })),
    scenario: inScene(fire)
  },
  {
    oracle: "D10",
    what: "a delivered row leaves the log after two hours",
    sabotage: retaining("delivered_deliveries", (until) => Timestamp.plus(until, 7 * DAY - 2 * HOUR)),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* fire(scene)
        yield* scene.world.advance(HOUR)
        yield* scene.hook.deliveries
        yield* scene.world.advance(4 * HOUR)
        yield* scene.hook.deliveries
      })
    )
  },
  {
    oracle: "D10",
    what: "a failed row leaves the log after two hours",
    sabotage: retaining("failed_deliveries", (until) => Timestamp.plus(until, 30 * DAY - 2 * HOUR)),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script(500)
        yield* fire(scene)
        yield* scene.ana.disconnect(scene.connection)
        yield* scene.world.advance(HOUR)
        yield* scene.hook.deliveries
        yield* scene.world.advance(4 * HOUR)
        yield* scene.hook.deliveries
      })
    )
  },
  {
    oracle: "D10",
    what: "nothing deletes delivered rows",
    sabotage: retaining("delivered_deliveries", () => Timestamp.make(0)),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* fire(scene)
        yield* scene.world.advance(HOUR)
        yield* scene.hook.deliveries
        yield* scene.world.advance(8 * DAY)
        yield* scene.hook.deliveries
      })
    )
  },
  {
    oracle: "R10",
    what: "an event counts as fanned out as soon as a worker has read it, and the worker dies",
    sabotage: flow(
      instead(EventStore, (store) => ({
        pending: (...args) =>
          Effect.tap(store.pending(...args), ({ events }) =>
            Effect.flatMap(Timestamp.now, (now) => store.markFannedOut(events, now))
          ),
        authorisation: (...args) => Effect.delay(store.authorisation(...args), SECOND)
      })),
      readingNothingAhead
    ),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* fire(scene)
        yield* scene.world.advance(SECOND / 2)
        yield* scene.world.crash("worker")
        yield* scene.world.restart("worker")
        yield* scene.world.advance(HOUR)
      })
    )
  }
]
