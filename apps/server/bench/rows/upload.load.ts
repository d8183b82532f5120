import * as People from "../harness/People.js"
import * as Phones from "../harness/Phones.js"
import { type Client, request } from "../harness/load/Script.js"

export interface Options {
  /** The number of the first of the `people`, who have uploaded nothing before. */
  readonly from: number
  readonly people: number
  /** The number of readings in an upload. */
  readonly fixes: number
  /** The capture time of each person's first reading. */
  readonly startMs: number
}

/** Makes a client that uploads for every `clients`th person, in turn. No two clients upload for the same person. */
const open = ({ fixes, from, people, startMs }: Options, index: number, clients: number): Client => {
  const most = fixes === 1 ? Phones.STEPS_MAX : Phones.walksMax(fixes)
  let [n, step] = [index, 0]
  let body: string | undefined
  return {
    next: () => {
      if (step >= most) throw new Error("everybody has sent all that they can: more people are needed")
      // All people send the same body at the same step, so each body is built once.
      body ??= fixes === 1 ? Phones.arrival(startMs, step) : Phones.walk(startMs, step, fixes)
      const headers = [`authorization: Bearer ${People.deviceToken(from + n)}`, "content-type: application/json"]
      const upload = request("POST", "/v1/phone/locations", headers, body)
      n += clients
      if (n >= people) [n, step, body] = [index, step + 1, undefined]
      return upload
    }
  }
}

export default open
