/** Numbers in German. */

const NUMBERS = new Intl.NumberFormat("de")

/** `12.345`. */
export const number = (value: number): string => NUMBERS.format(value)

/** `1 Tag`, `12.345 Tage`. */
export const plural = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** `Firefox on Linux`, as sessions have it: `Firefox unter Linux`. */
export const browserName = (name: string): string => name.replace(" on ", " unter ")
