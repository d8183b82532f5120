import type { WebhookAnswer } from "@place-access/domain/endpoints"
import { EgressGuard, type Resolver, UrlRules } from "@place-access/adapters-webhook"
import { Delivery } from "@place-access/domain/deliveries"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Effect, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import {
  EDGES4,
  EDGES6,
  isPublic4,
  isPublic6,
  KNOWN4,
  KNOWN6,
  notations4,
  notations6,
  text4,
  text6
} from "./support/addresses.js"
import { HEADERS, insecure, post, receiver, resolvesTo, withSender } from "./support/receiver.js"

const strict = { allowInsecure: false }
const PUBLIC = "93.184.216.34"
const NOT_PUBLIC: WebhookAnswer = {
  _tag: "Unreachable",
  detail: "the host name must resolve to public addresses only"
}
const REFUSED_AT_REGISTRATION = "must resolve to public addresses only"

const ALL4 = [...EDGES4, ...KNOWN4]
const ALL6 = [...EDGES6, ...KNOWN6]
/**
 * The addresses that must be refused: the first and last addresses of each refused class, and well-known targets of
 * attacks. `ALL4` and `ALL6` also contain the public addresses next to a class, which the filter removes. The addresses
 * are written as a name server writes them.
 */
const PRIVATE = [
  ...ALL4.filter((one) => !isPublic4(one)).map(text4),
  ...ALL6.filter((one) => !isPublic6(one)).map(text6)
]
/** The public addresses just before or after a class of refused addresses. */
const NEIGHBOURS = [
  ...ALL4.filter((one) => isPublic4(one)).map(text4),
  ...ALL6.filter((one) => isPublic6(one)).map(text6)
]

const family = (address: string): 4 | 6 => (address.includes(":") ? 6 : 4)
const answer = (addresses: ReadonlyArray<string>) => addresses.map((address) => ({ address, family: family(address) }))

/** A resolver that chooses the addresses by the number in the host name, such as 17 in `n17.example.com`. */
const nameServer = (answers: (index: number) => ReadonlyArray<string>): Resolver.Resolver => {
  return (hostname) => Promise.resolve(answer(answers(Number(/^n(\d+)\./.exec(hostname)?.[1]))))
}
const nameOf = (index: number, port?: number) => `https://n${index}.example.com${port === undefined ? "" : `:${port}`}/`

const url = EndpointUrl.EndpointUrl.make

/**
 * The sender's result for each URL: `registered` when a developer registers the URL, `posted` when a webhook is posted
 * to it.
 */
const registered = (resolver: Resolver.Resolver, urls: ReadonlyArray<string>) =>
  withSender({ ...strict, resolver }, (sender) => Effect.forEach(urls, (one) => sender.checkUrl(one)))
const posted = (resolver: Resolver.Resolver, urls: ReadonlyArray<string>) =>
  withSender({ ...strict, resolver }, (sender) =>
    Effect.forEach(urls, (one) => sender.post(url(one), HEADERS, "{}"), { concurrency: 16 })
  )

/** The cases whose result differs from the expected one. */
const strays = <A>(cases: ReadonlyArray<string>, results: ReadonlyArray<A>, expected: A) =>
  cases.flatMap((one, index) =>
    JSON.stringify(results[index]) === JSON.stringify(expected) ? [] : [[one, results[index]]]
  )

