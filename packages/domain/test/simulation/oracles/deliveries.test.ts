import { describe, expect, it } from "vitest"
import type { DeliveryRow } from "../../../testing/simulation/Operations.js"
import { START } from "./handwritten.js"
import { Ana, DAY, FAR, HOME, HOUR, MINUTE, names, ok, SECOND } from "./home.js"

const GAPS = [30 * SECOND, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, 360 * MINUTE, 900 * MINUTE]

const attempt = (number: number, startedAt: number, status: number | null = 500, tookMs = 0) => ({
  attempt: number,
  startedAt,
  endedAt: startedAt + tookMs,
  status,
  error: status === null ? "connection refused" : null
})

/**
 * The row of a delivery that failed at all seven attempts. The last attempt began `early` milliseconds before its wait
 * was over.
 */
const exhausted = (ana: Ana, early = 0): Partial<DeliveryRow> => {
  let at = ana.t
  const attempts = [attempt(1, at)]
  GAPS.forEach((gap, index) => {
    at += gap - (index === GAPS.length - 1 ? early : 0)
    attempts.push(attempt(index + 2, at))
  })
  return { state: "failed", failReason: "exhausted", attempt: 7, attempts, dueAt: null, endedAt: at }
}

describe("D1: the schedule", () => {
  it("has seven attempts, each after its gap", () => {
    const ana = new Ana()
    ana.row(exhausted(ana))
    ana.after(DAY)
    ana.readLog()
    expect(ana.broken).toEqual({})
  })
  it("a millisecond less is too soon", () => {
    const ana = new Ana()
    ana.row(exhausted(ana, 1))
    ana.after(DAY)
    ana.readLog()
    expect(names(ana.broken)).toEqual(["D1"])
  })
  it("but for an attempt that was brought forward", () => {
    const ana = new Ana()
    const { deliveryId } = ana.row({ attempt: 3, attempts: [attempt(1, ana.t), attempt(2, ana.t + 1)] })
    ana.op("retryNow", { appId: ana.appId, deliveryId }, ok(null))
    ana.after(1)
    ana.readLog()
    expect(ana.broken).toEqual({})
  })
  it("where the clock was set, its gaps say nothing", () => {
    const ana = new Ana()
    ana.row(exhausted(ana, 1))
    ana.add({ kind: "fault", fault: "clock.jump", detail: "" })
    ana.after(DAY)
    ana.readLog()
    expect(ana.broken).toEqual({})
  })
  it("an eighth attempt is reported", () => {
    const ana = new Ana()
    const { attempts = [], ...over } = exhausted(ana)
    ana.row({ ...over, attempts: [...attempts, attempt(8, ana.t + 2 * DAY)], attempt: 8 })
    ana.readLog()
    expect(names(ana.broken)).toEqual(["D1"])
  })
  it("nothing is sent more often than its rows have attempts", () => {
    const ana = new Ana()
    const body = ana.body("places.changed", { places_version: 2 })
    ana.row({ ...exhausted(ana), eventId: String(body["event_id"]) })
    for (let n = 0; n < 7; n++) ana.hook(body, 500)
    ana.after(1)
    ana.readLog()
    expect(ana.broken).toEqual({})
    ana.hook(body, 500)
    ana.readLog()
    expect(names(ana.broken)).toEqual(["D1"])
  })
})

describe("D1: retries are prompt", () => {
  const retried = (lateMs: number, fault?: string) => {
    const ana = new Ana()
    const body = ana.body("places.changed", { places_version: 2 })
    const first = attempt(1, ana.t)
    ana.hook(body, 500)
    if (fault !== undefined) ana.add({ kind: "fault", fault, detail: "" })
    ana.after(30 * SECOND + lateMs)
    ana.hook(body, 200)
    const ended = { state: "delivered", dueAt: null, endedAt: ana.t } as const
    const attempts = [first, attempt(2, ana.t, 200)]
    ana.row({ ...ended, attempt: 2, attempts, eventId: String(body["event_id"]) })
    ana.readLog()
    return names(ana.broken)
  }
  it("a retry may come five minutes late and no later, unless something failed", () => {
    expect(retried(5 * MINUTE)).toEqual([])
    expect(retried(5 * MINUTE + 1)).toEqual(["D1"])
    expect(retried(5 * MINUTE + 1, "process.pause")).toEqual([])
  })
})

