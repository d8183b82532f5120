import type { App } from "@place-access/domain/apps"
import type { Connection, Write } from "@place-access/domain/connection"
import { AppId, ConnectionId, EventId, type Scope, Sub, Timestamp, UserId } from "@place-access/domain/shared"
import { type Dated, TierSweep } from "@place-access/domain/sweeps"
import { SensitiveNotice, Tier } from "@place-access/domain/tiers"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { appOf } from "../support/apps.js"

const { DAY, MINUTE } = Timestamp
const EXPIRES = Timestamp.make(Date.UTC(2026, 5, 1, 10))
const at = (offset: number) => Timestamp.make(EXPIRES + offset)

const SENSITIVE: ReadonlyArray<Scope.SensitiveScope> = ["location.latest.read", "location.lookup"]

const app = (overrides: Partial<App.App> = {}): App.App =>
  appOf({ declaredScopes: ["location.place.current", ...SENSITIVE], status: "production", ...overrides })

const connection = (overrides: Partial<Connection.Connection> = {}): Connection.Connection => ({
  userId: UserId.make("usr_1"),
  id: ConnectionId.make("con_1"),
  appId: AppId.make("app_1"),
  sub: Sub.make("sub_1"),
  externalUserId: null,
  heldScopes: ["location.place.current", ...SENSITIVE],
  agreedScopes: ["location.place.current", ...SENSITIVE],
  pause: null,
  placesVersion: 1,
  places: [],
  standardExpiresAt: null,
  sensitiveExpiresAt: EXPIRES,
  connectedAt: at(-30 * DAY),
  endedAt: null,
  endReason: null,
  familyId: null,
  ...overrides
})

const IDS: TierSweep.Ids = {
  expiring_14: EventId.make("evt_14"),
  expiring_7: EventId.make("evt_7"),
  lapsed: EventId.make("evt_lapsed"),
  removed: EventId.make("evt_removed")
}

const state = (overrides: Partial<Dated> = {}): Dated => ({
  connection: connection(),
  app: app(),
  from: at(-30 * DAY),
  notices: [],
  ...overrides
})

const look = (writes: ReadonlyArray<Write>) => writes.flatMap((write) => (write._tag === "LookAt" ? [write.at] : []))
const events = (writes: ReadonlyArray<Write>) => writes.flatMap((write) => (write._tag === "Emit" ? [write.event] : []))

