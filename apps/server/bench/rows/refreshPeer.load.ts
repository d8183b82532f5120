import { type Client, request } from "../harness/load/Script.js"
import { type Turns, turns } from "../harness/load/Turns.js"

const REFRESH_TOKEN = /"refresh_token":"([^"]+)"/

/** As refresh.load.ts, to the peer in bench/peers/oidcProvider.mjs. */
const open = (options: Turns, index: number, clients: number): Client => {
  const next = turns(options, index, clients)
  const tokens = new Map<number, string>()
  let asked: number | undefined
  return {
    next: (last) => {
      const given = REFRESH_TOKEN.exec(last?.body.toString("latin1") ?? "")?.[1]
      if (asked !== undefined && given !== undefined) tokens.set(asked, given)
      asked = next()
      const token = tokens.get(asked) ?? String(asked).padStart(43, "0")
      return request(
        "POST",
        "/token",
        { "content-type": "application/x-www-form-urlencoded" },
        `grant_type=refresh_token&client_id=bench&client_secret=secret&refresh_token=${token}`
      )
    }
  }
}

export default open
