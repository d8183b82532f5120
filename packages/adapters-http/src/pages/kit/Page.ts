import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import type { Account } from "@place-access/domain/accounts"
import { SignUpRequest } from "@place-access/domain/credentials"
import { Staff } from "@place-access/domain/reviews"
import { Effect, Either } from "effect"
import type { Locale } from "../../html/Locale.js"
import { texts } from "../../languages/index.js"
import * as Assets from "./Assets.js"
import * as BrowserLocale from "../../html/BrowserLocale.js"
import { PROBLEM_BOX } from "./Fields.js"
import * as Form from "./Form.js"
import { attribute, forReader, Html, html, type Text, type Value } from "../../html/Html.js"
import type * as Map from "./Map.js"
import { CHOOSE_AGAIN } from "./ReturnTo.js"
import { withCapitals } from "./Time.js"
import * as TouchIcon from "./icons/TouchIcon.js"

/** The signed-in reader of a page, for the page's header. */
export interface PageReader {
  readonly account: Account.Account
  /** The CSRF token (synchroniser token) of the sign-out form in the header. */
  readonly formToken: string
  readonly portalPath: string
  /** The language and the time zone in which pages address the reader. */
  readonly locale: Locale
}

const words = texts.frame

/** What a page needs to run a script. */
export interface ScriptPolicy {
  /** The browser runs only scripts that carry this nonce. The nonce of each answer is new. */
  readonly nonce: string
  /** The texts that the script shows: `forScript((files) => …)`. The script reads them from `data-texts`. */
  readonly texts?: Html
}

export interface HtmlPage {
  readonly title: Text
  readonly main: Value
  /**
   * The signed-in reader, for the navigation. Null when nobody is signed in, and on pages without navigation, such as
   * the consent page.
   */
  readonly reader: PageReader | null
  /** The navigation of pages that are the same for everybody. It replaces the reader's navigation. */
  readonly sections?: ReadonlyArray<{ readonly path: string; readonly name: Text }>
  /** The page itself says that the account has no address, so the frame need not say it (decision accounts-12). */
  readonly saysNoAddress?: true
  /** The path of the navigation entry to highlight. */
  readonly current?: string
  readonly width?: "narrow" | "middle" | "wide"
  readonly status?: number
  /**
   * A form of the page leads to an app, whose address may redirect the browser on to any address, also to an app on the
   * phone. The forms of all other pages may lead only to this service.
   */
  readonly leadsAnywhere?: true
  /**
   * The page has a map. Only the map's scripts run on the page, and the script of `consent` if the page has this option
   * too.
   */
  readonly map?: Map.MapPolicy
  /**
   * The page asks for a passkey. Only the script for passkeys runs on the page, and the script of `zone` if the page
   * has this option too.
   */
  readonly passkey?: ScriptPolicy
  /**
   * The page asks for a consent or a renewal. The script that guards the button Allow, and sums up the ticked boxes,
   * runs on the page, beside the map's scripts.
   */
  readonly consent?: ScriptPolicy
  /**
   * The page begins a sign-in. Only the script that names the browser's time zone runs on the page, and the script of
   * `passkey` if the page has this option too.
   */
  readonly zone?: ScriptPolicy
  /**
   * The page sets a phone up, or is about one phone. Only the script for phones runs on the page: it copies texts, and
   * polls this service for the phone's state.
   */
  readonly device?: ScriptPolicy
  /** The page uploads files. Only the script that takes dropped folders runs on the page. */
  readonly files?: ScriptPolicy
  /**
   * The page shares the browser's position. Only the script for sharing runs on the page. Browsers can install the page
   * as an app.
   */
  readonly share?: ScriptPolicy & { readonly manifest: string }
  /**
   * A page of the documentation. The page is cached, so its policy allows scripts by their address (all scripts of this
   * service), and not by a nonce. `markdown`: the address of the page's copy in Markdown; null when there is no copy.
   */
  readonly docs?: { readonly markdown: string | null }
  /**
   * The locale of a page without navigation whose reader is signed in. The default is the locale of `reader`, or else
   * the browser's locale.
   */
  readonly locale?: Locale
  readonly headers?: Readonly<Record<string, string>>
}

type Policies = Pick<
  HtmlPage,
  "consent" | "device" | "docs" | "files" | "leadsAnywhere" | "map" | "passkey" | "share" | "zone"
>