describe("the sweep of one connection [§3.1]", () => {
  it.each([
    ["a millisecond before 14 days: nothing", -14 * DAY - 1, -30, []],
    ["14 days before: sensitive.expiring", -14 * DAY, -30, ["expiring_14"]],
    ["a millisecond before 7 days, told of 14: nothing", -7 * DAY - 1, -13, []],
    ["7 days before: sensitive.expiring again", -7 * DAY, -13, ["expiring_7"]],
    ["a millisecond before the date: nothing", -1, -6, []],
    ["live (sensitive active) | sensitive_expires_at passes: sensitive.lapsed [§3.1-lapse]", 0, -6, ["lapsed"]],
    ["sensitive lapsed | a millisecond before the grace ends: nothing", 14 * DAY - 1, 1, []],
    ["sensitive lapsed | grace ends: sensitive.removed [§3.1-removal]", 14 * DAY, 1, ["removed"]]
  ] as const)("%s", (_, now, fromDays, notices) => {
    const { outcome } = TierSweep.decide(state({ from: at(fromDays * DAY) }), IDS, at(now))
    expect(outcome).toEqual({ ended: false, notices })
  })

  it("each event has its own moment, its date and the sensitive scopes of the grant", () => {
    const sent = (from: number, now: number) => events(TierSweep.decide(state({ from: at(from) }), IDS, at(now)).writes)
    const common = { userId: "usr_1", connectionId: "con_1", appId: "app_1", webhookUrl: null, maxEventAgeS: null }
    expect(sent(-20 * DAY, -14 * DAY + 15 * MINUTE)).toEqual([
      {
        ...common,
        id: "evt_14",
        occurredAt: at(-14 * DAY),
        payload: { type: "sensitive.expiring", sensitiveExpiresAt: EXPIRES, daysLeft: 14, scopes: SENSITIVE }
      }
    ])
    expect(sent(-8 * DAY, -7 * DAY)).toEqual([
      {
        ...common,
        id: "evt_7",
        occurredAt: at(-7 * DAY),
        payload: { type: "sensitive.expiring", sensitiveExpiresAt: EXPIRES, daysLeft: 7, scopes: SENSITIVE }
      }
    ])
    const renewalGraceEndsAt = at(14 * DAY)
    expect(sent(-1, MINUTE)).toEqual([
      {
        ...common,
        id: "evt_lapsed",
        occurredAt: EXPIRES,
        payload: { type: "sensitive.lapsed", sensitiveExpiresAt: EXPIRES, renewalGraceEndsAt, scopes: SENSITIVE }
      }
    ])
    expect(sent(1, 15 * DAY)).toEqual([
      {
        ...common,
        id: "evt_removed",
        occurredAt: renewalGraceEndsAt,
        payload: { type: "sensitive.removed", scopes: SENSITIVE }
      }
    ])
  })

  it("sensitive removed: the sensitive scopes and their date leave the grant and what was agreed, the standard ones stay", () => {
    const { writes } = TierSweep.decide(state({ from: at(1) }), IDS, at(14 * DAY))
    expect(writes).toContainEqual({
      _tag: "SetScopes",
      heldScopes: ["location.place.current"],
      agreedScopes: ["location.place.current"],
      sensitiveExpiresAt: null
    })
  })

  it("nothing else takes scopes off", () => {
    for (const now of [-14 * DAY, -7 * DAY, 0, 14 * DAY - 1]) {
      const { writes } = TierSweep.decide(state(), IDS, at(now))
      expect(writes.map(({ _tag }) => _tag)).not.toContain("SetScopes")
    }
  })

  it("what is sent is noted under the date that it is about, with the event", () => {
    const { notices, writes } = TierSweep.decide(state({ from: at(-1) }), IDS, EXPIRES)
    expect(notices).toEqual([{ expiresAt: EXPIRES, kind: "lapsed" }])
    expect(events(writes)).toHaveLength(1)
  })

  it("live (standard tier) | standard expiry passes: ended as expired, at its date; nothing is sent [§3.1-standard-end]", () => {
    const standardExpiresAt = at(-2 * DAY)
    const { notices, outcome, writes } = TierSweep.decide(
      state({ connection: connection({ standardExpiresAt }), from: standardExpiresAt }),
      IDS,
      at(3 * DAY)
    )
    expect(outcome).toEqual({ ended: true, notices: [] })
    expect([notices, writes]).toEqual([[], [{ _tag: "End", reason: "expired", at: standardExpiresAt }]])
  })

  it("both tiers end at one moment: the connection ended, so nothing lapsed", () => {
    const both = state({ connection: connection({ standardExpiresAt: EXPIRES }), from: at(-DAY) })
    expect(TierSweep.decide(both, IDS, EXPIRES).outcome).toEqual({ ended: true, notices: [] })
    expect(TierSweep.decide(both, IDS, at(-1)).outcome).toEqual({ ended: false, notices: [] })
  })

  it("live | admin revokes: ended at the revocation, or as expired when that came first; nothing is sent", () => {
    const revoked = (standardExpiresAt: Timestamp.Timestamp | null) =>
      TierSweep.decide(
        state({
          app: app({ revokedAt: at(-DAY) }),
          connection: connection({ standardExpiresAt }),
          from: at(-20 * DAY)
        }),
        IDS,
        at(DAY)
      )
    expect(revoked(null).writes).toEqual([{ _tag: "End", reason: "admin_revoked", at: at(-DAY) }])
    expect(revoked(at(-2 * DAY)).writes).toEqual([{ _tag: "End", reason: "expired", at: at(-2 * DAY) }])
    expect(revoked(null).notices).toEqual([])
  })

  it("an app that an admin narrowed gets its events all the same [§6.3.5]", () => {
    const narrowed = app({ allowedScopes: ["location.place.current"] })
    const { writes } = TierSweep.decide(state({ app: narrowed, from: at(-1) }), IDS, EXPIRES)
    expect(events(writes).map(({ payload }) => payload)).toMatchObject([
      { type: "sensitive.lapsed", scopes: SENSITIVE }
    ])
  })

  it("a connection without a sensitive scope has its standard end to wait for and no event", () => {
    const plain = connection({
      heldScopes: ["location.place.current"],
      sensitiveExpiresAt: null,
      standardExpiresAt: at(5)
    })
    const decided = TierSweep.decide(state({ connection: plain }), IDS, at(0))
    expect([decided.outcome.notices, look(decided.writes)]).toEqual([[], [at(5)]])
  })

  it("a worker that was away: what happened is sent in order, a warning that came true is not sent late [tiers-5]", () => {
    const noticesOf = (from: number, now: number) =>
      TierSweep.decide(state({ from: at(from) }), IDS, at(now)).outcome.notices
    expect(noticesOf(-30 * DAY, -8 * DAY)).toEqual(["expiring_14"])
    expect(noticesOf(-30 * DAY, -5 * DAY)).toEqual(["expiring_7"])
    expect(noticesOf(-30 * DAY, 3 * DAY)).toEqual(["lapsed"])
    expect(noticesOf(-30 * DAY, 90 * DAY)).toEqual(["lapsed", "removed"])
  })

  it("a clock that went back tells nothing again [tiers-3]", () => {
    const before = state({ from: EXPIRES, notices: [{ expiresAt: EXPIRES, kind: "lapsed" }] })
    const decided = TierSweep.decide(before, IDS, EXPIRES)
    expect([decided.outcome.notices, events(decided.writes)]).toEqual([[], []])
    const early = TierSweep.decide(state({ from: EXPIRES }), IDS, at(-DAY))
    expect([early.outcome.notices, look(early.writes)]).toEqual([[], [EXPIRES]])
  })

  it("the same kind is sent again for another date", () => {
    const before = state({ from: at(-1), notices: [{ expiresAt: at(-30 * DAY), kind: "lapsed" }] })
    expect(TierSweep.decide(before, IDS, EXPIRES).outcome.notices).toEqual(["lapsed"])
  })
})

