import { isHttps, type ServiceOptions } from "../HttpOptions.js"

/** Forbids a browser to run or frame any part of an API answer, even if the browser shows the answer as a page. */
const API_CSP = "default-src 'none'; frame-ancestors 'none'"

type Given = Readonly<Record<string, string>>

/**
 * The security headers of every answer. A page brings its own `content-security-policy` and `referrer-policy`: under
 * `no-referrer` a browser sends `Origin: null` with a form of our own (Fetch standard, "append a request Origin
 * header").
 */
export const make = (options: ServiceOptions): ((headers: Given, more: Given, requestId: string) => Given) => {
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
