// The request and the answer of an attempt, for the developer who reads the log. Decision deliveries-19.
import * as Signature from "./Signature.js"

type Header = readonly [name: string, value: string]

/** The address and the headers of an attempt, as they are stored. */
export interface AttemptExchange {
  readonly url: string
  /**
   * The headers of the request, without those that the HTTP client adds, such as `host`. The values of headers that the
   * developer added to the endpoint may be secrets, so `HIDDEN` replaces them.
   */
  readonly request: ReadonlyArray<Header>
  /** The first headers of the answer: at most `HEADERS_MAX`, with shortened values. Empty when there was no answer. */
  readonly response: ReadonlyArray<Header>
}

/** The text that is stored in place of a header's value that may be a secret. */
export const HIDDEN = "(hidden)"

/** How many headers of an answer are stored at most, and how many characters of each value. */
const HEADERS_MAX = 30
const VALUE_MAX = 200
/** How many characters all stored headers of an answer have together at most. */
const TOTAL_MAX = 2_000

/** Headers of answers that may contain credentials of the receiver. Their values are not stored. */
const SECRET = new Set(["set-cookie", "set-cookie2", "authorization", "proxy-authenticate", "www-authenticate"])

/**
 * The exchange in the form in which it is stored: limited in size, and without secrets. `own` has the names of the
 * headers that the developer added to the endpoint; their values are hidden.
 */
export const of = (
  url: string,
  request: ReadonlyArray<Header>,
  own: ReadonlyArray<string>,
  response: ReadonlyArray<Header>
): AttemptExchange => ({
  url,
  request: request.map(([name, value]) => [name, own.includes(name) ? HIDDEN : value]),
  response: bounded(response)
})

/** The exchange for a reader who may not see the signature (decision teams-1). */
export const withoutSignature = (exchange: AttemptExchange): AttemptExchange => ({
  ...exchange,
  request: exchange.request.map(([name, value]) => [name, name === Signature.HEADER ? HIDDEN : value])
})

const bounded = (headers: ReadonlyArray<Header>): ReadonlyArray<Header> => {
  const kept: Array<Header> = []
  let total = 0
  for (const [name, value] of headers.slice(0, HEADERS_MAX)) {
    const lower = name.toLowerCase()
    const shown = SECRET.has(lower) ? HIDDEN : value.slice(0, VALUE_MAX)
    total += lower.length + shown.length
    if (total > TOTAL_MAX) break
    kept.push([lower, shown])
  }
  return kept
}