describe("the classes of addresses [W5]", () => {
  it("the table has something to say: every class has edges, and neighbours outside", () => {
    expect([PRIVATE.length > 70, NEIGHBOURS.length > 25]).toEqual([true, true])
    expect(NEIGHBOURS).toContain("168.63.129.17")
    expect(PRIVATE).toContain("255.255.255.255")
  })

  it("the first and the last address of each class are refused, those just outside are not [W5-classes]", () => {
    expect(PRIVATE.filter((one) => EgressGuard.isPublic(one))).toEqual([])
    expect(NEIGHBOURS.filter((one) => !EgressGuard.isPublic(one))).toEqual([])
  })

  it("anywhere else the guard agrees with the table [W5-classes]", () => {
    const four = fc.bigInt({ min: 0n, max: (1n << 32n) - 1n })
    fc.assert(fc.property(four, (value) => EgressGuard.isPublic(text4(value)) === isPublic4(value)))
    const group = fc.oneof(fc.constantFrom(0n, 0x200n, 0x5efen, 0x2001n, 0xdb8n, 0x3fffn), fc.bigInt(0n, 0xffffn))
    const six = fc
      .tuple(
        fc.constantFrom(0x2000n, 0x2001n, 0x2002n, 0x2a01n, 0x3fffn, 0xfe80n, 0n),
        fc.array(group, { minLength: 7, maxLength: 7 })
      )
      .map(([head, rest]) => rest.reduce((sum, one) => (sum << 16n) + one, head))
    fc.assert(
      fc.property(six, (value) => EgressGuard.isPublic(text6(value)) === isPublic6(value)),
      { numRuns: 1_000 }
    )
  })

  it("5efe is a tunnel where ISATAP has it, and a group like any other elsewhere [W5-classes]", () => {
    const tunnels = ["2a01:4f8::5efe:a00:1", "2a01::1:2:200:5efe:a00:1", "2a01:5efe::5efe:10.0.0.1", "2a01::5EFE:0:0"]
    expect(tunnels.filter((one) => EgressGuard.isPublic(one))).toEqual([])
    const networks = ["2a01:5efe::1", "2a01:0:5efe::1", "2a01:4f8:0:5efe:1:2:3:4", "2a01:4f8::1:5efe:a00:1"]
    expect(networks.filter((one) => !EgressGuard.isPublic(one))).toEqual([])
  })
})

describe("by name", () => {
  const names = PRIVATE.map((_, index) => nameOf(index))

  it("what resolves to any of them is refused at registration, a neighbour is not [§4.7-url-resolvable]", async () => {
    const refused = await registered(
      nameServer((index) => [PRIVATE[index] ?? PUBLIC]),
      names
    )
    expect(strays(PRIVATE, refused, REFUSED_AT_REGISTRATION)).toEqual([])
    const allowed = await registered(
      nameServer((index) => [NEIGHBOURS[index] ?? "10.0.0.1"]),
      NEIGHBOURS.map((_, index) => nameOf(index))
    )
    expect(strays(NEIGHBOURS, allowed, undefined)).toEqual([])
  })

  it("and at every connection: rebound after its registration, none gets a byte [W5-connection]", async () => {
    const { connections, port } = await receiver()
    const rebound = PRIVATE.map((_, index) => nameOf(index, port))
    let isBound = true
    const resolver = nameServer((index) => [isBound ? PUBLIC : (PRIVATE[index] ?? PUBLIC)])
    const answers = await withSender({ ...strict, resolver }, (sender) =>
      Effect.gen(function* () {
        const before = yield* Effect.forEach(rebound, (one) => sender.checkUrl(one))
        expect(strays(PRIVATE, before, undefined)).toEqual([])
        isBound = false
        return yield* Effect.forEach(rebound, (one) => sender.post(url(one), HEADERS, "{}"), { concurrency: 16 })
      })
    )
    expect(strays(PRIVATE, answers, NOT_PUBLIC)).toEqual([])
    expect(connections()).toBe(0)
  })

  it("one of them among public answers is enough, wherever it stands [§4.7-url-resolvable]", async () => {
    for (const place of [0, 1, 2]) {
      const resolver = nameServer((index) =>
        [PUBLIC, "2606:4700:4700::1111"].toSpliced(place, 0, PRIVATE[index] ?? PUBLIC)
      )
      expect(strays(PRIVATE, await registered(resolver, names), REFUSED_AT_REGISTRATION)).toEqual([])
      expect(strays(PRIVATE, await posted(resolver, names), NOT_PUBLIC)).toEqual([])
    }
  })

  it("an answer with a zone, or one that is no address, is refused", async () => {
    const odd = ["fe80::1%eth0", "2606:4700:4700::1111%1", "", "localhost", "0x7f000001", "127.1", "[::1]"]
    const resolver = nameServer((index) => [odd[index] ?? PUBLIC])
    const all = odd.map((_, index) => nameOf(index))
    expect(strays(odd, await registered(resolver, all), REFUSED_AT_REGISTRATION)).toEqual([])
    expect(strays(odd, await posted(resolver, all), NOT_PUBLIC)).toEqual([])
  })
})

