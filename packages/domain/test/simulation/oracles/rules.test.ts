import { describe, expect, it } from "vitest"
import { metresBetween } from "../../../testing/simulation/oracles/support/phones/distance.js"
import { Ana, DAY, FAR, HOME, HOUR, MINUTE, names, north, ok, SECOND } from "./home.js"

it("the oracle's distance is that of the published pair Flinders Peak to Buninyong, to the millimetre", () => {
  const flinders = { lat: -(37 + 57 / 60 + 3.7203 / 3_600), lon: 144 + 25 / 60 + 29.5244 / 3_600 }
  const buninyong = { lat: -(37 + 39 / 60 + 10.1561 / 3_600), lon: 143 + 55 / 60 + 35.3839 / 3_600 }
  expect(metresBetween(flinders, buninyong)).toBeCloseTo(54_972.271, 2)
  expect(metresBetween({ lat: 0, lon: 179.999 }, { lat: 0, lon: -179.999 })).toBeCloseTo(222.639, 2)
})

/**
 * Sends a reading outside the place and, a minute later, a reading at the given point. The test must create the rule
 * before.
 */
const arriving = (ana: Ana, at = HOME, accuracyM: number | null = 10) => {
  ana.send(ana.reading(FAR))
  ana.after(MINUTE)
  ana.send(ana.reading(at, ana.t, accuracyM))
}

describe("R1: the first fix", () => {
  it("may come before the second, which fires", () => {
    const ana = new Ana()
    const rule = ana.rule()
    arriving(ana)
    ana.fired(rule)
    expect(ana.brokenAtRest).toEqual({})
  })

  it("a rule that fires at the first fix is reported", () => {
    const ana = new Ana()
    const rule = ana.rule()
    ana.send(ana.reading(HOME))
    ana.fired(rule)
    expect(names(ana.broken)).toEqual(["R1", "R10"])
  })

  it("is the first since the rule was made", () => {
    const ana = new Ana()
    ana.send(ana.reading(FAR))
    const rule = ana.after(MINUTE).rule()
    ana.send(ana.reading(HOME))
    ana.fired(rule)
    expect(names(ana.broken)).toEqual(["R1", "R10"])
  })
})

describe("R2: two enters", () => {
  const twice = (between: ReadonlyArray<{ lat: number; lon: number }>) => {
    const ana = new Ana()
    const rule = ana.rule()
    arriving(ana)
    ana.fired(rule)
    for (const point of [...between, HOME]) {
      ana.after(3 * MINUTE)
      ana.send(ana.reading(point))
    }
    ana.fired(rule)
    return names(ana.broken)
  }

  it("are separated by an exit that was seen", () => expect(twice([FAR])).toEqual([]))
  it("are not separated by silence", () => expect(twice([])).toEqual(["R2", "R10"]))
  it("are not separated by a fix within the margin", () => expect(twice([north(240)])).toContain("R2"))
})

describe("R3: within max(50 m, accuracy) of the edge", () => {
  const arrivingAt = (metres: number, accuracyM: number | null) => {
    const ana = new Ana()
    const rule = ana.rule()
    arriving(ana, north(metres), accuracyM)
    ana.fired(rule)
    return names(ana.broken)
  }

  it("149.5 m from the centre of a circle of 200 m is inside", () => expect(arrivingAt(149.5, null)).toEqual([]))
  it("nothing is said within 0.2 m of the edge of the band", () => {
    expect(arrivingAt(149.9, null)).toEqual([])
    expect(arrivingAt(150.1, null)).toEqual([])
  })
  it("a rule that fires 150.5 m from the centre is reported", () => expect(arrivingAt(150.5, null)).toEqual(["R3"]))
  it("nor is the centre with an accuracy of 201 m", () => expect(arrivingAt(0, 201)).toEqual(["R3"]))
  it("an accuracy that is not known leaves 50 m", () => {
    for (const unknown of [0, -1, Infinity]) expect(arrivingAt(149.5, unknown)).toEqual([])
  })
  it("what is within it seeds nothing", () => {
    const ana = new Ana()
    const rule = ana.rule()
    ana.send(ana.reading(north(249)))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    ana.fired(rule)
    expect(names(ana.broken)).toEqual(["R3", "R10"])
  })
  it("without any fix of that time nothing fires", () => {
    const ana = new Ana()
    const rule = ana.rule()
    arriving(ana)
    ana.fired(rule, "enter", ana.t - 1)
    expect(names(ana.broken)).toContain("R3")
  })
})

