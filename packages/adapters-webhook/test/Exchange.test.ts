import { EndpointUrl } from "@place-access/domain/endpoints"
import { Resolver } from "@place-access/adapters-webhook"
import { Effect } from "effect"
import net from "node:net"
import { afterEach, expect, it, vi } from "vitest"
import { HEADERS, withSender } from "./support/receiver.js"

afterEach(() => {
  vi.restoreAllMocks()
})

const SIX = "2606:4700::1111"

/** Makes every connection look up its host and then fail with ENETUNREACH, by default as on a machine without IPv6. */
const withoutIpv6 = (address = SIX) =>
  vi.spyOn(net, "connect").mockImplementation(((options: net.TcpSocketConnectOpts) => {
    const socket = new net.Socket()
    options.lookup?.(options.host ?? "", { all: true }, (error) => {
      socket.destroy(error ?? Object.assign(new Error("no route"), { code: "ENETUNREACH", address }))
    })
    return socket
  }) as typeof net.connect)

/** Makes `count` posts at the same time, and returns the answer of each. */
const posted = (resolver: Resolver.Resolver, count: number) =>
  withSender({ allowInsecure: true, resolver }, (sender) =>
    Effect.all(
      Array.from({ length: count }, () =>
        sender.post(EndpointUrl.EndpointUrl.make("http://hooks.example.com/"), HEADERS, "{}")
      ),
      { concurrency: "unbounded" }
    )
  )

const OURS = { _tag: "NotSent", detail: "name look-up is not working" }

it("of several connections that open at once, each has the fault of the look-up [W3-route]", async () => {
  const connect = withoutIpv6()
  const ipv4Fault = () => Promise.resolve(new Resolver.LookupFailed("ours", "name look-up is not working"))
  const answers = await posted(() => Promise.resolve([{ address: SIX, family: 6, ipv4Fault }]), 3)
  expect(connect).toHaveBeenCalledTimes(3)
  expect(answers).toEqual([OURS, OURS, OURS])
})

it("a look-up without a fault clears the fault of an earlier look-up [W3-route]", async () => {
  withoutIpv6()
  const ipv4Fault = () => Promise.resolve(new Resolver.LookupFailed("ours", "name look-up is not working"))
  let isFirst = true
  const resolver: Resolver.Resolver = () => {
    const found = [{ address: SIX, family: 6 as const, ...(isFirst ? { ipv4Fault } : {}) }]
    isFirst = false
    return Promise.resolve(found)
  }
  const [first, second] = await withSender({ allowInsecure: true, resolver }, (sender) => {
    const post = sender.post(EndpointUrl.EndpointUrl.make("http://hooks.example.com/"), HEADERS, "{}")
    return Effect.all([post, post])
  })
  expect(first).toEqual(OURS)
  expect(second).toMatchObject({ _tag: "Unreachable", detail: expect.stringContaining("needs an IPv4 address") })
})

it("each address of a host has one of the five seconds to connect, so a fourth is reached after three that are dead [deliveries-1]", async () => {
  const connect = withoutIpv6()
  await posted(() => Promise.resolve([{ address: SIX, family: 6 }]), 1)
  expect(connect).toHaveBeenCalledWith(expect.objectContaining({ autoSelectFamilyAttemptTimeout: 1_000 }))
})

it.each([
  ["127.0.0.1", "a machine that has a route to it: the receiver's", { _tag: "Unreachable" }],
  // A UDP socket cannot connect to the broadcast address; the error is the same as without a route.
  ["255.255.255.255", "a machine that has none: the service's", { _tag: "NotSent" }]
] as const)("a network that is not reached, %s, on %s fault [W3-router]", async (address, _, answer) => {
  withoutIpv6(address)
  expect(await posted(() => Promise.resolve([{ address: "127.0.0.1", family: 4 }]), 1)).toMatchObject([answer])
})
