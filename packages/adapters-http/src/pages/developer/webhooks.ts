import {
  createEndpoint,
  endPreviousSecrets,
  listEndpoints,
  removeEndpoint,
  replaceSecret,
  rotateSecret,
  SigningSecret,
  updateEndpoint,
  WebhookEndpoint
} from "@place-access/domain/endpoints"
import { sendTest } from "@place-access/domain/deliveries"
import type { App } from "@place-access/domain/apps"
import { WebhookSender } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { EndpointId, Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { flag, type Html, html, type Value } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { appHead, appPath, DEVELOPER, ownApp } from "./shared.js"
import { standingBadge, strikeMeter, strikeNote } from "./strikes.js"

export const LABELS = { url: "Address", events: "Events", description: "Description" }

const Draft = Schema.Struct({
  url: Schema.String,
  events: Schema.Array(Event.Subscribable),
  description: Form.OrEmpty(WebhookEndpoint.EndpointDescription)
})

export const typed = (form: Form.Form) => ({
  url: form.value("url").trim(),
  events: form.all("events"),
  description: form.value("description").trim()
})

/** Decodes the posted form and checks the text of the address too, so that the page shows all problems at once. */
export const decoded = (posted: ReturnType<typeof typed>) =>
  Effect.map(WebhookSender, (sender) =>
    Either.mapLeft(Form.decode(Draft, posted), (problems) => {
      const message = sender.faultOf(posted.url)
      return message === undefined ? problems : [{ field: "url", message }, ...problems]
    })
  )

interface RejectedForm {
  readonly form?: Fields.Shown
  readonly ticked?: ReadonlyArray<string>
  /** The result of a test, above the form. */
  readonly above?: Value
}

const list = (
  visitor: Visitor.Visitor,
  app: App.App,
  { above, form = Fields.fresh(), ticked = [] }: RejectedForm = {}
) =>
  Effect.gen(function* () {
    const endpoints = yield* listEndpoints(visitor.account, app.id)
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    const now = yield* Timestamp.now
    return respond({
      title: `Webhooks of ${app.name}`,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: form.problems.length === 0 ? 200 : 400,
      main: html`${appHead(app, "/webhooks")}
      ${form.problems.length === 0 && above === undefined && notice(query.value("done"))} ${above}
      ${Fields.problems(form, LABELS)}
      ${
        endpoints.length === 0
          ? html`<p class="empty">No endpoint yet: nothing is sent to your app.</p>`
          : html`<ul class="plain">
              ${endpoints.map((endpoint) => card(app, endpoint, token, now))}
            </ul>`
      }
      ${
        endpoints.length < WebhookEndpoint.MAX_PER_APP
          ? html`<section class="card" aria-labelledby="new">
              <h2 id="new">Add an endpoint</h2>
              <form method="post" action="${appPath(app)}/webhooks">
                ${Fields.hidden("form_token", token)}${fields(form, ticked)}<button>Add endpoint</button>
              </form>
            </section>`
          : html`<p class="soft">
              An app can have ${WebhookEndpoint.MAX_PER_APP} endpoints. Remove one to add another.
            </p>`
      }${onThisMachine(app, (yield* HttpOptions).baseUrl)}`
    })
  })

/** Help for developers whose receiver still runs on their own machine. */
const onThisMachine = (app: App.App, service: string): Html =>
  html`<section aria-labelledby="local">
    <h2 id="local">On your own machine</h2>
    <p>
      While this runs, a program without a public address gets the same events, from a copy of this service's code. It
      asks for your password.
    </p>
    <code class="secret"
      >npm run listen -- --service ${service} --app ${app.id} --forward http://localhost:3000/webhooks</code
    >
  </section>`

/** The fields for a new endpoint and for a change. */
export const fields = (form: Fields.Shown, ticked: ReadonlyArray<string>): Html =>
  html` ${Fields.input(form, { name: "url", label: "Address", type: "url", hint: "An https address on a public host. We post events here, signed, and follow no redirect.", maxlength: 2048 })}
    <fieldset id="events">
      <legend>Events</legend>
      <p class="hint">Tick none to get all events, also types that are added later.</p>
      ${Fields.groupFault(form, "events", "Events")}
      <div class="choices">
        ${Event.SUBSCRIBABLE.map(
          (name) =>
            html`<div class="choice">
              <input
                type="checkbox"
                name="events"
                value="${name}"
                id="event-${name}"
                ${flag("checked", ticked.includes(name))}
              />
              <div>
                <label for="event-${name}"><code>${name}</code></label>
              </div>
            </div>`
        )}
      </div>
    </fieldset>
    ${Fields.input(form, { name: "description", label: "Description", hint: "Only you see it. Optional.", required: false, maxlength: 200 })}`

const card = (
  app: App.App,
  endpoint: WebhookEndpoint.WebhookEndpoint,
  token: string,
  now: Timestamp.Timestamp
): Html => {
  const earlierUntil = SigningSecret.previousUntil(endpoint.secrets, now)
  const path = `${appPath(app)}/webhooks/${endpoint.id}`
  const button = (action: string, kind: "first" | "second" | "danger", text: string) =>
    html`<form method="post" action="${path}/${action}">
      ${Fields.hidden("form_token", token)}<button class="${kind}">${text}</button>
    </form>`
  return html`<li class="card" id="${endpoint.id}">
    <header>
      <h2 class="code">${endpoint.url}</h2>
      ${standingBadge(endpoint)}
    </header>
    ${strikeNote(app, endpoint)}
    <dl>
      ${
        endpoint.description !== null &&
        html`<dt>Description</dt>
          <dd>${endpoint.description}</dd>`
      }
      <dt>Events</dt>
      <dd>${endpoint.events.length === 0 ? "All" : endpoint.events.join(", ")}</dd>
      <dt>Id</dt>
      <dd><code>${endpoint.id}</code></dd>
      <dt>Failures</dt>
      <dd>${strikeMeter(endpoint)}</dd>
    </dl>
    <div class="actions">
      ${endpoint.disabledAt !== null && button("enable", "first", "Enable")}${button("test", "second", "Send a test")}<a
        class="button second"
        href="${path}"
        aria-label="Change ${endpoint.url}"
        >Change</a
      ><a class="button second" href="${appPath(app)}/deliveries?endpoint=${endpoint.id}">Deliveries</a>
    </div>
    <details>
      <summary>New signing secret</summary>
      <div>
        ${
          earlierUntil !== null &&
          html`<p>
              An earlier secret signs too, until ${time(earlierUntil)}. When you end it, deliveries carry the newest
              signature alone. A receiver that still checks an earlier one refuses them, and they are retried. This
              cannot be undone.
            </p>
            ${button("end-previous-secrets", "danger", "End the earlier secrets now")}`
        }
        <p>The old secret stays valid for another 24 hours: each delivery then carries both signatures.</p>
        ${button("rotate-secret", "second", "Issue a new secret")}
        <p>
          If somebody else may have the secret, end it at once. Deliveries that wait are signed with the new secret
          alone: until your receiver has it, it refuses them, and they are retried. This cannot be undone.
        </p>
        ${button("replace-secret", "danger", "Replace the secret now")}
      </div>
    </details>
    ${
      endpoint.disabledAt === null &&
      html`<details>
        <summary>Send again what failed</summary>
        <form method="post" action="${path}/recover">
          ${Fields.hidden("form_token", token)}
          <p>
            Sends every failed event that was not sent again yet, the oldest first. This never counts for or against the
            endpoint.
          </p>
          <div class="field">
            <label for="since-${endpoint.id}">Since the beginning of (UTC)</label>
            <input type="date" id="since-${endpoint.id}" name="since" required />
          </div>
          <button class="second">Send again</button>
        </form>
      </details>`
    }
    <details>
      <summary>Remove this endpoint</summary>
      <div>
        <p>Deliveries that wait for this endpoint fail. This cannot be undone.</p>
        ${button("remove", "danger", "Remove endpoint")}
      </div>
    </details>
  </li>`
}

const secretPage = (visitor: Visitor.Visitor, app: App.App, url: string, secret: string) =>
  Effect.map(Visitor.reader(visitor), (reader) =>
    respond({
      title: "Signing secret",
      reader,
      current: DEVELOPER,
      width: "middle",
      main: html`<h1>Signing secret</h1>
        <div class="note warn">
          <p><strong>This is shown once.</strong> With it your app checks that a delivery came from us.</p>
        </div>
        <section class="card" aria-labelledby="secret">
          <h2 id="secret">Secret</h2>
          <code class="secret" data-testid="signing-secret">${secret}</code>
          <dl>
            <dt>Endpoint</dt>
            <dd><code>${url}</code></dd>
            <dt>Header</dt>
            <dd><code>X-Service-Signature: t=…,v1=…</code></dd>
            <dt>Signed</dt>
            <dd><code>t + "." + body</code> with HMAC-SHA256, the secret’s text being the key</dd>
          </dl>
        </section>
        <p><a class="button" href="${appPath(app)}/webhooks">I have kept it</a></p>`
    })
  )

const show = Visitor.signedIn((visitor) => Effect.flatMap(ownApp(visitor), (app) => list(visitor, app)))

const add = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor)
    const again = (problems: ReadonlyArray<FieldProblem>) =>
      list(visitor, app, { form: Form.shown(form, problems), ticked: form.all("events") })
    const draft = yield* decoded(typed(form))
    if (Either.isLeft(draft)) return yield* again(draft.left)
    return yield* createEndpoint(visitor.account, app.id, draft.right).pipe(
      Effect.flatMap(({ endpoint, secret }) => secretPage(visitor, app, endpoint.url, secret)),
      Effect.catchTags({
        Invalid: ({ problems }) => again(problems),
        Conflict: ({ reason }) => again([{ field: "url", message: `cannot be added: ${reason}` }])
      })
    )
  })
)

