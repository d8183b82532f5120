/** Numbers, lengths of time and names of browsers in German. */

const NUMBERS = new Intl.NumberFormat("de")

/** A number, such as `12.345`. */
export const number = (value: number): string => NUMBERS.format(value)

/** A number with its noun, such as `1 Tag` or `12.345 Tage`. */
export const plural = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** A length of time, such as `5 Minuten` or `5 Minuten und 1 Sekunde`. */
export const minutesAndSeconds = (seconds: number): string => {
  const minutes = plural(Math.floor(seconds / 60), "Minute", "Minuten")
  return seconds % 60 === 0 ? minutes : `${minutes} und ${plural(seconds % 60, "Sekunde", "Sekunden")}`
}

/** A browser and its system. Sessions have `Firefox on Linux`; German says `Firefox unter Linux`. */
export const browserName = (name: string): string => name.replace(" on ", " unter ")