describe("D2: rows", () => {
  const read = (...rows: ReadonlyArray<Partial<DeliveryRow>>) => {
    const ana = new Ana()
    const first = ana.row({ attempt: 2, attempts: [attempt(1, ana.t)] })
    for (const row of rows) ana.readLog([{ ...first, ...row }])
    return names(ana.broken)
  }
  const ended = { dueAt: null, endedAt: START }

  it("a row may end", () =>
    expect(read({}, { state: "failed", failReason: "endpoint_disabled", ...ended })).toEqual([]))
  it("a row that ended and then changes is reported", () => {
    const failed = { state: "failed", failReason: "endpoint_disabled", ...ended } as const
    expect(read(failed, {})).toEqual(["D2"])
    expect(read(failed, { ...failed, endedAt: START + 1 })).toEqual(["D2"])
  })
  it("never go back to an earlier attempt", () => expect(read({}, { attempt: 1, attempts: [] })).toEqual(["D2"]))
  it("have a due time while they are tried, and a reason when they failed", () => {
    expect(read({ dueAt: null })).toEqual(["D2"])
    expect(read({ state: "failed", ...ended })).toEqual(["D2"])
  })
})

describe("D3: delivered", () => {
  const answered = (reply: unknown, tookMs: number, over: Partial<DeliveryRow> = {}) => {
    const ana = new Ana()
    const body = ana.body("places.changed", { places_version: 2 })
    ana.hook(body, reply, tookMs)
    const attempts = [attempt(1, ana.t, 200, tookMs)]
    const eventId = String(body["event_id"])
    ana.row({ eventId, state: "delivered", dueAt: null, endedAt: ana.t + tookMs, attempts, ...over })
    ana.after(10 * SECOND)
    ana.readLog()
    return names(ana.broken)
  }

  it("is what was answered 2xx within five seconds", () => {
    expect(answered(200, 5_000)).toEqual([])
    expect(answered("reset_after_2xx", 0)).toEqual([])
  })
  it("a late answer and a redirect do not count as delivered", () => {
    expect(answered("slow", 6_000)).toEqual(["D3"])
    expect(answered(302, 0)).toEqual(["D3"])
    expect(answered(200, 0, { attempts: [attempt(1, 0, 302)] })).toEqual(["D3"])
  })
  it("a delivery that was answered in time and is listed as failed is reported", () => {
    expect(answered(200, 0, { state: "failed", failReason: "not_authorised" })).toEqual(["D3"])
  })
})

describe("D4: twenty in a row", () => {
  /** Ends deliveries one after the other, a second apart, and reads the endpoint a second after the last end. */
  const after = (ends: ReadonlyArray<"strike" | "clear" | "replay">, over: object = {}) => {
    const ana = new Ana()
    for (const end of ends) {
      ana.after(SECOND)
      const isReplay = end === "replay"
      const last = { state: "failed", failReason: "exhausted", dueAt: null, endedAt: ana.t, isReplay } as const
      const delivered = { state: "delivered", dueAt: null, endedAt: ana.t } as const
      if (end === "clear") {
        const body = ana.body("places.changed", { places_version: ana.t })
        ana.hook(body)
        ana.row({ ...delivered, eventId: String(body["event_id"]), attempts: [attempt(1, ana.t, 200)] })
      } else ana.row(last)
    }
    const [t] = [ana.t]
    ana.after(SECOND)
    ana.readEndpoints({ ...over, ...("disabledAt" in over && { disabledAt: t }) })
    ana.readLog()
    return { ana, broken: names(ana.broken) }
  }
  const strikes = (count: number) => Array.from({ length: count }, () => "strike" as const)
  const off = { enabled: false, disabledAt: 0 }

  it("twenty failures in a row disable an endpoint, nineteen do not", () => {
    expect(after(strikes(20), off).broken).toEqual([])
    expect(after(strikes(19), off).broken).toEqual(["D4"])
    expect(after(strikes(19), { strikes: 19 }).broken).toEqual([])
    expect(after(strikes(20), { strikes: 20 }).broken).toEqual(["D4"])
  })
  it("a success begins the count anew", () => {
    expect(after([...strikes(19), "clear", "strike"], { strikes: 1 }).broken).toEqual([])
    expect(after([...strikes(19), "clear", "strike"], off).broken).toEqual(["D4"])
  })
  it("each counts once, and replays never", () => {
    expect(after(["strike"], { strikes: 1 }).broken).toEqual([])
    expect(after(["strike"], { strikes: 2 }).broken).toEqual(["D4"])
    expect(after(["strike", "replay"], { strikes: 2 }).broken).toEqual(["D4"])
  })
  it("nothing is sent while it is disabled but a test", () => {
    const { ana } = after(strikes(20), off)
    ana.hook(ana.body("ping"))
    expect(ana.broken).toEqual({})
    ana.hook(ana.body("places.changed", { places_version: 2 }))
    expect(names(ana.broken)).toEqual(["D4"])
  })
  it("it is sent again once it is enabled", () => {
    const { ana } = after(strikes(20), off)
    ana.op("editEndpoint", { appId: ana.appId, endpointId: ana.endpointId, enabled: true }, ok(null))
    ana.hook(ana.body("places.changed", { places_version: 2 }))
    expect(ana.broken).toEqual({})
  })
})