describe("R4: two minutes", () => {
  const again = (gapMs: number) => {
    const ana = new Ana()
    const rule = ana.rule()
    arriving(ana)
    ana.fired(rule)
    ana.after(MINUTE)
    ana.send(ana.reading(FAR))
    ana.after(gapMs - MINUTE)
    ana.send(ana.reading(HOME))
    ana.fired(rule)
    return ana
  }

  it("120,000 ms after the last firing it fires", () => expect(again(120_000).brokenAtRest).toEqual({}))
  it("says in minutes and seconds how far apart the firings are", () => {
    expect(again(119_999).detailsAtRest("R4")).toMatch(/ fired twice within 1m 59s 999ms$/)
  })
  it("119,999 ms after it, it does not", () => expect(names(again(119_999).broken)).toEqual(["R4", "R10"]))
})

describe("R5: fifteen minutes", () => {
  const late = (byMs: number) => {
    const ana = new Ana()
    const rule = ana.rule()
    ana.send(ana.reading(FAR))
    const fix = ana.reading(HOME, ana.t + 1)
    ana.after(byMs + 1)
    ana.send(fix)
    ana.fired(rule, "enter", fix.capturedAt)
    return names(ana.broken)
  }

  it("a fix of exactly 15 minutes ago fires", () => expect(late(15 * MINUTE)).toEqual([]))
  it("one a millisecond older does not", () => expect(late(15 * MINUTE + 1)).toEqual(["R5", "R10"]))
})

describe("R6: dwell", () => {
  const staying = (ms: number) => {
    const ana = new Ana()
    const rule = ana.rule("dwell")
    ana.send(ana.reading(HOME))
    ana.after(ms)
    ana.send(ana.reading(HOME))
    ana.fired(rule, "dwell")
    return { ana, rule }
  }

  it("fires when its five minutes are over", () => expect(staying(5 * MINUTE).ana.brokenAtRest).toEqual({}))
  it("a dwell that fires a millisecond early is reported", () =>
    expect(names(staying(5 * MINUTE - 1).ana.broken)).toEqual(["R6", "R10"]))
  it("a dwell that fires twice in a stay is reported", () => {
    const { ana, rule } = staying(5 * MINUTE)
    ana.after(10 * MINUTE)
    ana.send(ana.reading(HOME))
    ana.fired(rule, "dwell")
    expect(names(ana.broken)).toEqual(["R6", "R10"])
  })
  it("again in the next stay, counted from its first fix", () => {
    const { ana, rule } = staying(5 * MINUTE)
    for (const [point, ms] of [
      [FAR, 10 * MINUTE],
      [HOME, MINUTE],
      [HOME, 5 * MINUTE]
    ] as const) {
      ana.after(ms)
      ana.send(ana.reading(point))
    }
    ana.fired(rule, "dwell")
    expect(ana.brokenAtRest).toEqual({})
  })
  it("a stay that was seen to end does not count on", () => {
    const ana = new Ana()
    const rule = ana.rule("dwell")
    for (const point of [HOME, FAR, HOME]) {
      ana.send(ana.reading(point))
      ana.after(3 * MINUTE)
    }
    ana.send(ana.reading(HOME))
    ana.fired(rule, "dwell")
    expect(names(ana.broken)).toEqual(["R6", "R10"])
  })
})

describe("R7: what is stopped", () => {
  it("never fires: a rule that was deleted before the fix came", () => {
    const ana = new Ana()
    const rule = ana.rule()
    ana.send(ana.reading(FAR))
    ana.removeRule(rule)
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    ana.row({ type: "place.enter", state: "failed", failReason: "not_authorised", endedAt: ana.t, dueAt: null })
    ana.readLog()
    expect(names(ana.broken)).toEqual(["R7"])
  })
  it("nor one whose place is withdrawn, even if it is shared again", () => {
    const ana = new Ana()
    const rule = ana.rule()
    ana.send(ana.reading(FAR))
    ana.shareAgain([])
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    ana.shareAgain([ana.placeId])
    ana.after(MINUTE)
    ana.fired(rule, "enter", ana.t - MINUTE)
    expect(names(ana.broken)).toEqual(["R7"])
  })
  it("nor one of a connection that ran out, when its user has connected the app anew", () => {
    const ana = new Ana()
    ana.share({ standardDays: 1 })
    const rule = ana.rule()
    ana.after(DAY).share()
    ana.send(ana.reading(FAR))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    ana.fired(rule)
    expect(names(ana.broken)).toContain("R7")
  })
  it("one that may have been stopped meanwhile may fire", () => {
    const ana = new Ana()
    const rule = ana.rule()
    ana.send(ana.reading(FAR))
    ana.after(MINUTE)
    const { appId, token } = ana
    const request = { endpoint: "DELETE /v1/rules/place/{id}", ruleId: rule } as const
    const removal = ana.begin("call", { appId, token, request })
    ana.send(ana.reading(HOME))
    ana.fired(rule)
    ana.end(removal, "call", ok({ status: 204, error: null, body: {} }))
    expect(ana.broken).toEqual({})
  })
})

