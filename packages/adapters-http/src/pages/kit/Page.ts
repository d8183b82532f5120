import { HttpServerResponse } from "@effect/platform"
import type { Account } from "@place-access/domain/accounts"
import { Staff } from "@place-access/domain/reviews"
import { Either } from "effect"
import * as Assets from "./Assets.js"
import { Html, html, nothing, type Value } from "./Html.js"
import type * as Map from "./Map.js"
import * as Time from "./Time.js"

/** The signed-in reader of a page, for the page's header. */
export interface PageReader {
  readonly account: Account.Account
  /** The CSRF token (synchroniser token) of the sign-out form in the header. */
  readonly formToken: string
  readonly portalPath: string
  /** How to show times to the reader. */
  readonly clock: Time.Clock
}

/** Lets the script for passkeys run on a page. */
export interface ScriptPolicy {
  /** The browser runs only scripts that carry this nonce. Every answer has a new one. */
  readonly nonce: string
}

export interface HtmlPage {
  readonly title: string
  readonly main: Value
  /** Null when nobody is signed in, and on pages without navigation, where the reader should finish a task first. */
  readonly reader: PageReader | null
  /** The navigation of pages that are the same for everybody. It replaces the reader's navigation. */
  readonly sections?: ReadonlyArray<{ readonly path: string; readonly name: string }>
  /** The path of the navigation entry to highlight. */
  readonly current?: string
  readonly width?: "narrow" | "middle" | "wide"
  readonly status?: number
  /** Further sources that a form of the page may lead to, redirects included. */
  readonly formAction?: ReadonlyArray<string>
  /** The page has a map. Only the map's scripts run on a page. */
  readonly map?: Map.MapPolicy
  /** The page asks for a passkey. Only the script for that runs on it. */
  readonly passkey?: ScriptPolicy
  /** The page asks for a consent. The script that sums up what is ticked runs on it, beside the map's. */
  readonly consent?: ScriptPolicy
  /** The page begins a sign-in. Only the script that names the browser's time zone runs on it. */
  readonly zone?: ScriptPolicy
  /** The page sets a phone up. Only the script that copies texts, and asks this service for news, runs on it. */
  readonly device?: ScriptPolicy
  /** The page shares the browser's position. Only the script for that runs on it, and it can be installed as an app. */
  readonly share?: ScriptPolicy & { readonly manifest: string }
  /** For a page without navigation that knows its reader: how to show times. Left out: as `reader` has it. */
  readonly clock?: Time.Clock
  readonly headers?: Readonly<Record<string, string>>
}

type Policies = Pick<HtmlPage, "consent" | "device" | "formAction" | "map" | "passkey" | "share" | "zone">

/**
 * The Content-Security-Policy: no scripts, styles and images only from here, no frames around the page, no `<base>`. A
 * page with a map also allows the map's own scripts, by a nonce, and either images from the origin of the tiles or, for
 * the base map, that the script loads its tiles from here. A page that asks for a passkey, or begins a sign-in, allows
 * the script for that. Chromium applies `form-action` to the redirects after a form's answer as well, so a page whose
 * form leads elsewhere must name the target.
 */
const contentSecurityPolicy = ({ consent, device, formAction = [], map, passkey, share, zone }: Policies): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...scriptSource(
      [consent, map, passkey, zone, device, share].flatMap((one) => (one === undefined ? [] : [one.nonce]))
    ),
    `img-src ${["'self'", ...(map?.tileOrigin == null ? [] : [map.tileOrigin])].join(" ")}`,
    `form-action ${["'self'", ...formAction].join(" ")}`,
    ...(map?.tileOrigin === null || device !== undefined || share !== undefined ? ["connect-src 'self'"] : []),
    ...(share === undefined ? [] : ["manifest-src 'self'"]),
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** One directive for all scripts of a page: browsers ignore a second one of the same name. */
const scriptSource = (nonces: ReadonlyArray<string>): ReadonlyArray<string> =>
  nonces.length === 0 ? [] : [`script-src ${[...new Set(nonces)].map((nonce) => `'nonce-${nonce}'`).join(" ")}`]

export const respond = (page: HtmlPage): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(document(page).text, {
    status: page.status ?? 200,
    contentType: CONTENT_TYPE,
    headers: { ...headers(page), "cache-control": "no-store", ...page.headers }
  })

export const CONTENT_TYPE = "text/html; charset=utf-8"

