import type { WebhookAnswer } from "@place-access/domain/endpoints"
import { isIPv4, isIPv6 } from "node:net"
import { type Ipv4Fault, LookupFailed } from "./Resolver.js"
import { hasRoute } from "./Route.js"

/**
 * Explains errors of an exchange to the receiver's developer. The texts contain no addresses, no internal names and no
 * stack traces.
 */

/** The egress guard refused the address. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused"
  constructor() {
    super("the address is not public")
  }
}

/** The egress guard refused the protocol. */
export class NotHttps extends Error {
  override readonly name = "NotHttps"
  constructor() {
    super("the address is not https")
  }
}

/** The receiver sent the interim answer 100 although the request does not ask for it (no header `expect`). */
export class UnaskedContinue extends Error {
  override readonly name = "UnaskedContinue"
  constructor() {
    super("the answer began with 100 Continue, which this service does not ask for")
  }
}

/** The receiver sent more interim answers (1xx) than `Exchange` reads. */
export class TooManyInterim extends Error {
  override readonly name = "TooManyInterim"
  constructor() {
    super("more than 20 interim answers (1xx) came before the answer")
  }
}

/** This machine has a route to the receiver, but a router on the way reported that it knows no route. */
class NetworkUnreachable extends Error {
  override readonly name = "NetworkUnreachable"
  readonly code = "NETWORK_UNREACHABLE"
}

/**
 * The one message for every host that may not be used, whatever the reason: the name does not exist or is not valid,
 * its name servers do not answer, or one of its addresses is not public. The service's resolver may resolve internal
 * names. Different messages for "does not exist" and "is not public" would show outsiders which internal names exist.
 */
export const NOT_PUBLIC = "must resolve to public addresses only"

const NO_IPV6 = "this service cannot reach the host's IPv6 address; the host name needs an IPv4 address"

export const TOO_LATE: WebhookAnswer = { _tag: "Unreachable", detail: "no complete answer within 5 s" }

const THEIRS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection closed",
  EHOSTUNREACH: "host unreachable",
  NETWORK_UNREACHABLE: "network unreachable",
  ETIMEDOUT: "connection timed out",
  UND_ERR_SOCKET: "connection closed",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are larger than 16 KiB",
  CERT_HAS_EXPIRED: "TLS: the certificate has expired",
  CERT_NOT_YET_VALID: "TLS: the certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "TLS: the certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "TLS: the certificate's issuer is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "TLS: the certificate's issuer is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "TLS: the certificate's issuer is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "TLS: an intermediate certificate is missing",
  ERR_TLS_CERT_ALTNAME_INVALID: "TLS: the certificate is for another host name"
}

/** Errors of this machine: it has no network, has run out of a resource, or its firewall refuses the connection. */
const OURS: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EADDRNOTAVAIL",
  "ENETUNREACH",
  "ENETDOWN",
  "EPERM",
  "EACCES"
])

/**
 * Whether a firewall near the receiver refused a connection over IPv6. Linux reports its message (ICMPv6
 * "administratively prohibited") as EACCES. For IPv4 the same message is EHOSTUNREACH, and EACCES comes from this
 * machine.
 */
const isProhibited = (error: Error): boolean => codeOf(error) === "EACCES" && isToIpv6(error)

const isToIpv6 = (error: Error): boolean => "address" in error && isIPv6(String(error.address))

/** Errors of a connection to an IPv6 address, on a machine that has no IPv6 route, address or socket. */
const WITHOUT_IPV6: ReadonlySet<string> = new Set(["ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT"])

/** The error and its causes, from the outermost to the innermost. */
const chain = (error: unknown): ReadonlyArray<Error> => {
  const all: Array<Error> = []
  for (let inner = error; inner instanceof Error && all.length < 5; inner = inner.cause) {
    // An `AggregateError` has one error for each address that was tried, and its own `code` is the code of the first of
    // these errors. The service reports the error of the last address, so the next line puts that error first.
    if (inner instanceof AggregateError) all.push(...inner.errors.filter((one) => one instanceof Error).toReversed())
    else all.push(inner)
  }
  return all
}

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : "")

