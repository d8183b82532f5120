import { describe, expect, it } from "vitest"
import { tiers } from "../../../testing/simulation/oracles/connection/tiers.js"
import { ok, seen, START, Story, VISITS } from "./handwritten.js"

const DAY = 86_400_000
const MINUTE = 60_000
const judge = (story: Story) => seen(tiers, story.run())
const iso = (t: number) => new Date(t).toISOString()

const SCOPES = ["location.visits.read", "location.latest.read"]
const LATEST = { endpoint: "GET /v1/locations/latest" } as const

/** A trace with a connection whose sensitive tier lasts `days` days, and an endpoint that gets all events. */
const sensitive = (days: 1 | 7 | 30 | 90 = 1) => {
  const s = new Story()
  const date = START + days * DAY
  const appId = s.app(SCOPES)
  const url = "https://example.com/hook"
  s.op("createEndpoint", { appId, url, events: [] }, ok({ endpointId: "endpoint", secret: "secret-1" }))
  const connected = s.connected({
    appId,
    scopes: SCOPES,
    sensitiveDays: days,
    tokens: { sensitiveScopesExpireAt: date }
  })
  s.add({ kind: "port", op: null, port: "TierStore", method: "sweep", outcome: "ok" }, "worker-1")
  const tell = (type: string, over: Record<string, unknown> = {}) =>
    s.post(url, {
      event_id: s.fresh("event"),
      type,
      grant_id: connected.connectionId,
      occurred_at: iso(s.t),
      ...(type !== "sensitive.removed" && { sensitive_expires_at: iso(date) }),
      ...(type === "sensitive.lapsed" && { renewal_grace_ends_at: iso(date + 14 * DAY) }),
      ...over
    })
  /** Refreshes the tokens, so that no call fails because its access token has expired. */
  const token = () => {
    const set = s.tokens({ scopes: SCOPES, sensitiveScopesExpireAt: date })
    s.refresh(appId, latest, ok(set))
    latest = set.refreshToken
    return set.accessToken
  }
  let latest = connected.refresh
  return { ...connected, s, date, tell, token, url }
}
const expired = (date: number, over: Record<string, unknown> = {}) => ({
  error: "scope_expired",
  body: { sensitive_expired_at: date, renewal_grace_ends_at: date + 14 * DAY, ...over }
})

describe("S1: the end of the standard tier", () => {
  it("every call is 401 from its date on", () => {
    const s = new Story()
    const { appId, refresh } = s.connected({ standardDays: 1, tokens: { refreshTokenExpiresAt: START + DAY } })
    const set = s.tokens({ refreshTokenExpiresAt: START + DAY })
    s.after(DAY - 1).refresh(appId, refresh, ok(set))
    s.call(appId, set.accessToken, 200)
    s.after(1).call(appId, set.accessToken, 401)
    expect(judge(s)).toEqual({})
    const call = s.call(appId, set.accessToken, 200)
    s.refresh(appId, set.refreshToken, ok(s.tokens()))
    expect(judge(s)).toEqual({ S1: [call, s.entries.length - 1] })
  })

  it("a rule that fires by a reading that came after it", () => {
    const s = new Story()
    const { connectionId, userId } = s.connected({ standardDays: 1, tokens: { refreshTokenExpiresAt: START + DAY } })
    const upload = (t: number) =>
      s.op(
        "upload",
        { userId, deviceId: "phone", fixes: [{ capturedAt: t, lat: 0, lon: 0, accuracyM: 5 }], visits: [] },
        ok({ accepted: 1, duplicates: 0, quarantined: 0 })
      )
    const fire = (t: number) =>
      s.post("https://example.com", {
        event_id: s.fresh("event"),
        type: "place.enter",
        rule_id: "rule",
        grant_id: connectionId,
        occurred_at: iso(t)
      })
    s.after(DAY - 1)
    upload(s.t)
    s.after(1)
    fire(s.t - 1)
    expect(judge(s)).toEqual({})
    upload(s.t - 10)
    const late = fire(s.t - 10)
    expect(judge(s)).toEqual({ S1: [late] })
  })
})

