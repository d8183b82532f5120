import { describe, expect, it } from "vitest"
import { Ana, DAY, FAR, HOME, MINUTE, names, ok, SECOND } from "./home.js"

const changed = (ana: Ana, over: Record<string, unknown> = {}) =>
  ana.body("places.changed", { places_version: 2, ...over })

describe("H1: signatures", () => {
  it("a signature that is older than its post is reported", () => {
    const ana = new Ana()
    ana.hook(changed(ana))
    ana.after(999)
    ana.hook(changed(ana, { places_version: 3 }))
    expect(ana.broken).toEqual({})
    ana.hook(changed(ana, { places_version: 4 }), 200, 0, { signedAtS: Math.floor(ana.t / SECOND) - 1 })
    expect(names(ana.broken)).toEqual(["H1"])
  })

  const rotated = (ms: number, verifiedBy: (old: string, fresh: string) => ReadonlyArray<string>) => {
    const ana = new Ana()
    const old = ana.secret
    ana.op("rotateSecret", { appId: ana.appId, endpointId: ana.endpointId }, ok({ secret: "fresh" }))
    ana.after(ms)
    const by = verifiedBy(old, "fresh")
    ana.hook(changed(ana), 200, 0, { verifiedBy: by, signatures: by.length })
    return names(ana.broken)
  }
  it("are by both secrets until 24 h after a rotation", () => {
    expect(rotated(DAY - 1, (old, fresh) => [old, fresh])).toEqual([])
    expect(rotated(DAY - 1, (_, fresh) => [fresh])).toEqual(["H1"])
    expect(rotated(DAY - 1, (old) => [old])).toEqual(["H1"])
  })
  it("are by the new one alone from then on", () => {
    expect(rotated(DAY, (_, fresh) => [fresh])).toEqual([])
    expect(rotated(DAY, (old, fresh) => [old, fresh])).toEqual(["H1"])
  })

  /**
   * Rotates the secret twice, with `ms` milliseconds between the rotations. Then the clock passes the end of the first
   * secret's validity, and is set back to a time before this end.
   */
  const setBack = (ms: number, verifiedBy: (old: string) => ReadonlyArray<string>) => {
    const ana = new Ana()
    const old = ana.secret
    const rotate = (secret: string) =>
      ana.op("rotateSecret", { appId: ana.appId, endpointId: ana.endpointId }, ok({ secret }))
    rotate("fresh")
    ana.after(ms)
    rotate("freshest")
    ana.after(DAY + MINUTE - ms)
    ana.readEndpoints()
    ana.add({ kind: "fault", fault: "clock.jump", detail: "" })
    ana.after(-30 * MINUTE)
    const by = verifiedBy(old)
    ana.hook(changed(ana), 200, 0, { verifiedBy: by, signatures: by.length })
    return names(ana.broken)
  }
  it("are not by an old one that a rotation met the end of before the clock was set back", () => {
    expect(setBack(DAY, () => ["fresh", "freshest"])).toEqual([])
    expect(setBack(DAY, () => ["freshest"])).toEqual(["H1"])
  })
  it("are by an old one when the clock was set back and no rotation had met its end", () => {
    expect(setBack(DAY - 1, () => ["fresh", "freshest"])).toEqual(["H1"])
    expect(setBack(DAY - 1, (old) => [old, "fresh", "freshest"])).toEqual([])
  })

  /** While a call rotates the secret, the clock is set back by a second. */
  const setBackMeanwhile = (ms: number, verifiedBy: (old: string) => ReadonlyArray<string>) => {
    const ana = new Ana()
    const old = ana.secret
    const begun = ana.begin("rotateSecret", { appId: ana.appId, endpointId: ana.endpointId })
    ana.add({ kind: "fault", fault: "clock.jump", detail: "" })
    ana.after(-SECOND)
    ana.end(begun, "rotateSecret", ok({ secret: "fresh" }))
    ana.after(ms)
    const by = verifiedBy(old)
    ana.hook(changed(ana), 200, 0, { verifiedBy: by, signatures: by.length })
    return names(ana.broken)
  }
  it("are by the old one or not, between the two ends that it may have when the clock was set back in its rotation", () => {
    expect(setBackMeanwhile(DAY - 1, () => ["fresh"])).toEqual(["H1"])
    expect(setBackMeanwhile(DAY, () => ["fresh"])).toEqual([])
    expect(setBackMeanwhile(DAY + 30 * SECOND, (old) => [old, "fresh"])).toEqual([])
    expect(setBackMeanwhile(DAY + 31 * SECOND, (old) => [old, "fresh"])).toEqual(["H1"])
  })

  it("a post with a second signature is reported", () => {
    const ana = new Ana()
    ana.hook(changed(ana), 200, 0, { signatures: 2 })
    expect(names(ana.broken)).toEqual(["H1"])
  })
})