describe("written out, in every notation", () => {
  const hosts = [
    ...ALL4.filter((one) => !isPublic4(one)).flatMap(notations4),
    ...ALL6.filter((one) => !isPublic6(one)).flatMap(notations6)
  ]

  it("refused at registration as an address, and nothing is looked up [§4.7-url-literals]", async () => {
    expect(hosts.length).toBeGreaterThan(1_000)
    const { asked, resolver } = resolvesTo(PUBLIC)
    const urls = hosts.map((host) => `https://${host}/hook`)
    expect(strays(hosts, await registered(resolver, urls), EndpointUrl.message.ip_literal)).toEqual([])
    expect(asked).toEqual([])
  })

  it("so is a public address: an endpoint has a name [§4.7-url-literals]", () => {
    const all = [...notations4(0x0808_0808n), ...notations6((0x2606_4700n << 96n) + 1n)]
    expect(
      strays(
        all,
        all.map((host) => UrlRules.check(`https://${host}/`, strict)),
        "ip_literal"
      )
    ).toEqual([])
  })

  it("refused at the connection, too, had one been registered in another way [§4.7-url-literals]", async () => {
    const { connections, port } = await receiver()
    const { asked, resolver } = resolvesTo("127.0.0.1")
    const urls = hosts.map((host) => `https://${host}:${port}/hook`)
    expect(strays(hosts, await posted(resolver, urls), NOT_PUBLIC)).toEqual([])
    expect(connections()).toBe(0)
    // A host that ends in two dots is a name and not an address, so the sender asks the resolver for it. The resolver
    // answers with a loopback address, which the sender refuses.
    expect(asked.filter((name) => !name.endsWith(".."))).toEqual([])
  })

  it.each([
    ["https://hooks.example.com@127.0.0.1/", "credentials"],
    ["https://hooks.example.com:443@127.0.0.1/", "credentials"],
    ["https://127.0.0.1%40hooks.example.com/", "not_a_url"],
    ["https://hooks.example.com\\@127.0.0.1/", "not_a_url"],
    ["https://127.0.0.1\\hooks.example.com/", "not_a_url"],
    ["https://127.0.0.1\t/", "not_a_url"],
    ["https://127.0.0.1\u0000.example.com/", "not_a_url"],
    ["https://127.0.0.1%00.example.com/", "not_a_url"],
    ["https://127.0.0.1 .example.com/", "not_a_url"],
    ["https://127.0.0.1#@hooks.example.com/", "fragment"],
    ["https://127.0.0.1?@hooks.example.com/", "ip_literal"],
    ["https://127.0.0.1:443/", "ip_literal"],
    ["https:127.0.0.1/", "ip_literal"],
    ["https:///127.0.0.1/", "ip_literal"],
    ["https://[fe80::1%25eth0]/", "not_a_url"],
    ["https://[fe80::1%eth0]/", "not_a_url"],
    ["https://[::1]./", "not_a_url"],
    ["https://[127.0.0.1]/", "not_a_url"],
    ["https://[v1.::1]/", "not_a_url"],
    ["https://::1/", "not_a_url"],
    ["https://127.0.0.1.1/", "not_a_url"],
    ["https://127.0.0.08/", "not_a_url"],
    ["https://4294967296/", "not_a_url"],
    ["https://ⓛocalhost/", "not_public_host"],
    ["https://ＬＯＣＡＬＨＯＳＴ/", "not_public_host"],
    ["https://loc\u00adalhost/", "not_public_host"],
    ["https://localhost%2e/", "not_public_host"],
    ["https://localhost../", "not_public_host"],
    ["https://printer。local/", "not_public_host"]
  ])("%j: %s [§4.7-url-names]", (text, fault) => {
    expect(UrlRules.check(text, strict)).toBe(fault)
  })
})

describe("a redirect is an answer that is no success [§4.7]", () => {
  const cases = [301, 302, 303, 307, 308].flatMap((status) =>
    ["private", "name", "public", "relative"].map((to) => ({ status, to }))
  )

  it.each(cases)(
    "$status to a $to address: not followed, and a failed attempt [§4.7-url-redirects]",
    async ({ status, to }) => {
      const target = await receiver()
      const { port, received } = await receiver((_, response) => {
        const locations: Readonly<Record<string, string>> = {
          private: `http://127.0.0.1:${target.port}/`,
          name: `http://internal.example.com:${target.port}/`,
          public: "https://93.184.216.34/",
          relative: "/elsewhere"
        }
        response.writeHead(status, { location: locations[to] ?? "" }).end()
      })
      const { asked, resolver } = resolvesTo("127.0.0.1")
      const answer = await post({ ...insecure, resolver }, `http://hooks.example.com:${port}/hook`)
      expect(answer).toMatchObject({ _tag: "Answered", status, snippet: "" })
      expect(Delivery.isSuccess(answer)).toBe(false)
      expect([received.length, target.connections(), asked]).toEqual([1, 0, ["hooks.example.com"]])
    }
  )
})
