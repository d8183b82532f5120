import * as People from "../harness/People.js"
import * as Phones from "../harness/Phones.js"
import { type Client, request } from "../harness/load/Script.js"

export interface Options {
  /** The number of the first person who uploads in this round. */
  readonly from: number
  /**
   * The number of people. The clients are phones of these people in turn; with one person, each client is another phone
   * of that person.
   */
  readonly people: number
  readonly startMs: number
}

/** A client whose readings have capture times that no other client uses, so that every reading is new. */
const open = ({ from, people, startMs }: Options, index: number, clients: number): Client => {
  const headers = [
    `authorization: Bearer ${People.deviceToken(from + (index % people), Math.floor(index / people))}`,
    "content-type: application/json"
  ]
  let sent = 0
  return {
    next: () => request("POST", "/v1/phone/locations", headers, Phones.outside(startMs + index + clients * sent++))
  }
}

export default open
