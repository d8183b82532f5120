import { Resolver } from "@place-access/adapters-webhook"
import { createSocket } from "node:dgram"
import { afterEach, expect, it } from "vitest"
import { post } from "./support/receiver.js"

const A = 1
const SOA = 6
const AAAA = 28

/** A name server's answer to a DNS query. Undefined: the name server does not answer. */
type Reply = { readonly code: number; readonly addresses?: ReadonlyArray<Buffer> } | undefined
type Zone = (name: string, type: number) => Reply

const NXDOMAIN: Reply = { code: 3 }
const SERVFAIL: Reply = { code: 2 }
const REFUSED: Reply = { code: 5 }
const four = (...bytes: ReadonlyArray<number>): Reply => ({ code: 0, addresses: [Buffer.from(bytes)] })
const NOTHING: Reply = { code: 0, addresses: [] }

const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface NameServer {
  readonly address: string
  /** A resolver that asks only this name server. */
  readonly resolver: Resolver.Resolver
  /** The DNS queries that the name server got. */
  readonly queries: ReadonlyArray<string>
}

/** Starts a name server on loopback (RFC 1035 §4). */
const nameServer = async (zone: Zone): Promise<NameServer> => {
  const queries: Array<string> = []
  const socket = createSocket("udp4")
  socket.on("message", (query, from) => {
    const labels: Array<string> = []
    let at = 12
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.toString("ascii", at + 1, at + 1 + size))
      at += 1 + size
    }
    const type = query.readUInt16BE(at + 1)
    const name = labels.join(".")
    queries.push(`${name} ${type}`)
    const reply = zone(name, type)
    if (reply === undefined) return
    const addresses = reply.addresses ?? []
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(0x8180 | reply.code, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(addresses.length, 6)
    const answers = addresses.map((address) => {
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc00c, 0)
      record.writeUInt16BE(type, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt32BE(60, 6)
      record.writeUInt16BE(address.length, 10)
      return Buffer.concat([record, address])
    })
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...answers]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  closing.push(() => socket.close())
  const address = `127.0.0.1:${socket.address().port}`
  return { address, resolver: Resolver.nameServers([address]), queries }
}

/**
 * A zone that answers SOA queries, by which the resolver tests whether its own look-up works. `reply` answers all other
 * queries.
 */
const otherwiseFine =
  (reply: Zone): Zone =>
  (name, type) =>
    type === SOA ? { code: 0, addresses: [Buffer.alloc(22)] } : reply(name, type)

const outcome = (resolver: Resolver.Resolver) =>
  resolver("hooks.example.com").then(
    (found) => found.map(({ address }) => address),
    (error: Resolver.LookupFailed) => [error.whose, error.message]
  )

it("every address of either family, the IPv4 ones first", async () => {
  const six = Buffer.from("26064700000000000000000000001111", "hex")
  const { resolver } = await nameServer((_, type) =>
    type === A
      ? { code: 0, addresses: [Buffer.from([93, 184, 216, 34]), Buffer.from([10, 0, 0, 1])] }
      : { code: 0, addresses: [six] }
  )
  expect(await outcome(resolver)).toEqual(["93.184.216.34", "10.0.0.1", "2606:4700::1111"])
})

it("a host with addresses of one family only is resolved", async () => {
  const { resolver } = await nameServer((_, type) => (type === A ? four(93, 184, 216, 34) : NOTHING))
  expect(await outcome(resolver)).toEqual(["93.184.216.34"])
})

it("an IPv6 answer that does not come is not waited for", async () => {
  const { resolver } = await nameServer((_, type) => (type === A ? four(93, 184, 216, 34) : undefined))
  expect(await outcome(resolver)).toEqual(["93.184.216.34"])
})

const SIX: Reply = { code: 0, addresses: [Buffer.from("26064700000000000000000000001111", "hex")] }

/**
 * Looks up a host whose IPv4 addresses the name server does not give, and then asks the resolver for the reason. `took`
 * has two durations in milliseconds: until the look-up ended, and until the reason was known.
 */
const unknownIpv4 = async (resolver: Resolver.Resolver) => {
  const began = performance.now()
  const [first, ...others] = await resolver("hooks.example.com")
  const found = performance.now()
  const fault = await first?.ipv4Fault?.()
  return {
    found: [first?.address, others.length],
    whose: fault?.whose,
    took: [found - began, performance.now() - began]
  }
}

it("an IPv4 question that failed beside an answered IPv6 question does not hold up the look-up", async () => {
  const { queries, resolver } = await nameServer((_, type) => (type === A ? SERVFAIL : type === AAAA ? SIX : undefined))
  const { found, took } = await unknownIpv4(resolver)
  expect(found).toEqual(["2606:4700::1111", 0])
  expect(took[0]).toBeLessThan(500)
  // The sender ends an exchange after five seconds. If the resolver did not know the reason of a failed look-up by
  // then, the failure would count as the receiver's fault.
  expect(took[1]).toBeLessThan(4_500)
  expect(queries.filter((question) => question.endsWith(` ${A}`))).toHaveLength(2)
})