/**
 * The handler of a button of one endpoint. It checks the form's token, then looks up the app and the endpoint in the
 * address.
 */
const onEndpoint =
  <A, E, R>(act: (visitor: Visitor.Visitor, app: App.App, id: EndpointId) => Effect.Effect<A, E, R>) =>
  (visitor: Visitor.Visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const app = yield* ownApp(visitor)
      return yield* act(visitor, app, yield* param("endpoint", EndpointId, "endpoint"))
    })

const rotate = Visitor.signedIn(
  onEndpoint((visitor, app, id) =>
    Effect.flatMap(rotateSecret(visitor.account, app.id, id), ({ endpoint, secret }) =>
      secretPage(visitor, app, endpoint.url, secret)
    )
  )
)

const replace = Visitor.signedIn(
  onEndpoint((visitor, app, id) =>
    Effect.flatMap(replaceSecret(visitor.account, app.id, id), ({ endpoint, secret }) =>
      secretPage(visitor, app, endpoint.url, secret)
    )
  )
)

const endPrevious = Visitor.signedIn(
  onEndpoint((visitor, app, id) =>
    Effect.as(endPreviousSecrets(visitor.account, app.id, id), seeOther(`${appPath(app)}/webhooks?done=secrets-ended`))
  )
)

const enable = Visitor.signedIn(
  onEndpoint((visitor, app, id) =>
    Effect.as(
      updateEndpoint(visitor.account, app.id, id, { enabled: true }),
      seeOther(`${appPath(app)}/webhooks?done=endpoint-changed`)
    )
  )
)

