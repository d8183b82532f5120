import { AuditEvent } from "@place-access/domain/audit"
import { redeliver } from "@place-access/domain/deliveries"
import { RuleStore } from "@place-access/domain/rules"
import { Timestamp, type UserId } from "@place-access/domain/shared"
import { AccountChange, StaffStore } from "@place-access/domain/staff"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import {
  attempts,
  deliveries,
  endpointNow,
  fire,
  inVirtualTime,
  posts,
  register,
  scene,
  script,
  seconds,
  URL,
  withWorker
} from "../support/webhooks.js"

const { answers, inTurn, slowly } = MemoryWebhookSender
const { MINUTE, SECOND } = Timestamp

describe("what may be sent is asked before every attempt [§6.3.5]", () => {
  const cases: ReadonlyArray<readonly [string, (stage: SceneOf) => Effect.Effect<unknown, unknown, Ports>]> = [
    [
      "the user disconnected",
      ({ connection }) =>
        Effect.flatMap(MemoryDatabase, ({ connections }) =>
          Effect.sync(() => connections.set(connection.id, { ...connection, endedAt: connection.connectedAt }))
        )
    ],
    [
      "the standard tier has passed",
      ({ connection }) =>
        Effect.flatMap(MemoryDatabase, ({ connections }) =>
          Effect.flatMap(Timestamp.now, (now) =>
            Effect.sync(() => connections.set(connection.id, { ...connection, standardExpiresAt: now }))
          )
        )
    ],
    ["an admin revoked the app", ({ app }) => changeApp(app.id, { revokedAt: app.createdAt })],
    [
      "an admin took the scope from the app",
      ({ app }) => changeApp(app.id, { allowedScopes: ["location.visits.read"] })
    ],
    ["the app no longer declares the scope", ({ app }) => changeApp(app.id, { declaredScopes: [] })],
    [
      "the user removed the scope",
      ({ connection }) =>
        Effect.flatMap(MemoryDatabase, ({ connections }) =>
          Effect.sync(() => connections.set(connection.id, { ...connection, heldScopes: ["location.visits.read"] }))
        )
    ],
    [
      "the rule was deleted",
      ({ rule }) =>
        Effect.gen(function* () {
          const rules = yield* RuleStore
          yield* rules.remove(rule.userId, rule.connectionId, rule.id, "Place", yield* Timestamp.now)
        })
    ],
    [
      "the place was withdrawn",
      ({ connection }) =>
        Effect.flatMap(MemoryDatabase, ({ connections }) =>
          Effect.sync(() => connections.set(connection.id, { ...connection, places: [] }))
        )
    ]
  ]

  it.each(cases)(
    "%s: the next attempt is not made, the row fails and the endpoint gets no strike [§6.3.5, W3-authorised]",
    (_, withdraw) => {
      inVirtualTime(
        Effect.gen(function* () {
          const stage = yield* scene
          yield* script(inTurn(answers(500), answers(200)))
          yield* withWorker(
            Effect.gen(function* () {
              yield* fire(stage)
              yield* Effect.sleep("10 seconds")
              yield* withdraw(stage)
              yield* Effect.sleep("2 days")
              expect((yield* posts()).length).toBe(1)
              expect(yield* deliveries).toMatchObject([{ state: "failed", failReason: "not_authorised", attempt: 2 }])
              expect((yield* attempts).length).toBe(1)
              expect((yield* endpointNow(stage)).strikes).toBe(0)
            })
          )
        })
      )
    }
  )

  const change = (id: UserId, step: AccountChange.AccountStep) =>
    Effect.flatMap(StaffStore, (store) => store.change(id, step))

  it.each([
    ["the person", ({ user }: SceneOf) => user.id],
    ["the app's developer", ({ developer }: SceneOf) => developer.id]
  ] as const)(
    "while %s was suspended: an event from this time is never sent and in no row; an earlier one is [staff-1, deliveries-13]",
    (_, whom) => {
      inVirtualTime(
        Effect.gen(function* () {
          const stage = yield* scene
          yield* script(answers(200))
          const again = (eventId: string) =>
            Effect.gen(function* () {
              const row = (yield* deliveries).find(({ envelope }) => envelope.eventId === eventId)
              if (row === undefined) return
              yield* redeliver(stage.developer, stage.app.id, row.id)
              yield* Effect.sleep("1 minute")
            })
          yield* withWorker(
            Effect.gen(function* () {
              const earlier = yield* fire(stage)
              yield* Effect.sleep("1 minute")
              yield* change(whom(stage), AccountChange.suspend(AuditEvent.OPERATOR))
              const during = yield* fire(stage)
              yield* Effect.sleep("1 minute")
              const late = yield* Timestamp.now
              yield* Effect.sleep("1 minute")
              yield* change(whom(stage), AccountChange.resume(AuditEvent.OPERATOR))
              yield* fire(stage, { occurredAt: late })
              yield* Effect.sleep("1 minute")
              expect((yield* posts()).length).toBe(1)
              yield* again(during.id)
              expect((yield* deliveries).map(({ envelope, state }) => [envelope.eventId, state])).toEqual([
                [earlier.id, "delivered"]
              ])
              const log = (yield* MemoryDatabase).accessLog
              expect(log.map(({ disclosed, error }) => [error, disclosed])).toEqual([
                [null, "arrived at Home"],
                ["not_authorised", "nothing: “arrived at Home” was not sent"],
                ["not_authorised", "nothing: “arrived at Home” was not sent"]
              ])
              yield* again(earlier.id)
              yield* fire(stage)
              yield* Effect.sleep("1 minute")
              expect((yield* posts()).length).toBe(3)
            })
          )
        })
      )
    }
  )

  it.each([
    ["the person", ({ user }: SceneOf) => user.id],
    ["the app's developer", ({ developer }: SceneOf) => developer.id]
  ] as const)("a retry waits while %s is suspended, and is made afterwards [staff-1]", (_, whom) => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(answers(500), answers(500), answers(200)))
        yield* withWorker(
          Effect.gen(function* () {
            const event = yield* fire(stage)
            yield* Effect.sleep("1 minute")
            yield* change(whom(stage), AccountChange.suspend(AuditEvent.OPERATOR))
            yield* Effect.sleep("10 minutes")
            expect(yield* deliveries).toMatchObject([
              { state: "trying", attempt: 3, dueAt: event.occurredAt + 930 * SECOND, faultsSince: null }
            ])
            yield* change(whom(stage), AccountChange.resume(AuditEvent.OPERATOR))
            yield* Effect.sleep("10 minutes")
            expect(seconds(yield* posts(), event.occurredAt)).toEqual([0, 30, 930])
            expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 3 }])
            const log = (yield* MemoryDatabase).accessLog
            expect(log.map(({ disclosed, error }) => [error, disclosed])).toEqual([[null, "arrived at Home"]])
          })
        )
      })
    )
  })

  it("a delivery that waits for the end of a suspension ends when its event becomes too old [staff-1, deliveries-1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            const { occurredAt } = yield* fire(stage, { maxEventAgeS: 60 })
            yield* Effect.sleep("10 seconds")
            yield* change(stage.user.id, AccountChange.suspend(AuditEvent.OPERATOR))
            yield* Effect.sleep("40 seconds")
            const endedAt = occurredAt + MINUTE + 1
            expect(yield* deliveries).toMatchObject([{ state: "trying", attempt: 2, dueAt: endedAt }])
            yield* Effect.sleep("1 minute")
            expect(yield* deliveries).toMatchObject([{ state: "too_old", attempt: 2, endedAt }])
          })
        )
      })
    )
  })

  it("older than its rule allows, it is withheld, retries included; the user's access log says when it was sent and when no more [§3.5-ages, §4.6.8]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* register(stage.app.id, { url: `${URL}/2` })
        yield* script(answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            const event = yield* fire(stage, { maxEventAgeS: 30 })
            yield* Effect.sleep("1 day")
            expect(seconds(yield* posts(), event.occurredAt)).toEqual([0, 30])
            const all = yield* deliveries
            expect(all.map(({ state, endedAt }) => [state, endedAt])).toEqual([
              ["too_old", event.occurredAt + 30 * SECOND + 1],
              ["too_old", event.occurredAt + 30 * SECOND + 1]
            ])
            expect((yield* endpointNow(stage)).strikes).toBe(0)
            const log = (yield* MemoryDatabase).accessLog
            expect(log.map(({ at, endpoint, error, disclosed }) => [at, endpoint, error, disclosed])).toEqual([
              [event.occurredAt, "webhook place.enter", null, "arrived at Home"],
              [
                event.occurredAt + 30 * SECOND,
                "webhook place.enter",
                "too_old",
                "nothing more: “arrived at Home” came too late to be sent again"
              ]
            ])
          })
        )
      })
    )
  })

  it.each([
    [0, 30, [0, 30]],
    [1, 30, [0]],
    [0, 330, [0, 30, 330]],
    [1, 330, [0, 30.001]]
  ])(
    "Spec §4.6.8, retries that begin %i ms late: max_event_age_s %i lets those through that are not older",
    (late, limit, sent) => {
      inVirtualTime(
        Effect.gen(function* () {
          const stage = yield* scene
          yield* script(slowly(late, answers(500)))
          yield* withWorker(
            Effect.gen(function* () {
              const event = yield* fire(stage, { maxEventAgeS: limit })
              yield* Effect.sleep("1 day")
              expect(seconds(yield* posts(), event.occurredAt)).toEqual(sent)
              expect(yield* deliveries).toMatchObject([{ state: "too_old" }])
              expect((yield* MemoryDatabase).accessLog.map(({ error }) => error)).toEqual([null, "too_old"])
            })
          )
        })
      )
    }
  )

  it("an event that comes too late is withheld before the first attempt, and nothing was disclosed", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withWorker(
          Effect.gen(function* () {
            const now = yield* Timestamp.now
            yield* fire(stage, { maxEventAgeS: 60, occurredAt: Timestamp.plus(now, -60 * SECOND - 1) })
            yield* Effect.sleep("1 second")
            expect(yield* posts()).toEqual([])
            expect(yield* deliveries).toMatchObject([{ state: "too_old", attempt: 1 }])
            const log = (yield* MemoryDatabase).accessLog
            expect(log.map(({ at, error, disclosed }) => [at, error, disclosed])).toEqual([
              [now, "too_old", "nothing: “arrived at Home” came too late"]
            ])
          })
        )
      })
    )
  })

  it("what is sent is in the access log before it leaves, once for all endpoints and attempts [deliveries-12]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* register(stage.app.id, { url: `${URL}/2` })
        const seen: Array<number> = []
        const { accessLog } = yield* MemoryDatabase
        const look: MemoryWebhookSender.Behaviour = (post) =>
          Effect.zipRight(
            Effect.sync(() => seen.push(accessLog.length)),
            answers(500)(post)
          )
        yield* script(look)
        yield* script(look, `${URL}/2`)
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 hour")
            expect(new Set(seen)).toEqual(new Set([1]))
            expect(accessLog.length).toBe(1)
          })
        )
      })
    )
  })
})

type SceneOf = Effect.Effect.Success<typeof scene>
type Ports = MemoryDatabase | RuleStore

const changeApp = (id: SceneOf["app"]["id"], overrides: Partial<SceneOf["app"]>) =>
  Effect.flatMap(MemoryDatabase, ({ apps }) =>
    Effect.sync(() => {
      const before = apps.get(id)
      if (before !== undefined) apps.set(id, { ...before, app: { ...before.app, ...overrides } })
    })
  )
