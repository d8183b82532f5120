// One-time codes of a code app (TOTP, RFC 6238). Decision factors-4.
import type { CodeApp } from "./Factors.js"
import { SECOND, type Timestamp } from "../shared/Timestamp.js"

/** How long a code app shows one code, in milliseconds. */
export const STEP = 30 * SECOND

/** The number of time steps by which a phone's clock may be ahead or behind. */
const WINDOW = 1

/** The number of the time step at `now`: the steps are counted from the Unix epoch. */
export const stepAt = (now: Timestamp): number => Math.floor(now / STEP)

/** The six digits of a typed text, which may contain blanks and hyphens ("123 456"). Null for any other text. */
export const parse = (text: string): string | null => {
  const digits = text.replace(/[\s-]/g, "")
  return /^\d{6}$/.test(digits) ? digits : null
}

/**
 * The time steps whose code is accepted at `now`: the present step and its two neighbors, except the last used step and
 * all steps before it.
 */
export const acceptable = ({ usedStep }: Pick<CodeApp, "usedStep">, now: Timestamp): ReadonlyArray<number> => {
  const present = stepAt(now)
  return Array.from({ length: 2 * WINDOW + 1 }, (_, index) => present - WINDOW + index).filter(
    (step) => step > usedStep
  )
}