describe("H2: bodies", () => {
  it("have no coordinates, nor any other field", () => {
    const ana = new Ana()
    const rule = ana.rule()
    ana.send(ana.reading(FAR))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    const body = ana.fired(rule)
    ana.hook(ana.body("ping"))
    expect(ana.broken).toEqual({})
    ana.hook({ ...body, event_id: "other", rule_id: "unknown", target: { place_id: null, label: "x", lat: 50 } })
    expect(names(ana.broken)).toEqual(["H2"])
  })
  it("a body that lacks a field is reported", () => {
    const ana = new Ana()
    ana.hook(ana.body("places.changed"))
    expect(names(ana.broken)).toEqual(["H2"])
  })
})

describe("H3: one event", () => {
  it("has one id at every attempt and endpoint", () => {
    const ana = new Ana()
    const body = changed(ana)
    const first = ana.endpointId
    const other = ana.endpoint(ana.url, [])
    ana.hook({ ...body, endpoint_id: first }, 500, 0, { verifiedBy: ["signing-secret-7"] })
    const verifiedBy = [ana.secret]
    ana.after(MINUTE)
    ana.hook({ ...body, endpoint_id: other }, 200, 0, { verifiedBy })
    expect(names(ana.broken).filter((name) => name !== "H1")).toEqual([])
    ana.hook({ ...body, endpoint_id: other, event_id: "another" }, 200, 0, { verifiedBy })
    expect(names(ana.broken).filter((name) => name !== "H1")).toEqual(["H3"])
  })
  it("a retry with another body is reported", () => {
    const ana = new Ana()
    const body = changed(ana)
    ana.hook(body, 500)
    ana.after(MINUTE)
    ana.hook({ ...body, places_version: 3 })
    expect(names(ana.broken)).toEqual(["H3"])
  })
})

describe("H4: who gets the event", () => {
  const second = (ana: Ana, events: ReadonlyArray<string>) => {
    const [endpointId, secret] = [ana.endpointId, ana.secret]
    const other = ana.endpoint(ana.url, events)
    const otherSecret = ana.secret
    ana.secret = secret
    const hook = (body: Record<string, unknown>) =>
      ana.hook({ ...body, endpoint_id: other }, 200, 0, { verifiedBy: [otherSecret] })
    return { endpointId, other, hook }
  }

  it("a post to an endpoint that does not subscribe is reported", () => {
    const ana = new Ana()
    const { hook } = second(ana, ["rule.fired"])
    ana.after(1)
    hook(changed(ana))
    expect(names(ana.broken)).toEqual(["H4"])
  })
  it("who subscribed when it happened", () => {
    const ana = new Ana()
    const body = changed(ana)
    const { appId, endpointId } = ana
    ana.op("editEndpoint", { appId, endpointId, events: ["rule.fired"] }, ok(null))
    ana.hook(body)
    expect(ana.broken).toEqual({})
  })
  it("an endpoint that subscribes and gets nothing is reported", () => {
    const ana = new Ana()
    const { hook, other } = second(ana, ["places.changed"])
    ana.after(MINUTE)
    const body = changed(ana)
    ana.hook(body)
    ana.after(DAY)
    ana.readLog()
    ana.readEndpoints({}, { endpointId: other })
    expect(names({ ...ana.broken })).toEqual([])
    expect(names(ana.brokenAt(true))).toEqual(["H4"])
    hook(body)
    ana.readLog()
    expect(names(ana.brokenAt(true))).toEqual([])
  })
  it("the address of the rule's own, and no other", () => {
    const ana = new Ana()
    const rule = ana.rule("enter", { webhookUrl: "https://own.example.com/" })
    ana.send(ana.reading(FAR))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    ana.fired(rule)
    expect(names(ana.broken)).toEqual(["H4"])
  })
  it("a post to a removed endpoint is reported", () => {
    const ana = new Ana()
    ana.op("removeEndpoint", { appId: ana.appId, endpointId: ana.endpointId }, ok(null))
    ana.after(1)
    ana.hook(changed(ana))
    expect(names(ana.broken)).toEqual(["H4"])
  })
})

