import { everything } from "@place-access/domain/leases"
import { authenticateAccess, exchangeCode, refreshTokens, revokeToken } from "@place-access/domain/tokens"
import { decideConsent } from "@place-access/domain/consent"
import { type EventPlace, Retention, RetentionStore, runHousekeeping, sweepExpired } from "@place-access/domain/sweeps"
import { DeliveryId, EventId, StoreError, Timestamp, UserId } from "@place-access/domain/shared"
import {
  ConsentFlow,
  MemoryAccountDeletionStore,
  MemoryDatabase,
  MemoryDeliveryStore,
  MemoryEndpointStore,
  MemoryListenerStore,
  MemoryDeviceStore,
  MemoryHistoryStore,
  MemoryRetentionStore,
  MemoryLeaseStore,
  MemoryStayStore,
  MemoryTestPersonStore,
  MemoryVolumeFlagStore,
  WebhookFixtures
} from "@place-access/domain/testing"
import { TierStore } from "@place-access/domain/sweeps"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, TestClock } from "effect"
import { inWorld as inConnections, pair, type World } from "../support/connections.js"

const { DAY, HOUR, MINUTE, SECOND } = Timestamp
const CURRENT = "location.place.current"

const stores = Layer.mergeAll(
  MemoryAccountDeletionStore.layer,
  MemoryDeliveryStore.layer,
  MemoryEndpointStore.layer,
  MemoryListenerStore.layer,
  MemoryDeviceStore.layer,
  MemoryHistoryStore.layer,
  MemoryRetentionStore.layer,
  MemoryLeaseStore.layer,
  MemoryStayStore.layer,
  MemoryTestPersonStore.layer,
  MemoryVolumeFlagStore.layer
)
const inWorld = <A, E>(program: Effect.Effect<A, E, World | Layer.Layer.Success<typeof stores>>) =>
  inConnections(Effect.provide(program, stores))

const NO_EVENTS = Effect.succeed({ removed: 0, next: undefined })

const sweep = Effect.flatMap(Timestamp.now, sweepExpired)
const connected = Effect.gen(function* () {
  const { app, user } = yield* pair()
  return { app, user, ...(yield* ConsentFlow.connect(app, user, [CURRENT], { standardDays: "never" })) }
})

describe("sweepExpired", () => {
  const NOW = Timestamp.make(Date.UTC(2026, 3, 1))
  it.each([
    ["access_tokens", HOUR + DAY],
    ["refresh_tokens", DAY],
    ["authorization_codes", DAY],
    ["consent_requests", HOUR + DAY],
    ["sessions", 0],
    ["sign_in_tries", 15 * MINUTE],
    ["delivered_deliveries", 7 * DAY],
    ["failed_deliveries", 30 * DAY],
    ["mail", 30 * DAY],
    ["volume_flags", 400 * DAY],
    ["rate_windows", HOUR],
    ["budgets", DAY + HOUR]
  ] as const)("%s go when their moment is %d ms ago [sweeps-2]", (kind, age) => {
    expect(NOW - Retention.until(kind, NOW)).toBe(age)
  })

  it("events are looked at when a delivery of the same age can be gone, not earlier [sweeps-2]", () => {
    expect(NOW - Retention.eventsUntil(NOW)).toBe(7 * DAY)
  })

  it("an access token is deleted a day after it died, not earlier; its connection goes on [sweeps-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, tokens } = yield* connected
        const known = Effect.map(Effect.flip(authenticateAccess(tokens.accessToken)), (error) =>
          error._tag === "InvalidToken" ? error.known?.connectionId : undefined
        )
        yield* TestClock.adjust(HOUR + DAY - 1)
        yield* sweep
        expect(yield* known).toBe(connectionId)
        yield* TestClock.adjust(1)
        yield* sweep
        expect(yield* known).toBeUndefined()
        expect((yield* refreshTokens(app, tokens.refreshToken)).scopes).toEqual([CURRENT])
      })
    ))

  it("a spent refresh token of a live connection is kept: a leak is found however late [sweeps-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId, tokens } = yield* connected
        yield* refreshTokens(app, tokens.refreshToken)
        yield* TestClock.adjust(400 * DAY)
        yield* sweep
        yield* Effect.flip(refreshTokens(app, tokens.refreshToken))
        const { connections } = yield* MemoryDatabase
        expect(connections.get(connectionId)?.endReason).toBe("refresh_token_reused")
      })
    ))

  it("an exchanged code of a live connection is kept: a second exchange ends it however late [O7]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, connectionId } = yield* connected
        yield* TestClock.adjust(400 * DAY)
        yield* sweep
        yield* Effect.flip(ConsentFlow.exchange(app, code))
        const { connections } = yield* MemoryDatabase
        expect(connections.get(connectionId)?.endReason).toBe("code_reused")
      })
    ))

  it("what a reconnect or an end made useless is deleted a day later, and answers stay what they were", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, code, tokens, user } = yield* connected
        const second = yield* ConsentFlow.connect(app, user, [CURRENT], { standardDays: "never" })
        const answers = Effect.gen(function* () {
          yield* revokeToken(app, tokens.refreshToken)
          return [
            Either.isLeft(yield* Effect.either(refreshTokens(app, tokens.refreshToken))),
            Either.isLeft(yield* Effect.either(ConsentFlow.exchange(app, code))),
            Either.isLeft(
              yield* Effect.either(exchangeCode(app, { code, codeVerifier: "wrong", redirectUri: "https://x.example" }))
            )
          ]
        })
        expect(yield* answers).toEqual([true, true, true])
        const tables = yield* MemoryDatabase
        yield* TestClock.adjust(DAY)
        yield* sweep
        expect([tables.refreshTokens.size, tables.codes.size]).toEqual([1, 1])
        expect(yield* answers).toEqual([true, true, true])
        yield* revokeToken(app, second.tokens.refreshToken)
        yield* TestClock.adjust(DAY)
        yield* sweep
        expect([tables.refreshTokens.size, tables.codes.size, tables.accessTokens.size]).toEqual([0, 0, 0])
        expect(tables.connections.size).toBe(1)
      })
    ))

  it("the same consent form posted again after its request was deleted is refused like an unknown one", () =>
    inWorld(
      Effect.gen(function* () {
        const { requestId, user } = yield* connected
        const post = decideConsent(
          requestId,
          user,
          ConsentFlow.choices({ scopes: [CURRENT] }),
          ConsentFlow.ISSUER,
          "confirmed"
        )
        yield* TestClock.adjust(HOUR - 1)
        yield* sweep
        expect(yield* Effect.flip(post)).toMatchObject({ _tag: "ConsentRefused", reason: "decided" })
        yield* TestClock.adjust(DAY)
        yield* sweep
        expect(yield* Effect.flip(post)).toMatchObject({ _tag: "ConsentRefused", reason: "expired" })
        yield* TestClock.adjust(1)
        yield* sweep
        expect(yield* Effect.flip(post)).toMatchObject({ _tag: "ConsentRefused", reason: "unknown" })
      })
    ))

  it("works through more than one batch", () =>
    inWorld(
      Effect.gen(function* () {
        const limits: Array<number> = []
        let left = 2_500
        const store = RetentionStore.of({
          remove: (kind, _, limit) =>
            Effect.sync(() => {
              if (kind !== "sessions") return 0
              limits.push(limit)
              const removed = Math.min(left, limit)
              left -= removed
              return removed
            }),
          removeEvents: () => NO_EVENTS
        })
        const removed = yield* Effect.provideService(sweep, RetentionStore, store)
        expect([removed, limits.length]).toEqual([2_500, 3])
      })
    ))

  it("goes on with the events after the last one that it looked at, also when none of a step went [sweeps-2]", () =>
    inWorld(
      Effect.gen(function* () {
        const places = [1, 2].map((millis) => ({
          fannedOutAt: Timestamp.make(millis),
          userId: UserId.make("usr_1"),
          id: EventId.make(`evt_${millis}`)
        }))
        const cursors: Array<EventPlace | undefined> = []
        const store = RetentionStore.of({
          remove: () => Effect.succeed(0),
          removeEvents: (_, __, after) =>
            Effect.sync(() => {
              cursors.push(after)
              return { removed: cursors.length === 2 ? 5 : 0, next: places[cursors.length - 1] }
            })
        })
        expect(yield* Effect.provideService(sweep, RetentionStore, store)).toBe(5)
        expect(cursors).toEqual([undefined, ...places])
      })
    ))

  it("goes on with the other kinds when one kind could not be deleted", () =>
    inWorld(
      Effect.gen(function* () {
        const store = RetentionStore.of({
          remove: (kind) => (kind === "sessions" ? StoreError.unavailable("a lock") : Effect.succeed(1)),
          removeEvents: () => NO_EVENTS
        })
        const removed = yield* Effect.provideService(sweep, RetentionStore, store)
        expect(removed).toBe(Retention.RetentionKind.literals.length - 1)
      })
    ))
})