describe("S2 and S3: lapse and grace", () => {
  it("works until the date, is expired for 14 days, and missing from then on", () => {
    const { appId, date, s, token } = sensitive()
    s.after(DAY - 1).call(appId, token(), 200, LATEST)
    s.after(1).call(appId, token(), 403, LATEST, expired(date))
    const me = { scopes: ["location.visits.read"], held_scopes: SCOPES, sensitive_expires_at: date }
    s.me(appId, token(), { ...me, sensitive_lapsed_at: date, renewal_grace_ends_at: date + 14 * DAY })
    s.after(14 * DAY - 1).call(appId, token(), 403, LATEST, expired(date))
    s.after(1)
    const set = s.tokens()
    s.refresh(appId, lastRefresh(s), ok(set))
    s.call(appId, set.accessToken, 403, LATEST, { error: "missing_scope" })
    s.me(appId, set.accessToken, {})
    expect(judge(s)).not.toHaveProperty("S2")
    expect(judge(s)).not.toHaveProperty("S3")
  })

  it("S2: works after the date; missing_scope in the grace; expired before the date; a date that is wrong", () => {
    const { appId, date, s, token } = sensitive()
    const early = s.call(appId, token(), 403, LATEST, expired(date))
    s.after(DAY)
    const open = s.call(appId, token(), 200, LATEST)
    const missing = s.call(appId, token(), 403, LATEST, { error: "missing_scope" })
    const wrong = s.call(appId, token(), 403, LATEST, expired(date, { renewal_grace_ends_at: date + 13 * DAY }))
    const bare = s.call(appId, token(), 403, LATEST, { error: "scope_expired" })
    expect(judge(s)).toEqual({ S2: [early, open, missing, wrong, bare] })
  })

  it("S3: expired or held after the grace", () => {
    const { appId, date, s, token } = sensitive()
    s.after(15 * DAY)
    const access = token()
    const refreshed = s.entries.length - 1
    const call = s.call(appId, access, 403, LATEST, expired(date))
    const me = s.me(appId, access, { held_scopes: SCOPES, sensitive_expires_at: date })
    expect(judge(s)).toMatchObject({ S3: [call, refreshed, me, me] })
  })
})

const lastRefresh = (s: Story): string => {
  const last = s.entries.findLast((entry) => entry.kind === "done" && entry.name === "refresh")
  return last?.kind === "done" && last.name === "refresh" && last.outcome._tag === "ok"
    ? last.outcome.value.refreshToken
    : ""
}

describe("S4: a renewal", () => {
  const renew = (
    over: {
      readonly connectionId?: string
      readonly standard?: number
      readonly places?: number
      readonly mode?: "renew_sensitive" | "change"
    } = {}
  ) => {
    const { access, appId, connectionId, s, userId } = sensitive()
    s.me(appId, access, {
      scopes: SCOPES,
      held_scopes: SCOPES,
      sensitive_expires_at: START + DAY,
      renewal_grace_ends_at: START + 15 * DAY
    })
    s.after(DAY)
    const date = s.t + 30 * DAY
    const second = s.connected({
      userId,
      appId,
      connectionId: over.connectionId ?? connectionId,
      scopes: SCOPES,
      mode: over.mode ?? "renew_sensitive",
      tokens: { sensitiveScopesExpireAt: date, refreshTokenExpiresAt: over.standard ?? null }
    })
    s.me(appId, second.access, {
      scopes: SCOPES,
      held_scopes: SCOPES,
      sensitive_expires_at: date,
      renewal_grace_ends_at: date + 14 * DAY,
      places_version: over.places ?? 1,
      grant_expires_at: over.standard ?? null
    })
    return { s }
  }

  it("keeps connection, places and standard date", () => {
    expect(judge(renew().s)).toEqual({})
  })

  it("made another connection, moved the date, changed the places, asked all anew, left the old token alive", () => {
    expect(judge(renew({ connectionId: "another" }).s)).toHaveProperty("S4")
    const moved = renew({ standard: START + 40 * DAY }).s
    expect(judge(moved)).toEqual({ S4: [moved.entries.length - 3] })
    const places = renew({ places: 2 }).s
    expect(judge(places)).toEqual({ S4: [places.entries.length - 1] })
    expect(judge(renew({ mode: "change" }).s)).toHaveProperty("S4")
    const { access, appId, connectionId, s, userId } = sensitive()
    const tokens = { sensitiveScopesExpireAt: START + DAY }
    s.connected({ userId, appId, connectionId, scopes: SCOPES, sensitiveDays: 1, mode: "renew_sensitive", tokens })
    s.call(appId, access, 401)
    expect(judge(s)).toEqual({})
    const at = s.call(appId, access, 200)
    expect(judge(s)).toEqual({ S4: [at] })
  })
})

