/**
 * A text with more characters is not a time. `withPlus` returns it unchanged, because the regular expression of
 * `withPlus` needs quadratic time.
 */
const LONGEST_TIME = 64

/**
 * Puts the plus back into a time such as `2026-01-31T09:30:00 02:00`: in a query a plus means a blank, and few clients
 * encode the plus of a zone.
 */
export const withPlus = (time: string): string =>
  time.length > LONGEST_TIME ? time : time.replace(/(T\S+) (\d\d(?::?\d\d)?)$/, "$1+$2")

/** The names of the parameters that the address has more than once. */
export const repeated = (url: string): ReadonlySet<string> => {
  const [once, more] = [new Set<string>(), new Set<string>()]
  for (const name of new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : "").keys()) {
    if (once.has(name)) more.add(name)
    else once.add(name)
  }
  return more
}