/** The headers of every page. */
export const headers = (page: Policies) => ({
  "content-security-policy": contentSecurityPolicy(page),
  // Not `no-referrer`: with it browsers send `Origin: null` with our own forms, and the check of the origin would fail.
  "referrer-policy": "same-origin",
  // A page of another origin that opened this one in a window has no hold of it, and cannot lead it elsewhere.
  "cross-origin-opener-policy": "same-origin",
  // A page with a map, or that shares the position, asks the browser where it is when its reader presses a button.
  "permissions-policy": `camera=(), microphone=(), payment=(), usb=(), geolocation=(${page.map === undefined && page.share === undefined ? "" : "self"})`
})

export const document = (page: HtmlPage): Html => {
  const clock = page.clock ?? page.reader?.clock
  return clock === undefined ? frame(page) : Time.inZone(frame(page), clock)
}

const frame = ({
  consent,
  current,
  device,
  main,
  map,
  passkey,
  reader,
  sections,
  share,
  title,
  width = "wide",
  zone
}: HtmlPage): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Place Access</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${map !== undefined && html`<link rel="stylesheet" href="${Assets.mapStylesheet.path}" />`}
        <link rel="stylesheet" href="${Assets.stylesheet.path}" />
        ${map === undefined ? nothing : [Assets.mapLibrary, Assets.mapScript].map(({ path }) => html`<script nonce="${map.nonce}" src="${path}" defer></script>`)}
        ${passkey !== undefined && html`<script nonce="${passkey.nonce}" src="${Assets.passkeyScript.path}" defer></script>`}
        ${consent !== undefined && html`<script nonce="${consent.nonce}" src="${Assets.consentScript.path}" defer></script>`}
        ${zone !== undefined && html`<script nonce="${zone.nonce}" src="${Assets.zoneScript.path}" defer></script>`}
        ${device !== undefined && html`<script nonce="${device.nonce}" src="${Assets.deviceScript.path}" defer></script>`}
        ${
          share !== undefined &&
          html`<script nonce="${share.nonce}" src="${Assets.shareScript.path}" defer></script>
            <link rel="manifest" href="${share.manifest}" />`
        }
        <link rel="icon" href="${Assets.icon.path}" type="image/svg+xml" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top${reader !== null && mayReview(reader) && " staff"}">
          <div>
            <a class="brand" href="/">${new Html(Assets.mark)}<span>Place Access</span></a>
            ${reader !== null && navigation(reader, current)}
            ${
              sections !== undefined &&
              html`<nav aria-label="Main">${sections.map(({ name, path }) => entry(path, name, current))}</nav>`
            }
          </div>
        </header>
        <main id="main" class="${width}">${main}</main>
        ${(reader !== null || sections !== undefined) && FOOT}
      </body>
    </html> `

const mayReview = ({ account }: Pick<PageReader, "account">): boolean => Either.isRight(Staff.requireReviewer(account))

const FOOT = html`<footer class="foot">
  <a href="/docs">Documentation</a> <a href="/openapi.json">openapi.json</a>
</footer>`

/** A phone has no room for the name's `first` word: it shows the rest, "Apps" in place of "Connected apps". */
const entry = (path: string, name: string, current: string | undefined, first?: string): Html =>
  html`<a href="${path}" ${path === current && new Html(' aria-current="page"')}
    >${first !== undefined && html`<span class="roomy">${first} </span>`}${name}</a
  >`

const navigation = ({ account, formToken, portalPath }: PageReader, current: string | undefined): Html => {
  const to = (path: string, name: string, first?: string) => entry(path, name, current, first)
  return html`<nav aria-label="Main">
      ${to("/", "Today")} ${to(`${portalPath}/timeline`, "Timeline")}
      ${to(`${portalPath}/connections`, "apps", "Connected")} ${to(`${portalPath}/places`, "Places")}
      ${to(`${portalPath}/devices`, "Devices")} ${to(`${portalPath}/access-log`, "log", "Access")}
      ${to("/developer", "Developers")} ${mayReview({ account }) && to("/review", "Review")}
      ${Either.isRight(Staff.requireAdmin(account)) && to("/admin", "Admin")}
    </nav>
    <div class="who">
      <span>${account.email}</span> ${to(`${portalPath}/settings`, "Settings")}
      <form method="post" action="/sign-out">
        <input type="hidden" name="form_token" value="${formToken}" /><button class="link">Sign out</button>
      </form>
    </div>`
}

/** The answer to a posted form: the browser loads `to` with GET, so that a reload does not post the form again. */
export const seeOther = (to: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location: to, "referrer-policy": "same-origin", "cache-control": "no-store" }
  })
