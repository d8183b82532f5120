import { describe, expect, it } from "vitest"
import { names, reached } from "../../../testing/simulation/oracles/marks/connectionMarks.js"
import { ok, refused, Story } from "./handwritten.js"

describe("marks of tokens, tiers, purposes, replays and the access log", () => {
  it("a race and a leak, seen in the trace alone", () => {
    const s = new Story()
    const { access, appId, refresh } = s.connected()
    const second = s.tokens()
    s.refresh(appId, refresh, ok(second))
    expect([...reached(s.run())]).toEqual([])
    s.after(30_000).refresh(appId, refresh, ok({ ...s.tokens(), refreshToken: second.refreshToken }))
    expect([...reached(s.run())]).toEqual(["refresh race"])
    s.after(1).refresh(appId, refresh, refused("invalid_grant"))
    s.after(3_600_000).call(appId, access, 401)
    expect([...reached(s.run())]).toEqual(["refresh race", "spent refresh token after 30 s", "access token of an hour"])
  })

  it("no name is there twice", () => {
    expect(new Set(names).size).toBe(names.length)
  })
})
