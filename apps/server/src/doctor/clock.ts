import { SharedClock } from "@place-access/worker"
import type { Finding } from "./Check.js"
import * as Check from "./Check.js"

/**
 * A difference between this machine's clock and the clock at BASE_URL that is a problem: half of the 60 s after which
 * receivers that use `verify` refuse a signature as too old or too new. The clock of the database has another limit
 * (`judgedByDatabase`).
 */
const WRONG_MS = 30_000
/** A difference between two clocks that deserves a warning. A clock set over the network is rarely this far off. */
const ODD_MS = 2_000

const SET_BOTH = "Let both be set by the network (NTP, for example with chrony)."

const finding = (other: string, offsetMs: number, isWrong: boolean, advice: string): Finding => {
  const off = Math.abs(Math.round(offsetMs))
  const says = `this machine's clock and ${other} differ by ${off} ms`
  return isWrong
    ? Check.problem("clock", says, advice)
    : off >= ODD_MS
      ? Check.warning("clock", says, SET_BOTH)
      : Check.ok("clock", says)
}

/** Judges the difference to another clock. `offsetMs`: how far the other clock is ahead of this machine's clock. */
export const judged = (other: string, offsetMs: number): Finding =>
  finding(other, offsetMs, Math.abs(Math.round(offsetMs)) >= WRONG_MS, SET_BOTH)

/**
 * Judges the difference between this machine's clock and the database's. Servers and workers correct a small
 * difference. At a large one, workers do no work, and servers refuse uploads and are not ready (`/readyz`).
 */
export const judgedByDatabase = (offsetMs: number): Finding =>
  finding(
    "the database's",
    offsetMs,
    Math.abs(offsetMs) > SharedClock.WRONG_FROM_MILLIS,
    `${SET_BOTH} Until then the programs on this machine do no work.`
  )