describe("runHousekeeping", () => {
  it("sweeps the tiers at the start and every quarter of an hour on the clock, what expired every hour [§8-check, sweeps-1]", () =>
    inWorld(
      Effect.gen(function* () {
        yield* TestClock.adjust(7 * MINUTE + 12 * SECOND)
        const start = yield* Timestamp.now
        const [tiers, retention] = [yield* TierStore, yield* RetentionStore]
        const [swept, removed]: [Array<number>, Array<number>] = [[], []]
        const note = (into: Array<number>) => Effect.map(Timestamp.now, (now) => void into.push((now - start) / MINUTE))
        const fiber = yield* Effect.fork(
          runHousekeeping(everything).pipe(
            Effect.provideService(TierStore, {
              ...tiers,
              due: (page) => Effect.zipRight(note(swept), tiers.due(page))
            }),
            Effect.provideService(RetentionStore, {
              ...retention,
              remove: (kind, ...args) =>
                Effect.zipRight(kind === "sessions" ? note(removed) : Effect.void, retention.remove(kind, ...args))
            })
          )
        )
        for (let minute = 0; minute < 70; minute++) yield* TestClock.adjust(MINUTE)
        expect(swept).toEqual([0, 7.8, 22.8, 37.8, 52.8, 67.8])
        expect(removed).toEqual([0, 52.8])
        yield* Fiber.interrupt(fiber)
      })
    ))

  it("writes the mail about an endpoint that fails within a minute", () =>
    inWorld(
      Effect.gen(function* () {
        const { app } = yield* pair()
        const endpoint = yield* WebhookFixtures.endpoint(app.id)
        const fiber = yield* Effect.fork(runHousekeeping(everything))
        yield* TestClock.adjust(SECOND)
        const deliveryId = DeliveryId.make("dlv_10")
        const at = yield* Timestamp.now
        const { mail, strikeWarnings } = yield* MemoryDatabase
        strikeWarnings.set(deliveryId, { appId: app.id, deliveryId, endpointId: endpoint.id, strikes: 10, at })
        const about = () => [...mail.values()].filter(({ dedupeKey }) => dedupeKey.startsWith("strikes "))
        expect(about()).toEqual([])
        yield* TestClock.adjust(MINUTE)
        expect(about()).toMatchObject([{ to: app.ownerId, dedupeKey: `strikes ${endpoint.id} dlv_10` }])
        expect([...strikeWarnings]).toEqual([])
        yield* Fiber.interrupt(fiber)
      })
    ))
})
