// Finds the network of an IP address. Decisions accounts-5 and limits-3.

/**
 * The network of an IP address: calls from one network are counted together. Returns:
 * - the IPv4 address itself, also for an IPv4 address that is written as an IPv6 address (`::ffff:192.0.2.1`);
 * - the /64 prefix of an IPv6 address, because one household has a whole /64;
 * - any other text in lower case.
 */
export const network = (address: string): string => {
  const bare = address.replace(/^\[|\]$|%.*$/g, "").toLowerCase()
  const mapped = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  const [head, tail, ...rest] = bare.split("::")
  if (head === undefined || rest.length > 0 || !/^[0-9a-f:.]+$/.test(bare) || !bare.includes(":")) return bare
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  // An IPv6 address can end in a dotted IPv4 address, which stands for two of the eight groups.
  const written = left.length + right.length + (bare.includes(".") ? 1 : 0)
  const groups = tail === undefined ? left : [...left, ...Array.from({ length: 8 - written }, () => "0"), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`
}
