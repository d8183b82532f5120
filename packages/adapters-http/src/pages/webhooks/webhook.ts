import { listEndpoints, updateEndpoint, type WebhookEndpoint } from "@place-access/domain/endpoints"
import { readEndpointFigures } from "@place-access/domain/figures"
import { EndpointId, NotFound, Timestamp } from "@place-access/domain/shared"
import { Effect, Either } from "effect"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import * as Figures from "./endpointFigures.js"
import * as Outdated from "../developer/outdated.js"
import { appHead, appPath, DEVELOPER, ownApp, type TeamApp } from "../developer/shared.js"
import { controls } from "./endpointCard.js"
import { notice } from "../portal/notices.js"
import { standingBadge } from "./strikes.js"
import * as HeaderFields from "./headerFields.js"
import { decoded, fields, LABELS, typed } from "./webhooks.js"

const words = texts.webhooks.edit

/** The endpoint that the address names. Fails with `NotFound` when the app has no such endpoint. */
export const ownEndpoint = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor, "develop")
    const id = yield* param("endpoint", EndpointId, "endpoint")
    const endpoint = (yield* listEndpoints(visitor.account, app.id)).find((one) => one.id === id)
    return endpoint === undefined ? yield* new NotFound({ what: "endpoint" }) : { app, endpoint }
  })

interface RejectedForm {
  readonly form: Fields.Shown
  readonly ticked: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly status?: 409
}

/** The page of one endpoint: figures about its deliveries, its buttons, and the form that changes the endpoint. */
export const page = (
  visitor: Visitor.Visitor,
  app: TeamApp,
  endpoint: WebhookEndpoint.WebhookEndpoint,
  /**
   * `rejected`: the posted form, which has mistakes or is outdated. `above`: the result of a test, which the page shows
   * above the form.
   */
  { above, rejected }: { readonly rejected?: RejectedForm; readonly above?: Html } = {}
) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    const once = yield* Visitor.onceField
    const query = yield* Form.query
    const now = yield* Timestamp.now
    const { description, events, id, url } = endpoint
    const figures = yield* readEndpointFigures(visitor.account, app.id, id)
    const form =
      rejected?.form ?? Fields.fresh({ url, description: description ?? "", ...Outdated.shownEndpoint(endpoint) })
    return yield* respond({
      title: words.titleOf(app.name),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: rejected === undefined ? 200 : (rejected.status ?? 400),
      main: html`${appHead(app, "/webhooks")} ${rejected === undefined && (above ?? notice(query.value("done")))}
      ${Fields.problems(form, LABELS)}
      ${rejected === undefined && html`${Figures.section(figures)} ${controls(app, endpoint, { now, once, token })}`}
      ${
        app.revokedAt === null
          ? html`<section class="card" aria-labelledby="change">
              <header>
                <h2 id="change">${words.heading}</h2>
                ${standingBadge(endpoint, figures.health)}
              </header>
              <p>${words.text(url)}</p>
              <form method="post" action="${appPath(app)}/webhooks/${id}">
                ${yield* Visitor.tokenFields(visitor)}
                ${["was_url", "was_events", "was_description"].map((name) => Fields.hidden(name, form.values(name)))}
                ${fields(form, rejected?.ticked ?? events, endpoint.headers, rejected?.removed)}
                <div class="actions">
                  <button>${words.save}</button>
                  <a class="button second" href="${appPath(app)}/webhooks">${words.cancel}</a>
                </div>
              </form>
            </section>`
          : html`<p class="soft">${texts.webhooks.revoked}</p>`
      }`
    })
  })

const show = Visitor.signedIn((visitor) =>
  Effect.flatMap(ownEndpoint(visitor), ({ app, endpoint }) => page(visitor, app, endpoint))
)

const edit = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const { app, endpoint } = yield* ownEndpoint(visitor)
    const posted = typed(form)
    const showAgain = (problems: ReadonlyArray<FieldProblem>) =>
      page(visitor, app, endpoint, {
        rejected: { form: Form.shown(form, problems), ticked: posted.events, removed: HeaderFields.removed(form) }
      })
    const draft = yield* decoded(form)
    if (Either.isLeft(draft)) return yield* showAgain(draft.left)
    const shown = {
      url: form.value("was_url"),
      events: form.value("was_events").split(" "),
      description: form.value("was_description") === "" ? null : form.value("was_description")
    }
    // When nobody set or removed a header in the form, the change has no list of headers. An empty list would remove
    // all headers if the form also changes the origin of the address.
    const headers = draft.right.headers.size === 0 ? undefined : draft.right.headers
    const change = { ...draft.right, headers }
    yield* RateOfAccount.take(RateOfAccount.WEBHOOK_ADDRESS, visitor.account.id)
    return yield* updateEndpoint(visitor.account, app.id, endpoint.id, change, shown).pipe(
      Effect.as(seeOther(`${appPath(app)}/webhooks?done=endpoint-changed`)),
      Effect.catchTag("Invalid", ({ problems }) => showAgain(problems)),
      Effect.catchIf(Form.isOutdated, () =>
        Effect.flatMap(ownEndpoint(visitor), (now) =>
          page(visitor, now.app, now.endpoint, {
            rejected: {
              ...Outdated.ofEndpoint(form, posted, now.endpoint),
              removed: HeaderFields.removed(form),
              status: 409
            }
          })
        )
      )
    )
  }).pipe(
    Visitor.showingAgain(visitor, (form, posted) =>
      Effect.flatMap(ownEndpoint(visitor), ({ app, endpoint }) =>
        page(visitor, app, endpoint, {
          rejected: { form, ticked: posted.all("events"), removed: HeaderFields.removed(posted) }
        })
      )
    )
  )
)

const ENDPOINT = `${DEVELOPER}/apps/:app/webhooks/:endpoint`

export const routes = [Routes.get(ENDPOINT, show), Routes.post(ENDPOINT, edit)]
