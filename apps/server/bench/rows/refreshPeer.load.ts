import { type Open, request } from "../harness/load/Script.js"
import type { Turns } from "../harness/load/Turns.js"
import { rotating } from "./refresh.load.js"

/** A person's first refresh token at the peer, which bench/peers/oidcProvider.mjs runs. */
const refreshToken = (n: number): string => String(n).padStart(43, "0")

const open: Open<Turns> = (...client) =>
  rotating(client, refreshToken, (_, token) =>
    request(
      "POST",
      "/token",
      ["content-type: application/x-www-form-urlencoded"],
      `grant_type=refresh_token&client_id=bench&client_secret=secret&refresh_token=${token}`
    )
  )

export default open
