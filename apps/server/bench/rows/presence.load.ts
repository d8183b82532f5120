import * as People from "../harness/People.js"
import { type Client, request } from "../harness/load/Script.js"
import { type Turns, turns } from "../harness/load/Turns.js"

/** The request accepts fixes of the last day, so that the fixes from the start of the row count until its end. */
export const path = (n: number): string => `/v1/answers/places/${People.place(n)}/presence?max_age_s=86400`

/** The request for each person. It never changes, so it is built once. */
const questions: Array<string> = []

export const question = (n: number): string =>
  (questions[n] ??= request("GET", path(n), [`authorization: Bearer ${People.accessToken(n)}`]))

const open = (options: Turns, index: number, clients: number): Client => {
  const next = turns(options, index, clients)
  return { next: () => question(next()) }
}

export default open
