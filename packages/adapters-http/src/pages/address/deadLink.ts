import { html, type Text, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"

const words = texts.signIn.deadLink

/** The page of a link that does not work. One page for every reason: nobody learns which reason it was. */
export const deadLink = (why: Text, next: Value) =>
  respond({
    title: words.title,
    width: "narrow",
    reader: null,
    status: 404,
    main: html`<h1>${words.heading}</h1>
      <p>${why}</p>
      ${next}`
  })
