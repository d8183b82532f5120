/**
 * Puts the plus back into a time such as `2026-01-31T09:30:00 02:00`: in a query a plus means a blank, and few clients
 * encode the plus of a zone.
 */
export const withPlus = (time: string): string => time.replace(/(T\S+) (\d\d(?::?\d\d)?)$/, "$1+$2")