describe("R11: what was captured before the rule was made", () => {
  const arrivedBefore = (ms: number) => {
    const ana = new Ana()
    const far = ana.reading(FAR, ana.t - MINUTE)
    const home = ana.reading(HOME, ana.t - ms)
    const rule = ana.rule()
    ana.after(MINUTE).send(far, home)
    return { ana, home, rule }
  }
  const fired = (ms: number) => {
    const { ana, home, rule } = arrivedBefore(ms)
    ana.fired(rule, "enter", home.capturedAt)
    return ana
  }

  it("at the instant at which it was made it fires", () => {
    expect(fired(0).brokenAtRest).toEqual({})
    expect(names(arrivedBefore(0).ana.brokenAtRest)).toEqual(["R10"])
  })
  it("a millisecond before it does not", () => {
    expect(names(fired(1).broken)).toEqual(["R10", "R11"])
    expect(arrivedBefore(1).ana.brokenAtRest).toEqual({})
  })
  it("it seeds: what crosses afterwards fires", () => {
    const { ana } = arrivedBefore(1)
    ana.send(ana.reading(FAR))
    ana.after(MINUTE).send(ana.reading(HOME))
    expect(names(ana.brokenAtRest)).toEqual(["R10"])
  })

  const changes: ReadonlyArray<readonly [string, (ana: Ana) => void]> = [
    [
      "the place was moved",
      (ana) => {
        const circle = { ...HOME, radiusM: 201 }
        const { placeId, userId } = ana
        ana.op("updatePlace", { userId, placeId, label: "Home", kind: "home", ...circle }, ok(null))
      }
    ],
    [
      "the place was shared again",
      (ana) => {
        ana.shareAgain([])
        ana.shareAgain([ana.placeId])
      }
    ],
    [
      "the app declared the scope again",
      (ana) => {
        const { appId } = ana
        ana.op("declareScopes", { appId, scopes: ["location.visits.read"] }, ok(null))
        ana.op("declareScopes", { appId, scopes: ["location.visits.read", "location.rules.place"] }, ok(null))
      }
    ]
  ]
  it.each(changes)("nor what was captured before %s", (_, change) => {
    const after = (ms: number) => {
      const ana = new Ana()
      const rule = ana.rule()
      const at = ana.after(HOUR).t
      change(ana)
      ana.after(MINUTE).send(ana.reading(FAR, at - MINUTE), ana.reading(HOME, at + ms))
      ana.fired(rule, "enter", at + ms)
      return names(ana.broken)
    }
    expect(after(0)).toEqual([])
    expect(after(-1)).toEqual(["R10", "R11"])
  })
  it("a rename of a place is no move", () => {
    const ana = new Ana()
    const rule = ana.rule()
    const at = ana.after(HOUR).t
    const { placeId, userId } = ana
    ana.op("updatePlace", { userId, placeId, label: "Nest", kind: "home", ...HOME, radiusM: 200 }, ok(null))
    ana.after(MINUTE).send(ana.reading(FAR, at - MINUTE), ana.reading(HOME, at - 1))
    ana.fired(rule, "enter", at - 1, { target: { place_id: ana.placeId, label: "Nest" } })
    expect(ana.broken).toEqual({})
  })
})

describe("R8: duplicates", () => {
  it("an upload counts its duplicates", () => {
    const ana = new Ana()
    const fix = ana.reading(HOME)
    ana.send(fix, fix)
    ana.send(fix)
    expect(ana.broken).toEqual({})
    ana.op(
      "upload",
      { userId: ana.userId, deviceId: ana.deviceId, fixes: [fix], visits: [] },
      ok({ accepted: 1, duplicates: 0, quarantined: 0 })
    )
    expect(names(ana.broken)).toEqual(["R8"])
  })
  it("a rule that fires again for a duplicate is reported", () => {
    const ana = new Ana()
    const rule = ana.rule()
    arriving(ana)
    ana.fired(rule)
    ana.send(ana.reading(HOME))
    ana.fired(rule)
    expect(names(ana.broken)).toEqual(["R8"])
  })
})

