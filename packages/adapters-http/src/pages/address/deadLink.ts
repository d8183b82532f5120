import { html, type Text, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { type HtmlPage, respond } from "../kit/Page.js"

const words = texts.signIn.deadLink

/**
 * The page for a mailed link that does not work. The page is the same for every reason, so nobody finds out whether the
 * link was used, has expired or never existed. `locale`: the locale of the reader, if somebody is signed in.
 */
export const deadLink = (why: Text, next: Value, options: Pick<HtmlPage, "locale"> = {}) =>
  respond({
    title: words.title,
    width: "narrow",
    reader: null,
    ...options,
    status: 404,
    main: html`<h1>${words.heading}</h1>
      <p>${why}</p>
      ${next}`
  })
