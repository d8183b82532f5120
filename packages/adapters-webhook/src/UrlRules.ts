import { EndpointUrl } from "@place-access/domain/endpoints"
import { literal } from "./EgressGuard.js"

/**
 * The host names of this machine and of private networks. Unless `allowInsecure` is on, these names are refused,
 * whatever address they resolve to (Spec §4.7).
 */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|localdomain|lan|home\.arpa)$/
const BROKEN = /[\s\p{Cc}\\]/u
/** The part before the path, where `URL` finds a user, a host and a port. */
const AUTHORITY = /^[^:]*:\/*([^/?#]*)/

/**
 * Checks an address before any look-up. Returns the fault, or the URL if there is no fault. The checks use the host
 * name as `URL` writes it: lower case, punycode, and every IPv4 address as four decimal numbers.
 */
export const check = (text: string, policy: EndpointUrl.Policy): EndpointUrl.UrlFault | URL => {
  if (text.length > EndpointUrl.MAX_LENGTH) return "too_long"
  // `URL` would drop or change blanks, control characters and backslashes (`BROKEN`), and the stored address would
  // differ from the address that is used.
  const url = BROKEN.test(text) ? undefined : parsed(text)
  if (url === undefined) return "not_a_url"
  if (url.protocol !== "https:" && !(policy.allowInsecure && url.protocol === "http:")) return "not_https"
  // `URL` drops an empty user and password, but the stored text would contain them. So this checks the text itself.
  if (AUTHORITY.exec(text)?.[1]?.includes("@") === true) return "credentials"
  if (url.port === "0") return "port"
  if (text.includes("#")) return "fragment"
  const host = url.hostname.replace(/\.+$/, "")
  if (policy.allowInsecure) return url
  if (literal(host) !== undefined) return "ip_literal"
  return !host.includes(".") || PRIVATE_NAME.test(host) ? "not_public_host" : url
}

/**
 * Returns the URL, or undefined if the text is not a URL. `URL.canParse` is not used: in Node 20 it refuses letters
 * such as ü after some thousand calls.
 */
const parsed = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
