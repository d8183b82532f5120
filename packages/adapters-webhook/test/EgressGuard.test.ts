import { EgressGuard } from "@place-access/adapters-webhook"
import { BlockList } from "node:net"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

const REFUSED = [
  // Refused IPv4 addresses, one or more of each class of RFC 6890: “this network” (0.0.0.0/8), private, carrier-grade
  // NAT, loopback, link-local, protocol assignments (192.0.0.0/24), documentation, benchmarks, multicast, reserved.
  "0.0.0.0",
  "0.255.255.255",
  "10.0.0.0",
  "10.255.255.255",
  "100.64.0.0",
  "100.100.100.200",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "192.168.255.255",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  // Refused IPv6 addresses, one or more of each class: unspecified, loopback, mapped, compatible, NAT64, discard,
  // Teredo, ORCHID, benchmarks, documentation, 6to4.
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "::ffff:0:127.0.0.1",
  "::127.0.0.1",
  "::7f00:1",
  "64:ff9b::7f00:1",
  "64:ff9b::8.8.8.8",
  "64:ff9b:1::10.0.0.1",
  "100::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:1ff:ffff::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "3fff::1",
  "3fff:fff:ffff::1",
  "5f00::1",
  // Refused IPv6 addresses of further classes: unique local, link-local, site-local, multicast, ISATAP.
  "fc00::1",
  "fd12:3456:789a::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
  "::5efe:7f00:1",
  "2a01:4f8::5efe:10.0.0.1",
  "2a01:4f8::200:5efe:7f00:1",
  // Texts that are no addresses.
  "",
  "localhost",
  "127.1",
  "0x7f000001",
  "2130706433",
  "017700000001",
  "[::1]",
  "8.8.8.8:53",
  "8.8.8.8 "
]

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "168.63.129.17",
  "169.253.255.255",
  "169.255.0.1",
  "172.15.255.255",
  "172.32.0.0",
  "191.255.255.255",
  "192.0.1.1",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "203.0.114.1",
  "223.255.255.255",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2003::1",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "2620:fe::fe",
  "3ffe:ffff::1"
]

describe("which addresses a webhook may go to [W5]", () => {
  it.each(REFUSED)("%j is refused", (address) => {
    expect(EgressGuard.isPublic(address)).toBe(false)
  })

  it.each(PUBLIC)("%s is public", (address) => {
    expect(EgressGuard.isPublic(address)).toBe(true)
  })

  it("development adds loopback and nothing else", () => {
    const allowed = REFUSED.filter((address) => EgressGuard.mayConnect(address, { allowInsecure: true }))
    expect(allowed).toEqual(["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"])
    expect(PUBLIC.every((address) => EgressGuard.mayConnect(address, { allowInsecure: true }))).toBe(true)
  })

  it("no IPv6 address that carries a refused IPv4 one in a known form is public", () => {
    const forbidden = fc.constantFrom("7f00:1", "a00:1", "a9fe:a9fe", "c0a8:101", "ac10:1", "6440:1")
    const forms = fc.constantFrom(
      (v4: string) => `::ffff:${v4}`,
      (v4: string) => `::${v4}`,
      (v4: string) => `64:ff9b::${v4}`,
      (v4: string) => `64:ff9b:1::${v4}`,
      (v4: string) => `2002:${v4}::1`,
      (v4: string) => `2001:0:${v4}::`,
      (v4: string) => `2a02::5efe:${v4}`,
      (v4: string) => `2a02:0:0:0:0:5efe:${v4}`,
      (v4: string) => `2a02:1:2:3:200:5efe:${v4}`,
      (v4: string) => `fe80::5efe:${v4}`
    )
    fc.assert(fc.property(forbidden, forms, (v4, form) => !EgressGuard.isPublic(form(v4))))
  })

  it("how an IPv6 address is written changes nothing", () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((one) => one.toString(16).padStart(4, "0")).join(":")
        const short = new URL(`http://[${long}]/`).hostname.slice(1, -1)
        const upper = long.toUpperCase()
        expect(EgressGuard.isPublic(short)).toBe(EgressGuard.isPublic(long))
        expect(EgressGuard.isPublic(upper)).toBe(EgressGuard.isPublic(long))
      })
    )
  })

  it("outside of 2000::/3 nothing is public", () => {
    const inside = new BlockList()
    inside.addSubnet("2000::", 3, "ipv6")
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const address = groups.map((one) => one.toString(16)).join(":")
        return inside.check(address, "ipv6") || !EgressGuard.isPublic(address)
      })
    )
  })
})