/**
 * Whether the connection failed because this machine has no IPv6. Many machines have no IPv6, and reach every host that
 * has an IPv4 address. So the failure counts as the fault of a host that has only IPv6 addresses. If it counted as the
 * service's fault, deliveries to such a host would be tried every few seconds for days, and the delivery log would show
 * no attempt.
 */
const lacksIpv6 = (error: Error): boolean => WITHOUT_IPV6.has(codeOf(error)) && isToIpv6(error)

/**
 * Returns the error to report for a failed connection. `fault` is present when the IPv4 addresses of the host could not
 * be looked up. If this machine also has no IPv6, the function calls `fault` and returns the error of the look-up: the
 * host may have an IPv4 address, so the log must not say that the host needs one. If `fault` finds that the host has no
 * IPv4 address, the function returns `error`.
 */
export const withLookup = async (error: Error, fault: Ipv4Fault | undefined): Promise<Error> => {
  const errors = chain(error)
  if (fault === undefined || errors.some(isTheirs) || !errors.some(lacksIpv6)) return error
  return (await fault()) ?? error
}

/**
 * Returns the error to report for a failed connection. ENETUNREACH to an IPv4 address has one of two causes: this
 * machine has no route, which is a fault of this service, or a router on the way has no route, which counts as a fault
 * of the receiver (`NetworkUnreachable`). Without this distinction, deliveries to a receiver whose network is gone
 * would be tried every few seconds for days, and the delivery log would show no attempt.
 */
export const withRoute = async (error: Error, isRouted = hasRoute): Promise<Error> => {
  const errors = chain(error)
  if (errors.some(isTheirs)) return error
  for (const one of errors) {
    const address = "address" in one ? String(one.address) : ""
    if (codeOf(one) === "ENETUNREACH" && isIPv4(address) && (await isRouted(address))) return new NetworkUnreachable()
  }
  return error
}

const isTheirs = (error: Error): boolean => codeOf(error) in THEIRS

/** The errors whose message is shown to the developer as it is. */
const WORDED = [NotHttps, TooManyInterim, UnaskedContinue]

export const toAnswer = (error: unknown): Exclude<WebhookAnswer, { readonly _tag: "Answered" }> => {
  const errors = chain(error)
  const lookup = errors.find((one) => one instanceof LookupFailed)
  if (lookup?.whose === "ours") return { _tag: "NotSent", detail: lookup.message }
  if (lookup !== undefined || errors.some((one) => one instanceof AddressRefused)) {
    return { _tag: "Unreachable", detail: `the host name ${NOT_PUBLIC}` }
  }
  const worded = errors.find((one) => WORDED.some((kind) => one instanceof kind))
  if (worded !== undefined) return { _tag: "Unreachable", detail: worded.message }
  const codes = errors.map(codeOf)
  const theirs = codes.find((code) => code in THEIRS)
  if (theirs === undefined && errors.some((one) => OURS.has(codeOf(one)) && !lacksIpv6(one) && !isProhibited(one))) {
    return { _tag: "NotSent", detail: "this service's network is not working" }
  }
  if (theirs === undefined && errors.some(lacksIpv6)) return { _tag: "Unreachable", detail: NO_IPV6 }
  return {
    _tag: "Unreachable",
    detail: theirs === undefined ? other(errors, codes) : (THEIRS[theirs] ?? "connection failed")
  }
}

const other = (errors: ReadonlyArray<Error>, codes: ReadonlyArray<string>): string =>
  errors.some((error) => error.name === "HTTPParserError") || codes.some((code) => code.startsWith("HPE_"))
    ? "the answer is not HTTP"
    : codes.some((code) => code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code === "EPROTO")
      ? "TLS: the handshake failed"
      : "connection failed"
