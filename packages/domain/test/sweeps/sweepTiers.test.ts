import { disconnect, EffectiveScopes, listConnections } from "@place-access/domain/connection"
import type { Event } from "@place-access/domain/events"
import { everything } from "@place-access/domain/leases"
import { type ConnectionId, StoreError, Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, Fixtures, MemoryDatabase } from "@place-access/domain/testing"
import { sweepTiers, TierStore } from "@place-access/domain/sweeps"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { inWorld } from "../support/connections.js"
import { CURRENT, decide, live, LOOKUP, request, sensitivePair } from "../support/consents.js"
import { START } from "../support/runContract.js"

const { DAY, HOUR, MINUTE } = Timestamp

const connected = (sensitiveDays = "30", standardDays = "never") =>
  Effect.gen(function* () {
    const { app, user } = yield* sensitivePair
    const made = yield* ConsentFlow.connect(app, user, [CURRENT, LOOKUP], { sensitiveDays, standardDays })
    return { app, user, ...made }
  })

/**
 * The events in the outbox, in order. Each has the payload type, the days of a warning, and the milliseconds since the
 * start.
 */
const receivedEvents = (id?: ConnectionId) =>
  Effect.map(MemoryDatabase, ({ events }) =>
    [...events.values()]
      .filter((event) => id === undefined || event.connectionId === id)
      .map((event) => [label(event.payload), event.occurredAt - START] as const)
  )

const label = (payload: Event.Payload): string =>
  payload.type === "sensitive.expiring" ? `${payload.type} ${payload.daysLeft}` : payload.type

/** Sweeps like a worker, but less often, because each step of the test clock takes some real milliseconds. */
const sweepFor = (days: number) =>
  Effect.gen(function* () {
    const until = (yield* Timestamp.now) + days * DAY
    while ((yield* Timestamp.now) < until) {
      yield* sweepTiers(everything.people)
      yield* TestClock.adjust(6 * HOUR)
    }
    yield* sweepTiers(everything.people)
  })

const jump = (millis: number) => Effect.zipRight(TestClock.adjust(millis), sweepTiers(everything.people))

const renew = (of: Effect.Effect.Success<ReturnType<typeof connected>>, sensitiveDays: string) =>
  Effect.gen(function* () {
    const consentRequest = yield* request(of.app, [CURRENT, LOOKUP])
    yield* decide(consentRequest, of.user, { shown: "renew_sensitive", scopes: [CURRENT, LOOKUP], sensitiveDays })
  })

const dates = (offset: number) => [
  ["sensitive.expiring 14", offset - 14 * DAY],
  ["sensitive.expiring 7", offset - 7 * DAY],
  ["sensitive.lapsed", offset],
  ["sensitive.removed", offset + 14 * DAY]
]

