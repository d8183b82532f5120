import { EndpointUrl } from "@place-access/domain/endpoints"
import { literal } from "./EgressGuard.js"

/** The host names of this machine and of private networks, whatever they resolve to (Spec §4.7). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|localdomain|lan|home\.arpa)$/
const BROKEN = /[\s\p{Cc}\\]/u

/**
 * What is wrong with an address, before anything is looked up; the URL when nothing is. Names are compared as `URL` writes
 * them: lower case, punycode, and every notation of an IPv4 address as four decimal numbers.
 */
export const check = (text: string, policy: EndpointUrl.Policy): EndpointUrl.Fault | URL => {
  if (text.length > EndpointUrl.MAX_LENGTH) return "too_long"
  // `URL` would drop what does not belong there, and something else would be stored than what is used.
  if (BROKEN.test(text) || !URL.canParse(text)) return "not_a_url"
  const url = new URL(text)
  if (url.protocol !== "https:" && !(policy.allowInsecure && url.protocol === "http:")) return "not_https"
  if (url.username !== "" || url.password !== "") return "credentials"
  if (text.includes("#")) return "fragment"
  const host = url.hostname.replace(/\.+$/, "")
  if (policy.allowInsecure) return url
  if (literal(host) !== undefined) return "ip_literal"
  return !host.includes(".") || PRIVATE_NAME.test(host) ? "not_public_host" : url
}
