import { everything } from "@place-access/domain/leases"
import { TokenStore } from "@place-access/domain/tokens"
import { type Connection } from "@place-access/domain/connection"
import { AppStore } from "@place-access/domain/apps"
import { type AppId, Timestamp } from "@place-access/domain/shared"
import { MemoryTierStore, MemoryWebhookSender, RuleSamples } from "@place-access/domain/testing"
import { sweepTiers, type TierStore } from "@place-access/domain/sweeps"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { deliveries, inVirtualTime, posts, register, script, withWorker, type World } from "../support/webhooks.js"

const { answers, inTurn } = MemoryWebhookSender
const { DAY, MINUTE } = Timestamp

/**
 * Runs `use` with a connection whose sensitive tier ends in a day, an endpoint of its app, a worker, and a sweep every
 * quarter of an hour.
 */
const swept = <A, E, R>(use: (stage: { connection: Connection.Connection }) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { connection } = yield* RuleSamples.sharing({
      heldScopes: ["location.rules.place", "location.lookup"],
      standardExpiresAt: null,
      sensitiveExpiresAt: Timestamp.plus(yield* Timestamp.now, DAY)
    })
    yield* register(connection.appId, { events: ["sensitive.lapsed", "sensitive.removed"] })
    yield* (yield* TokenStore).change(connection.id, {}, (_, now) => ({
      outcome: undefined,
      writes: [{ _tag: "LookAt", at: now }]
    }))
    const sweeping = Effect.forever(Effect.zipRight(sweepTiers(everything.people), Effect.sleep(15 * MINUTE)))
    return yield* withWorker(Effect.raceFirst(use({ connection }), sweeping))
  })

const run = <A>(program: Effect.Effect<A, unknown, TierStore | World>) =>
  inVirtualTime(Effect.provide(program, MemoryTierStore.layer))

const posted = Effect.map(posts(), (posts) => posts.map(({ body }) => JSON.parse(body) as { readonly type: string }))
const changeApp = (id: AppId, change: object) =>
  Effect.flatMap(AppStore, (apps) =>
    apps.update(id, (before) => ({ outcome: undefined, after: { ...before, app: { ...before.app, ...change } } }))
  )

const end = (connection: Connection.Connection) =>
  Effect.flatMap(TokenStore, (store) =>
    store.change(connection.id, {}, (_, at) => ({
      outcome: undefined,
      writes: [{ _tag: "End", reason: "user_disconnected", at }]
    }))
  )

describe("events of the sensitive tier on their way [§6.3]", () => {
  it("arrive within 15 minutes of their moment, although the scopes are gone by then [§6.3.1]", () => {
    run(
      swept(({ connection }) =>
        Effect.gen(function* () {
          yield* script(answers(200))
          const expires = yield* Timestamp.now
          yield* Effect.sleep(DAY + 15 * MINUTE)
          const [lapsed] = yield* posted
          expect(lapsed).toEqual({
            event_id: expect.any(String),
            app_id: connection.appId,
            endpoint_id: expect.any(String),
            type: "sensitive.lapsed",
            grant_id: connection.id,
            occurred_at: Timestamp.toIso(Timestamp.plus(expires, DAY)),
            sensitive_expires_at: Timestamp.toIso(Timestamp.plus(expires, DAY)),
            renewal_grace_ends_at: Timestamp.toIso(Timestamp.plus(expires, 15 * DAY)),
            scopes: ["location.lookup"]
          })
          yield* Effect.sleep(14 * DAY)
          const [, removed, ...more] = yield* posted
          expect(removed).toMatchObject({ type: "sensitive.removed", scopes: ["location.lookup"] })
          expect(more).toEqual([])
        })
      )
    )
  })

  it("are sent after an admin narrowed the app, and go on being tried while the scopes go [§6.3.5-tier]", () => {
    run(
      swept(({ connection }) =>
        Effect.gen(function* () {
          yield* script(inTurn(answers(500), answers(500), answers(200)))
          yield* Effect.sleep(DAY + MINUTE)
          yield* changeApp(connection.appId, { allowedScopes: [] })
          yield* Effect.sleep(DAY)
          expect((yield* posted).map(({ type }) => type)).toEqual([
            "sensitive.lapsed",
            "sensitive.lapsed",
            "sensitive.lapsed"
          ])
          expect(yield* deliveries).toMatchObject([{ state: "delivered" }])
        })
      )
    )
  })

  it.each([
    ["the user disconnected", end],
    ["an admin revoked the app", ({ appId, connectedAt }) => changeApp(appId, { revokedAt: connectedAt })]
  ] satisfies ReadonlyArray<
    readonly [string, (connection: Connection.Connection) => Effect.Effect<unknown, unknown, TokenStore | AppStore>]
  >)("%s: what waits is not sent any more [§6.3.5-tier]", (_, withdraw) => {
    run(
      swept(({ connection }) =>
        Effect.gen(function* () {
          yield* script(answers(500))
          yield* Effect.sleep(DAY + MINUTE)
          yield* withdraw(connection)
          const before = (yield* posted).length
          expect(before).toBeGreaterThan(0)
          yield* Effect.sleep(20 * DAY)
          expect((yield* posted).length).toBe(before)
          expect(yield* deliveries).toMatchObject([{ state: "failed", failReason: "not_authorised" }])
        })
      )
    )
  })
})
