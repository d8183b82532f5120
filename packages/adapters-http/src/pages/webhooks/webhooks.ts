import {
  createEndpoint,
  type EndpointHeader,
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
import { WebhookSender } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { EndpointFigures, readEndpointHealth } from "@place-access/domain/figures"
import { EndpointId, Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { lookUpBefore } from "../../idempotency/lookUpBefore.js"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import type { FieldProblem } from "../../wire/Issues.js"

import { addOnce } from "../addOnce.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html, type Value } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Removal from "../kit/Removal.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import * as Failures from "./endpointFigures.js"
import { boxes } from "./eventBoxes.js"
import * as HeaderFields from "./headerFields.js"
import { appHead, appPath, DEVELOPER, ownApp, may, type TeamApp } from "../developer/shared.js"
import { standingBadge, strikeMeter, strikeNote } from "./strikes.js"

const words = texts.webhooks

export const LABELS = { ...words.labels, ...HeaderFields.LABELS }

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
  app: TeamApp,
  { above, form = Fields.fresh(), ticked = [] }: RejectedForm = {}
) =>
  Effect.gen(function* () {
    const endpoints = yield* listEndpoints(visitor.account, app.id)
    const health = yield* readEndpointHealth(visitor.account, app.id)
    const healthOf = (id: EndpointId) => health.get(id) ?? EndpointFigures.UNKNOWN
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    const now = yield* Timestamp.now
    return yield* respond({
      title: words.titleOf(app.name),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: form.problems.length === 0 ? 200 : 400,
      main: html`${appHead(app, "/webhooks")}
      ${form.problems.length === 0 && above === undefined && notice(query.value("done"))} ${above}
      ${Fields.problems(form, LABELS)}
      ${
        endpoints.length === 0
          ? html`<p class="empty">${words.empty}</p>`
          : html`<ul class="plain">
              ${endpoints.map((endpoint) => card(app, endpoint, healthOf(endpoint.id), token, now))}
            </ul>`
      }
      ${
        may(app, "develop") &&
        (endpoints.length < WebhookEndpoint.MAX_PER_APP
          ? html`<section class="card" aria-labelledby="new">
              <h2 id="new">${words.add}</h2>
              <form method="post" action="${appPath(app)}/webhooks">
                ${Fields.hidden("form_token", token)}${yield* Visitor.onceField}${fields(form, ticked)}<button>
                  ${words.addEndpoint}
                </button>
              </form>
            </section>`
          : html`<p class="soft">${words.noMore(WebhookEndpoint.MAX_PER_APP)}</p>`)
      }${may(app, "develop") && onThisMachine(app, (yield* HttpOptions).baseUrl)}`
    })
  })

/** The example of an address at which a developer's receiver listens. */
const RECEIVER = "http://localhost:3000/webhooks"

/** Help for developers whose receiver still runs on their own machine. */
const onThisMachine = (app: TeamApp, service: string): Html =>
  html`<section aria-labelledby="local">
    <h2 id="local">${words.local.heading}</h2>
    <p>${words.local.text}</p>
    <code class="secret">npm run listen -- --service ${service} --app ${app.id} --forward ${RECEIVER}</code>
  </section>`

const DESCRIPTION = {
  name: "description",
  label: LABELS.description,
  hint: words.hints.description,
  required: false,
  maxlength: 200
}

/** The fields for a new endpoint and for a change. */
export const fields = (
  form: Fields.Shown,
  ticked: ReadonlyArray<string>,
  headers: ReadonlyArray<EndpointHeader.EndpointHeader> = [],
  removed: ReadonlyArray<string> = []
): Html =>
  html` ${Fields.input(form, { name: "url", label: LABELS.url, type: "url", hint: words.hints.url, maxlength: 2048 })}
  ${boxes(form, ticked)} ${Fields.input(form, DESCRIPTION)} ${HeaderFields.fields(form, headers, removed)}`

/** The events that a test can send. `ping` comes first, because the receiver has nothing to do for it. */
const TEST_TYPES = ["ping", ...Event.EventType.literals.filter((type) => type !== "ping")] as const

const card = (
  app: TeamApp,
  endpoint: WebhookEndpoint.WebhookEndpoint,
  health: EndpointFigures.EndpointHealth,
  token: string,
  now: Timestamp.Timestamp
): Html => {
  const own = words.endpoint
  const edits = may(app, "develop")
  const earlierUntil = SigningSecret.previousUntil(endpoint.secrets, now)
  const path = `${appPath(app)}/webhooks/${endpoint.id}`
  const button = (action: string, kind: "first" | "second" | "danger", text: Html) =>
    html`<form method="post" action="${path}/${action}">
      ${Fields.hidden("form_token", token)}<button class="${kind}">${text}</button>
    </form>`
  return html`<li class="card" id="${endpoint.id}">
    <header>
      <h2 class="code">${endpoint.url}</h2>
      ${standingBadge(endpoint, health)}
    </header>
    ${strikeNote(app, endpoint)} ${endpoint.disabledAt === null && Failures.failure(health)}
    <dl>
      ${
        endpoint.description !== null &&
        html`<dt>${own.description}</dt>
          <dd>${endpoint.description}</dd>`
      }
      <dt>${own.events}</dt>
      <dd>${endpoint.events.length === 0 ? own.allEvents : endpoint.events.join(", ")}</dd>
      ${
        endpoint.headers.length > 0 &&
        html`<dt>${words.headers.heading}</dt>
          <dd>${endpoint.headers.map(({ name }) => html`<code>${name}</code> `)}</dd>`
      }
      <dt>${own.id}</dt>
      <dd><code>${endpoint.id}</code></dd>
      <dt>${own.failures}</dt>
      <dd>${strikeMeter(endpoint)}</dd>
    </dl>
    <div class="actions">
      ${edits && endpoint.disabledAt !== null && button("enable", "first", own.enable)}${edits && html`<a class="button second" href="${path}" aria-label="${own.changeOf(endpoint.url)}">${own.change}</a>`}<a
        class="button second"
        href="${appPath(app)}/deliveries?endpoint=${endpoint.id}"
        >${own.deliveries}</a
      >
    </div>
    ${
      edits &&
      html`<form method="post" action="${path}/test">
          ${Fields.hidden("form_token", token)}
          <div class="field">
            <label for="type-${endpoint.id}">${own.testType}</label>
            <p class="hint" id="type-hint-${endpoint.id}">${own.testHint}</p>
            <select id="type-${endpoint.id}" name="type" aria-describedby="type-hint-${endpoint.id}">
              ${TEST_TYPES.map((type) => html`<option value="${type}">${type}</option>`)}
            </select>
          </div>
          <button class="second">${own.test}</button>
        </form>
        <details>
          <summary>${own.newSecret}</summary>
          <div>
            ${
              earlierUntil !== null &&
              html`<p>${own.earlierSigns(time(earlierUntil))}</p>
                ${button("end-previous-secrets", "danger", own.endEarlier)}`
            }
            <p>${own.rotateText}</p>
            ${button("rotate-secret", "second", own.rotate)}
            <p>${own.replaceText}</p>
            ${button("replace-secret", "danger", own.replace)}
          </div>
        </details>
        ${
          endpoint.disabledAt === null &&
          html`<details>
            <summary>${own.recover}</summary>
            <form method="post" action="${path}/recover">
              ${Fields.hidden("form_token", token)}
              <p>${own.recoverText}</p>
              <div class="field">
                <label for="since-${endpoint.id}">${own.recoverSince}</label>
                <input type="date" id="since-${endpoint.id}" name="since" required />
              </div>
              <button class="second">${own.recoverButton}</button>
            </form>
          </details>`
        }
        <details>
          <summary>${own.remove}</summary>
          <div>
            <p>${own.removeText}</p>
            ${button("remove", "danger", own.removeButton)}
          </div>
        </details>`
    }
  </li>`
}

const secretPage = (visitor: Visitor.Visitor, app: TeamApp, url: string, secret: string) =>
  Effect.flatMap(Visitor.reader(visitor), (reader) =>
    respond({
      title: words.secret.title,
      reader,
      current: DEVELOPER,
      width: "middle",
      main: html`<h1>${words.secret.title}</h1>
        <div class="note warn">
          <p>${words.secret.shownOnce}</p>
        </div>
        <section class="card" aria-labelledby="secret">
          <h2 id="secret">${words.secret.secret}</h2>
          <code class="secret" data-testid="signing-secret">${secret}</code>
          <dl>
            <dt>${words.secret.endpoint}</dt>
            <dd><code>${url}</code></dd>
            <dt>${words.secret.header}</dt>
            <dd><code>X-Service-Signature: t=…,v1=…</code></dd>
            <dt>${words.secret.signed}</dt>
            <dd>${words.secret.signedText}</dd>
          </dl>
        </section>
        <p><a class="button" href="${appPath(app)}/webhooks">${words.secret.kept}</a></p>`
    })
  )

const show = Visitor.signedIn((visitor) => Effect.flatMap(ownApp(visitor, "read"), (app) => list(visitor, app)))

/** What is kept of a new endpoint for a repeated form. */
const Kept = Schema.Struct({ endpoint: Schema.Struct({ id: EndpointId }), secret: Schema.String })

const add = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const again = (problems: Fields.Shown["problems"]) =>
      list(visitor, app, { form: Form.shown(form, problems), ticked: form.all("events") })
    const draft = yield* decoded(typed(form))
    const headers = HeaderFields.changes(form)
    const problems = [...problemsOf(draft), ...problemsOf(headers)]
    if (Either.isLeft(draft) || Either.isLeft(headers)) return yield* again(problems)
    yield* RateOfAccount.take(RateOfAccount.WEBHOOK_ADDRESS, visitor.account.id)
    const input = { ...draft.right, headers: headers.right }
    const sender = Effect.flatMap(WebhookSender, (sender) => lookUpBefore(sender, input.url))
    const add = createEndpoint(visitor.account, app.id, input)
    return yield* addOnce(visitor, form, { typed: { ...input, headers: [...input.headers] }, kept: Kept, add }).pipe(
      Effect.provideServiceEffect(WebhookSender, sender),
      Effect.flatMap(({ endpoint: { id }, secret }) =>
        Effect.gen(function* () {
          const endpoints = yield* listEndpoints(visitor.account, app.id)
          const endpoint = endpoints.find((one) => one.id === id && WebhookEndpoint.hasFirstSecret(one))
          // The endpoint of a repeated form may have been removed meanwhile, or may have another secret.
          return endpoint === undefined
            ? seeOther(`${appPath(app)}/webhooks`)
            : yield* secretPage(visitor, app, endpoint.url, secret)
        })
      ),
      Effect.catchTags({
        Invalid: ({ problems }) => again(problems),
        Conflict: ({ reason }) => again([{ field: "url", message: words.cannotBeAdded(ofDomain(reason)) }])
      })
    )
  })
)

