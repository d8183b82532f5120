import { describe, expect, it } from "vitest"
import { listeners } from "../../../testing/simulation/oracles/listeners.js"
import { seen } from "./handwritten.js"
import { Ana, DAY, FAR, HOME, MINUTE, names, ok, SECOND } from "./home.js"

/** A trace in which a developer of Ana's app listens to events. */
class Heard extends Ana {
  cookie = ""

  listen(over: { readonly endpointId?: string; readonly events?: ReadonlyArray<string> } = {}): string {
    const listenerId = this.fresh("listener")
    this.cookie = this.fresh("cookie")
    const { endpointId = null, events = [] } = over
    const args = { appId: this.appId, cookie: this.cookie, endpointId, events, forMs: 5 * MINUTE }
    const secret = endpointId === null ? "own" : null
    this.op("listen", args, ok({ listenerId, secret }))
    return listenerId
  }

  refusedToListen(): number {
    const args = { appId: this.appId, cookie: "cookie", endpointId: null, events: [], forMs: 5 * MINUTE }
    return this.op("listen", args, { _tag: "refused", error: "Conflict", detail: null })
  }

  hears(listenerId: string, body: Record<string, unknown>, over: Record<string, unknown> = {}): number {
    const signed = { signedAtS: Math.floor(this.t / SECOND), signatures: 1, verifiedBy: ["own"] }
    const message = { _tag: "Event", body: { ...body, endpoint_id: listenerId }, ...signed, ...over }
    return this.add({ kind: "heard", listenerId, message }, "server-1")
  }

  ends(listenerId: string, reason: string): number {
    return this.add({ kind: "heard", listenerId, message: { _tag: "End", reason } }, "server-1")
  }

  get wrong(): ReadonlyArray<string> {
    return names(seen(listeners, this.run()))
  }
}

describe("N1: signatures over a stream", () => {
  it("are the listener's own, and the body names the listener", () => {
    const ana = new Heard()
    const id = ana.listen()
    ana.hears(id, ana.body("places.changed", { places_version: 2 }))
    expect(ana.wrong).toEqual([])
    const body = ana.body("places.changed", { places_version: 3 })
    ana.hears(id, body, { verifiedBy: [] })
    expect(ana.wrong).toEqual(["N1"])
  })

  it("are the endpoint's for its listener, fresh, and the body names the endpoint", () => {
    const hears = (over: Record<string, unknown>) => {
      const ana = new Heard()
      const { endpointId, secret } = ana
      const id = ana.listen({ endpointId })
      const body = ana.body("places.changed", { places_version: 2 })
      ana.hears(id, body, { body: { ...body, endpoint_id: endpointId }, verifiedBy: [secret], ...over })
      return ana.wrong
    }
    expect(hears({})).toEqual([])
    expect(hears({ verifiedBy: ["own"] })).toEqual(["N1"])
    expect(hears({ signedAtS: 0 })).toEqual(["N1"])
    expect(hears({ body: { endpoint_id: "another" } })).toContain("N1")
  })
})

describe("N2: what a listener gets", () => {
  it.each([
    ["what it does not subscribe to", ["rule.fired"], {}],
    ["what is of another app", [], { app_id: "another" }],
    ["a test", [], { type: "ping" }]
  ] as const)("is never %s", (_, events, over) => {
    const ana = new Heard()
    ana.hears(ana.listen({ events }), ana.body("places.changed", { places_version: 2, ...over }))
    expect(ana.wrong).toEqual(["N2"])
  })

  it("comes once, and not after the end", () => {
    const ana = new Heard()
    const id = ana.listen()
    const body = ana.body("places.changed", { places_version: 2 })
    ana.hears(id, body)
    ana.hears(id, body)
    expect(ana.wrong).toEqual(["N2"])
    const other = new Heard()
    const ended = other.listen()
    other.ends(ended, "left")
    other.hears(ended, body)
    expect(other.wrong).toEqual(["N2"])
  })
})

