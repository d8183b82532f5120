import { LookupFailed } from "../src/Resolver.js"
import { toAnswer, withLookup, withRoute } from "../src/Trouble.js"
import { describe, expect, it } from "vitest"

/** The error of a connection to `address`, as Node makes it. */
const failed = (code: string, address = "192.0.2.1") => Object.assign(new Error(code), { code, address })

/** The error for a host with several addresses, as `undici` passes it on. */
const failedAll = (...tried: ReadonlyArray<Error & { readonly code: string }>) =>
  // Node gives an `AggregateError` the code of its first error.
  new TypeError("fetch failed", { cause: Object.assign(new AggregateError(tried), { code: tried[0]?.code }) })

const SIX = "2606:4700::1111"
const NO_ROUTE = {
  _tag: "Unreachable",
  detail: "this service cannot reach the host's IPv6 address; the host name needs an IPv4 address"
}

describe("why a webhook was not delivered", () => {
  it("with several addresses, the error of the last one that was tried", () => {
    const answer = toAnswer(failedAll(failed("ECONNREFUSED"), failed("ETIMEDOUT")))
    expect(answer).toEqual({ _tag: "Unreachable", detail: "connection timed out" })
  })

  it.each(["ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT"])(
    "%s: a host that has only IPv6 addresses, which this machine cannot reach, is the receiver's fault [W3-route]",
    (code) => {
      expect(toAnswer(failed(code, SIX))).toEqual(NO_ROUTE)
      expect(toAnswer(failedAll(failed(code, SIX), failed(code, "2606:4700::1112")))).toEqual(NO_ROUTE)
    }
  )

  it.each(["ENETUNREACH", "EADDRNOTAVAIL"])(
    "%s: an IPv4 address that this machine cannot reach is a fault of our own, whatever other addresses the host has [W3-route]",
    (code) => {
      const ours = { _tag: "NotSent", detail: "this service's network is not working" }
      expect(toAnswer(failed(code))).toEqual(ours)
      expect(toAnswer(failedAll(failed(code), failed(code, SIX)))).toEqual(ours)
      expect(toAnswer(failedAll(failed(code, SIX), failed(code)))).toEqual(ours)
    }
  )

  const known = (isKnown: boolean) => () => Promise.resolve(isKnown)
  const OURS = { _tag: "NotSent", detail: "this service's network is not working" }

  it("ENETUNREACH at an IPv4 address, to which this machine has a route: a router on the way knows none, so the receiver is at fault [W3-router]", async () => {
    const beyond = { _tag: "Unreachable", detail: "network unreachable" }
    for (const error of [failed("ENETUNREACH"), failedAll(failed("ENETUNREACH"), failed("ENETUNREACH", SIX))]) {
      expect(toAnswer(await withRoute(error, known(true)))).toEqual(beyond)
      expect(toAnswer(await withRoute(error, known(false)))).toEqual(OURS)
    }
  })

  it("of several IPv4 addresses, each is asked for its route [W3-router]", async () => {
    const both = failedAll(failed("ENETUNREACH", "192.0.2.1"), failed("ENETUNREACH", "192.0.2.2"))
    const answer = await withRoute(both, (address) => Promise.resolve(address === "192.0.2.1"))
    expect(toAnswer(answer)).toMatchObject({ _tag: "Unreachable" })
  })

  it("no route is looked up for another error, or for an IPv6 address", async () => {
    const asked = () => Promise.reject(new Error("asked"))
    for (const error of [failed("ECONNREFUSED"), failed("EADDRNOTAVAIL"), failed("ENETUNREACH", SIX)]) {
      expect(await withRoute(error, asked)).toBe(error)
    }
    const refused = failedAll(failed("ENETUNREACH"), failed("ECONNREFUSED"))
    expect(toAnswer(await withRoute(refused, known(true)))).toMatchObject({ detail: "connection refused" })
  })

  it("EPERM, and EACCES at an IPv4 address: a firewall of this machine refused the connection [W3-faults]", () => {
    const ours = { _tag: "NotSent", detail: "this service's network is not working" }
    for (const refused of [failed("EPERM"), failed("EPERM", SIX), failed("EACCES")]) {
      expect(toAnswer(refused)).toEqual(ours)
    }
  })

  it("EACCES at an IPv6 address: a firewall near the receiver refused the connection [W3-faults]", () => {
    expect(toAnswer(failed("EACCES", SIX))).toEqual({ _tag: "Unreachable", detail: "connection failed" })
  })

  it("a host whose IPv4 address refuses is said to refuse, when its IPv6 address has no route", () => {
    const answer = toAnswer(failedAll(failed("ECONNREFUSED"), failed("ENETUNREACH", SIX)))
    expect(answer).toEqual({ _tag: "Unreachable", detail: "connection refused" })
  })

  it.each([
    ["ours", { _tag: "NotSent", detail: "name look-up is not working" }],
    ["theirs", { _tag: "Unreachable", detail: "the host name must resolve to public addresses only" }]
  ] as const)(
    "a host whose IPv4 address could not be looked up, and whose IPv6 address this machine cannot reach: the fault of the look-up, %s [W3-route]",
    async (whose, answer) => {
      const fault = () => Promise.resolve(new LookupFailed(whose, "name look-up is not working"))
      expect(toAnswer(await withLookup(failed("ENETUNREACH", SIX), fault))).toEqual(answer)
      expect(toAnswer(await withLookup(failed("ENETUNREACH", SIX), undefined))).toEqual(NO_ROUTE)
    }
  )

  it("a host that has no IPv4 address when it is asked again needs one [W3-route]", async () => {
    const answer = await withLookup(failed("ENETUNREACH", SIX), () => Promise.resolve(undefined))
    expect(toAnswer(answer)).toEqual(NO_ROUTE)
  })

  it("a connection that failed for another reason than IPv6 does not ask for the IPv4 address again", async () => {
    const fault = () => Promise.reject(new Error("asked again"))
    const answer = await withLookup(failed("ECONNREFUSED", SIX), fault)
    expect(toAnswer(answer)).toMatchObject({ detail: "connection refused" })
  })

  it("a machine that has run out of sockets is at fault, also for an IPv6 address [W3-faults]", () => {
    expect(toAnswer(failed("EMFILE", SIX))).toMatchObject({ _tag: "NotSent" })
  })
})
