import { Retention } from "@place-access/domain/sweeps"
import { Timestamp } from "@place-access/domain/shared"

const UNITS = [
  ["day", Timestamp.DAY],
  ["hour", Timestamp.HOUR],
  ["minute", Timestamp.MINUTE],
  ["second", Timestamp.SECOND]
] as const

/** A length of time in words, such as `23 hours 35 minutes 30 seconds` or `7 days`. */
export const duration = (millis: number): string => {
  let rest = millis
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`]
  })
  return parts.length === 0 ? "at once" : parts.join(" ")
}

export const number = (count: number): string => count.toLocaleString("en")

/** How long ended deliveries stay in the delivery log. */
export const keptFor = (kind: "delivered_deliveries" | "failed_deliveries"): string => {
  const now = Timestamp.make(Date.UTC(2026, 0, 1))
  return duration(now - Retention.until(kind, now))
}
