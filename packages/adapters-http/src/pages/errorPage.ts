import { type HttpServerResponse } from "@effect/platform"
import * as Errors from "../wire/Errors.js"
import { html } from "./kit/Html.js"
import { respond } from "./kit/Page.js"

const TITLES: Readonly<Record<number, string>> = {
  400: "This request cannot be used",
  401: "Sign in first",
  403: "This is not allowed",
  404: "There is nothing here",
  405: "This is not how the page is used",
  409: "This does not fit together",
  413: "This is too much at once",
  415: "This is not a form",
  429: "Too many tries",
  503: "We are not available right now"
}

/** A refusal for a person with a browser. Says what our API would say, and nothing of the inside. */
export const errorPage = (error: Errors.WireError, requestId: string): HttpServerResponse.HttpServerResponse => {
  const title = TITLES[error.statusCode] ?? "Something went wrong"
  const messages = typeof error.message === "string" ? [error.message] : error.message
  return respond({
    title,
    width: "narrow",
    reader: null,
    status: error.statusCode,
    headers: Errors.headersOf(error),
    main: html`<h1>${title}</h1>
      ${messages.map((message) => html`<p>${message}.</p>`)}
      <p class="soft small">If you ask us about it, give us this number: <code>${requestId}</code></p>
      <p><a href="/">Go to the front page</a></p>`
  })
}