it.each([
  ["an IPv4 address after all: our fault, and the next attempt uses it", four(93, 184, 216, 34), "ours"],
  ["no IPv4 address: no fault of the look-up", NOTHING, undefined]
])("the second IPv4 question finds %s [W3-route]", async (_, second, whose) => {
  let ipv4Queries = 0
  const { resolver } = await nameServer((_, type) => (type !== A ? SIX : ipv4Queries++ === 0 ? SERVFAIL : second))
  expect((await unknownIpv4(resolver)).whose).toBe(whose)
  expect(ipv4Queries).toBe(2)
})

it.each([
  ["fails twice, other names work", otherwiseFine((_, type) => (type === A ? SERVFAIL : SIX)), "theirs"],
  [
    "fails twice, and so does the look-up of other names",
    ((_, type) => (type === AAAA ? SIX : SERVFAIL)) as Zone,
    "ours"
  ],
  ["is not answered, other names work", otherwiseFine((_, type) => (type === A ? undefined : SIX)), "theirs"]
])("the IPv4 question %s: the IPv6 address says so [W3-route]", { timeout: 10_000 }, async (_, zone, whose) => {
  const { resolver } = await nameServer(zone)
  const { found, took, ...known } = await unknownIpv4(resolver)
  expect(found).toEqual(["2606:4700::1111", 0])
  expect(known.whose).toBe(whose)
  expect(took[1]).toBeLessThan(4_500)
})

it("a host that has no IPv4 address has no fault, and is asked for it once", async () => {
  const { queries, resolver } = await nameServer((_, type) => (type === A ? NOTHING : SIX))
  expect(await resolver("hooks.example.com")).toEqual([{ address: "2606:4700::1111", family: 6 }])
  expect(queries.length).toBe(2)
})

it.each([
  ["a name that does not exist", () => NXDOMAIN],
  ["a name without addresses", () => NOTHING]
])("%s is the receiver's fault; nothing else is asked", async (_, zone) => {
  const { queries, resolver } = await nameServer(zone)
  expect(await outcome(resolver)).toEqual(["theirs", "the host name does not exist"])
  expect(queries.filter((question) => question.endsWith(` ${SOA}`))).toEqual([])
})

it.each([
  ["fails", SERVFAIL],
  ["does not answer", undefined]
])("our resolver %s for this name and works for another: the receiver's fault [deliveries-14]", async (_, reply) => {
  const { resolver } = await nameServer(otherwiseFine(() => reply))
  expect(await outcome(resolver)).toEqual(["theirs", "the host name's name servers do not answer"])
})

it.each([
  ["fails", SERVFAIL],
  ["refuses", REFUSED],
  ["does not answer", undefined]
])("our resolver %s whatever it is asked: our fault", async (_, reply) => {
  const { resolver } = await nameServer(() => reply)
  expect(await outcome(resolver)).toEqual(["ours", "name look-up is not working"])
})

/** A resolver that asks these name servers, in this order. */
const inOrder = async (...zones: ReadonlyArray<Zone>): Promise<Resolver.Resolver> => {
  const servers = await Promise.all(zones.map(nameServer))
  return Resolver.nameServers(servers.map(({ address }) => address))
}
const silent: Zone = () => undefined

it(
  "however many name servers are silent, the sender blames this service and not the receiver [W3-faults]",
  { timeout: 15_000 },
  async () => {
    const answers = await Promise.all(
      [[silent], [silent, silent], [silent, silent, silent]].map(async (zones) =>
        post({ allowInsecure: false, resolver: await inOrder(...zones) }, "https://hooks.example.com/")
      )
    )
    const ours = { _tag: "NotSent", detail: "name look-up is not working" }
    expect(answers).toEqual([ours, ours, ours])
  }
)

it("a silent name server before one that works: its answer counts, for the name and for the check", async () => {
  const [found, blamed] = await Promise.all([
    inOrder(silent, (_, type) => (type === A ? four(93, 184, 216, 34) : NOTHING)),
    inOrder(
      silent,
      otherwiseFine(() => SERVFAIL)
    )
  ])
  expect(await Promise.all([outcome(found), outcome(blamed)])).toEqual([
    ["93.184.216.34"],
    ["theirs", "the host name's name servers do not answer"]
  ])
})

it("nobody listens where the name server should be: our fault", async () => {
  expect(await outcome(Resolver.nameServers(["127.0.0.1:1"]))).toEqual(["ours", "name look-up is not working"])
})

it("development resolves as the machine does", async () => {
  const found = await Resolver.machine("localhost")
  expect(found.map(({ address }) => address).every((address) => address === "127.0.0.1" || address === "::1")).toBe(
    true
  )
  expect(found.length).toBeGreaterThan(0)
})

it("types are asked for by number: A and AAAA", async () => {
  const { queries, resolver } = await nameServer((_, type) => (type === A ? four(1, 1, 1, 1) : NOTHING))
  await outcome(resolver)
  expect([...queries].sort()).toEqual([`hooks.example.com ${A}`, `hooks.example.com ${AAAA}`])
})
