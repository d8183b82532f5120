/**
 * The classes of addresses to which no webhook may go, written a second time with separate arithmetic, as an
 * independent check of the guard. Sources: the IANA registries of special-purpose addresses (RFC 6890 and its updates),
 * multicast, unallocated blocks, tunnels that carry an IPv4 address, and the address of Azure's wire server.
 */

interface Range {
  readonly why: string
  readonly first: bigint
  readonly last: bigint
}

const BITS = { 4: 32n, 6: 128n } as const

const parse4 = (text: string): bigint => text.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n)

const parse6 = (text: string): bigint => {
  const [head = "", tail] = text.split("::")
  const groups = (part: string) => (part === "" ? [] : part.split(":"))
  const [before, after] = [groups(head), groups(tail ?? "")]
  const middle = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0")
  return [...before, ...middle, ...after].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}

const range =
  (family: 4 | 6) =>
  ([cidr, why]: readonly [string, string]): Range => {
    const [net = "", length = ""] = cidr.split("/")
    const first = family === 4 ? parse4(net) : parse6(net)
    return { why: `${cidr}, ${why}`, first, last: first + (1n << (BITS[family] - BigInt(length))) - 1n }
  }

const IPV4: ReadonlyArray<Range> = (
  [
    ["0.0.0.0/8", "this network"],
    ["10.0.0.0/8", "private"],
    ["100.64.0.0/10", "carriers' shared space, one cloud's metadata"],
    ["127.0.0.0/8", "loopback"],
    ["168.63.129.16/32", "one cloud's wire server"],
    ["169.254.0.0/16", "link-local, most clouds' metadata"],
    ["172.16.0.0/12", "private"],
    ["192.0.0.0/24", "protocol assignments, one cloud's metadata"],
    ["192.0.2.0/24", "documentation"],
    ["192.88.99.0/24", "6to4 relays"],
    ["192.168.0.0/16", "private"],
    ["198.18.0.0/15", "benchmarks"],
    ["198.51.100.0/24", "documentation"],
    ["203.0.113.0/24", "documentation"],
    ["224.0.0.0/4", "multicast"],
    ["240.0.0.0/4", "reserved, and broadcast at its end"]
  ] as const
).map(range(4))

const IPV6: ReadonlyArray<Range> = (
  [
    ["::/128", "unspecified"],
    ["::1/128", "loopback"],
    ["::/96", "an IPv4 address, the old way"],
    ["::ffff:0:0/96", "a mapped IPv4 address"],
    ["::ffff:0:0:0/96", "a translated IPv4 address"],
    ["64:ff9b::/96", "NAT64"],
    ["64:ff9b:1::/48", "local NAT64"],
    ["100::/64", "discarded"],
    ["100:0:0:1::/64", "a dummy prefix"],
    ["::/3", "not allocated below 2000::"],
    ["2001::/23", "protocol assignments: Teredo, ORCHID, benchmarks"],
    ["2001:db8::/32", "documentation"],
    ["2002::/16", "6to4"],
    ["3fff::/20", "documentation"],
    ["4000::/2", "not allocated above 3fff::"],
    ["5f00::/16", "segment routing"],
    ["8000::/1", "not allocated, and what follows"],
    ["fc00::/7", "unique local, one cloud's metadata"],
    ["fe80::/10", "link-local"],
    ["fec0::/10", "site-local"],
    ["ff00::/8", "multicast"]
  ] as const
).map(range(6))

const isIn = (ranges: ReadonlyArray<Range>, value: bigint): boolean =>
  ranges.some(({ first, last }) => first <= value && value <= last)

/**
 * Whether an address is one of the tunnel protocol ISATAP: its last 64 bits begin with `0:5efe` or `200:5efe`, in any
 * network.
 */
const isTunnel = (value: bigint): boolean => [0x5efen, 0x200_5efen].includes((value >> 32n) & 0xffff_ffffn)

export const isPublic4 = (value: bigint): boolean => !isIn(IPV4, value)
export const isPublic6 = (value: bigint): boolean => !isIn(IPV6, value) && !isTunnel(value)

const bytes = (value: bigint): ReadonlyArray<number> =>
  [24n, 16n, 8n, 0n].map((shift) => Number((value >> shift) & 255n))

export const text4 = (value: bigint): string => bytes(value).join(".")

const groups = (value: bigint): ReadonlyArray<string> =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(16 * (7 - index))) & 0xffffn).toString(16))

/** The text of an IPv6 address with all eight groups, without leading zeros. */
export const text6 = (value: bigint): string => groups(value).join(":")

/** The first and last address of a range, and the addresses just outside of the range. */
const edgesOf =
  (family: 4 | 6) =>
  ({ first, last }: Range): ReadonlyArray<bigint> =>
    [first - 1n, first, last, last + 1n].filter((value) => value >= 0n && value < 1n << BITS[family])

export const EDGES4 = [...new Set(IPV4.flatMap(edgesOf(4)))]
export const EDGES6 = [...new Set(IPV6.flatMap(edgesOf(6)))]

/**
 * Well-known targets of attacks, such as the metadata services of clouds. The tests use them besides the first and last
 * addresses of each class.
 */
export const KNOWN4 = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "100.100.100.200", "192.0.0.192", "192.168.1.1"].map(
  parse4
)
export const KNOWN6 = ["fd00:ec2::254", "fe80::1", "ff02::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"].map(parse6)

/** The notations of an IPv4 address that URL parsers accept. */
export const notations4 = (value: bigint): ReadonlyArray<string> => {
  const parts = bytes(value)
  const [a = 0, b = 0] = parts
  const dotted = parts.join(".")
  const hex = (number: number | bigint) => `0x${number.toString(16)}`
  const octal = (number: number | bigint) => `0${number.toString(8)}`
  const wide = (text: string, zero: number) =>
    text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
  return [
    dotted,
    `${dotted}.`,
    `${dotted}..`,
    parts.map(octal).join("."),
    parts.map((part) => `000${octal(part)}`).join("."),
    parts.map(hex).join("."),
    parts.map(hex).join(".").toUpperCase(),
    [hex(a), octal(b), ...parts.slice(2)].join("."),
    `${a}.${value & 0xff_ffffn}`,
    `${a}.${b}.${value & 0xffffn}`,
    `${hex(a)}.${octal(value & 0xff_ffffn)}`,
    value.toString(),
    hex(value),
    octal(value),
    wide(dotted, 0xff10),
    wide(dotted, 0x1d7ce),
    dotted.replaceAll(".", "。"),
    dotted.replaceAll(".", "．"),
    dotted.replaceAll(".", "%2e"),
    Array.from(dotted, (character) => `%${character.charCodeAt(0).toString(16)}`).join(""),
    `[::ffff:${dotted}]`,
    `[::FFFF:${groups(value).slice(6).join(":")}]`,
    `[0:0:0:0:0:ffff:${dotted}]`,
    `[::${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[2002:${groups(value).slice(6).join(":")}::1]`
  ]
}

/** The notations of an IPv6 address, in brackets. */
export const notations6 = (value: bigint): ReadonlyArray<string> => {
  const long = groups(value).map((group) => group.padStart(4, "0"))
  const short = new URL(`http://[${text6(value)}]/`).hostname
  return [
    short,
    short.toUpperCase(),
    `[${text6(value)}]`,
    `[${long.join(":")}]`,
    `[${long.join(":").toUpperCase()}]`,
    `[${groups(value).slice(0, 6).join(":")}:${text4(value & 0xffff_ffffn)}]`
  ]
}
