import { HttpServerRequest } from "@effect/platform"
import type { Session } from "@place-access/domain/accounts"
import Bowser from "bowser"
import { Effect } from "effect"
import { clientAddress } from "../edge/ClientAddress.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Credentials from "./Credentials.js"

/** Longer than what any browser sends. The library's patterns get at most this length of a header. */
const LONGEST = 400

/**
 * What a `User-Agent` header says, such as "Firefox on Linux"; null when nothing in it is known. Anybody can send any
 * header, so the words are only shown.
 */
export const nameOf = (userAgent: string | undefined): string | null => {
  if (userAgent === undefined || userAgent === "") return null
  const { browser, os } = Bowser.parse(userAgent.slice(0, LONGEST))
  const names = [browser.name, os.name].filter((name) => name !== undefined && name !== "")
  return names.length === 0 ? null : names.join(" on ")
}

/** The address and the browser of this request, for the session that the request opens. */
export const client: Effect.Effect<
  { readonly address: string; readonly browser: Session.Client["browser"] },
  never,
  HttpOptions | HttpServerRequest.HttpServerRequest
> = Effect.zipWith(clientAddress, HttpServerRequest.HttpServerRequest, (address, { headers }) => ({
  address,
  browser: nameOf(headers["user-agent"])
}))

/** The address, and the cookie of a known browser, of a password attempt. */
export const attempt: Effect.Effect<
  { readonly address: string; readonly knownBrowser: string | undefined },
  never,
  HttpOptions | HttpServerRequest.HttpServerRequest
> = Effect.gen(function* () {
  const knownBrowser = Credentials.knownBrowser(yield* HttpServerRequest.HttpServerRequest, yield* HttpOptions)
  return { address: yield* clientAddress, knownBrowser }
})
