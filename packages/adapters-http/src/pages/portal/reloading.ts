import { type Html, html, nothing, type Text } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import type * as Form from "../kit/Form.js"

const words = texts.portal.reloading

/**
 * How many seconds pass between two reloads of a page that waits for something, such as an import. The page has no
 * script, so it reloads itself by a header.
 */
export const EVERY_S = 5

interface Reloading {
  readonly headers: Readonly<Record<string, string>>
  readonly line: Html
}

/** What a page uses that waits for nothing: it does not reload itself. */
export const NONE: Reloading = { headers: {}, line: nothing }

/**
 * The header with which the page at `path` reloads itself, and the line that says so. A reload closes every part that
 * the reader has opened, and loses the focus. So the line has a link that stops the reloads (WCAG 2.2.2). `says`: a
 * text that says when and how often the page reloads itself.
 */
export const reloading = (path: string, query: Form.Form, says: Text): Reloading => {
  const link = (address: string, text: Text): Html => html`<a href="${address}">${text}</a>`
  return query.value("reload") === "no"
    ? { headers: {}, line: html`<p class="soft small">${words.stopped} ${link(path, words.start)}</p>` }
    : {
        headers: { refresh: `${EVERY_S};url=${path}` },
        line: html`<p class="soft small">
          ${says} ${link(`${path}${path.includes("?") ? "&" : "?"}reload=no`, words.stop)}
        </p>`
      }
}
