import { describe, expect, it } from "vitest"
import { ok } from "./handwritten.js"
import { Ana, DAY, FAR, HOME, HOUR, MINUTE, names } from "./home.js"

/** A rule whose window began when the rule was made, and lasts an hour. */
const windowed = () => {
  const ana = new Ana()
  const [from, until] = [ana.t, ana.t + HOUR]
  return { ana, from, until, rule: ana.rule("enter", { activeFrom: from, activeUntil: until }) }
}

describe("W1: by capture time, [from, until)", () => {
  const arriving = (seedAt: (from: number) => number, at: (until: number) => number) => {
    const { ana, from, rule, until } = windowed()
    const arrival = at(until)
    ana.after(arrival - ana.t)
    ana.send(ana.reading(FAR, seedAt(from)), ana.reading(HOME, arrival))
    ana.fired(rule, "enter", arrival)
    return ana
  }

  it("the first instant seeds and the last one before the end fires", () => {
    expect(
      arriving(
        (from) => from,
        (until) => until - 1
      ).brokenAtRest
    ).toEqual({})
  })
  it("the end itself does not fire", () => {
    expect(
      names(
        arriving(
          (from) => from,
          (until) => until
        ).broken
      )
    ).toEqual(["W1", "W3"])
  })
  it("the millisecond before it opened does not seed", () => {
    expect(
      names(
        arriving(
          (from) => from - 1,
          (until) => until - 1
        ).broken
      )
    ).toEqual(["W1", "W5"])
  })
})

describe("W2: a late batch", () => {
  /**
   * Sends a batch of fixes `byMs` milliseconds after the end of the rule's window. The last fix of the batch is at
   * home, and was captured a minute before this end.
   */
  const late = (byMs: number) => {
    const { ana, rule, until } = windowed()
    const fixes = [ana.reading(FAR, until - 2 * MINUTE), ana.reading(HOME, until - MINUTE)]
    ana.after(until + byMs - ana.t)
    ana.send(...fixes)
    return { ana, rule, arrival: until - MINUTE }
  }

  it("fires when it comes soon after the end", () => {
    const { ana, arrival, rule } = late(MINUTE)
    ana.fired(rule, "enter", arrival)
    expect(ana.brokenAtRest).toEqual({})
  })
  it("an arrival that comes soon after the end and does not fire is reported", () => {
    expect(names(late(MINUTE).ana.brokenAtRest)).toEqual(["W2"])
  })
  it("a day after the end it is stale, and still applied", () => {
    const { ana, arrival, rule } = late(DAY)
    ana.fired(rule, "enter", arrival)
    expect(names(ana.broken)).toEqual(["R5", "W2"])
  })
  it("a millisecond later it is ignored", () => {
    const { ana, arrival, rule } = late(DAY + 1)
    ana.fired(rule, "enter", arrival)
    expect(names(ana.broken)).toEqual(["W2"])
  })
})

describe("W3: finished", () => {
  const listed = (ana: Ana, state: string) =>
    ana.call(
      ana.appId,
      ana.token,
      200,
      { endpoint: "GET /v1/rules/place" },
      { body: { rules: [{ id: "rule", state }] } }
    )

  it("a rule that is active after it finished is reported", () => {
    const ana = new Ana()
    listed(ana, "active")
    listed(ana, "finished")
    listed(ana, "finished")
    expect(ana.broken).toEqual({})
    listed(ana, "active")
    expect(names(ana.broken)).toEqual(["W3"])
  })
  it("but for a clock that was set back to before it", () => {
    const ana = new Ana()
    listed(ana, "finished")
    ana.after(-1)
    listed(ana, "active")
    expect(ana.broken).toEqual({})
  })
  /** Lists the rules. The clock moves by `millis` during the call. */
  const listedWhile = (ana: Ana, millis: number, state: string) => {
    const op = ana.begin("call", { appId: ana.appId, token: ana.token, request: { endpoint: "GET /v1/rules/place" } })
    ana.after(millis)
    ana.end(op, "call", ok({ status: 200, error: null, body: { rules: [{ id: "rule", state }] } }))
  }

  it("but for a clock that is set back to before it while the list is read", () => {
    const ana = new Ana()
    listed(ana, "finished")
    listedWhile(ana, -1, "inactive")
    expect(ana.broken).toEqual({})
  })
  it("from the later of the two times of a list during which the clock is set back", () => {
    const ana = new Ana()
    listedWhile(ana, -HOUR, "finished")
    ana.after(HOUR - 1)
    listed(ana, "inactive")
    expect(ana.broken).toEqual({})
    ana.after(1)
    listed(ana, "inactive")
    expect(names(ana.broken)).toEqual(["W3"])
  })
})

describe("W4: a window", () => {
  const asking = (from: number | null, until: number | null, status: number) => {
    const ana = new Ana()
    const window = {
      activeFrom: from === null ? null : ana.t + from,
      activeUntil: until === null ? null : ana.t + until
    }
    const error = status === 400 ? { error: "validation_failed" } : { body: { id: "rule" } }
    ana.call(ana.appId, ana.token, status, ana.request("enter", window), error)
    return names(ana.broken)
  }

  it("that closes in a millisecond is open", () => {
    expect(asking(null, 1, 201)).toEqual([])
    expect(asking(null, 1, 400)).toEqual(["W4"])
  })
  it("that closes now has closed", () => {
    expect(asking(null, 0, 400)).toEqual([])
    expect(asking(null, 0, 201)).toEqual(["W4"])
  })
  it("that ends as it starts contains nothing", () => {
    expect(asking(HOUR, HOUR, 400)).toEqual([])
    expect(asking(HOUR, HOUR, 201)).toEqual(["W4"])
    expect(asking(HOUR, HOUR + 1, 201)).toEqual([])
  })
})

describe("W5: when fixes come", () => {
  it("makes no difference: one from before the window that came in it is not seen", () => {
    const { ana, from } = windowed()
    ana.after(2 * MINUTE)
    ana.send(ana.reading(HOME, from - 1))
    ana.send(ana.reading(FAR, from))
    ana.send(ana.reading(HOME))
    expect(names(ana.brokenAtRest)).toEqual(["W5"])
  })
})
