import { EndpointUrl } from "@place-access/domain/endpoints"
import { literal } from "./EgressGuard.js"

/** The host names of this machine and of private networks, whatever they resolve to (Spec §4.7). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|localdomain|lan|home\.arpa)$/
const BROKEN = /[\s\p{Cc}\\]/u
/** What stands before the path, where `URL` looks for a user, a host and a port. */
const AUTHORITY = /^[^:]*:\/*([^/?#]*)/

/**
 * What is wrong with an address, before anything is looked up; the URL when nothing is. Names are compared as `URL` writes
 * them: lower case, punycode, and every notation of an IPv4 address as four decimal numbers.
 */
export const check = (text: string, policy: EndpointUrl.Policy): EndpointUrl.Fault | URL => {
  if (text.length > EndpointUrl.MAX_LENGTH) return "too_long"
  // `URL` would drop what does not belong there, and something else would be stored than what is used.
  const url = BROKEN.test(text) ? undefined : parsed(text)
  if (url === undefined) return "not_a_url"
  if (url.protocol !== "https:" && !(policy.allowInsecure && url.protocol === "http:")) return "not_https"
  // `URL` forgets an empty user and password, and they would be stored.
  if (AUTHORITY.exec(text)?.[1]?.includes("@") === true) return "credentials"
  if (url.port === "0") return "port"
  if (text.includes("#")) return "fragment"
  const host = url.hostname.replace(/\.+$/, "")
  if (policy.allowInsecure) return url
  if (literal(host) !== undefined) return "ip_literal"
  return !host.includes(".") || PRIVATE_NAME.test(host) ? "not_public_host" : url
}

/** Not with `URL.canParse`: in Node 20 it refuses letters such as ü once it was called some thousand times. */
const parsed = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
