// Hints to a reviewer about parts of an app that need a second look. Decision reviews-8.
import type { App } from "../apps/App.js"
import * as AppProposal from "../apps/AppProposal.js"
import type { Purpose } from "../purposes/Purpose.js"
import * as Scope from "../shared/Scope.js"

/**
 * A hint to the reviewer. A hint has no effect on the review by itself, because an app may have a good reason for what
 * the hint reports.
 */
export type ReviewHint =
  /** A purpose announces more than 288 calls a day for one user, that is, more than one call every five minutes. */
  | { readonly _tag: "ManyCalls"; readonly purposeKey: string; readonly perDay: number }
  /** Redirect URIs have hosts outside of the web page's domain. */
  | { readonly _tag: "OtherHosts"; readonly webPage: string; readonly hosts: ReadonlyArray<string> }
  | { readonly _tag: "NoWebPage" }
  /** The description has fewer than four words for each scope. */
  | { readonly _tag: "ShortDescription"; readonly scopes: number; readonly words: number }
  /** The app has no purpose for these sensitive scopes, so users cannot know what the app needs them for. */
  | { readonly _tag: "NoPurpose"; readonly scopes: ReadonlyArray<Scope.SensitiveScope> }

/** A purpose that announces more calls a day than this (one call every five minutes) gets the hint `ManyCalls`. */
export const MANY_CALLS = 288
/** A description with fewer words than this for each scope of the app gets the hint `ShortDescription`. */
const WORDS_OF_SCOPE = 4

/** The hints about the app, with the developer's proposed changes (`AppProposal.wanted`), and about its purposes. */
export const hints = (app: App, purposes: ReadonlyArray<Purpose>): ReadonlyArray<ReviewHint> => {
  const { description, homepageUrl, redirectUris, scopes } = AppProposal.wanted(app)
  const live = purposes.filter(({ status }) => status !== "archived")
  const explained = new Set(live.flatMap(({ terms }) => terms.scopes))
  const unexplained = scopes.filter(Scope.isSensitive).filter((scope) => !explained.has(scope))
  const words = description.split(/\s+/).filter((word) => word !== "").length
  return [
    ...live
      .filter(({ terms }) => terms.expectedDailyVolume > MANY_CALLS)
      .map(({ key, terms }): ReviewHint => ({ _tag: "ManyCalls", purposeKey: key, perDay: terms.expectedDailyVolume })),
    ...(homepageUrl === null ? [{ _tag: "NoWebPage" as const }] : otherHosts(homepageUrl, redirectUris)),
    ...(words < WORDS_OF_SCOPE * scopes.length
      ? [{ _tag: "ShortDescription" as const, scopes: scopes.length, words }]
      : []),
    ...(unexplained.length > 0 ? [{ _tag: "NoPurpose" as const, scopes: unexplained }] : [])
  ]
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

/**
 * The hint `OtherHosts`, when redirect URIs have hosts outside of the web page's domain. Private schemes have no host,
 * and loopback hosts do not count.
 */
const otherHosts = (webPage: string, redirectUris: ReadonlyArray<string>): ReadonlyArray<ReviewHint> => {
  const own = hostOf(webPage)
  if (own === undefined) return []
  const hosts = new Set(redirectUris.flatMap((uri) => hostOf(uri) ?? []).filter((host) => !LOOPBACK.has(host)))
  const others = [...hosts].filter((host) => !isOfOne(own, host))
  return others.length === 0 ? [] : [{ _tag: "OtherHosts", webPage: own, hosts: others }]
}

/**
 * The host of an address in lower case; undefined for a private scheme. The validity of the address is not checked,
 * because an app cannot have an invalid address.
 */
const hostOf = (address: string): string | undefined =>
  /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(address)?.[1]?.toLowerCase()

/** Whether the hosts are equal or one is a subdomain of the other. `www.` is ignored. */
const isOfOne = (a: string, b: string): boolean => {
  const [first, second] = [a.replace(/^www\./, ""), b.replace(/^www\./, "")]
  return first === second || first.endsWith(`.${second}`) || second.endsWith(`.${first}`)
}
