import type { WebhookAnswer } from "@place-access/domain/endpoints"
import { LookupFailed } from "./Resolver.js"

/** Turns errors of an exchange into words for the receiver's developer: no addresses, no internal names, no stack. */

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

/**
 * The message for every host that cannot be used, whatever the reason. The service's resolver may resolve internal
 * names. Different messages for "does not exist" and "is not public" would show outsiders which internal names exist.
 */
export const NOT_PUBLIC = "must resolve to public addresses only"

export const TOO_LATE: WebhookAnswer = { _tag: "Unreachable", detail: "no complete answer within 5 s" }

const THEIRS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection closed",
  EHOSTUNREACH: "host unreachable",
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

/** Errors of this machine: it has no network, or has run out of a resource. */
const OURS: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EADDRNOTAVAIL",
  "ENETUNREACH",
  "ENETDOWN"
])

/** The error and its causes, the outermost first. */
const chain = (error: unknown): ReadonlyArray<Error> => {
  const all: Array<Error> = []
  for (let inner = error; inner instanceof Error && all.length < 5; inner = inner.cause) {
    // An `AggregateError` has one error for each address that was tried, and the `code` of the first one. The error of
    // the last address is reported.
    if (inner instanceof AggregateError) all.push(...inner.errors.filter((one) => one instanceof Error).toReversed())
    all.push(inner)
  }
  return all
}

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : "")

export const toAnswer = (error: unknown): Exclude<WebhookAnswer, { readonly _tag: "Answered" }> => {
  const errors = chain(error)
  const lookup = errors.find((one) => one instanceof LookupFailed)
  if (lookup?.whose === "ours") return { _tag: "NotSent", detail: lookup.message }
  if (lookup !== undefined || errors.some((one) => one instanceof AddressRefused)) {
    return { _tag: "Unreachable", detail: `the host name ${NOT_PUBLIC}` }
  }
  const insecure = errors.find((one) => one instanceof NotHttps)
  if (insecure !== undefined) return { _tag: "Unreachable", detail: insecure.message }
  const codes = errors.map(codeOf)
  const theirs = codes.find((code) => code in THEIRS)
  if (theirs === undefined && codes.some((code) => OURS.has(code))) {
    return { _tag: "NotSent", detail: "this service's network is not working" }
  }
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