describe("H5: what is not allowed any more", () => {
  const after = (stop: (ana: Ana, rule: string) => void) => {
    const ana = new Ana()
    const rule = ana.rule()
    ana.send(ana.reading(FAR))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    const body = ana.fired(rule)
    ana.after(20 * SECOND)
    stop(ana, rule)
    ana.after(10 * SECOND)
    ana.hook(body)
    return names(ana.broken)
  }

  it("is sent again while it is allowed", () => expect(after(() => undefined)).toEqual([]))
  it("is not sent after a disconnection", () => {
    const stop = (ana: Ana) => ana.op("disconnect", { userId: ana.userId, connectionId: ana.connectionId }, ok(null))
    expect(after(stop)).toEqual(["H5"])
  })
  it("what an older connection was is no reason: it may be ended once more", () => {
    const ana = new Ana()
    const { connectionId, userId } = ana
    ana.op("disconnect", { userId, connectionId }, ok(null))
    ana.share()
    ana.op("disconnect", { userId, connectionId }, ok(null))
    ana.after(MINUTE)
    ana.hook(changed(ana))
    expect(ana.broken).toEqual({})
    ana.hook(changed(ana, { grant_id: connectionId }))
    expect(names(ana.broken)).toEqual(["H5"])
  })
  it("a post after a disconnect with an unknown outcome is right", () => {
    const stop = (ana: Ana) =>
      ana.op(
        "disconnect",
        { userId: ana.userId, connectionId: ana.connectionId },
        { _tag: "unknown", because: "unavailable" }
      )
    expect(after(stop)).toEqual([])
  })
  it("is not sent after the rule was deleted", () => {
    expect(after((ana, rule) => ana.removeRule(rule))).toEqual(["H5"])
  })
  it("is not sent after the place was withdrawn", () => expect(after((ana) => ana.shareAgain([]))).toEqual(["H5"]))
  it("is not sent after the app was narrowed", () => {
    const stop = (ana: Ana) => ana.op("narrowApp", { appId: ana.appId, scopes: ["location.visits.read"] }, ok(null))
    expect(after(stop)).toEqual(["H5"])
  })
  it("what tells of the sensitive tier is sent all the same", () => {
    const ana = new Ana()
    ana.op("narrowApp", { appId: ana.appId, scopes: [] }, ok(null))
    ana.after(1)
    ana.hook(ana.body("sensitive.removed", { scopes: ["location.lookup"] }))
    expect(ana.broken).toEqual({})
    ana.op("disconnect", { userId: ana.userId, connectionId: ana.connectionId }, ok(null))
    ana.after(1)
    ana.hook(ana.body("sensitive.removed", { scopes: ["location.lookup"] }))
    expect(names(ana.broken)).toEqual(["H5"])
  })
  it("where something was slow it may have been allowed when it was looked at", () => {
    const stop = (ana: Ana, rule: string) => {
      ana.add({ kind: "fault", fault: "port.slow", detail: "" })
      ana.removeRule(rule)
    }
    expect(after(stop)).toEqual([])
  })
})

describe("H6: endpoints", () => {
  it("a sixth endpoint of an app is reported", () => {
    const ana = new Ana()
    for (let n = 2; n <= 5; n++) ana.endpoint(ana.url, [])
    expect(ana.broken).toEqual({})
    ana.endpoint(ana.url, [])
    expect(names(ana.broken)).toEqual(["H6"])
  })
  it("are listed without their secrets", () => {
    const ana = new Ana()
    ana.readEndpoints({ secret: "whsec" } as object)
    expect(names(ana.broken)).toEqual(["H6"])
  })
})

describe("H7: redirects", () => {
  it("a post to the target of a redirect is reported", () => {
    const ana = new Ana()
    ana.hook(changed(ana), 302)
    expect(ana.broken).toEqual({})
    ana.hook(changed(ana, { places_version: 3 }), 200, 0, { url: "https://elsewhere.example.com/" })
    expect(names(ana.broken)).toEqual(["H7"])
  })
})