describe("thresholds at consent [§6.3.3]", () => {
  const GRANTED = at(0)
  const moments = (days: Tier.SensitiveDays): ReadonlyArray<readonly [string, number]> => {
    const sensitiveExpiresAt = Tier.sensitiveExpiry(days, GRANTED)
    const granted = connection({ sensitiveExpiresAt, standardExpiresAt: null })
    const events: Array<readonly [string, number]> = []
    let from = SensitiveNotice.nextLook(granted, GRANTED)
    for (let now: number = GRANTED; now < GRANTED + 120 * DAY && from !== null; now += 15 * MINUTE) {
      if (from > now) continue
      const decided = TierSweep.decide(state({ connection: granted, from }), IDS, Timestamp.make(now))
      events.push(...decided.outcome.notices.map((kind) => [kind, (now - GRANTED) / DAY] as const))
      from = look(decided.writes)[0] ?? null
    }
    return events
  }

  it("a 90-day grant gets both warnings, 76 and 83 days in [§6.1-expiring, §8-expiring]", () =>
    expect(moments(90)).toEqual([
      ["expiring_14", 76],
      ["expiring_7", 83],
      ["lapsed", 90],
      ["removed", 104]
    ]))
  it("a 30-day grant gets both [§8-expiring]", () =>
    expect(moments(30)).toEqual([
      ["expiring_14", 16],
      ["expiring_7", 23],
      ["lapsed", 30],
      ["removed", 44]
    ]))
  it("a 7-day grant gets no 14-day event; its 7-day moment is the consent, so it is sent at once [§6.3.3, tiers-4]", () =>
    expect(moments(7)).toEqual([
      ["expiring_7", 0],
      ["lapsed", 7],
      ["removed", 21]
    ]))
  it("a 1-day grant gets neither [§6.3.3]", () =>
    expect(moments(1)).toEqual([
      ["lapsed", 1],
      ["removed", 15]
    ]))
})

