import type { App } from "@place-access/domain/apps"
import type { Purpose } from "@place-access/domain/purposes"
import { ReviewHint } from "@place-access/domain/staff"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"

const words = texts.review.hints

/** The hints about an app that a reviewer should check with care; false without a hint. */
export const section = (app: App.App, purposes: ReadonlyArray<Purpose.Purpose>): Html | false => {
  const found = ReviewHint.hints(app, purposes)
  return (
    found.length > 0 &&
    html`<section class="note warn" aria-labelledby="hints">
      <h2 id="hints">${words.heading}</h2>
      <ul>
        ${found.map((hint) => html`<li>${said(hint)}</li>`)}
      </ul>
    </section>`
  )
}

const codes = (list: ReadonlyArray<string>): Html => html`${list.map((one) => html` <code>${one}</code>`)}`

const said = (hint: ReviewHint.ReviewHint): Html => {
  switch (hint._tag) {
    case "ManyCalls":
      return words.manyCalls(html`<code>${hint.purposeKey}</code>`, hint.perDay)
    case "OtherHosts":
      return words.otherHosts(html`<code>${hint.webPage}</code>`, codes(hint.hosts))
    case "NoWebPage":
      return words.noWebPage
    case "ShortDescription":
      return words.shortDescription(hint.words, hint.scopes)
    case "NoPurpose":
      return words.noPurpose(codes(hint.scopes))
  }
}
