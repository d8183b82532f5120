import type { App } from "@place-access/domain/apps"
import { ConsentPreview } from "@place-access/domain/consent"
import { inspectApp } from "@place-access/domain/staff"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { HttpOptions, portalPath } from "../../HttpOptions.js"
import * as consentView from "../consent/consentView.js"
import * as Form from "../kit/Form.js"
import { Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { appId, asReviewer, REVIEW, reviewPath, scopeList } from "./shared.js"
import * as Visitor from "../kit/Visitor.js"

/**
 * The page that shows a reviewer the consent page as users see it or will see it. The functions that make the real page
 * also make this preview. Its controls and links are disabled, and it has no fields for a new place.
 */

const words = texts.review.preview

const NAMES: Readonly<Record<ConsentPreview.Version, Html>> = { in_force: words.inForce, proposed: words.proposed }

const linkTo = (version: ConsentPreview.Version, isFirst: boolean): Html => {
  if (isFirst) return version === "in_force" ? words.theInForce : words.theProposed
  return version === "in_force" ? words.alsoInForce : words.alsoProposed
}

const address = (app: Pick<App.App, "id">, version: ConsentPreview.Version): string =>
  `${reviewPath(app)}/consent?version=${version}`

/**
 * The versions of the consent page to preview: the page that users see now, and the page that they will see if the
 * reviewer approves the changes.
 */
const versions = (app: App.App): ReadonlyArray<ConsentPreview.Version> => [
  ...(app.status === "production" ? (["in_force"] as const) : []),
  ...(app.proposal !== null || app.status !== "production" ? (["proposed"] as const) : [])
]

/** Links to the previews, for the page of the review. */
export const links = (app: App.App): Html =>
  html`<p class="actions">
    ${versions(app)
      .toReversed()
      .map(
        (version, index) =>
          html`<a class="button second" href="${address(app, version)}">${linkTo(version, index === 0)}</a>`
      )}
  </p>`

const page = asReviewer((visitor) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const { app, developer, purposes } = yield* inspectApp(visitor.account, yield* appId)
    const requested = (yield* Form.query).value("version")
    const version = versions(app).find((one) => one === requested) ?? ConsentPreview.firstVersion(app)
    const shown = ConsentPreview.of(app, version, developer.displayName, purposes, yield* Timestamp.now)
    const tab = (one: ConsentPreview.Version) =>
      html`<a href="${address(app, one)}" ${one === version && new Html(' aria-current="page"')}>${NAMES[one]}</a>`
    return yield* respond({
      title: words.title(app.name),
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      width: "middle",
      main: html`<p><a href="${REVIEW}">${texts.review.title}</a> · <a href="${reviewPath(app)}">${app.name}</a></p>
        <nav class="tabs" aria-label="${words.versions}">${versions(app).map(tab)}</nav>
        ${Option.match(shown, {
          onNone: () => html`<p class="empty">${words.noRedirect}</p>`,
          onSome: (preview) => framed(preview, visitor, portalPath(options))
        })}`
    })
  })
)

const framed = (
  { hidden, origins, review }: ConsentPreview.ConsentPreview,
  visitor: Visitor.Visitor,
  portal: string
): Html =>
  html`<div class="note">
      <p>${words.explained}</p>
      ${
        origins.length > 1 &&
        html`<p>${words.origins}</p>
          <ul class="plain">
            ${origins.map((origin) => html`<li><code>${origin}</code></li>`)}
          </ul>`
      }
      ${
        hidden.length > 0 &&
        html`<p>${words.hidden}</p>
          ${scopeList(hidden)}`
      }
    </div>
    <fieldset class="preview" disabled>
      ${withoutLinks(
        consentView.page({
          review,
          account: visitor.account,
          action: "",
          formToken: "",
          portalPath: portal,
          readers: [],
          choices: undefined,
          problems: [],
          warning: null,
          newPlace: null
        })
      )}
    </fieldset>`

/**
 * Disables the links of the preview, because a disabled fieldset disables only controls. Nobody has checked yet where
 * the proposed web page leads, and the other links lead to pages of the reviewer's own account.
 */
const withoutLinks = (page: Html): Html =>
  new Html((locale) => page.in(locale).replaceAll(/<a href="[^"]*"/g, '<a role="link" aria-disabled="true"'))

export const routes = [Routes.get(`${REVIEW}/apps/:app/consent`, page)]
