import { App, createApp, listApps } from "@place-access/domain/apps"
import { AppId, Scope } from "@place-access/domain/shared"
import { listInvitations } from "@place-access/domain/teams"
import { Effect, Either, Schema } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import { addOnce } from "../addOnce.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { waiting } from "./invitations.js"
import { appPath, DEVELOPER, scopeBoxes, statusBadge } from "./shared.js"

const words = texts.developer.apps
const { parts, yourApps } = texts.developer

export const LABELS = {
  name: parts.name,
  description: parts.description,
  homepage_url: parts.homepage,
  scopes: parts.scopes
}

/** The fields of an app's form, for a new app and for a change. */
export const Draft = Schema.Struct({
  name: App.AppName,
  description: App.AppDescription,
  homepage_url: Form.OrEmpty(App.HomepageUrl),
  scopes: App.DeclaredScopes
})

export const typed = (form: Form.Form) => ({
  name: form.value("name"),
  description: form.value("description"),
  homepage_url: form.value("homepage_url").trim(),
  scopes: form.all("scopes")
})

const HOMEPAGE = {
  name: "homepage_url",
  label: LABELS.homepage_url,
  type: "url",
  hint: words.homepageHint,
  required: false,
  maxlength: 2048
} as const

export const fields = (form: Fields.Shown, ticked: ReadonlyArray<string>): Html =>
  html` ${Fields.input(form, { name: "name", label: LABELS.name, hint: words.nameHint, maxlength: 60 })}
  ${Fields.textarea(form, { name: "description", label: LABELS.description, hint: words.descriptionHint, maxlength: 500 })}
  ${Fields.input(form, HOMEPAGE)} ${scopeBoxes(form, "scopes", Scope.all, ticked, words.scopesHint)}`

const PAGE = 50

const list = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const cursor = query.value("cursor")
    const first = { limit: PAGE, cursor: undefined }
    const { apps, nextCursor } = yield* listApps(visitor.account, {
      ...first,
      cursor: cursor === "" ? undefined : cursor
    }).pipe(
      // When somebody has changed the cursor in the address, the page shows the beginning of the list.
      Effect.catchTag("Invalid", () => listApps(visitor.account, first))
    )
    return yield* respond({
      title: yourApps,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      main: html`<h1>${yourApps}</h1>
        <p class="lead">${words.lead}</p>
        ${notice(query.value("done"))}
        ${waiting(yield* listInvitations(visitor.account, (yield* HttpOptions).addressRule))}
        ${
          apps.length === 0
            ? html`<p class="empty">${words.empty}</p>`
            : html`<ul class="plain grid">
                ${apps.map(
                  (app) =>
                    html`<li class="card">
                      <header>
                        <h2><a href="${appPath(app)}">${app.name}</a></h2>
                        ${statusBadge(app)}
                      </header>
                      <p>${app.description}</p>
                      <p class="soft small">${words.created(time(app.createdAt))}</p>
                    </li>`
                )}
              </ul>`
        }
        <p class="actions">
          <a class="button" href="${DEVELOPER}/apps/new">${words.create}</a
          >${cursor !== "" && html`<a href="${DEVELOPER}">${words.oldest}</a>`}${nextCursor !== null && html`<a class="button second" href="${DEVELOPER}?cursor=${nextCursor}">${words.more}</a>`}
        </p>`
    })
  })
)

const STARTS_WITH: ReadonlyArray<string> = ["location.rules.place"]

const blank = (
  visitor: Visitor.Visitor,
  form: Fields.Shown = Fields.fresh(),
  ticked: ReadonlyArray<string> = STARTS_WITH
) =>
  Effect.gen(function* () {
    const hidden = html`${yield* Visitor.tokenFields(visitor)}${yield* Visitor.onceField}`
    return yield* respond({
      title: words.create,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      width: "middle",
      status: form.problems.length === 0 ? 200 : 400,
      main: html`<p><a href="${DEVELOPER}">${yourApps}</a></p>
        <h1>${words.create}</h1>
        <p class="lead">${words.createLead}</p>
        ${Fields.problems(form, LABELS)}
        <form class="card" method="post" action="${DEVELOPER}/apps">
          ${hidden}${fields(form, ticked)}<button>${words.createApp}</button>
        </form>`
    })
  })

/**
 * What `addOnce` stores about a new app. When the browser sends the same form again, the service makes the same
 * answer from these values and adds no second app.
 */
const Kept = Schema.Struct({ id: AppId })

const create = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const draft = Form.decode(Draft, typed(form))
    if (Either.isLeft(draft)) return yield* blank(visitor, Form.shown(form, draft.left), form.all("scopes"))
    const { description, homepage_url: homepageUrl, name, scopes } = draft.right
    const count = RateOfAccount.take(RateOfAccount.CREATION, visitor.account.id)
    const add = createApp(visitor.account, { name, description, homepageUrl, scopes })
    return yield* addOnce(visitor, form, { typed: draft.right, kept: Kept, add, count }).pipe(
      Effect.map((app) => seeOther(`${appPath(app)}?done=app-created`)),
      Effect.catchTag("Conflict", ({ reason }) =>
        blank(
          visitor,
          Form.shown(form, [{ field: "name", message: words.cannotBeUsed(ofDomain(reason)) }]),
          form.all("scopes")
        )
      )
    )
  }).pipe(Visitor.showingAgain(visitor, (form, posted) => blank(visitor, form, posted.all("scopes"))))
)

export const routes = [
  Routes.get(DEVELOPER, list),
  Routes.get(
    `${DEVELOPER}/apps/new`,
    Visitor.signedIn((visitor) => blank(visitor))
  ),
  Routes.post(`${DEVELOPER}/apps`, create)
]
