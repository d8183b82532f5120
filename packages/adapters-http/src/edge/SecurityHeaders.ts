import { isHttps, type ServiceOptions } from "../HttpOptions.js"

/** Forbids a browser to run or frame any part of an API answer, even if the browser shows the answer as a page. */
const API_CSP = "default-src 'none'; frame-ancestors 'none'"

type Given = Readonly<Record<string, string>>

/**
 * Adds the security headers to the headers of an answer. An answer may replace the headers of `unlessSet`, and a page
 * has its own `content-security-policy` and `referrer-policy`. Under the API's `no-referrer`, a browser would send
 * `Origin: null` with the page's forms (Fetch standard, "append a request Origin header"), and the service refuses
 * forms with this origin.
 */
export const make = (
  options: Pick<ServiceOptions, "baseUrl">
): ((headers: Given, more: Given, requestId: string) => Given) => {
  const always = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    ...(isHttps(options) ? { "strict-transport-security": "max-age=63072000" } : {})
  }
  const unlessSet = {
    "content-security-policy": API_CSP,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin"
  }
  return (headers, more, requestId) =>
    Object.assign({}, unlessSet, headers, more, always, { "x-request-id": requestId })
}
