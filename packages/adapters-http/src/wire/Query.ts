/** Puts back the plus of `2026-01-31T09:30:00 02:00`: in a query a plus means a blank, and few clients encode it. */
export const withPlus = (time: string): string => time.replace(/(T\S+) (\d\d(?::?\d\d)?)$/, "$1+$2")