describe("D5: the age of an event", () => {
  const aged = (ms: number) => {
    const ana = new Ana()
    const rule = ana.rule("enter", { maxEventAgeS: 30 })
    ana.send(ana.reading(FAR))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    const at = ana.t
    ana.after(ms)
    ana.fired(rule, "enter", at)
    return names(ana.broken)
  }

  it("an event as old as its limit may be sent", () => expect(aged(30 * SECOND)).toEqual([]))
  it("an event a millisecond older than its limit is reported", () => expect(aged(30 * SECOND + 1)).toEqual(["D5"]))

  /** A retry is due. The delivery ends as too old `lateMs` after the event became too old. */
  const endedLate = (lateMs: number, { createdMs = 0, fault }: { createdMs?: number; fault?: string } = {}) => {
    const ana = new Ana()
    const rule = ana.rule("enter", { maxEventAgeS: 30 })
    ana.send(ana.reading(FAR))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    const body = ana.fired(rule)
    const [occurredAt] = [ana.t]
    const createdAt = ana.after(createdMs).t
    if (fault !== undefined) ana.add({ kind: "fault", fault, detail: "" })
    const endedAt = Math.max(occurredAt + 30 * SECOND, createdAt) + lateMs
    ana.t = endedAt
    const ended = { state: "too_old", dueAt: null, occurredAt, createdAt, endedAt, attempt: 2 } as const
    ana.row({ ...ended, type: "place.enter", eventId: String(body["event_id"]), attempts: [attempt(1, occurredAt)] })
    ana.readLog()
    return names(ana.broken)
  }
  it("the row ends within a minute after that, unless something failed", () => {
    expect(endedLate(MINUTE)).toEqual([])
    expect(endedLate(MINUTE + 1)).toEqual(["D5"])
    expect(endedLate(MINUTE + 1, { fault: "port.fail" })).toEqual([])
  })
  it("an event that is too old already when its delivery is created has a minute from then on", () => {
    expect(endedLate(MINUTE, { createdMs: HOUR })).toEqual([])
    expect(endedLate(MINUTE + 1, { createdMs: HOUR })).toEqual(["D5"])
  })
})

describe("D6: at rest", () => {
  it("a row without an end is reported", () => {
    const ana = new Ana()
    ana.row({ state: "failed", failReason: "not_sent", dueAt: null, endedAt: ana.t })
    expect(ana.brokenAtRest).toEqual({})
    ana.row()
    expect(names(ana.brokenAtRest)).toEqual(["D6"])
  })
})

describe("D7: a restart", () => {
  const restarted = (...rows: ReadonlyArray<Partial<DeliveryRow>>) => {
    const ana = new Ana()
    const first = ana.row({ attempt: 3, attempts: [attempt(1, ana.t), attempt(2, ana.t + 30 * SECOND)] })
    for (const row of rows) {
      ana.readLog([{ ...first, ...row }])
      ana.add({ kind: "fault", fault: "crash", detail: "" })
      ana.add({ kind: "fault", fault: "restart", detail: "" })
    }
    return names(ana.broken)
  }

  it("leaves the attempts as they were", () => expect(restarted({}, {})).toEqual([]))
  it("attempts that begin anew after a restart are reported", () => {
    expect(restarted({}, { attempt: 1 })).toEqual(["D7"])
    expect(restarted({ attempts: [attempt(1, 0), attempt(1, DAY)] })).toEqual(["D7"])
  })
})

