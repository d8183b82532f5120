import { describe, expect, it } from "vitest"
import type { DeliveryRow, EndpointRow } from "../../../testing/simulation/Operations.js"
import { replays } from "../../../testing/simulation/oracles/replays.js"
import { ok, seen, START, Story } from "./handwritten.js"

const SECOND = 1_000
const DAY = 86_400_000
const judge = (story: Story) => seen(replays, story.run(true))

const row = (over: Partial<DeliveryRow> = {}): DeliveryRow => ({
  deliveryId: "first",
  endpointId: "endpoint",
  eventId: "event",
  type: "place.enter",
  occurredAt: START,
  state: "delivered",
  failReason: null,
  attempt: 1,
  dueAt: null,
  createdAt: START,
  endedAt: START,
  isReplay: false,
  isReplayed: false,
  isTest: false,
  attempts: [{ attempt: 1, startedAt: START, endedAt: START, status: 200, error: null }],
  ...over
})
const replay = (over: Partial<DeliveryRow> = {}) =>
  row({ deliveryId: "second", isReplay: true, createdAt: START + SECOND, endedAt: START + SECOND, ...over })

const begun = () => {
  const s = new Story()
  const appId = s.app(["location.rules.place"])
  const read = (...deliveries: ReadonlyArray<DeliveryRow>) => s.op("readDeliveries", { appId }, ok({ deliveries }))
  const redeliver = (deliveryId = "first") => s.op("redeliver", { appId, deliveryId }, ok({ deliveryId: "second" }))
  const endpoint = (over: Partial<EndpointRow> = {}) =>
    s.op(
      "readEndpoints",
      { appId },
      ok({
        endpoints: [
          {
            endpointId: "endpoint",
            url: "https://example.com",
            events: [],
            enabled: true,
            disabledAt: null,
            strikes: 0,
            ...over
          }
        ]
      })
    )
  return { s, appId, read, redeliver, endpoint }
}

describe("Y1: refused while it is tried, when the endpoint is disabled or removed, and when it is too old", () => {
  const redelivered = (original: Partial<DeliveryRow>, over: Partial<DeliveryRow> = {}) => {
    const story = begun()
    story.s.after(SECOND)
    story.redeliver()
    story.read(row({ isReplayed: true, ...original }), replay(over))
    return story
  }

  it("a row that has ended may be sent again", () => {
    expect(judge(redelivered({}).s)).toEqual({})
    expect(judge(redelivered({ endedAt: START + SECOND }).s)).toEqual({})
  })

  it("one that was tried for a millisecond more; one that was too old", () => {
    expect(judge(redelivered({ endedAt: START + SECOND + 1 }).s)).toHaveProperty("Y1")
    expect(judge(redelivered({ state: "too_old" }).s)).toHaveProperty("Y1")
  })

  it("at a disabled endpoint; at one that was removed", () => {
    const disabled = redelivered({})
    disabled.s.after(SECOND)
    disabled.endpoint({ disabledAt: START })
    expect(judge(disabled.s)).toHaveProperty("Y1")

    const removed = begun()
    removed.s.op("removeEndpoint", { appId: removed.appId, endpointId: "endpoint" }, ok(null))
    removed.s.after(SECOND)
    removed.redeliver()
    removed.read(row({ isReplayed: true }), replay())
    expect(judge(removed.s)).toHaveProperty("Y1")
  })

  it("30 s after an event that may be 30 s old, and a millisecond later", () => {
    const capped = (age: number) => {
      const s = new Story()
      const { access, appId, connectionId } = s.connected({ scopes: ["location.rules.place"] })
      const rule = {
        endpoint: "POST /v1/rules/place",
        placeId: "place",
        type: "enter",
        dwellMinutes: null,
        webhookUrl: null,
        activeFrom: null,
        activeUntil: null,
        maxEventAgeS: 30
      } as const
      s.call(appId, access, 201, rule, { body: { id: "rule" } })
      s.post("https://example.com", { event_id: "event", rule_id: "rule", type: "place.enter", grant_id: connectionId })
      s.after(age).op("redeliver", { appId, deliveryId: "first" }, ok({ deliveryId: "second" }))
      const times = { createdAt: s.t, endedAt: s.t }
      s.op("readDeliveries", { appId }, ok({ deliveries: [row({ isReplayed: true }), replay(times)] }))
      return s
    }
    expect(judge(capped(30 * SECOND))).toEqual({})
    expect(judge(capped(30 * SECOND + 1))).toHaveProperty("Y1")
  })
})

describe("Y2: a new row that says so", () => {
  const redelivered = (original: Partial<DeliveryRow>, ...others: ReadonlyArray<DeliveryRow>) => {
    const { read, redeliver, s } = begun()
    s.after(SECOND)
    redeliver()
    read(row({ isReplayed: true, ...original }), ...others)
    return s
  }

  it("the same event, marked on both sides", () => {
    expect(judge(redelivered({}, replay()))).toEqual({})
  })

  it("unmarked here, unmarked there, another event, no row, one that nobody asked for", () => {
    expect(judge(redelivered({ isReplayed: false }, replay()))).toHaveProperty("Y2")
    expect(judge(redelivered({}, replay({ isReplay: false })))).toHaveProperty("Y2")
    expect(judge(redelivered({}, replay({ eventId: "other" })))).toHaveProperty("Y2")
    expect(judge(redelivered({}))).toHaveProperty("Y2")
    expect(
      judge(redelivered({}, replay(), replay({ deliveryId: "third", createdAt: START + 2 * SECOND })))
    ).toHaveProperty("Y2")
  })
})

