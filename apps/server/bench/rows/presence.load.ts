import * as People from "../harness/People.js"
import { type Client, request } from "../harness/load/Script.js"

export interface Options {
  /** People 0 to `people - 1` are asked about in turn. */
  readonly people: number
}

/** Fixes of the whole run count, however long it takes. */
export const path = (n: number): string => `/v1/answers/places/${People.place(n)}/presence?max_age_s=86400`

const open = ({ people }: Options, index: number, clients: number): Client => {
  let n = index
  return {
    next: () => {
      const message = request("GET", path(n), { authorization: `Bearer ${People.accessToken(n)}` })
      // Clients never meet: each has its own share of the people.
      n = n + clients < people ? n + clients : index
      return message
    }
  }
}

export default open
