import * as People from "../harness/People.js"
import { type Client, request } from "../harness/load/Script.js"
import { type Turns, turns } from "../harness/load/Turns.js"
import { question } from "./presence.load.js"

const FIXES = 100

const upload = (n: number, atMs: number): string => {
  const locations = Array.from({ length: FIXES }, (_, index) => ({
    captured_at: new Date(atMs - (FIXES - index) * 10).toISOString(),
    lat: People.LAT + (index % 50 < 25 ? 0 : 0.02),
    lon: People.LON,
    accuracy_m: 10
  }))
  return request(
    "POST",
    "/v1/phone/locations",
    [`authorization: Bearer ${People.deviceToken(n)}`, "content-type: application/json"],
    JSON.stringify({ locations })
  )
}

/** A client that sends four presence requests, then one upload of `FIXES` readings, and so on. */
const open = (options: Turns, index: number, clients: number): Client => {
  const next = turns(options, index, clients)
  let count = index
  return {
    next: () => {
      const n = next()
      return count++ % 5 === 4 ? upload(n, Date.now()) : question(n)
    }
  }
}

export default open
