import { BlockList, isIP } from "node:net"

/**
 * The addresses to which a webhook may be sent (decision W5): only addresses that the public internet routes to one
 * host. Anybody can register an endpoint, and an endpoint must not make this service reach machines in its own network.
 */

/**
 * IPv4 blocks that are refused: IANA's special-purpose blocks that are not global unicast, and the address of Azure's
 * wire server, which lies in a global block.
 */
const IPV4_REFUSED: ReadonlyArray<readonly [string, number]> = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // shared address space of carriers; some clouds' metadata
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // Azure's wire server
  ["169.254.0.0", 16], // link-local; most clouds' metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4] // reserved, broadcast
]

/**
 * Everything outside of 2000::/3 is refused, for example mapped, NAT64, unique local, link-local, multicast. Within
 * 2000::/3, these blocks are refused too.
 */
const IPV6_REFUSED: ReadonlyArray<readonly [string, number]> = [
  ["2001::", 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: an IPv4 address inside
  ["3fff::", 20] // documentation
]

const ipv4Refused = new BlockList()
for (const [net, prefix] of IPV4_REFUSED) ipv4Refused.addSubnet(net, prefix, "ipv4")
const ipv6Global = new BlockList()
ipv6Global.addSubnet("2000::", 3, "ipv6")
const ipv6Refused = new BlockList()
for (const [net, prefix] of IPV6_REFUSED) ipv6Refused.addSubnet(net, prefix, "ipv6")
const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/**
 * The eight groups of an IPv6 address without a zone. `URL` writes every notation of an address in one form, including
 * an address that ends in dotted decimals.
 */
const groups = (address: string): ReadonlyArray<string> => {
  const [head = "", tail = ""] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::")
  const [before, after] = [head, tail].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => "0"), ...after]
}

/**
 * Whether an IPv6 address contains ISATAP's `0000:5efe` or `0200:5efe` before an IPv4 address: a tunnel into somebody's
 * network.
 */
const hasIsatapInterface = (address: string): boolean => {
  const [, , , , flags, mark] = groups(address)
  return mark === "5efe" && (flags === "0" || flags === "200")
}

/**
 * Whether the text is a public IPv4 or IPv6 address: global unicast, neither in `IPV4_REFUSED` nor in `IPV6_REFUSED`,
 * and no ISATAP tunnel. False for an IPv6 address with a zone (`%`), and for a text that is not an address, such as a
 * host name.
 */
export const isPublic = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !ipv4Refused.check(address, "ipv4")
    case 6:
      return (
        !address.includes("%") &&
        ipv6Global.check(address, "ipv6") &&
        !ipv6Refused.check(address, "ipv6") &&
        !hasIsatapInterface(address)
      )
    default:
      return false
  }
}

export const isLoopback = (address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 4 ? "ipv4" : "ipv6")
}

export interface EgressPolicy {
  /** Whether http and loopback addresses are permitted too (`ALLOW_INSECURE_WEBHOOKS`). */
  readonly allowInsecure: boolean
}

export const mayConnect = (address: string, { allowInsecure }: EgressPolicy): boolean =>
  isPublic(address) || (allowInsecure && isLoopback(address))

/** Whether the service may connect to every address. False when there is no address. */
export const mayConnectToAll = (found: ReadonlyArray<{ readonly address: string }>, policy: EgressPolicy): boolean =>
  found.length > 0 && found.every(({ address }) => mayConnect(address, policy))

/**
 * The IP address in a URL's host, without the brackets. Undefined if the host is a name. The caller passes the
 * `hostname` of a `URL`.
 */
export const literal = (hostname: string): string | undefined => {
  const bare = hostname.startsWith("[") && hostname.endsWith("]") ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}
