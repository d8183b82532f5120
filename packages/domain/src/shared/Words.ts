import { DateTime } from "effect"
import type { Timestamp } from "./Timestamp.js"

const MONTHS = "January February March April May June July August September October November December".split(" ")
const two = (number: number): string => String(number).padStart(2, "0")

/** `31 March 2026`, in UTC. */
export const day = (at: Timestamp): string => {
  const parts = DateTime.toPartsUtc(DateTime.unsafeMake(at))
  return `${parts.day} ${MONTHS[parts.month - 1] ?? ""} ${parts.year}`
}

/** `31 March 2026 at 12:00 UTC`, because pages without scripts and e-mails do not know the reader's zone. */
export const moment = (at: Timestamp): string => {
  const { hours, minutes } = DateTime.toPartsUtc(DateTime.unsafeMake(at))
  return `${day(at)} at ${two(hours)}:${two(minutes)} UTC`
}

/** `1 rule`, `2 rules`. */
export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`

/** The text on one line, for the subject of a mail. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ")
