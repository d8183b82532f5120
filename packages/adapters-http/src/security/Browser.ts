import { HttpServerRequest } from "@effect/platform"
import type { Session } from "@place-access/domain/accounts"
import Bowser from "bowser"
import { Effect } from "effect"
import { clientAddress } from "../edge/ClientAddress.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Credentials from "./Credentials.js"

/** The parser gets only this many characters of a `User-Agent` header. Headers of common browsers are shorter. */
const LONGEST = 400

/**
 * The browsers that the parser knows. For a header of another browser, the parser returns the text of the header as the
 * browser's name. A stranger could use this to put words into the list of sessions and into a mail.
 */
const BROWSERS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.BROWSER_MAP))

/**
 * The browser and the system that a `User-Agent` header names, such as "Firefox on Linux"; null when the parser
 * recognises neither. Anybody can send any header. So the name is only shown to people, and no decision depends on the
 * name.
 */
export const nameOf = (userAgent: string | undefined): string | null => {
  if (userAgent === undefined || userAgent === "") return null
  const { browser, os } = Bowser.parse(userAgent.slice(0, LONGEST))
  const known = BROWSERS.has(browser.name) ? browser.name : undefined
  const names = [known, os.name].filter((name) => name !== undefined && name !== "")
  return names.length === 0 ? null : names.join(" on ")
}

/** The network address and the browser of this request, for the session that the request opens. */
export const client: Effect.Effect<
  { readonly address: string; readonly browser: Session.Client["browser"] },
  never,
  HttpOptions | HttpServerRequest.HttpServerRequest
> = Effect.zipWith(clientAddress, HttpServerRequest.HttpServerRequest, (address, { headers }) => ({
  address,
  browser: nameOf(headers["user-agent"])
}))

/** The network address of a request that tries a password, and the request's cookie of a known browser. */
export const attempt: Effect.Effect<
  { readonly address: string; readonly knownBrowser: string | undefined },
  never,
  HttpOptions | HttpServerRequest.HttpServerRequest
> = Effect.gen(function* () {
  const knownBrowser = Credentials.knownBrowser(yield* HttpServerRequest.HttpServerRequest, yield* HttpOptions)
  return { address: yield* clientAddress, knownBrowser }
})
