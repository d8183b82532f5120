import { Resolver, UrlRules } from "@place-access/adapters-webhook"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { describe, expect, it } from "vitest"
import { resolvesTo, withSender } from "./support/receiver.js"

const strict = { allowInsecure: false }
const fault = (text: string, policy = strict) => {
  const checked = UrlRules.check(text, policy)
  return checked instanceof URL ? "fine" : checked
}

describe("an endpoint's address [§4.7]", () => {
  it.each([
    "https://hooks.example.com",
    "https://hooks.example.com/a/b?c=d&e=%20",
    "https://hooks.example.com:8443/x",
    "https://hooks.example.com:1/x",
    "https://hooks.example.com:65535/x",
    "https://hooks.example.com/@team/x?to=a@b",
    "https://hooks.example.com?to=a@b",
    "https://HOOKS.Example.COM/x",
    "https://hooks.example.com./x",
    "https://bücher.example/x",
    "https://xn--bcher-kva.example/x",
    "https://localhost.example.com/",
    "https://local.example.com/",
    "https://10.0.0.1.nip.example/",
    `https://hooks.example.com/${"x".repeat(2_048 - 26)}`
  ])("%s may be registered", (text) => {
    expect(fault(text)).toBe("fine")
  })

  it("a name with an umlaut is the same the 20,000th time", () => {
    const faults = Array.from({ length: 20_000 }, () => fault("https://b\u00fccher.example/"))
    expect(new Set(faults)).toEqual(new Set(["fine"]))
  })

  it.each([
    [`https://hooks.example.com/${"x".repeat(2_048 - 25)}`, "too_long"],
    ["", "not_a_url"],
    ["hooks.example.com", "not_a_url"],
    ["/hooks", "not_a_url"],
    ["https://", "not_a_url"],
    ["https://exa mple.com/", "not_a_url"],
    [" https://hooks.example.com/", "not_a_url"],
    ["https://hooks.example.com/\n", "not_a_url"],
    ["https://hooks.example.com/\t/x", "not_a_url"],
    ["https:\\\\hooks.example.com\\x", "not_a_url"],
    ["https://hooks.example.com/\u0000", "not_a_url"],
    ["https://256.256.256.256/", "not_a_url"],
    ["https://[::1/", "not_a_url"],
    ["http://hooks.example.com/", "not_https"],
    ["HTTP://hooks.example.com/", "not_https"],
    ["ftp://hooks.example.com/", "not_https"],
    ["javascript:alert(1)", "not_https"],
    ["https://user@hooks.example.com/", "credentials"],
    ["https://user:pass@hooks.example.com/", "credentials"],
    ["https://:pass@hooks.example.com/", "credentials"],
    ["https://:@hooks.example.com/", "credentials"],
    ["https://@hooks.example.com/", "credentials"],
    ["https:@hooks.example.com/", "credentials"],
    ["https:///:@hooks.example.com?x", "credentials"],
    ["https://hooks.example.com:0/", "port"],
    ["https://hooks.example.com:000/", "port"],
    ["https://hooks.example.com:65536/", "not_a_url"],
    ["https://hooks.example.com/#x", "fragment"],
    ["https://hooks.example.com/#", "fragment"],
    ["https://127.0.0.1/", "ip_literal"],
    ["https://8.8.8.8/", "ip_literal"],
    ["https://8.8.8.8./", "ip_literal"],
    ["https://127.1/", "ip_literal"],
    ["https://0x7f000001/", "ip_literal"],
    ["https://0x7f.1/", "ip_literal"],
    ["https://2130706433/", "ip_literal"],
    ["https://017700000001/", "ip_literal"],
    ["https://0177.0.0.01/", "ip_literal"],
    ["https://①②⑦.0.0.1/", "ip_literal"],
    ["https://[::1]/", "ip_literal"],
    ["https://[::ffff:127.0.0.1]/", "ip_literal"],
    ["https://[2606:4700:4700::1111]/", "ip_literal"],
    ["https://localhost/", "not_public_host"],
    ["https://LOCALHOST/", "not_public_host"],
    ["https://localhost./", "not_public_host"],
    ["https://foo.localhost/", "not_public_host"],
    ["https://printer.local/", "not_public_host"],
    ["https://printer.local./", "not_public_host"],
    ["https://metadata.google.internal/", "not_public_host"],
    ["https://intranet/", "not_public_host"],
    ["https://router.home.arpa/", "not_public_host"]
  ])("%s: %s [§4.7-url-https, §8-url, endpoints-1]", (text, expected) => {
    expect(fault(text)).toBe(expected)
  })

  it.each([
    ["http://localhost:3000/hook", "fine"],
    ["http://127.0.0.1:3000/hook", "fine"],
    ["https://[::1]:3000/hook", "fine"],
    ["http://receiver:3000/hook", "fine"],
    ["ftp://localhost/", "not_https"],
    ["http://user@localhost/", "credentials"],
    ["http://:@localhost/", "credentials"],
    ["http://localhost:0/", "port"],
    ["http://localhost/#x", "fragment"]
  ])("in development %s: %s", (text, expected) => {
    expect(fault(text, { allowInsecure: true })).toBe(expected)
  })
})