describe("D8: leases", () => {
  const LEASE = 30 * SECOND
  const claim = (ana: Ana, lease: string) =>
    ana.add({
      kind: "port",
      op: null,
      port: "DeliveryStore",
      method: "claim",
      outcome: "ok",
      args: { lease, now: ana.t, leaseUntil: ana.t + LEASE },
      value: [{ deliveryId: "delivery", attempt: 1 }]
    })
  const finish = (ana: Ana, lease: string, value: boolean) =>
    ana.add({
      kind: "port",
      op: null,
      port: "DeliveryStore",
      method: "finish",
      outcome: "ok",
      args: { claim: { id: "delivery", lease }, finish: {} },
      value
    })

  it("are taken over when they have run out", () => {
    const ana = new Ana()
    claim(ana, "one")
    ana.after(LEASE)
    claim(ana, "two")
    finish(ana, "one", false)
    finish(ana, "two", true)
    claim(ana, "three")
    expect(ana.broken).toEqual({})
  })
  it("a claim a millisecond before the lease runs out is reported", () => {
    const ana = new Ana()
    claim(ana, "one")
    ana.after(LEASE - 1)
    claim(ana, "two")
    expect(names(ana.broken)).toEqual(["D8"])
  })
  /** The row is due `waitMs` after the last of `claims` claims of one attempt. */
  const waiting = (claims: number, waitMs: number, isHurried = false) => {
    const ana = new Ana()
    const { dueAt } = ana.row({ deliveryId: "delivery" })
    for (let n = 0; n < claims; n++) claim(n === 0 ? ana : ana.after(LEASE), `lease ${n}`)
    if (isHurried) ana.op("retryNow", { appId: ana.appId, deliveryId: "delivery" }, ok(null))
    ana.readLog(ana.rows.map((row) => ({ ...row, dueAt: waitMs === 0 ? dueAt : ana.t + waitMs })))
    return names(ana.broken)
  }
  it("the first two leases of an attempt leave it due, and the third may let it wait", () => {
    expect([waiting(1, 0), waiting(2, 0), waiting(3, LEASE)]).toEqual([[], [], []])
    expect([waiting(1, 1), waiting(2, LEASE)]).toEqual([["D8"], ["D8"]])
    expect(waiting(2, LEASE, true)).toEqual([])
  })
  it("a worker that was overtaken writes nothing", () => {
    const ana = new Ana()
    claim(ana, "one")
    ana.after(LEASE)
    claim(ana, "two")
    finish(ana, "one", true)
    expect(names(ana.broken)).toEqual(["D8"])
  })
})

describe("D10: what the log keeps", () => {
  const delivered = (ana: Ana) => {
    const body = ana.body("places.changed", { places_version: 2 })
    ana.hook(body)
    const ended = { state: "delivered", dueAt: null, endedAt: ana.t, attempts: [attempt(1, ana.t, 200)] } as const
    return ana.row({ eventId: String(body["event_id"]), ...ended })
  }
  const failed = (ana: Ana) => ana.row({ state: "failed", failReason: "not_sent", dueAt: null, endedAt: ana.t })
  const readAfter = (make: (ana: Ana) => DeliveryRow, ms: number, isThere: boolean, fault?: string) => {
    const ana = new Ana()
    const row = make(ana)
    ana.readLog()
    ana.after(ms)
    if (fault !== undefined) ana.add({ kind: "fault", fault, detail: "" })
    ana.readLog(isThere ? [row] : [])
    return names(ana.broken)
  }

  it("a delivered row stays for seven days, any other for thirty", () => {
    expect(readAfter(delivered, 7 * DAY, false)).toEqual([])
    expect(readAfter(delivered, 7 * DAY - 1, false)).toEqual(["D10"])
    expect(readAfter(failed, 30 * DAY, false)).toEqual([])
    expect(readAfter(failed, 30 * DAY - 1, false)).toEqual(["D10"])
  })
  it("and two hours longer at most, unless something failed", () => {
    expect(readAfter(delivered, 7 * DAY + 2 * HOUR, true)).toEqual([])
    expect(readAfter(delivered, 7 * DAY + 2 * HOUR + 1, true)).toEqual(["D10"])
    expect(readAfter(delivered, 7 * DAY + 2 * HOUR + 1, true, "port.fail")).toEqual([])
  })
  it("where the clock was set forward and back, the row may have gone", () => {
    const ana = new Ana()
    delivered(ana)
    ana.readLog()
    const [t] = [ana.t]
    ana.after(8 * DAY)
    ana.add({ kind: "fault", fault: "clock.jump", detail: "" })
    ana.t = t
    ana.readLog([])
    expect(ana.broken).toEqual({})
  })
})
