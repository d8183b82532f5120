// The request and the answer of an attempt, for the developer who reads the log. Decision deliveries-19.

type Header = readonly [name: string, value: string]

/** The address and the headers of an attempt, as they are stored. */
export interface AttemptExchange {
  readonly url: string
  /** Without the values of the endpoint's own headers, which may be secrets: `HIDDEN` stands for them. */
  readonly request: ReadonlyArray<Header>
  /** Empty when there was no answer. */
  readonly response: ReadonlyArray<Header>
}

/** Stands for a value that is not stored. */
export const HIDDEN = "(hidden)"

/** The most headers of an answer that are kept, and the most characters that are kept of a value. */
const HEADERS_MAX = 30
const VALUE_MAX = 200
/** The most characters of all kept headers together. */
const TOTAL_MAX = 2_000

/** Headers of answers that may have credentials of the receiver, so their values are not stored. */
const SECRET = new Set(["set-cookie", "set-cookie2", "authorization", "proxy-authenticate", "www-authenticate"])

/** The exchange as it is stored: bounded, and without secrets. `own`: the names of the endpoint's own headers. */
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
