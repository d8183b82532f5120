import * as People from "../harness/People.js"
import * as Phones from "../harness/Phones.js"
import { type Client, request } from "../harness/load/Script.js"

export interface Options {
  /** The first of the people who upload in this round. */
  readonly from: number
  /** Clients are given to people in turn: with one person, all of them upload for that person. */
  readonly people: number
  readonly startMs: number
}

/** Each client uploads readings that no other client has. */
const open = ({ from, people, startMs }: Options, index: number, clients: number): Client => {
  const headers = [
    `authorization: Bearer ${People.deviceToken(from + (index % people))}`,
    "content-type: application/json"
  ]
  let sent = 0
  return {
    next: () => request("POST", "/v1/phone/locations", headers, Phones.outside(startMs + index + clients * sent++))
  }
}

export default open
