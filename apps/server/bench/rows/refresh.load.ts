import * as People from "../harness/People.js"
import { type Client, request } from "../harness/load/Script.js"
import { type Turns, turns } from "../harness/load/Turns.js"

/** Everybody's app calls from an address of its own: calls are limited for each. */
export const address = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`

export const message = (n: number, refreshToken: string): string =>
  request(
    "POST",
    "/v1/oauth/token",
    { "content-type": "application/x-www-form-urlencoded", "x-forwarded-for": address(n) },
    `grant_type=refresh_token&client_id=${People.APP}&client_secret=${People.CLIENT_SECRET}&refresh_token=${refreshToken}`
  )

const REFRESH_TOKEN = /"refresh_token":"([^"]+)"/

/** Each time with the token that the time before gave. */
const open = (options: Turns, index: number, clients: number): Client => {
  const next = turns(options, index, clients)
  const tokens = new Map<number, string>()
  let asked: number | undefined
  return {
    next: (last) => {
      const given = REFRESH_TOKEN.exec(last?.body.toString("latin1") ?? "")?.[1]
      if (asked !== undefined && given !== undefined) tokens.set(asked, given)
      asked = next()
      return message(asked, tokens.get(asked) ?? People.refreshToken(asked))
    }
  }
}

export default open
