import {
  createEndpoint,
  type EndpointHeader,
  listEndpoints,
  WebhookEndpoint,
  WebhookSender
} from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { EndpointFigures, readEndpointHealth } from "@place-access/domain/figures"
import { EndpointId, Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { lookUpBefore } from "../../idempotency/lookUpBefore.js"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import { listOf } from "../../wire/Fields.js"
import type { FieldProblem } from "../../wire/Issues.js"

import { addOnce } from "../addOnce.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html, type Value } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { card } from "./endpointCard.js"
import { boxes } from "./eventBoxes.js"
import * as HeaderFields from "./headerFields.js"
import { appHead, appPath, DEVELOPER, ownApp, may, type TeamApp } from "../developer/shared.js"

const words = texts.webhooks

export const LABELS = { ...words.labels, ...HeaderFields.LABELS }

const Draft = Schema.Struct({
  url: Schema.String,
  events: listOf(Event.Subscribable, Event.SUBSCRIBABLE.length),
  description: Form.OrEmpty(WebhookEndpoint.EndpointDescription)
})

export const typed = (form: Form.Form) => ({
  url: form.value("url").trim(),
  events: form.all("events"),
  description: form.value("description").trim()
})

/**
 * Decodes the posted form. When a field has a problem, this function also checks the text of the address by the rules
 * of the sender, so that the page shows the problems together. Otherwise the program that saves the endpoint checks the
 * address.
 */
export const decoded = (form: Form.Form) =>
  Effect.map(WebhookSender, (sender) => {
    const posted = typed(form)
    const draft = Form.decode(Draft, posted)
    const headers = HeaderFields.changes(form)
    if (Either.isRight(draft) && Either.isRight(headers))
      return Either.right({ ...draft.right, headers: headers.right })
    const message = sender.faultOf(posted.url)
    const ofUrl = message === undefined ? [] : [{ field: "url", message }]
    return Either.left([...ofUrl, ...problemsOf(draft), ...problemsOf(headers)])
  })

interface RejectedForm {
  readonly form?: Fields.Shown
  readonly ticked?: ReadonlyArray<string>
  /** The result of a test of an endpoint, which the page shows above the form. */
  readonly above?: Value
}

/** The tab with all endpoints of an app. */
export const list = (
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
    const once = yield* Visitor.onceField
    const tokens = yield* Visitor.tokenFields(visitor)
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
              ${endpoints.map((endpoint) => card(app, endpoint, healthOf(endpoint.id), { now, once, token }))}
            </ul>`
      }
      ${app.revokedAt !== null && html`<p class="soft">${words.revoked}</p>`}
      ${
        may(app, "develop") &&
        app.revokedAt === null &&
        (endpoints.length < WebhookEndpoint.MAX_PER_APP
          ? html`<section class="card" aria-labelledby="new">
              <h2 id="new">${words.add}</h2>
              <form method="post" action="${appPath(app)}/webhooks">
                ${tokens}${once}${fields(form, ticked)}<button>${words.addEndpoint}</button>
              </form>
            </section>`
          : html`<p class="soft">${words.noMore(WebhookEndpoint.MAX_PER_APP)}</p>`)
      }${may(app, "develop") && app.revokedAt === null && onThisMachine(app, (yield* HttpOptions).baseUrl)}`
    })
  })

/** The address in the examples, at which the receiver on a developer's machine listens. */
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

/** The fields of an endpoint, for the form of a new endpoint and for the form that changes an endpoint. */
export const fields = (
  form: Fields.Shown,
  ticked: ReadonlyArray<string>,
  headers: ReadonlyArray<EndpointHeader.EndpointHeader> = [],
  removed: ReadonlyArray<string> = []
): Html =>
  html` ${Fields.input(form, { name: "url", label: LABELS.url, type: "url", hint: words.hints.url, maxlength: 2048 })}
  ${boxes(form, ticked)} ${Fields.input(form, DESCRIPTION)} ${HeaderFields.fields(form, headers, removed)}`

/**
 * The page that shows a new signing secret. No later page shows this secret again. `to`: the page to which the button
 * leads.
 */
export const secretPage = (visitor: Visitor.Visitor, to: string, url: string, secret: string) =>
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
        <p><a class="button" href="${to}">${words.secret.kept}</a></p>`
    })
  )

const show = Visitor.signedIn((visitor) => Effect.flatMap(ownApp(visitor, "read"), (app) => list(visitor, app)))

/**
 * What `addOnce` stores about a new endpoint. When the browser sends the same form again, the service makes the same
 * answer from these values and adds no second endpoint.
 */
const Kept = Schema.Struct({ endpoint: Schema.Struct({ id: EndpointId }), secret: Schema.String })

const add = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const showAgain = (problems: Fields.Shown["problems"]) =>
      list(visitor, app, { form: Form.shown(form, problems), ticked: form.all("events") })
    const decodedForm = yield* decoded(form)
    if (Either.isLeft(decodedForm)) return yield* showAgain(decodedForm.left)
    const input = decodedForm.right
    const sender = yield* Effect.cached(Effect.flatMap(WebhookSender, (sender) => lookUpBefore(sender, input.url)))
    // This limit is taken before the host is looked up, and the look-up must end before the transaction of `add`
    // begins. So `count` does both.
    const count = Effect.zipRight(RateOfAccount.take(RateOfAccount.WEBHOOK_ADDRESS, visitor.account.id), sender)
    const add = Effect.provideServiceEffect(createEndpoint(visitor.account, app.id, input), WebhookSender, sender)
    const addition = { typed: { ...input, headers: [...input.headers] }, kept: Kept, add, count }
    return yield* addOnce(visitor, form, addition).pipe(
      Effect.flatMap(({ endpoint: { id }, secret }) =>
        Effect.gen(function* () {
          const endpoints = yield* listEndpoints(visitor.account, app.id)
          const endpoint = endpoints.find((one) => one.id === id && WebhookEndpoint.hasFirstSecret(one))
          // When the form was sent again, the endpoint may have been removed in between, or may have another secret.
          return endpoint === undefined
            ? seeOther(`${appPath(app)}/webhooks`)
            : yield* secretPage(visitor, `${appPath(app)}/webhooks`, endpoint.url, secret)
        })
      ),
      Effect.catchTags({
        Invalid: ({ problems }) => showAgain(problems),
        Conflict: (refusal) =>
          app.revokedAt === null
            ? showAgain([{ field: "url", message: words.cannotBeAdded(ofDomain(refusal.reason)) }])
            : refusal
      })
    )
  }).pipe(
    Visitor.showingAgain(visitor, (form, posted) =>
      Effect.flatMap(ownApp(visitor, "develop"), (app) => list(visitor, app, { form, ticked: posted.all("events") }))
    )
  )
)

/** The problems of a part of a form. The list is empty when the part has no problems. */
const problemsOf = (decoded: Either.Either<unknown, ReadonlyArray<FieldProblem>>): ReadonlyArray<FieldProblem> =>
  Either.isLeft(decoded) ? decoded.left : []

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app/webhooks`, show),
  Routes.post(`${DEVELOPER}/apps/:app/webhooks`, add)
]
