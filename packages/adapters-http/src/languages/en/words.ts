/** Numbers, lengths of time and names of browsers in English. */

const NUMBERS = new Intl.NumberFormat("en-GB")

/** A number, such as `12,345`. */
export const number = (value: number): string => NUMBERS.format(value)

/** A number with its noun, such as `1 day` or `12,345 days`. */
export const plural = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** A length of time, such as `5 minutes` or `5 minutes and 1 second`. */
export const minutesAndSeconds = (seconds: number): string => {
  const minutes = plural(Math.floor(seconds / 60), "minute", "minutes")
  return seconds % 60 === 0 ? minutes : `${minutes} and ${plural(seconds % 60, "second", "seconds")}`
}

/**
 * A browser on a system, such as `Firefox on Linux`. Sessions store the name in English, so English needs no
 * translation.
 */
export const browserName = (name: string): string => name
