/** `2026-01-31T09:30:00 02:00` as it was meant: in a query `+` means a blank, and few encode it. */
export const withPlus = (time: string): string => time.replace(/(T\S+) (\d\d(?::?\d\d)?)$/, "$1+$2")