const remove = Visitor.signedIn(
  onEndpoint((visitor, app, id) =>
    Effect.as(removeEndpoint(visitor.account, app.id, id), seeOther(`${appPath(app)}/webhooks?done=endpoint-removed`))
  )
)

const test = Visitor.signedIn(
  onEndpoint((visitor, app, id) =>
    RateOfAccount.take(RateOfAccount.TEST, visitor.account.id).pipe(
      Effect.zipRight(sendTest(visitor.account, app.id, id)),
      Effect.flatMap(({ delivered, detail }) =>
        list(visitor, app, {
          above: html`<div class="note${delivered ? "" : " warn"}" role="status">
            <p><strong>${delivered ? "The test was delivered." : "The test was not delivered."}</strong> ${detail}</p>
          </div>`
        })
      )
    )
  )
)

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app/webhooks`, show),
  Routes.post(`${DEVELOPER}/apps/:app/webhooks`, add),
  Routes.post(`${DEVELOPER}/apps/:app/webhooks/:endpoint/rotate-secret`, rotate),
  Routes.post(`${DEVELOPER}/apps/:app/webhooks/:endpoint/replace-secret`, replace),
  Routes.post(`${DEVELOPER}/apps/:app/webhooks/:endpoint/end-previous-secrets`, endPrevious),
  Routes.post(`${DEVELOPER}/apps/:app/webhooks/:endpoint/enable`, enable),
  Routes.post(`${DEVELOPER}/apps/:app/webhooks/:endpoint/remove`, remove),
  Routes.post(`${DEVELOPER}/apps/:app/webhooks/:endpoint/test`, test)
]