describe("Y3: replays never touch the counter", () => {
  const exhausted = { state: "failed", failReason: "exhausted" } as const

  it("an automatic row counts and clears", () => {
    const { endpoint, read, s } = begun()
    endpoint({ strikes: 1 })
    read(row(exhausted))
    expect(judge(s)).toEqual({})
    const later = { createdAt: START + SECOND, endedAt: START + SECOND }
    endpoint({ strikes: 0 })
    read(row(exhausted), row({ deliveryId: "other", eventId: "other", ...later }))
    expect(judge(s)).toEqual({})
  })

  it("a replay that failed counted; one that was delivered cleared", () => {
    const counted = begun()
    counted.s.after(SECOND)
    counted.redeliver()
    const at = counted.endpoint({ strikes: 1 })
    counted.read(row({ isReplayed: true }), replay(exhausted))
    expect(judge(counted.s)).toEqual({ Y3: [at] })

    const cleared = begun()
    cleared.s.after(SECOND)
    cleared.redeliver()
    const zero = cleared.endpoint({ strikes: 0 })
    cleared.read(row({ isReplayed: true, ...exhausted }), replay())
    expect(judge(cleared.s)).toEqual({ Y3: [zero] })
  })

  it("what disabled it is forgotten after a week, and twenty stay; one that is enabled has nineteen at most", () => {
    const later = (strikes: number, disabledAt: number | null) => {
      const { endpoint, read, s } = begun()
      s.after(8 * DAY)
      const at = endpoint({ disabledAt, enabled: disabledAt === null, strikes })
      read()
      return { at, broken: judge(s) }
    }
    expect(later(20, START + DAY).broken).toEqual({})
    expect(later(19, null).broken).toEqual({})
    const { at, broken } = later(20, START + 2 * DAY)
    expect(broken).toEqual({ Y3: [at] })
  })
})

describe("Y4: retry now", () => {
  const retried = (rows: ReadonlyArray<DeliveryRow>, posts: number) => {
    const { appId, read, s } = begun()
    s.op("retryNow", { appId, deliveryId: "first" }, ok(null))
    for (let n = 0; n < posts; n++) s.post("https://example.com", { event_id: "event", endpoint_id: "endpoint" })
    read(...rows)
    return s
  }
  const attempt = (number: number) => ({ attempt: number, startedAt: START, endedAt: START, status: 500, error: null })

  it("the next attempt, sent once", () => {
    expect(judge(retried([row({ attempt: 2, attempts: [attempt(1), attempt(2)] })], 2))).toEqual({})
  })

  it("an eighth attempt, the same one twice, a copy in the queue, a copy on the wire", () => {
    expect(judge(retried([row({ attempt: 8 })], 1))).toHaveProperty("Y4")
    expect(judge(retried([row({ attempts: [attempt(1), attempt(1)] })], 2))).toHaveProperty("Y4")
    expect(judge(retried([row(), row({ deliveryId: "copy" })], 1))).toHaveProperty("Y4")
    expect(judge(retried([row()], 2))).toHaveProperty("Y4")
  })

  const trying = row({ state: "trying", endedAt: null, attempt: 2, attempts: [attempt(1)] })
  const forgotten = (read: DeliveryRow, days: number, posts: number) => {
    const story = begun()
    story.s.op("retryNow", { appId: story.appId, deliveryId: "first" }, ok(null))
    story.read(read)
    for (let n = 0; n < posts; n++) story.s.post("https://example.com", { event_id: "event", endpoint_id: "endpoint" })
    story.s.after(days * DAY)
    story.read()
    return story.s
  }

  it("went on after it was read last, and was forgotten: seven may have been sent, and no eighth", () => {
    expect(judge(forgotten(trying, 31, 7))).toEqual({})
    expect(judge(forgotten(trying, 31, 8))).toHaveProperty("Y4")
  })

  it("what had ended when it was read last is whole, and nothing is forgotten within days", () => {
    expect(judge(forgotten(row(), 31, 2))).toHaveProperty("Y4")
    expect(judge(forgotten(trying, 5, 2))).toHaveProperty("Y4")
  })
})

describe("Y5: one entry of the access log", () => {
  const storyOf = (entries: number, events = 1) => {
    const s = new Story()
    const { appId, connectionId, userId } = s.connected({ scopes: ["location.rules.place"] })
    for (let n = 0; n < events; n++) {
      // Each event is posted twice, as after a retry or a replay.
      for (const _ of "ab") {
        s.post("https://example.com", { event_id: `event-${n}`, type: "place.enter", grant_id: connectionId })
      }
    }
    const entry = {
      at: s.t,
      appId,
      connectionId,
      endpoint: "webhook place.enter",
      purpose: null,
      status: 200,
      error: null,
      disclosed: null,
      times: 1
    }
    const all = Array.from({ length: entries }, (_, n) => ({ ...entry, id: `log-${n}` }))
    const at = s.op("readAccessLog", { userId }, ok({ entries: all }))
    return { s, at }
  }

  it("one for one event, two for two; not two for one, nor none", () => {
    expect(judge(storyOf(1).s)).toEqual({})
    expect(judge(storyOf(2, 2).s)).toEqual({})
    const two = storyOf(2)
    expect(judge(two.s)).toEqual({ Y5: [two.at] })
    const none = storyOf(0)
    expect(judge(none.s)).toEqual({ Y5: [none.at] })
  })
})
