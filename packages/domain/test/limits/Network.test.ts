import { network } from "@place-access/domain/limits"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

describe("the network whose calls are counted together", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2:ffff::1", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::9]", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
    ["unknown", "unknown"],
    ["", ""]
  ])("%s counts as %s", (written, counted) => {
    expect(network(written)).toBe(counted)
  })

  it("counts two addresses of one /64 together, and addresses of two /64s apart [accounts-5, limits-3]", () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
    const four = fc.array(group, { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(four, four, four, (prefix, a, b) => {
        expect(network([...prefix, ...a].join(":"))).toBe(network([...prefix, ...b].join(":")))
        fc.pre(prefix.join(":") !== a.join(":"))
        expect(network([...prefix, ...b].join(":"))).not.toBe(network([...a, ...b].join(":")))
      })
    )
  })
})
