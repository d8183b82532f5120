import { describe, expect, it } from "vitest"
import type { DeliveryRow, LoggedAccess } from "../../../testing/simulation/Operations.js"
import { accessLog } from "../../../testing/simulation/oracles/accessLog.js"
import { ok, seen, Story, unavailable, VISITS } from "./handwritten.js"

const judge = (story: Story, quiesced = false) => seen(accessLog, story.run(quiesced))

const connected = () => {
  const s = new Story()
  const one = s.connected({ scopes: ["location.visits.read", "location.latest.read"] })
  const entry = (over: Partial<LoggedAccess> = {}): LoggedAccess => ({
    id: s.fresh("log"),
    at: s.t,
    appId: one.appId,
    connectionId: one.connectionId,
    endpoint: "GET /v1/visits",
    purpose: null,
    status: 200,
    error: null,
    disclosed: null,
    times: 1,
    ...over
  })
  const read = (entries: ReadonlyArray<LoggedAccess>, userId = one.userId) =>
    s.op("readAccessLog", { userId }, ok({ entries }))
  return { ...one, s, entry, read }
}

describe("A1: one entry for each request, with its purpose", () => {
  it("answered and refused ones, a dead token's too; nobody's token is nowhere", () => {
    const { access, appId, entry, read, s } = connected()
    const entries = [entry()]
    s.call(appId, access, 200)
    s.call(appId, access, 200, { endpoint: "GET /v1/locations/latest" }, { purpose: "nearest" })
    entries.push(entry({ endpoint: "GET /v1/locations/latest", purpose: "nearest" }))
    s.after(3_600_000).call(appId, access, 401, VISITS, { error: "invalid_token" })
    entries.push(entry({ status: 401, error: "invalid_token" }))
    s.call(appId, "nobody's", 401, VISITS, { error: "invalid_token" })
    read(entries)
    expect(judge(s)).toEqual({})
  })

  describe("calls with a dead token share an entry for an hour, with their number [limits-10]", () => {
    const dead = (count: number, apartMillis = 1_000) => {
      const one = connected()
      const { access, appId, entry, s } = one
      s.after(3_600_000)
      const from = s.t
      const calls = Array.from({ length: count }, (_, n) =>
        (n === 0 ? s : s.after(apartMillis)).call(appId, access, 401, VISITS, { error: "invalid_token" })
      )
      const shared = (times: number, at = from) => entry({ status: 401, error: "invalid_token", at, times })
      return { ...one, calls, from, shared }
    }

    it("three calls are one entry of three, or one in each of two hours", () => {
      const three = dead(3)
      three.read([three.shared(3)])
      expect(judge(three.s)).toEqual({})
      const apart = dead(2, 3_600_001)
      apart.read([apart.shared(1), apart.shared(1, apart.from + 3_600_001)])
      expect(judge(apart.s)).toEqual({})
    })

    it("not one of two, nor of four; nor none, nor an entry of another hour", () => {
      const two = dead(3)
      two.read([two.shared(2)])
      expect(judge(two.s)).toEqual({ A1: [two.calls[2]] })
      const four = dead(3)
      const reading = four.read([four.shared(4)])
      expect(judge(four.s)).toEqual({ A1: [reading] })
      const none = dead(2)
      none.read([])
      expect(judge(none.s)).toEqual({ A1: none.calls })
      const early = dead(1)
      const earlyReading = early.read([early.shared(1, early.from - 3_600_001)])
      expect(judge(early.s)).toEqual({ A1: [early.calls[0], earlyReading] })
    })
  })

  it("missing; twice; under another purpose; of nobody's request", () => {
    const missing = connected()
    const call = missing.s.call(missing.appId, missing.access, 200)
    missing.read([])
    expect(judge(missing.s)).toEqual({ A1: [call] })

    const twice = connected()
    twice.s.call(twice.appId, twice.access, 200)
    const reading = twice.read([twice.entry(), twice.entry()])
    expect(judge(twice.s)).toEqual({ A1: [reading] })

    const other = connected()
    const otherCall = other.s.call(
      other.appId,
      other.access,
      200,
      { endpoint: "GET /v1/locations/latest" },
      { purpose: "one" }
    )
    const otherReading = other.read([other.entry({ endpoint: "GET /v1/locations/latest", purpose: "two" })])
    expect(judge(other.s)).toEqual({ A1: [otherCall, otherReading] })

    const nobody = connected()
    expect(judge((nobody.read([nobody.entry()]), nobody.s))).toHaveProperty("A1")
  })

  it("a request of which nobody knows may have an entry of any status, one at most", () => {
    const { access, appId, entry, read, s } = connected()
    s.op("call", { appId, token: access, request: VISITS }, unavailable)
    read([])
    expect(judge(s)).toEqual({})
    read([entry({ status: 503, error: "unavailable" })])
    expect(judge(s)).toEqual({})
    const reading = read([entry({ status: 503, error: "unavailable" }), entry()])
    expect(judge(s)).toEqual({ A1: [reading] })
  })

  it("a request of which nobody knows may be the earlier of two that overlap", () => {
    const { access, appId, entry, read, s } = connected()
    s.op("call", { appId, token: access, request: VISITS }, unavailable)
    const early = entry()
    const call = s.begin("call", { appId, token: access, request: VISITS })
    s.after(10).end(call, "call", ok({ status: 200, error: null, body: {} }))
    read([entry(), early])
    expect(judge(s)).toEqual({})
    const reading = read([entry(), early, entry({ at: s.t - 5 })])
    expect(judge(s)).toEqual({ A1: [reading] })
  })

  it("requests during which the clock jumped have an entry of whenever", () => {
    const { access, appId, entry, read, s } = connected()
    const entries = [entry({ at: s.t - 3_600_000 }), entry(), entry({ at: s.t + 10 })]
    for (const after of [0, 0, 10]) {
      const call = s.begin("call", { appId, token: access, request: VISITS })
      s.add({ kind: "fault", fault: "clock.jump", detail: "" })
      s.after(after).end(call, "call", ok({ status: 200, error: null, body: {} }))
    }
    s.call(appId, access, 200)
    read([...entries, entry()])
    expect(judge(s)).toEqual({})
  })

  it("answered although its entry could not be written; two entries for one request", () => {
    const { access, appId, s } = connected()
    const record = { kind: "port", port: "AccessLogStore", method: "record", outcome: "ok" }
    s.call(appId, access, 200, VISITS, { between: [record] })
    expect(judge(s)).toEqual({})
    const unwritten = s.call(appId, access, 200, VISITS, { between: [{ ...record, outcome: "failed" }] })
    const two = s.call(appId, access, 200, VISITS, { between: [record, record] })
    expect(judge(s)).toEqual({ A1: [unwritten, two] })
  })
})

