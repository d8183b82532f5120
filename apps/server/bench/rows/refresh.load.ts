import * as People from "../harness/People.js"
import { type Client, type Open, request } from "../harness/load/Script.js"
import { type Turns, turns } from "../harness/load/Turns.js"

/**
 * The network address from which the app of person `n` seems to call (X-Forwarded-For). Each person has a different
 * address, because the server limits the calls from one address.
 */
export const address = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`

const message = (n: number, refreshToken: string): string =>
  request(
    "POST",
    "/v1/oauth/token",
    ["content-type: application/x-www-form-urlencoded", `x-forwarded-for: ${address(n)}`],
    `grant_type=refresh_token&client_id=${People.APP}&client_secret=${People.CLIENT_SECRET}&refresh_token=${refreshToken}`
  )

const BEFORE_TOKEN = '"refresh_token":"'

const given = (body: string): string => {
  const from = body.indexOf(BEFORE_TOKEN) + BEFORE_TOKEN.length
  return body.slice(from, body.indexOf('"', from))
}

/**
 * A client that sends a request for each of its people in turn, repeatedly. A request sends the refresh token that the
 * previous request for the same person returned; `first` returns the token for a person's first request.
 */
export const rotating = (
  [options, index, clients]: Parameters<Open<Turns>>,
  first: (n: number) => string,
  message: (n: number, refreshToken: string) => string
): Client => {
  const next = turns(options, index, clients)
  const tokens = new Map<number, string>()
  let person: number | undefined
  return {
    next: (last) => {
      if (person !== undefined && last !== undefined) tokens.set(person, given(last.body()))
      person = next()
      return message(person, tokens.get(person) ?? first(person))
    }
  }
}

const open: Open<Turns> = (...client) => rotating(client, People.refreshToken, message)

export default open