/** The problems of a part of a form that could not be decoded; an empty list for a valid part. */
export const problemsOf = (decoded: Either.Either<unknown, ReadonlyArray<FieldProblem>>): ReadonlyArray<FieldProblem> =>
  Either.isLeft(decoded) ? decoded.left : []

/**
 * The handler of a button of one endpoint. It checks the form's token, then looks up the app and the endpoint in the
 * address.
 */
const onEndpoint =
  <A, E, R>(act: (visitor: Visitor.Visitor, app: TeamApp, id: EndpointId, form: Form.Form) => Effect.Effect<A, E, R>) =>
  (visitor: Visitor.Visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const app = yield* ownApp(visitor, "develop")
      return yield* act(visitor, app, yield* param("endpoint", EndpointId, "endpoint"), form)
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
    Effect.as(
      Removal.once("endpoint", removeEndpoint(visitor.account, app.id, id)),
      seeOther(`${appPath(app)}/webhooks?done=endpoint-removed`)
    )
  )
)

/** A form without a type, or with an unknown type, sends a `ping`. */
const typeOf = (form: Form.Form): Event.EventType => TEST_TYPES.find((type) => type === form.value("type")) ?? "ping"

const test = Visitor.signedIn(
  onEndpoint((visitor, app, id, form) =>
    RateOfAccount.take(RateOfAccount.TEST, visitor.account.id).pipe(
      Effect.zipRight(sendTest(visitor.account, app.id, id, typeOf(form))),
      Effect.flatMap(({ delivered, detail }) =>
        list(visitor, app, {
          above: html`<div class="note${delivered ? "" : " warn"}" role="status">
            <p><strong>${delivered ? words.endpoint.tested : words.endpoint.notTested}</strong> ${ofDomain(detail)}</p>
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