describe("A2: the user's own entries", () => {
  it("those of one's connections; not those of another's", () => {
    const { access, appId, entry, read, s } = connected()
    s.call(appId, access, 200)
    const own = entry()
    read([own])
    expect(judge(s)).toEqual({})
    const other = read([own], s.user())
    expect(judge(s)["A2"]).toEqual([other, other])
  })
})

describe("A3: an event that was withheld is entered once", () => {
  const withheld = (entries: number, sent: "nowhere" | "elsewhere" | "before" = "nowhere") => {
    const { appId, entry, read, s } = connected()
    const row: DeliveryRow = {
      deliveryId: "delivery",
      endpointId: "endpoint",
      eventId: "event",
      type: "place.enter",
      occurredAt: s.t,
      state: "too_old",
      failReason: null,
      attempt: 1,
      dueAt: null,
      createdAt: s.t,
      endedAt: s.t,
      isReplay: false,
      isReplayed: false,
      isTest: false,
      attempts: []
    }
    // Two endpoints of the app get the same event.
    const attempt = { attempt: 1, startedAt: s.t, endedAt: s.t, status: 500, error: null }
    const second: DeliveryRow = {
      ...row,
      deliveryId: "second",
      endpointId: "other",
      state: sent === "elsewhere" ? "delivered" : "too_old",
      attempts: sent === "nowhere" ? [] : [attempt]
    }
    s.op("readDeliveries", { appId }, ok({ deliveries: [row, second] }))
    const too = { endpoint: "webhook place.enter", status: 410, error: "too_old" }
    read(Array.from({ length: entries }, () => entry(too)))
    return s
  }

  it("one entry is right; none and two are reported", () => {
    expect(judge(withheld(1), true)).toEqual({})
    expect(judge(withheld(0), true)).toHaveProperty("A3")
    expect(judge(withheld(2), true)).toHaveProperty("A3")
  })

  it("sent to one of its endpoints before: none, not one", () => {
    expect(judge(withheld(0, "elsewhere"), true)).toEqual({})
    expect(judge(withheld(1, "elsewhere"), true)).toHaveProperty("A3")
  })

  it("withheld at a retry: one beside the sending, not none, not two", () => {
    expect(judge(withheld(1, "before"), true)).toEqual({})
    expect(judge(withheld(0, "before"), true)).toHaveProperty("A3")
    expect(judge(withheld(2, "before"), true)).toHaveProperty("A3")
  })
})

describe("A4: nothing is lost in a crash", () => {
  it("an entry from before it is there after it", () => {
    const crashed = (isKept: boolean) => {
      const { access, appId, entry, read, s, userId } = connected()
      const one = entry()
      s.call(appId, access, 200, VISITS, {
        between: [{ kind: "port", port: "AccessLogStore", method: "record", outcome: "ok", args: { ...one, userId } }]
      })
      s.add({ kind: "fault", fault: "crash", detail: "server" })
      const reading = read(isKept ? [one] : [])
      return { s, reading }
    }
    expect(judge(crashed(true).s)).toEqual({})
    const { reading, s } = crashed(false)
    expect(judge(s)["A4"]).toEqual([reading, reading])
  })
})
