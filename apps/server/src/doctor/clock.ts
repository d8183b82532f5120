import type { Finding } from "./Check.js"
import * as Check from "./Check.js"

/** A difference that is a problem: half of the 60 s after which `verify` refuses a signature as too old or too new. */
const WRONG_MS = 30_000
/** A difference that deserves a warning: a clock that the network sets is never this far off. */
const ODD_MS = 2_000

/** `offsetMs`: how far another clock is ahead of this machine's. */
export const judged = (other: string, offsetMs: number): Finding => {
  const off = Math.abs(Math.round(offsetMs))
  const says = `this machine's clock and ${other} differ by ${off} ms`
  const advice = "Let both be set by the network (NTP, for example with chrony)."
  return off >= WRONG_MS
    ? Check.problem("clock", says, advice)
    : off >= ODD_MS
      ? Check.warning("clock", says, advice)
      : Check.ok("clock", says)
}
