import { type HttpApp, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { Mover } from "./Mover.js"

/** The path of the stylesheet of the clock's bar. Pages allow only styles that this service serves. */
export const STYLES = "/dev/clock.css"

const CSS = `.world-clock{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.5rem 1rem;
background:#3b2a00;color:#fff;font:14px/1.4 system-ui,sans-serif}
.world-clock form{display:flex;flex-wrap:wrap;gap:.4rem;margin:0;align-items:center}
.world-clock button{margin:0;padding:.25rem .6rem;border:1px solid #ffd479;border-radius:4px;background:#5c4300;
color:#fff;font:inherit;min-height:0;width:auto;cursor:pointer}
.world-clock button:hover{background:#7a5a00}
.world-clock button:focus-visible{outline:2px solid #fff;outline-offset:2px}
`

export const stylesheet = HttpServerResponse.text(CSS, {
  contentType: "text/css; charset=utf-8",
  headers: { "cache-control": "no-store" }
})

/**
 * Returns the path if it is a path of this service, else the path of the front page. Without this check, a link with a
 * crafted `return_to` could redirect a browser to another site.
 */
export const safePath = (path: string | undefined): string =>
  path !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : "/"

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const STEPS = ["1m", "1h", "1d", "14d", "90d"]

const bar = ({ state: { now, rate } }: Mover, path: string): string => {
  const steps = STEPS.map((step) => `<button name="advance" value="${step}">+${step}</button>`).join("")
  const running = rate === 0 ? "It stands still." : `It runs ${rate} times as fast as real time.`
  const [to, word] = rate === 0 ? [60, "Run 60 times as fast"] : [0, "Stop"]
  return `<section class="world-clock" aria-label="The clock of this test world">
<span><strong>Test world.</strong> Its clock shows <time datetime="${now}">${now.slice(0, 19).replace("T", " ")} UTC</time>. ${running}</span>
<form method="post" action="/dev/clock"><input type="hidden" name="return_to" value="${escaped(path)}" />${steps}</form>
<form method="post" action="/dev/clock"><input type="hidden" name="return_to" value="${escaped(path)}" /><button name="rate" value="${to}">${word}</button></form>
</section>`
}

const isPage = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  (headers["content-type"] ?? "").startsWith("text/html") && headers["content-encoding"] === undefined

/** Adds the bar with the clock to every page, and forbids caching, because the bar shows the present time. */
export const onPages =
  (mover: Mover) =>
  <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.flatMap(app, (response) => {
      const { body } = response
      if (!isPage(response) || body._tag !== "Uint8Array") return Effect.succeed(response)
      return Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
        const html = new TextDecoder().decode(body.body)
        const path = request.method === "GET" ? safePath(request.url) : "/"
        const withBar = html
          .replace("</head>", () => `<link rel="stylesheet" href="${STYLES}" /></head>`)
          .replace(/<header class="top|<main/, (found) => `${bar(mover, path)}${found}`)
        return HttpServerResponse.text(withBar, {
          status: response.status,
          contentType: "text/html; charset=utf-8",
          headers: { ...withoutValidators(response.headers), "cache-control": "no-store" },
          cookies: response.cookies
        })
      })
    })

/**
 * Removes the headers by which a browser could reuse its copy of the page, and the length of the page without the bar.
 */
const withoutValidators = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !["etag", "last-modified", "content-length"].includes(name))
  )
