import type { App } from "@place-access/domain/apps"
import { ConsentPreview } from "@place-access/domain/consent"
import { inspectApp } from "@place-access/domain/staff"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { HttpOptions, portalPath } from "../../HttpOptions.js"
import * as consentView from "../consent/consentView.js"
import * as Form from "../kit/Form.js"
import { Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { appId, asReviewer, REVIEW, reviewPath, scopeList } from "./shared.js"
import * as Visitor from "../kit/Visitor.js"

/** The consent page as users will see it, for a reviewer. It is the same view; only its controls are off. */

const NAMES: Readonly<Record<ConsentPreview.Version, string>> = { in_force: "In force", proposed: "If you approve" }

const address = (app: Pick<App.App, "id">, version: ConsentPreview.Version): string =>
  `${reviewPath(app)}/consent?version=${version}`

/** The versions that users see or will see. */
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
          html`<a class="button second" href="${address(app, version)}"
            >${index === 0 ? "The consent page" : "Consent page"}: ${NAMES[version].toLowerCase()}</a
          >`
      )}
  </p>`

const page = asReviewer((visitor) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const { app, developer, purposes } = yield* inspectApp(visitor.account, yield* appId)
    const asked = (yield* Form.query).value("version")
    const version = versions(app).find((one) => one === asked) ?? ConsentPreview.firstVersion(app)
    const shown = ConsentPreview.of(app, version, developer.displayName, purposes, yield* Timestamp.now)
    const tab = (one: ConsentPreview.Version) =>
      html`<a href="${address(app, one)}" ${one === version && new Html(' aria-current="page"')}>${NAMES[one]}</a>`
    return respond({
      title: `Consent page of ${app.name}`,
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      width: "middle",
      main: html`<p><a href="${REVIEW}">Review</a> · <a href="${reviewPath(app)}">${app.name}</a></p>
        <nav class="tabs" aria-label="Versions of the consent page">${versions(app).map(tab)}</nav>
        ${Option.match(shown, {
          onNone: () => html`<p class="empty">The app has no redirect URI, so it cannot ask users yet.</p>`,
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
      <p>
        This is the page for a user who was never connected, when the app asks for everything that it may. Nothing on it
        can be pressed. The account is yours; the places are examples.
      </p>
      ${
        origins.length > 1 &&
        html`<p>The app can send users back to each of these; the page shows the one that it asks for:</p>
          <ul class="plain">
            ${origins.map((origin) => html`<li><code>${origin}</code></li>`)}
          </ul>`
      }
      ${
        hidden.length > 0 &&
        html`<p>Not on the page, because no approved purpose covers it, or because an admin took it away:</p>
          ${scopeList(hidden)}`
      }
    </div>
    <fieldset class="preview" disabled>
      ${consentView.page({
        review,
        account: visitor.account,
        action: "",
        formToken: "",
        portalPath: portal,
        choices: undefined,
        problems: [],
        outdated: false,
        newPlace: null
      })}
    </fieldset>`

export const routes = [Routes.get(`${REVIEW}/apps/:app/consent`, page)]