/**
 * A second implementation of Spec §6.3, as a list of moments: the warnings, the end and the removal of the sensitive
 * scopes. The first sweep at a moment or after it sends the event of this moment. No event is sent for a moment before
 * the consent, or for a warning when the next moment has also passed.
 */
const model = (grantedAt: number, days: number, standardEnd: number | null, sweeps: ReadonlyArray<number>) => {
  const expiry = grantedAt + days * DAY
  const events: Array<readonly [string, number]> = []
  const settled = new Set<string>()
  for (const now of sweeps) {
    if (standardEnd !== null && now >= standardEnd) break
    const is = (kind: string, moment: number, until: number): void => {
      if (now < moment || settled.has(kind)) return
      settled.add(kind)
      if (moment >= grantedAt && now < until) events.push([kind, now])
    }
    is("expiring_14", expiry - 14 * DAY, expiry - 7 * DAY)
    is("expiring_7", expiry - 7 * DAY, expiry)
    is("lapsed", expiry, Infinity)
    is("removed", expiry + 14 * DAY, Infinity)
  }
  return events
}

describe("against a second writing, with sweeps at any times", () => {
  const EDGES = [0, 1, 15 * MINUTE, 7 * DAY - 1, 7 * DAY, 7 * DAY + 1, 14 * DAY, 16 * DAY, 21 * DAY, 30 * DAY, 60 * DAY]
  const jump = fc.oneof(fc.constantFrom(...EDGES), fc.integer({ min: 0, max: 40 * DAY }))

  it("each kind once, at the first sweep that may tell it; the sweep looks no more often than it has to [tiers-3]", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Tier.SensitiveDays>(...Tier.SensitiveDays.literals),
        fc.option(fc.constantFrom(1, 7, 30, 90)),
        fc.array(jump, { minLength: 1, maxLength: 12 }),
        (days, standardDays, jumps) => {
          const grantedAt = at(0)
          const standardExpiresAt = standardDays === null ? null : Timestamp.plus(grantedAt, standardDays * DAY)
          const times = jumps.reduce<ReadonlyArray<number>>(
            (sofar, by) => [...sofar, (sofar.at(-1) ?? grantedAt) + by],
            []
          )
          let now = connection({ sensitiveExpiresAt: Tier.sensitiveExpiry(days, grantedAt), standardExpiresAt })
          let from = SensitiveNotice.nextLook(now, grantedAt)
          let noted: ReadonlyArray<SensitiveNotice.SensitiveNotice> = []
          const events: Array<readonly [string, number]> = []
          for (const time of times) {
            if (from === null || from > time || now.endedAt !== null) continue
            const decided = TierSweep.decide(
              state({ connection: now, from, notices: noted }),
              IDS,
              Timestamp.make(time)
            )
            events.push(...decided.outcome.notices.map((kind) => [kind, time] as const))
            noted = [...noted, ...decided.notices]
            for (const write of decided.writes) {
              if (write._tag === "SetScopes") now = { ...now, ...write }
              if (write._tag === "End") now = { ...now, endedAt: write.at, endReason: write.reason }
              if (write._tag === "LookAt") from = write.at
            }
          }
          expect(events).toEqual(model(grantedAt, days, standardExpiresAt, times))
          expect(new Set(noted.map(({ kind }) => kind)).size).toBe(noted.length)
        }
      ),
      { numRuns: 2_000 }
    )
  })
})
