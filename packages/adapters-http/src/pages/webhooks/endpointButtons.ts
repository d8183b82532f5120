import { sendTest, type TestResult } from "@place-access/domain/deliveries"
import {
  endPreviousSecrets,
  listEndpoints,
  removeEndpoint,
  replaceSecret,
  rotateSecret,
  updateEndpoint,
  type WebhookEndpoint
} from "@place-access/domain/endpoints"
import type { Event } from "@place-access/domain/events"
import { EndpointId, Timestamp } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import { addOnce } from "../addOnce.js"
import { appPath, DEVELOPER, ownApp, type TeamApp } from "../developer/shared.js"
import type * as Form from "../kit/Form.js"
import { seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Removal from "../kit/Removal.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { TEST_TYPES } from "./endpointCard.js"
import { ownEndpoint, page } from "./webhook.js"
import { list, secretPage } from "./webhooks.js"

const words = texts.webhooks.endpoint

/**
 * The handler of a button of one endpoint. It checks the form's token, finds the app that the address names, checks
 * that the visitor may develop the app, and reads the endpoint's id from the address. `act` must find out whether the
 * app has an endpoint with this id.
 */
const onEndpoint =
  <A, E, R>(act: (visitor: Visitor.Visitor, app: TeamApp, id: EndpointId, form: Form.Form) => Effect.Effect<A, E, R>) =>
  (visitor: Visitor.Visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const app = yield* ownApp(visitor, "develop")
      return yield* act(visitor, app, yield* param("endpoint", EndpointId, "endpoint"), form)
    })

/**
 * Whether the person pressed the button on the endpoint's own page. Otherwise the button was on the tab with all
 * endpoints.
 */
const isOnOwnPage = (form: Form.Form): boolean => form.value("on_page") === "endpoint"

/** The address of the page on which the person pressed the button. */
const pageOf = (app: TeamApp, id: EndpointId, form: Form.Form): string =>
  `${appPath(app)}/webhooks${isOnOwnPage(form) ? `/${id}` : ""}`

/** Redirects to the page with the button, which shows the notice `done`. */
const back = (app: TeamApp, id: EndpointId, form: Form.Form, done: string) =>
  seeOther(`${pageOf(app, id, form)}?done=${done}`)

/**
 * What `addOnce` stores about a new secret. When the browser sends the same form again, the service makes the same
 * answer from these values and makes no second secret.
 */
const Kept = Schema.Struct({ secret: Schema.String, madeAt: Schema.NullOr(Timestamp.Timestamp) })

/** When the newest secret was made. */
const madeAt = ({ secrets }: WebhookEndpoint.WebhookEndpoint) => secrets[0]?.createdAt ?? null

const newSecret = (action: string, make: typeof rotateSecret) =>
  Visitor.signedIn(
    onEndpoint((visitor, app, id, form) =>
      Effect.gen(function* () {
        const count = RateOfAccount.take(RateOfAccount.NEW_SECRET, visitor.account.id)
        const add = Effect.map(make(visitor.account, app.id, id), ({ endpoint, secret }) => ({
          secret,
          madeAt: madeAt(endpoint)
        }))
        const made = yield* addOnce(visitor, form, { typed: [action, app.id, id], kept: Kept, add, count })
        const endpoint = (yield* listEndpoints(visitor.account, app.id)).find((one) => one.id === id)
        // When the form was sent again, the endpoint may have been removed in between, or may have a newer secret. Then
        // the page cannot show the secret.
        return endpoint === undefined || madeAt(endpoint) !== made.madeAt
          ? seeOther(`${appPath(app)}/webhooks`)
          : yield* secretPage(visitor, pageOf(app, id, form), endpoint.url, made.secret)
      })
    )
  )

const endPrevious = Visitor.signedIn(
  onEndpoint((visitor, app, id, form) =>
    Effect.as(endPreviousSecrets(visitor.account, app.id, id), back(app, id, form, "secrets-ended"))
  )
)

const enable = Visitor.signedIn(
  onEndpoint((visitor, app, id, form) =>
    Effect.as(
      updateEndpoint(visitor.account, app.id, id, { enabled: true }, "unchecked"),
      back(app, id, form, "endpoint-changed")
    )
  )
)

const remove = Visitor.signedIn(
  onEndpoint((visitor, app, id) =>
    Effect.as(
      Removal.once("endpoint", removeEndpoint(visitor.account, app.id, id)),
      seeOther(`${appPath(app)}/webhooks?done=endpoint-removed`)
    )
  )
)

/** A form without a type, or with an unknown type, sends a `ping`. */
const typeOf = (form: Form.Form): Event.EventType => TEST_TYPES.find((type) => type === form.value("type")) ?? "ping"

const result = ({ delivered, detail }: TestResult): Html =>
  html`<div class="note${delivered ? "" : " warn"}" role="status">
    <p><strong>${delivered ? words.tested : words.notTested}</strong> ${ofDomain(detail)}</p>
  </div>`

/**
 * Tests an endpoint. The answer is the page itself and not a redirect: the result is a text, and the address of a page
 * must not contain a text that the page shows.
 */
const test = Visitor.signedIn(
  onEndpoint((visitor, app, id, form) =>
    Effect.gen(function* () {
      yield* RateOfAccount.take(RateOfAccount.TEST, visitor.account.id)
      const above = result(yield* sendTest(visitor.account, app.id, id, typeOf(form)))
      if (!isOnOwnPage(form)) return yield* list(visitor, app, { above })
      const { endpoint } = yield* ownEndpoint(visitor)
      return yield* page(visitor, app, endpoint, { above })
    })
  )
)

const ENDPOINT = `${DEVELOPER}/apps/:app/webhooks/:endpoint`

export const routes = [
  Routes.post(`${ENDPOINT}/rotate-secret`, newSecret("rotate-secret", rotateSecret)),
  Routes.post(`${ENDPOINT}/replace-secret`, newSecret("replace-secret", replaceSecret)),
  Routes.post(`${ENDPOINT}/end-previous-secrets`, endPrevious),
  Routes.post(`${ENDPOINT}/enable`, enable),
  Routes.post(`${ENDPOINT}/remove`, remove),
  Routes.post(`${ENDPOINT}/test`, test)
]
