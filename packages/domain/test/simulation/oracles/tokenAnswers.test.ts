import { describe, expect, it } from "vitest"
import { tokenAnswers } from "../../../testing/simulation/oracles/connection/tokenAnswers.js"
import { ok, seen, START, Story, unavailable, VISITS } from "./handwritten.js"
import { ENTER } from "../../support/ruleFields.js"

const judge = (story: Story) => seen(tokenAnswers, story.run())
const DAY = 86_400_000

describe("T9: sub", () => {
  it("stable over a reconnection, another for another app and another user", () => {
    const s = new Story()
    const first = s.connected()
    s.connected({ userId: first.userId })
    s.connected({ appId: first.appId })
    const second = s.connected({ ...first, mode: "change" })
    s.me(second.appId, second.access, {})
    expect(judge(s)).toEqual({})
  })

  it("another one than before; the same for two apps; the user's id", () => {
    const s = new Story()
    const first = s.connected()
    const other = s.me(first.appId, first.access, { sub: "changed" })
    expect(judge(s)).toEqual({ T9: [other] })

    const two = new Story()
    const { userId } = two.connected({ tokens: { sub: "everywhere" } })
    two.connected({ userId, tokens: { sub: "everywhere" } })
    expect(judge(two)).toEqual({ T9: [two.entries.length - 1] })

    const story = new Story()
    const { access, appId, userId: id } = story.connected()
    story.me(appId, access, { sub: id })
    expect(judge(story)["T9"]).toContain(story.entries.length - 1)
  })
})

describe("T10: connecting again", () => {
  const reconnected = () => {
    const s = new Story()
    const first = s.connected({ scopes: ["location.rules.place"] })
    const place = { endpoint: "POST /v1/rules/place", placeId: "place", ...ENTER } as const
    s.call(first.appId, first.access, 201, place, { body: { id: "rule" } })
    const second = s.connected({ ...first, scopes: ["location.rules.place"], mode: "change" })
    return { s, first, second }
  }
  const list = { endpoint: "GET /v1/rules/place" } as const

  it("the old tokens are dead, the rules are there until they are deleted", () => {
    const { first, s, second } = reconnected()
    s.call(first.appId, first.access, 401)
    s.call(second.appId, second.access, 200, list, { body: { rules: [{ id: "rule" }], nextCursor: null } })
    s.call(second.appId, second.access, 204, { endpoint: "DELETE /v1/rules/place/{id}", ruleId: "rule" })
    s.call(second.appId, second.access, 200, list, { body: { rules: [], nextCursor: null } })
    // The app removes the rule once more. The first removal has already deleted the rule, so the answer is 404.
    s.call(second.appId, second.access, 404, { endpoint: "DELETE /v1/rules/place/{id}", ruleId: "rule" })
    expect(judge(s)).toEqual({})
  })

  it("an old token works; a rule is gone; an entry of the access log is gone", () => {
    const { first, s, second } = reconnected()
    const entry = {
      id: "log_1",
      at: START,
      appId: first.appId,
      connectionId: first.connectionId,
      endpoint: "GET /v1/me",
      purpose: null,
      status: 200,
      error: null,
      disclosed: null,
      times: 1
    }
    s.op("readAccessLog", { userId: first.userId }, ok({ entries: [entry] }))
    const old = s.call(first.appId, first.access, 200, list, { body: { rules: [{ id: "rule" }] } })
    const gone = s.call(second.appId, second.access, 200, list, { body: { rules: [], nextCursor: null } })
    const empty = s.op("readAccessLog", { userId: first.userId }, ok({ entries: [] }))
    expect(judge(s)).toEqual({ T10: [old, gone, empty] })
  })
})

describe("T11: grant ∩ declared, at once", () => {
  const both = ["location.visits.read", "location.place.current"]

  it("narrowed by the app, by an admin, and widened again", () => {
    const s = new Story()
    const { access, appId } = s.connected({ scopes: both })
    s.call(appId, access, 200)
    s.op("declareScopes", { appId, scopes: ["location.place.current"] }, ok(null))
    s.call(appId, access, 403, VISITS, { error: "missing_scope" })
    s.me(appId, access, { scopes: ["location.place.current"], held_scopes: ["location.place.current"] })
    s.op("declareScopes", { appId, scopes: both }, ok(null))
    s.op("narrowApp", { appId, scopes: [] }, ok(null))
    s.call(appId, access, 403, VISITS, { error: "missing_scope" })
    s.op("narrowApp", { appId, scopes: both }, ok(null))
    s.call(appId, access, 200)
    expect(judge(s)).toEqual({})
  })

  it("open without the scope, shut with it, said wrongly", () => {
    const s = new Story()
    const { access, appId } = s.connected({ scopes: both })
    const shut = s.call(appId, access, 403, VISITS, { error: "missing_scope" })
    s.op("declareScopes", { appId, scopes: ["location.place.current"] }, ok(null))
    const open = s.call(appId, access, 200)
    const meAnswer = s.me(appId, access, { scopes: both, held_scopes: ["location.place.current"] })
    expect(judge(s)).toEqual({ T11: [shut, open, meAnswer] })
  })

  it("while the app is being narrowed, and when nobody knows whether it was, both are fine", () => {
    const s = new Story()
    const { access, appId } = s.connected({ scopes: both })
    const narrowing = s.begin("declareScopes", { appId, scopes: ["location.place.current"] })
    s.call(appId, access, 403, VISITS, { error: "missing_scope" })
    s.call(appId, access, 200)
    s.end(narrowing, "declareScopes", unavailable)
    s.call(appId, access, 403, VISITS, { error: "missing_scope" })
    s.call(appId, access, 200)
    expect(judge(s)).toEqual({})
    s.op("declareScopes", { appId, scopes: both }, ok(null))
    const at = s.call(appId, access, 403, VISITS, { error: "missing_scope" })
    expect(judge(s)).toEqual({ T11: [at] })
  })
})

describe("T12: a refresh token ends with the grant", () => {
  it("the same date in both answers; null without an end", () => {
    const s = new Story()
    const end = s.t + 7 * DAY
    const dated = s.connected({ standardDays: 7, tokens: { refreshTokenExpiresAt: end } })
    s.me(dated.appId, dated.access, { grant_expires_at: end })
    const never = s.connected()
    s.me(never.appId, never.access, { grant_expires_at: null })
    expect(judge(s)).toEqual({})
  })

  it("a date for one that has none, a millisecond off, another than at GET /v1/me", () => {
    const s = new Story()
    const end = s.t + 7 * DAY
    s.connected({ tokens: { refreshTokenExpiresAt: end } })
    const first = s.entries.length - 1
    const dated = s.connected({ standardDays: 7, tokens: { refreshTokenExpiresAt: end } })
    const off = s.me(dated.appId, dated.access, { grant_expires_at: end + 1 })
    expect(judge(s)).toEqual({ T12: [first, off, off] })
  })
})