describe("N3: who listens gets every firing", () => {
  /** A trace in which Ana comes home and the endpoint gets the event. `when` adds further entries. */
  const comesHome = (when: (ana: Heard, id: string, body: Record<string, unknown>) => void, events: string[] = []) => {
    const ana = new Heard()
    const rule = ana.rule()
    const id = ana.listen({ events })
    ana.after(MINUTE).send(ana.reading(FAR))
    ana.after(MINUTE).send(ana.reading(HOME))
    const body = ana.fired(rule)
    when(ana, id, body)
    ana.after(MINUTE).send(ana.reading(HOME))
    return ana.wrong
  }

  it("a listener that misses an event which an endpoint gets is reported", () => {
    expect(comesHome((ana, id, body) => void ana.hears(id, body))).toEqual([])
    expect(comesHome(() => undefined)).toEqual(["N3"])
  })

  it("unless the listener does not want it, or left before it came", () => {
    expect(comesHome(() => undefined, ["places.changed"])).toEqual([])
    expect(comesHome((ana, id) => void ana.ends(id, "left"))).toEqual([])
  })

  it("or the user changed something meanwhile", () => {
    expect(comesHome((ana) => ana.shareAgain([]))).toEqual([])
  })

  it("or the app made the event forbidden meanwhile: a deleted rule, a code or a refresh token that was used twice", () => {
    const refused = { _tag: "refused", error: "InvalidGrant", detail: null } as const
    const twice = { code: "code", verifier: "right", client: "right" } as const
    expect(comesHome((ana, _, body) => ana.removeRule(String(body["rule_id"])))).toEqual([])
    expect(comesHome((ana) => void ana.op("exchange", { appId: ana.appId, ...twice }, refused))).toEqual([])
    const token = { refreshToken: "refresh", client: "right" } as const
    expect(comesHome((ana) => void ana.op("refresh", { appId: ana.appId, ...token }, refused))).toEqual([])
    expect(comesHome((ana) => void ana.exchange(ana.appId, "another code"))).toEqual(["N3"])
  })

  /** A trace in which Ana comes home at the end of `wait`, and the endpoint gets the event 59 s later. */
  const late = (over: { readonly maxEventAgeS?: number; readonly standardDays?: 1 }, wait: number) => {
    const ana = new Heard()
    if (over.standardDays !== undefined) ana.share({ standardDays: over.standardDays })
    const rule = ana.rule("enter", { maxEventAgeS: over.maxEventAgeS ?? null })
    ana.listen()
    ana.after(wait - MINUTE).send(ana.reading(FAR))
    ana.after(MINUTE).send(ana.reading(HOME))
    const occurredAt = ana.t
    ana.after(59 * SECOND).fired(rule, "enter", occurredAt)
    ana.after(MINUTE).send(ana.reading(HOME))
    return ana.wrong
  }

  it("or the event may have been too old, or its connection over, when it would have come", () => {
    expect(late({ maxEventAgeS: 60 }, MINUTE)).toEqual([])
    expect(late({ maxEventAgeS: 62 }, MINUTE)).toEqual(["N3"])
    expect(late({ standardDays: 1 }, DAY - MINUTE)).toEqual([])
    expect(late({ standardDays: 1 }, DAY - 2 * MINUTE)).toEqual(["N3"])
  })

  it("or a call of the service was slow while it listened: the listener may have expired", () => {
    const ana = new Heard()
    const rule = ana.rule()
    ana.listen()
    ana.add({ kind: "fault", fault: "port.slow", detail: "ListenerStore.renew" }, "server-1")
    ana.after(50 * SECOND).send(ana.reading(FAR))
    ana.after(SECOND).send(ana.reading(HOME))
    ana.fired(rule)
    ana.after(MINUTE).send(ana.reading(HOME))
    expect(ana.wrong).toEqual([])
  })
})

describe("N4: the end of a stream", () => {
  it("comes within a heartbeat of the session's end", () => {
    const signsOut = (endsAfter: number | null) => {
      const ana = new Heard()
      const id = ana.listen()
      ana.op("signOut", { cookie: ana.cookie }, ok(null))
      if (endsAfter !== null) ana.after(endsAfter).ends(id, "signed_out")
      ana.after(MINUTE).send(ana.reading(HOME))
      return ana.wrong
    }
    expect(signsOut(15 * SECOND)).toEqual([])
    expect(signsOut(30 * SECOND)).toEqual(["N4"])
    expect(signsOut(null)).toEqual(["N4"])
  })

  it.each(["signed_out", "app_gone", "endpoint_gone", "expired", "unavailable", "stopping"])(
    "has a reason: %s needs one",
    (reason) => {
      const ana = new Heard()
      ana.ends(ana.listen(), reason)
      expect(ana.wrong).toEqual(["N4"])
    }
  )

  it("of an endpoint's listener comes with the endpoint's end", () => {
    const ana = new Heard()
    const id = ana.listen({ endpointId: ana.endpointId })
    ana.op("removeEndpoint", { appId: ana.appId, endpointId: ana.endpointId }, ok(null))
    ana.ends(id, "endpoint_gone")
    expect(ana.wrong).toEqual([])
  })
})

describe("N5: five listeners", () => {
  it("may listen, and a sixth one may not", () => {
    const ana = new Heard()
    for (let n = 0; n < 5; n++) ana.listen()
    expect(ana.wrong).toEqual([])
    ana.refusedToListen()
    expect(ana.wrong).toEqual([])
    ana.listen()
    expect(ana.wrong).toEqual(["N5"])
  })

  it("a refusal with four listeners is reported", () => {
    const ana = new Heard()
    for (let n = 0; n < 4; n++) ana.listen()
    ana.refusedToListen()
    expect(ana.wrong).toEqual(["N5"])
  })
})
