import * as People from "../harness/People.js"
import { type Client, request } from "../harness/load/Script.js"

/** The options of a client that repeatedly asks about the history of one person. */
export interface Options {
  readonly what: "lookup" | "visits"
  /** The bounds of the history, in milliseconds since 1970. */
  readonly from: number
  readonly until: number
}

/**
 * How much later in the history each requested time is than the previous one, as a fraction of the history's length.
 * With the golden ratio, the times spread evenly over the history, and are the same in every round.
 */
const STEP = 0.618_033_988_749_895

const open = ({ from, until, what }: Options, index: number): Client => {
  let share = index * 0.1
  return {
    next: () => {
      share = (share + STEP) % 1
      const moment = encodeURIComponent(new Date(Math.floor(from + (until - from) * share)).toISOString())
      const path = what === "lookup" ? `/v1/lookup/place?at=${moment}` : `/v1/visits?limit=50&to=${moment}`
      return request("GET", path, [`authorization: Bearer ${People.accessToken(0)}`])
    }
  }
}

export default open