describe("R9 and R10: what should fire, fires", () => {
  it("in whatever order an upload has its fixes", () => {
    const ana = new Ana()
    ana.rule()
    ana.after(2 * MINUTE)
    const fixes = [ana.reading(HOME, ana.t), ana.reading(FAR, ana.t - MINUTE)]
    ana.send(...fixes)
    expect(names(ana.brokenAtRest)).toEqual(["R9"])
  })
  it("a rule that does not fire when somebody arrives is reported", () => {
    const ana = new Ana()
    ana.rule()
    arriving(ana)
    expect(names(ana.brokenAtRest)).toEqual(["R10"])
    expect(ana.detailsAtRest("R10")).toMatch(/did not fire as it should, with the upload of 2026-01-\d\dT/)
  })
  it("and says so when it fired and should not have", () => {
    const ana = new Ana()
    const rule = ana.rule()
    ana.send(ana.reading(HOME))
    ana.fired(rule)
    expect(ana.detailsAtRest("R10")).toMatch(/fired for 2026-01-\d\dT[\d:.]+Z and should not have, with the upload/)
  })
  it("a fix within the margin neither ends a stay nor makes others old", () => {
    const ana = new Ana()
    ana.rule("exit")
    ana.send(ana.reading(HOME))
    ana.after(MINUTE)
    ana.send(ana.reading(north(200), ana.t + MINUTE))
    ana.send(ana.reading(FAR))
    expect(names(ana.brokenAtRest)).toEqual(["R10"])
  })
  it("not where the place was moved meanwhile: the rule begins anew", () => {
    const ana = new Ana()
    ana.rule()
    ana.send(ana.reading(FAR))
    const { placeId, userId } = ana
    const circle = { ...HOME, radiusM: 300 }
    ana.op("updatePlace", { userId, placeId, label: "Home", kind: "home", ...circle }, ok(null))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    expect(ana.brokenAtRest).toEqual({})
  })
  it("not where nobody knows whether the phone was heard", () => {
    const ana = new Ana()
    ana.rule()
    const { deviceId, userId } = ana
    const far = ana.reading(FAR)
    ana.op("upload", { userId, deviceId, fixes: [far], visits: [] }, { _tag: "unknown", because: "crash" })
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    expect(ana.brokenAtRest).toEqual({})
  })
  it("not where nobody would hear of it", () => {
    const ana = new Ana()
    ana.op("editEndpoint", { appId: ana.appId, endpointId: ana.endpointId, events: ["places.changed"] }, ok(null))
    ana.rule()
    arriving(ana)
    expect(ana.brokenAtRest).toEqual({})
  })
  it("what the log tells of fired, though it was not sent", () => {
    const ana = new Ana()
    ana.rule()
    arriving(ana)
    ana.row({ type: "place.enter", state: "too_old", endedAt: ana.t + SECOND, dueAt: null })
    expect(ana.brokenAtRest).toEqual({})
  })
  it("not after the connection it belongs to ran out, though there is another since", () => {
    const ana = new Ana()
    ana.share({ standardDays: 1 })
    ana.rule()
    ana.after(DAY).share()
    ana.send(ana.reading(FAR))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    expect(ana.brokenAtRest).toEqual({})
    ana.rule()
    ana.after(2 * MINUTE)
    ana.send(ana.reading(FAR))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    expect(names(ana.brokenAtRest)).toEqual(["R10"])
  })
  it("not after the standard tier ended", () => {
    const ana = new Ana()
    ana.share({ standardDays: 1 })
    ana.rule()
    ana.send(ana.reading(FAR))
    ana.after(DAY)
    ana.send(ana.reading(HOME))
    expect(ana.brokenAtRest).toEqual({})
  })
  it("not after the clock once passed its date, although it was set back since", () => {
    const crossing = (passedMs: number) => {
      const ana = new Ana()
      const sharedAt = ana.t
      ana.share({ standardDays: 1 })
      ana.rule()
      ana.send(ana.reading(FAR))
      ana.after(sharedAt + DAY + passedMs - ana.t)
      ana.add({ kind: "fault", fault: "clock.jump", detail: "TierStore.sweep" })
      ana.after(-HOUR)
      ana.send(ana.reading(HOME))
      return names(ana.brokenAtRest)
    }
    expect(crossing(0)).toEqual([])
    expect(crossing(-1)).toEqual(["R10"])
  })
})
