import * as People from "../harness/People.js"
import { type Client, request } from "../harness/load/Script.js"
import { type Turns, turns } from "../harness/load/Turns.js"

/** The fixes that were there at the start of the row count, however long it takes. */
export const path = (n: number): string => `/v1/answers/places/${People.place(n)}/presence?max_age_s=86400`

/** Always the same for one person, so it is put together once. */
const questions: Array<string> = []

export const question = (n: number): string =>
  (questions[n] ??= request("GET", path(n), [`authorization: Bearer ${People.accessToken(n)}`]))

const open = (options: Turns, index: number, clients: number): Client => {
  const next = turns(options, index, clients)
  return { next: () => question(next()) }
}

export default open