/**
 * The Content-Security-Policy: no scripts; styles and images only from this service; no frames around the page; no
 * `<base>`. A page with scripts allows them by a nonce, and a page of the documentation allows any script of this
 * service. A page with a map also allows images from the origin of the tiles. Where a script loads something from this
 * service, such as the tiles of the base map, the page may connect to this service. Chromium applies `form-action` to
 * every redirect after a form. So a page whose form leads to an app has no `form-action`: no list of addresses can name
 * every scheme to which the app may redirect, and `*` stands for no scheme of an app on a phone (decision consent-13).
 */
const contentSecurityPolicy = ({
  consent,
  device,
  docs,
  files,
  leadsAnywhere,
  map,
  passkey,
  share,
  zone
}: Policies): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...(docs === undefined ? [] : ["script-src 'self'"]),
    ...scriptSource(
      [consent, map, passkey, zone, device, files, share].flatMap((one) => (one === undefined ? [] : [one.nonce]))
    ),
    `img-src ${["'self'", ...(map?.tileOrigin == null ? [] : [map.tileOrigin])].join(" ")}`,
    ...(leadsAnywhere === true ? [] : ["form-action 'self'"]),
    ...(map?.tileOrigin === null || [device, docs, files, share].some((one) => one !== undefined)
      ? ["connect-src 'self'"]
      : []),
    ...(share === undefined ? [] : ["manifest-src 'self'"]),
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** One `script-src` for all scripts of a page, because browsers ignore a second `script-src`. */
const scriptSource = (nonces: ReadonlyArray<string>): ReadonlyArray<string> =>
  nonces.length === 0 ? [] : [`script-src ${[...new Set(nonces)].map((nonce) => `'nonce-${nonce}'`).join(" ")}`]

