import { html, type Value } from "../kit/Html.js"
import { respond } from "../kit/Page.js"

/** The page of a link that does not work. One page for every reason: nobody learns which it was. */
export const deadLink = (why: string, next: Value) =>
  respond({
    title: "This link does not work",
    width: "narrow",
    reader: null,
    status: 404,
    main: html`<h1>This link does not work any more</h1>
      <p>${why}</p>
      ${next}`
  })
