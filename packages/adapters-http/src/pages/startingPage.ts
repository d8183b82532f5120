import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { Language } from "@place-access/domain/shared"
import { negotiate } from "../html/AcceptLanguage.js"
import { escape } from "../html/Html.js"
import { textsIn } from "../languages/index.js"
import { CONTENT_TYPE } from "./kit/Page.js"

// The page that a browser shows while the server opens its database. Until then the server can serve no other file, so
// the page has its own small style and no script. The page reloads itself.

const STYLE =
  ":root{color-scheme:light dark}body{font:1.05rem/1.5 system-ui,sans-serif;max-width:28rem;margin:20vh auto;padding:0 1.25rem}"

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64")

const AGAIN_AFTER_S = 2

/** Whether the client is a browser that loads a page. A browser accepts HTML; programs accept JSON, or any type. */
const isForPage = (method: string | undefined, { accept }: IncomingHttpHeaders): boolean =>
  method === "GET" && /\btext\/html\b/.test(accept ?? "")

/** The answer to a browser that loads a page; undefined for the request of a program. */
export const startingPage = (request: {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}) => {
  if (!isForPage(request.method, request.headers)) return undefined
  const language = negotiate(request.headers["accept-language"]) ?? Language.DEFAULT
  const { text, title } = textsIn(language).frame.starting
  return {
    headers: {
      "content-type": CONTENT_TYPE,
      "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`
    },
    body: `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8" />
    <title>${escape(title)} · Place Access</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="refresh" content="${AGAIN_AFTER_S}" />
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>${escape(title)}</h1>
      <p>${escape(text)}</p>
    </main>
  </body>
</html>
`
  }
}
