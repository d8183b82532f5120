import { redeliver, sendTest } from "@place-access/domain/deliveries"
import { figuresRecorder, Tally } from "@place-access/domain/figures"
import type { AppId, DeliveryId } from "@place-access/domain/shared"
import type { Account } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { AccountChange, StaffStore } from "@place-access/domain/staff"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  BY_CLAIMS,
  deliveries,
  fire,
  inVirtualTime,
  posts,
  scene,
  script,
  type World,
  withWorker
} from "../support/webhooks.js"

const { answers, inTurn, ourFault } = MemoryWebhookSender

/** Runs `use` while a worker runs, and returns how many attempts the figures of each endpoint count. */
const reported = (use: Effect.Effect<void, unknown, World>) =>
  Effect.gen(function* () {
    const tally = Tally.make()
    yield* Effect.locally(withWorker(use, BY_CLAIMS), figuresRecorder, tally)
    return (tally.take()?.attempts ?? []).map(({ attempts, isSuccess }) => [isSuccess, attempts])
  })

const again = (developer: Account.Account, appId: AppId, id: DeliveryId | undefined) =>
  Effect.zipRight(
    Effect.flatMap(Effect.fromNullable(id), (failed) => redeliver(developer, appId, failed)),
    Effect.sleep("1 minute")
  )

describe("which attempts the figures of an endpoint count [figures-3]", () => {
  it("a retry and a replay count; a fault of the service itself does not", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, ...stage } = yield* scene
        yield* script(inTurn(ourFault, answers(500), answers(200)))
        const use = Effect.gen(function* () {
          yield* fire(stage)
          yield* Effect.sleep("10 minutes")
          const [delivered] = yield* deliveries
          yield* again(developer, app.id, delivered?.id)
        })
        expect(yield* reported(use)).toEqual([
          [false, 1],
          [true, 2]
        ])
        expect((yield* posts()).length).toBe(4)
      })
    )
  })

  it("neither a test counts, nor a test that is sent again", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        yield* script(answers(500))
        const use = Effect.gen(function* () {
          yield* sendTest(developer, app.id, endpoint.id)
          const [failed] = yield* deliveries
          yield* again(developer, app.id, failed?.id)
        })
        expect(yield* reported(use)).toEqual([])
        expect((yield* posts()).length).toBeGreaterThan(2)
      })
    )
  })
})

it("a firing during a suspension does not count; one before and one after it do [staff-1, deliveries-13]", () => {
  inVirtualTime(
    Effect.gen(function* () {
      const { user, ...stage } = yield* scene
      yield* script(answers(200))
      const change = (step: AccountChange.AccountStep) =>
        Effect.flatMap(StaffStore, (store) => store.change(user.id, step))
      const fireAndWait = Effect.zipRight(fire(stage), Effect.sleep("1 minute"))
      const tally = Tally.make()
      const use = Effect.gen(function* () {
        yield* fireAndWait
        yield* change(AccountChange.suspend(AuditEvent.OPERATOR))
        yield* fireAndWait
        yield* change(AccountChange.resume(AuditEvent.OPERATOR))
        yield* fireAndWait
      })
      yield* Effect.locally(withWorker(use), figuresRecorder, tally)
      const firings = (tally.take()?.hours ?? []).map((hour) => hour.firings)
      expect(firings.reduce((sum, one) => sum + one, 0)).toBe(2)
    })
  )
})
