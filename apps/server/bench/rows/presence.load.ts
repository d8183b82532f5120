import * as People from "../harness/People.js"
import { type Client, request } from "../harness/load/Script.js"
import { type Turns, turns } from "../harness/load/Turns.js"

/**
 * The path of person `n`'s presence request. It accepts fixes that are up to a day old, so the fixes that the benchmark
 * stores at its start are fresh enough until its end.
 */
export const path = (n: number): string => `/v1/answers/places/${People.place(n)}/presence?max_age_s=86400`

/** The text of the request for each person. Every request of a person has the same text, so it is built only once. */
const questions: Array<string> = []

export const question = (n: number): string =>
  (questions[n] ??= request("GET", path(n), [`authorization: Bearer ${People.accessToken(n)}`]))

const open = (options: Turns, index: number, clients: number): Client => {
  const next = turns(options, index, clients)
  return { next: () => question(next()) }
}

export default open
