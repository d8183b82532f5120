import { HttpServerResponse } from "@effect/platform"
import type { Account } from "@place-access/domain/accounts"
import { Staff } from "@place-access/domain/reviews"
import { Either } from "effect"
import * as Assets from "./Assets.js"
import { Html, html, nothing, type Value } from "./Html.js"
import type * as Map from "./Map.js"

/** Who reads the page, for its header. */
export interface Reader {
  readonly account: Account.Account
  /** Synchroniser token of the header's sign-out form. */
  readonly formToken: string
  readonly portalPath: string
}

export interface Page {
  readonly title: string
  readonly main: Value
  /** Null: nobody is signed in, or the page is no place to wander off from. */
  readonly reader: Reader | null
  /** Instead of the reader's navigation, on pages that are the same for everybody. */
  readonly sections?: ReadonlyArray<{ readonly path: string; readonly name: string }>
  /** Path of the navigation entry that the page belongs to. */
  readonly current?: string
  readonly width?: "narrow" | "middle" | "wide"
  readonly status?: number
  /** Further sources that a form of the page may lead to, redirects included. */
  readonly formAction?: ReadonlyArray<string>
  /** The page has a map: the only thing for which any script runs. */
  readonly map?: Map.Needs
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * No script at all, styles and images from here only, no frames around the page, no `<base>`. A page with a map lets in the
 * map's own scripts, by a nonce, and pictures from the tiles' origin. Chromium applies `form-action` to the redirects that
 * follow a form's answer too, so a page whose form leads elsewhere names where.
 */
const contentSecurityPolicy = ({ formAction = [], map }: Pick<Page, "formAction" | "map">): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...(map === undefined ? [] : [`script-src 'nonce-${map.nonce}'`]),
    `img-src ${["'self'", ...(map?.tileOrigin == null ? [] : [map.tileOrigin])].join(" ")}`,
    `form-action ${["'self'", ...formAction].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

export const respond = (page: Page): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(document(page).text, {
    status: page.status ?? 200,
    contentType: CONTENT_TYPE,
    headers: { ...headers(page), "cache-control": "no-store", ...page.headers }
  })

export const CONTENT_TYPE = "text/html; charset=utf-8"

/** What every page is sent with. */
export const headers = (page: Pick<Page, "formAction" | "map">) => ({
  "content-security-policy": contentSecurityPolicy(page),
  // Not `no-referrer`: browsers then send `Origin: null` with our own forms.
  "referrer-policy": "same-origin"
})

export const document = ({ current, main, map, reader, sections, title, width = "wide" }: Page): Html =>
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

const mayReview = ({ account }: Pick<Reader, "account">): boolean => Either.isRight(Staff.requireReviewer(account))

const FOOT = html`<footer class="foot">
  <a href="/docs">Documentation</a> <a href="/openapi.json">openapi.json</a>
</footer>`

const entry = (path: string, name: string, current: string | undefined): Html =>
  html`<a href="${path}" ${path === current && new Html(' aria-current="page"')}>${name}</a>`

const navigation = ({ account, formToken, portalPath }: Reader, current: string | undefined): Html => {
  const to = (path: string, name: string) => entry(path, name, current)
  return html`<nav aria-label="Main">
      ${to(`${portalPath}/connections`, "Connected apps")} ${to(`${portalPath}/places`, "Places")}
      ${to(`${portalPath}/devices`, "Devices")} ${to(`${portalPath}/access-log`, "Access log")}
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

/** After a form was acted upon: the browser asks for `to` with GET, so that a reload repeats nothing. */
export const seeOther = (to: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location: to, "referrer-policy": "same-origin", "cache-control": "no-store" }
  })