/**
 * Hosts that cannot be used for different reasons. The messages about them must be the same, because a difference would
 * show outsiders which internal names exist.
 */
const UNUSABLE: ReadonlyArray<readonly [string, Resolver.Resolver]> = [
  ["no such name", () => Promise.reject(new Resolver.LookupFailed("theirs", "the host name does not exist"))],
  ["no valid name", () => Promise.reject(new Resolver.LookupFailed("theirs", "the host name is not valid"))],
  ["silence", () => Promise.reject(new Resolver.LookupFailed("theirs", "the host name's name servers do not answer"))],
  ["no address", resolvesTo().resolver],
  ["an address inside", resolvesTo("10.0.0.1").resolver],
  ["one inside beside a public one", resolvesTo("93.184.216.34", "10.0.0.1").resolver]
]

describe("registration also looks the name up", () => {
  const check = (url: string, addresses: ReadonlyArray<string>, allowInsecure = false) =>
    withSender({ allowInsecure, resolver: resolvesTo(...addresses).resolver }, (sender) => sender.checkUrl(url))

  it("all addresses must be public, and there must be one [endpoints-2]", async () => {
    expect(await check("https://hooks.example.com/", [])).toBe("must resolve to public addresses only")
    expect(await check("https://hooks.example.com/", ["93.184.216.34", "2606:4700::1"])).toBeUndefined()
    for (const one of ["10.0.0.1", "127.0.0.1", "::1", "169.254.169.254", "::ffff:8.8.8.8"]) {
      expect(await check("https://hooks.example.com/", ["93.184.216.34", one])).toBe(
        "must resolve to public addresses only"
      )
    }
  })

  it("names that do not exist, lead inside or are not answered for are refused in the same words [endpoints-2]", async () => {
    const reasons = await Promise.all(
      UNUSABLE.map(([, resolver]) =>
        withSender({ allowInsecure: false, resolver }, (sender) => sender.checkUrl("https://a.example/"))
      )
    )
    expect(new Set(reasons)).toEqual(new Set(["must resolve to public addresses only"]))
  })

  it("a delivery tells them apart no more than registration does (security L8)", async () => {
    const answers = await Promise.all(
      UNUSABLE.map(([, resolver]) =>
        withSender({ allowInsecure: false, resolver }, (sender) =>
          sender.post(EndpointUrl.EndpointUrl.make("https://a.example/"), [], "{}")
        )
      )
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ _tag: "Unreachable", detail: "the host name must resolve to public addresses only" })])
    )
  })

  it("that our own look-up does not work is not said of the name [endpoints-2]", async () => {
    const resolver = () => Promise.reject(new Resolver.LookupFailed("ours", "name look-up is not working"))
    const reason = await withSender({ allowInsecure: false, resolver }, (sender) =>
      sender.checkUrl("https://a.example/")
    )
    expect(reason).toBe("cannot be checked now: name look-up is not working")
  })

  it("the rules come first: nothing is looked up for an address that breaks them", async () => {
    const { asked, resolver } = resolvesTo("93.184.216.34")
    const reason = await withSender({ allowInsecure: false, resolver }, (sender) =>
      sender.checkUrl("http://a.example/")
    )
    expect([reason, asked]).toEqual(["must begin with https://", []])
  })

  it("development permits this machine, and no other private one", async () => {
    expect(await check("http://localhost:3000/", ["127.0.0.1", "::1"], true)).toBeUndefined()
    expect(await check("http://127.0.0.1:3000/", [], true)).toBeUndefined()
    expect(await check("http://192.168.0.9/", [], true)).toBe("must resolve to public addresses only")
    expect(await check("http://nas.example/", ["192.168.0.9"], true)).toBe("must resolve to public addresses only")
  })
})