describe("sweepTiers [§3.1, §6.3]", () => {
  it("a 30-day grant has events of four moments, each once [§6.1-lapsed, §6.1-removed, §6.3.2]", () =>
    inWorld(
      Effect.gen(function* () {
        yield* connected("30")
        yield* sweepFor(50)
        expect(yield* receivedEvents()).toEqual(dates(30 * DAY))
      })
    ))

  it("a sweep finds a moment that was reached just then, and an hour later finds nothing more", () =>
    inWorld(
      Effect.gen(function* () {
        yield* connected("30")
        expect(yield* jump(16 * DAY - 1)).toEqual({ connections: 0, ended: 0, notices: 0 })
        expect(yield* jump(1)).toEqual({ connections: 1, ended: 0, notices: 1 })
        expect(yield* jump(60 * MINUTE)).toEqual({ connections: 0, ended: 0, notices: 0 })
      })
    ))

  it("a connection renewed in time never gets sensitive.lapsed; the renewal starts the cycle again [§6.3.2]", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected("30")
        yield* sweepFor(29)
        yield* renew(it, "90")
        yield* sweepFor(110)
        expect(yield* receivedEvents()).toEqual([...dates(30 * DAY).slice(0, 2), ...dates(119 * DAY)])
      })
    ))

  it("renewed in the grace: it lapsed once, is live again, and is not removed at the old grace's end [§3.1-renewal]", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected("7")
        yield* jump(10 * DAY)
        yield* renew(it, "30")
        yield* jump(12 * DAY)
        expect(yield* receivedEvents()).toEqual([
          // The seven-day warning was due at the moment of the consent. No sweep ran before the tier ended, so no
          // warning was sent, and only the end is reported.
          ["sensitive.lapsed", 7 * DAY]
        ])
        expect(EffectiveScopes.effective(yield* live(it.user, it.app), it.app, yield* Timestamp.now)).toEqual([
          CURRENT,
          LOOKUP
        ])
      })
    ))

  it("renewed between the date and the sweep: nothing lapsed that an app would need to hear of [tiers-5]", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected("7")
        yield* sweepTiers(everything.people)
        yield* TestClock.adjust(7 * DAY + 5 * MINUTE)
        yield* renew(it, "30")
        yield* sweepTiers(everything.people)
        expect(yield* receivedEvents()).toEqual([["sensitive.expiring 7", 0]])
      })
    ))

  it.each([
    ["between the end date and", 7 * DAY + 5 * MINUTE],
    ["after the end of the grace period, before", 21 * DAY]
  ])(
    "changed %s the next sweep: nothing is sent about the old date, the new tokens say the scopes [tiers-5]",
    (_, at) =>
      inWorld(
        Effect.gen(function* () {
          const it = yield* connected("7")
          yield* jump(7 * DAY - 1)
          if (at > 20 * DAY) yield* jump(14 * DAY - 1)
          const before = yield* receivedEvents()
          yield* TestClock.adjust(at - ((yield* Timestamp.now) - START))
          const changed = yield* ConsentFlow.connect(it.app, it.user, [CURRENT], { standardDays: "never" })
          expect(changed.tokens.scopes).toEqual([CURRENT])
          yield* sweepFor(30)
          expect(yield* receivedEvents()).toEqual(before)
        })
      )
  )

  it("renewed for 7 days: the 14-day threshold has passed and is skipped, the 7-day one is the consent [tiers-4]", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected("90")
        yield* jump(5 * DAY)
        yield* renew(it, "7")
        yield* sweepTiers(everything.people)
        expect(yield* receivedEvents()).toEqual([["sensitive.expiring 7", 5 * DAY]])
      })
    ))

  it("grace ended: the scopes leave the grant, and no answer is another for it", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* connected("1")
        yield* TestClock.adjust(15 * DAY)
        const before = yield* live(user, app)
        const answers = (of: typeof before, now: Timestamp.Timestamp) => [
          EffectiveScopes.effective(of, app, now),
          EffectiveScopes.held(of, app, now),
          EffectiveScopes.check(of, app, LOOKUP, now)
        ]
        yield* sweepTiers(everything.people)
        const after = yield* live(user, app)
        const now = yield* Timestamp.now
        expect([after.heldScopes, after.sensitiveExpiresAt]).toEqual([[CURRENT], null])
        expect(answers(after, now)).toEqual(answers(before, now))
      })
    ))

  it("after the sensitive scopes are given up, or the app disconnected, no more events about them are sent", () =>
    inWorld(
      Effect.gen(function* () {
        const [changed, stopped, gone] = [yield* connected("30"), yield* connected("30"), yield* connected("30")]
        yield* ConsentFlow.connect(changed.app, changed.user, [CURRENT], { standardDays: "never" })
        yield* decide(yield* request(stopped.app, [CURRENT, LOOKUP]), stopped.user, { decision: "stop" })
        yield* disconnect(gone.user.id, gone.connectionId)
        yield* sweepFor(50)
        expect(yield* receivedEvents()).toEqual([])
      })
    ))

  it("standard expiry: ended as expired at its date although nobody asked for anything; lists say so", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId, user } = yield* connected("30", "7")
        expect((yield* jump(7 * DAY - 1)).ended).toBe(0)
        expect((yield* jump(12 * MINUTE)).ended).toBe(1)
        expect((yield* jump(DAY)).connections).toBe(0)
        const { connections } = yield* MemoryDatabase
        expect(connections.get(connectionId)).toMatchObject({ endedAt: START + 7 * DAY, endReason: "expired" })
        expect(yield* listConnections(user.id)).toMatchObject([{ live: false, endReason: "expired" }])
        expect(yield* receivedEvents()).toEqual([])
      })
    ))

  it("the default of 30 days each ends everything at once: warned twice, never lapsed [tiers-2]", () =>
    inWorld(
      Effect.gen(function* () {
        yield* connected("30", "30")
        yield* sweepFor(45)
        expect(yield* receivedEvents()).toEqual(dates(30 * DAY).slice(0, 2))
      })
    ))

  it("goes on through more connections than fit a batch", () =>
    inWorld(
      Effect.gen(function* () {
        const { app } = yield* sensitivePair
        for (let made = 0; made < 230; made++) {
          yield* ConsentFlow.approve(app, yield* Fixtures.user, [CURRENT, LOOKUP], { sensitiveDays: "30" })
        }
        expect(yield* jump(16 * DAY)).toEqual({ connections: 230, ended: 0, notices: 230 })
      })
    ))

  it("a connection that cannot be looked at is left to the next sweep, and holds up no other", () =>
    inWorld(
      Effect.gen(function* () {
        const [one, other] = [yield* connected("30"), yield* connected("30")]
        const store = yield* TierStore
        yield* TestClock.adjust(16 * DAY)
        const swept = yield* Effect.provideService(sweepTiers(everything.people), TierStore, {
          ...store,
          sweep: (due, decide) =>
            due.id === one.connectionId
              ? Effect.fail(StoreError.broken("as a test wants it"))
              : store.sweep(due, decide)
        })
        expect(swept).toEqual({ connections: 2, ended: 0, notices: 1 })
        expect(yield* receivedEvents(other.connectionId)).toHaveLength(1)
        yield* jump(15 * MINUTE)
        expect(yield* receivedEvents(one.connectionId)).toEqual([["sensitive.expiring 14", 16 * DAY]])
        expect(yield* receivedEvents(other.connectionId)).toHaveLength(1)
      })
    ))

  it("several workers at once tell everything once [§6.3.2, tiers-3]", () =>
    inWorld(
      Effect.gen(function* () {
        yield* Effect.all(Array.from({ length: 8 }, () => connected("30")))
        yield* TestClock.adjust(16 * DAY)
        const swept = yield* Effect.all(
          [sweepTiers(everything.people), sweepTiers(everything.people), sweepTiers(everything.people)],
          { concurrency: "unbounded" }
        )
        expect(swept.reduce((sum, { notices }) => sum + notices, 0)).toBe(8)
        expect(yield* receivedEvents()).toHaveLength(8)
      })
    ))

  it("a worker that dies in the middle leaves the connections to the next sweep, at once", () =>
    inWorld(
      Effect.gen(function* () {
        yield* Effect.all(Array.from({ length: 3 }, () => connected("30")))
        const store = yield* TierStore
        yield* TestClock.adjust(16 * DAY)
        const dying = yield* Effect.fork(
          Effect.provideService(sweepTiers(everything.people), TierStore, { ...store, sweep: () => Effect.never })
        )
        yield* TestClock.adjust(1)
        yield* Fiber.interrupt(dying)
        expect(yield* sweepTiers(everything.people)).toEqual({ connections: 3, ended: 0, notices: 3 })
        expect(yield* receivedEvents()).toHaveLength(3)
      })
    ))

  it("a connection whose app was revoked meanwhile ends as of the revocation, untold", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, connectionId } = yield* connected("30")
        const tables = yield* MemoryDatabase
        const revokedAt = Timestamp.plus(yield* Timestamp.now, DAY)
        const registered = tables.apps.get(app.id)!
        tables.apps.set(app.id, { ...registered, app: { ...app, revokedAt } })
        yield* jump(16 * DAY)
        expect(tables.connections.get(connectionId)).toMatchObject({ endedAt: revokedAt, endReason: "admin_revoked" })
        expect(yield* receivedEvents()).toEqual([])
      })
    ))
})