export const respond = (
  page: HtmlPage
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  Effect.zipWith(localeOf(page), Form.query, (locale, query) => {
    const { reader, status = 200 } = page
    const done = status === 200 ? query.value("done") : ""
    const isBack = reader !== null && done === CHOOSE_AGAIN
    const shown = isBack ? { ...page, main: [NOT_KEPT, page.main] } : page
    return HttpServerResponse.text(document(shown, locale, done !== ""), {
      status,
      contentType: CONTENT_TYPE,
      headers: { ...headers(page), "cache-control": "no-store", ...page.headers }
    })
  })

/**
 * The notice `CHOOSE_AGAIN`. `respond` adds it to every page with a signed-in reader, so that no page can forget it.
 * The consent page, which has no `reader`, adds the notice itself.
 */
const NOT_KEPT = html`<div class="note" role="status"><p>${words.notKept}</p></div>`

const localeOf = ({ locale, reader }: HtmlPage): Effect.Effect<Locale, never, HttpServerRequest.HttpServerRequest> => {
  const known = locale ?? reader?.locale
  return known === undefined ? BrowserLocale.locale : Effect.succeed(known)
}

export const CONTENT_TYPE = "text/html; charset=utf-8"

/** The headers of every page. */
export const headers = (page: Policies) => ({
  "content-security-policy": contentSecurityPolicy(page),
  // Not `no-referrer`: with `no-referrer`, browsers send `Origin: null` with our own forms, and the check of the origin
  // would fail.
  "referrer-policy": "same-origin",
  // A page of another origin that has opened this page gets no reference to this page's window, so it cannot navigate
  // this page.
  "cross-origin-opener-policy": "same-origin",
  // The page may ask the browser for its position only if it has a map or shares the position. It asks when the reader
  // presses a button.
  "permissions-policy": `camera=(), microphone=(), payment=(), usb=(), geolocation=(${page.map === undefined && page.share === undefined ? "" : "self"})`
})

/**
 * The whole page as text. Its title begins with what a screen reader should say first: that a form was refused, or, if
 * `isDone`, the beginning of the notice that says what a form has done.
 */
export const document = (page: HtmlPage, locale: Locale, isDone = false): string => {
  const main = html`${page.main}`.in(locale)
  const said = isDone ? NOTICE.exec(main)?.[1] : undefined
  const done = said === undefined ? page.title : html`${new Html(said)} · ${page.title}`
  const title = main.includes(PROBLEM_BOX) ? words.refused(page.title) : done
  return withCapitals(frame({ ...page, main: new Html(main), title }).in(locale))
}

/** Finds a notice in the page, and the beginning of its text up to the first full stop or colon. */
const NOTICE = /<div class="note" role="status">\s*<p>\s*([^<]+?)[.:](?=\s|<)/

const frame = ({
  consent,
  current,
  device,
  docs,
  files,
  main,
  map,
  passkey,
  reader,
  saysNoAddress,
  sections,
  share,
  title,
  width = "wide",
  zone
}: HtmlPage): Html =>
  html`<!doctype html>
    <html lang="${forReader(({ language }) => language)}">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Place Access</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${map !== undefined && html`<link rel="stylesheet" href="${Assets.mapStylesheet.path}" />`}
        <link rel="stylesheet" href="${Assets.stylesheet.path}" />
        ${map !== undefined && [script({ nonce: map.nonce }, Assets.mapLibrary), script(map, Assets.mapScript)]}
        ${passkey !== undefined && script(passkey, Assets.passkeyScript)}
        ${consent !== undefined && script(consent, Assets.consentScript)}
        ${zone !== undefined && script(zone, Assets.zoneScript)}
        ${device !== undefined && script(device, Assets.deviceScript)}
        ${files !== undefined && script(files, Assets.filesScript)}
        ${
          share !== undefined &&
          html`${script(share, Assets.shareScript)}
            <link rel="manifest" href="${share.manifest}" />
            <link rel="apple-touch-icon" href="${TouchIcon.PATH}" />`
        }
        ${docs !== undefined && docsHead(docs)}
        <link rel="icon" href="${Assets.icon.path}" type="image/svg+xml" />
      </head>
      <body>
        <a class="skip" href="#main">${words.skip}</a>
        <header class="top${(sections !== undefined || (reader !== null && mayReview(reader))) && " rows"}">
          <div>
            <a class="brand" href="/">${new Html(Assets.mark)}<span>Place Access</span></a>
            ${reader !== null && navigation(reader, current)}
            ${
              sections !== undefined &&
              html`<nav aria-label="${words.sections}">
                ${sections.map(({ name, path }) => entry(path, name, current))}
              </nav>`
            }
          </div>
        </header>
        <main id="main" class="${width}">${reader !== null && !saysNoAddress && noAddress(reader)}${main}</main>
        ${(reader !== null || sections !== undefined) && FOOT}
      </body>
    </html> `

const mayReview = ({ account }: Pick<PageReader, "account">): boolean => Either.isRight(Staff.requireReviewer(account))

/** How pages name an account: by its address, or by its name when it has only a placeholder in place of an address. */
export const identityOf = (account: Account.Account): string => SignUpRequest.addressOf(account) ?? account.displayName

const noAddress = ({ account, portalPath }: PageReader): Html | false =>
  SignUpRequest.isReleased(account) &&
  html`<div class="note warn"><p>${words.noAddress(`${portalPath}/settings/email`)}</p></div>`

const FOOT = html`<footer class="foot">
  <a href="/docs">${words.documentation}</a> <a href="/openapi.json">openapi.json</a>
</footer>`

const docsHead = ({ markdown }: NonNullable<HtmlPage["docs"]>): Html =>
  html`<script src="${Assets.docsScript.path}" defer></script>
    <link rel="alternate" type="application/atom+xml" href="/docs/changes.atom" />
    ${markdown !== null && html`<link rel="alternate" type="text/markdown" href="${markdown}" />`}`

const script = ({ nonce, texts }: ScriptPolicy, { path }: Assets.Asset): Html =>
  html`<script nonce="${nonce}" src="${path}" ${attribute("data-texts", texts)} defer></script>`

const entry = (path: string, name: Text, current: string | undefined): Html =>
  html`<a href="${path}" ${path === current && new Html(' aria-current="page"')}>${name}</a>`

const navigation = ({ account, formToken, portalPath }: PageReader, current: string | undefined): Html => {
  const to = (path: string, name: Text) => entry(path, name, current)
  return html`<nav aria-label="${words.sections}">
      ${to("/", words.today)} ${to(`${portalPath}/timeline`, words.timeline)}
      ${to(`${portalPath}/connections`, words.connections)} ${to(`${portalPath}/places`, words.places)}
      ${to(`${portalPath}/devices`, words.devices)} ${to(`${portalPath}/access-log`, words.accessLog)}
      ${to("/developer", words.developers)} ${mayReview({ account }) && to("/review", words.review)}
      ${Either.isRight(Staff.requireAdmin(account)) && to("/admin", words.admin)}
    </nav>
    <div class="who">
      <span>${identityOf(account)}</span> ${to(`${portalPath}/settings`, words.settings)}
      <form method="post" action="/sign-out">
        <input type="hidden" name="form_token" value="${formToken}" /><button class="link">${words.signOut}</button>
      </form>
    </div>`
}

/** The answer to a posted form: the browser loads `to` with GET, so that a reload does not post the form again. */
export const seeOther = (to: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location: to, "referrer-policy": "same-origin", "cache-control": "no-store" }
  })