describe("S5: once for a date, at its moment or up to 15 minutes later", () => {
  it("the events of a lapse and of a removal in time are right", () => {
    const { date, s, tell } = sensitive()
    s.after(DAY + 15 * MINUTE)
    tell("sensitive.lapsed", { occurred_at: iso(date) })
    s.after(14 * DAY)
    tell("sensitive.removed", { occurred_at: iso(date + 14 * DAY) })
    s.after(DAY).call("app", "nobody's", 401)
    expect(judge(s)).toEqual({})
  })

  it("twice for one date; a retry is no second event", () => {
    const { date, s, tell } = sensitive()
    s.after(DAY)
    tell("sensitive.lapsed", { event_id: "one" })
    s.after(30_000)
    tell("sensitive.lapsed", { event_id: "one", occurred_at: iso(date) })
    expect(judge(s)).toEqual({})
    const again = tell("sensitive.lapsed", { event_id: "two", occurred_at: iso(date) })
    expect(judge(s)).toEqual({ S5: [again] })
  })

  it("never, an hour late, too early; and nothing is said of an hour in which something was broken", () => {
    const { date, s, tell } = sensitive()
    s.after(DAY + 60 * MINUTE)
    const late = tell("sensitive.lapsed", { occurred_at: iso(date) })
    expect(judge(s)["S5"]).toContain(late)

    const never = sensitive()
    never.s.after(DAY + 60 * MINUTE).call("app", "nobody's", 401)
    expect(judge(never.s)).toHaveProperty("S5")

    const early = sensitive()
    early.s.after(DAY - 1)
    const at = early.tell("sensitive.lapsed", { occurred_at: iso(early.date) })
    expect(judge(early.s)).toEqual({ S5: [at] })

    const broken = sensitive()
    broken.s.after(DAY).add({ kind: "fault", fault: "crash", detail: "worker" })
    broken.s.after(60 * MINUTE).call("app", "nobody's", 401)
    expect(judge(broken.s)).toEqual({})
  })
})

describe("S6 and S7: renewed in time, and thresholds that had passed", () => {
  it("S6: lapsed although it was renewed a millisecond before; one renewed after its date did lapse", () => {
    const renewed = (at: number) => {
      const { appId, connectionId, date, s, tell, userId } = sensitive()
      s.after(at)
      s.connected({
        userId,
        appId,
        connectionId,
        scopes: SCOPES,
        mode: "renew_sensitive",
        tokens: { sensitiveScopesExpireAt: s.t + 30 * DAY }
      })
      s.after(DAY + MINUTE - at)
      return { s, event: tell("sensitive.lapsed", { occurred_at: iso(date) }) }
    }
    const before = renewed(DAY - 1)
    expect(judge(before.s)).toEqual({ S6: [before.event] })
    expect(judge(renewed(DAY + 1).s)).toEqual({})
  })

  it("S7: no 14-day warning for a grant of 7 days, and its 7-day warning at once", () => {
    const { date, s, tell } = sensitive(7)
    s.after(MINUTE)
    tell("sensitive.expiring", { days_left: 7, occurred_at: iso(START) })
    expect(judge(s)).toEqual({})
    const passed = tell("sensitive.expiring", { days_left: 14, occurred_at: iso(date - 14 * DAY) })
    expect(judge(s)).toEqual({ S7: [passed] })
  })
})

describe("S8: the lapse leaves the standard scopes alone", () => {
  it("standard questions are answered; a 403 or 401 after the lapse is not", () => {
    const { appId, s, token } = sensitive()
    s.after(DAY).call(appId, token(), 200)
    expect(judge(s)).toEqual({})
    const shut = s.call(appId, token(), 403, VISITS, { error: "scope_expired" })
    const dead = s.call(appId, token(), 401)
    expect(judge(s)["S8"]).toEqual([shut, dead])
  })
})
