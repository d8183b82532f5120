import { Delivery, RetrySchedule, Signature } from "@place-access/domain/deliveries"
import { LegacyDelivery } from "@place-access/domain/dispatch"
import { EndpointHeader, EndpointUrl, SigningSecret, WebhookEndpoint } from "@place-access/domain/endpoints"
import { RuleEvaluation } from "@place-access/domain/rules"
import * as EventCatalogue from "../../openapi/EventCatalogue.js"
import { type Json, object } from "../../openapi/Json.js"
import * as WorkedSignature from "../../openapi/WorkedSignature.js"
import { html, type Value } from "../../html/Html.js"
import type { ServiceOptions } from "../../HttpOptions.js"
import type { Contract } from "./contract.js"
import { code, type CodeExample, DOCS, json, languages, page, table } from "./frame.js"
import { inline, prose } from "./prose.js"
import { fields } from "./schemaWords.js"
import { sequence } from "./sequence.js"
import * as Others from "./verify/otherLanguages.js"
import * as Snippets from "./verify/snippets.js"
import { duration, keptFor, number } from "./words.js"

const { MAX_PER_APP, MAX_STRIKES, WARNED_STRIKES } = WebhookEndpoint
const ANSWER = duration(Delivery.ANSWER_DEADLINE)
const OVERLAP = duration(SigningSecret.OVERLAP)
/** How long a worker may use the secrets of an endpoint after the worker has read them. */
const LEASE = duration(Delivery.LEASE)

export const pages = ({ baseUrl }: ServiceOptions, contract: () => Contract) => [
  page(`${DOCS}/webhooks`, () => ({
    title: "Webhooks",
    about: "Every event, signatures and how to verify them in eight languages, retries, rotation",
    lead: inline(
      "When something happens for one of your users, the service posts a signed event to your endpoints. No event ever contains coordinates."
    ),
    sections: [
      { id: "endpoints", name: "Endpoints", content: endpoints() },
      { id: "events", name: "Events", content: catalogue(contract()) },
      { id: "delivery", name: "What arrives", content: delivery() },
      {
        id: "verify",
        name: "Verifying a delivery",
        content: verifying(),
        parts: EXAMPLES.map(({ id, name }) => ({ id, name: `Verifying a webhook in ${name}` }))
      },
      { id: "answering", name: "Answering", content: answering() },
      { id: "retries", name: "Retries", content: retries() },
      { id: "rules", name: "What you can rely on", content: rules() },
      { id: "rotation", name: "Rotating the secret", content: rotation() },
      { id: "debugging", name: "Testing and looking back", content: debugging(baseUrl) },
      { id: "legacy", name: "Legacy webhooks", content: legacy() }
    ]
  }))
]

const endpoints = (): Value => [
  prose(`An app has up to ${MAX_PER_APP} endpoints. Add and change them under *Webhooks* of [your app](/developer), or
  with
    [the API](${DOCS}/reference/webhook-endpoints). An endpoint has a signing secret, which is shown once, when it is made.

- The address is \`https\`, at most ${number(EndpointUrl.MAX_LENGTH)} characters, on a public host name.
  \`localhost\`, \`.local\`, \`.internal\`, single words and IP addresses are refused, and so is a name that resolves
  to an address that is not public. The address has no user name, no password and no fragment. The service checks the
  address again at every delivery.
- Redirects are not followed.
- An endpoint can have up to ${EndpointHeader.MAX} headers of its own, such as a key for your gateway. Every delivery
  to the endpoint carries them. A change to another scheme, host or port must give or remove each of them.
- An endpoint names the events that it wants. An endpoint that names none gets every event, also types that are added
  later.
- Every event goes to each enabled endpoint that subscribes to it. A rule with a \`webhook_url\` sends its events only
  there; the address must be exactly that of one of the app's endpoints.`)
]

const catalogue = (contract: Contract): Value => [
  table(
    "Events",
    ["Event", "Sent when", "Scope that it needs"],
    EventCatalogue.ENTRIES.map(({ name, summary }) => [
      html`<a href="#${name}"><code>${name}</code></a
        >${name === "ping" && html` <span class="soft small">no subscription</span>`}`,
      summary,
      needs(name)
    ])
  ),
  EventCatalogue.ENTRIES.map(
    (entry) =>
      html`<h3 id="${entry.name}"><code>${entry.name}</code></h3>
        <p>${inline(entry.description)}</p>
        ${table(
          `Fields of ${entry.name}`,
          ["Field", "Type", "Meaning"],
          fields(bodyOf(contract, entry.name), contract.schemas).map(({ description, path, type }) => [
            html`<code>${path}</code>`,
            inline(type),
            inline(description)
          ])
        )}
        ${entry.examples.map(
          ({ body, type }, index) =>
            html`<details ${index === 0 && OPEN}>
              <summary><code>${type}</code></summary>
              ${json(JSON.parse(body))}
            </details>`
        )}`
  )
]

const OPEN = html`open`

const bodyOf = ({ webhooks }: Contract, name: string): Json =>
  object(
    object(object(object(object(object(webhooks[name])["post"])["requestBody"])["content"])["application/json"])[
      "schema"
    ]
  )

const needs = (name: EventCatalogue.CatalogueEntry["name"]): Value => {
  const scopes = EventCatalogue.neededScopes(name)
  if (scopes.length > 0) {
    return scopes.map((scope) => html`<a href="${DOCS}/authorization#${scope}"><code>${scope}</code></a> `)
  }
  return name === "ping" ? "Nothing" : "A sensitive scope when it began"
}

const delivery = (): Value => [
  sequence(
    "A delivery and its retries",
    ["Service", "Your endpoint"],
    [
      { from: "Service", to: "Your endpoint", says: "POST, signed" },
      { from: "Your endpoint", to: "Service", says: "500, or no answer", isAnswer: true },
      { from: "Service", to: "Service", says: "waits" },
      { from: "Service", to: "Your endpoint", says: "same event_id, new signature" },
      { from: "Your endpoint", to: "Your endpoint", says: "verifies, stores" },
      { from: "Your endpoint", to: "Service", says: "204", isAnswer: true }
    ]
  ),
  prose(`An HTTP \`POST\` with the event as JSON. The body is the same text at every attempt and has no spaces or line
  breaks between
    its parts; each attempt has a new \`${Signature.HEADER}\` header.`),
  code(
    `POST /webhooks HTTP/1.1
Content-Type: application/json
User-Agent: place-access-webhooks/1
${Signature.HEADER}: ${WorkedSignature.header}

${WorkedSignature.body}`,
    "http"
  ),
  prose(`\`t\` is the moment of signing in unix seconds. \`v1\` is the HMAC-SHA256 of \`t\`, a dot and the bytes of
  the body, in hex; the key is
    the text of the endpoint's secret, \`${SigningSecret.PREFIX}\` included. New fields may appear in events: ignore
    unknown fields.`)
]

const EXAMPLES: ReadonlyArray<CodeExample> = [
  {
    id: "verify-library",
    name: "JavaScript, with our library",
    language: "js",
    note: "It has no dependency and runs in Node.js, Deno, Bun, workers and browsers.",
    code: Snippets.WITH_VERIFY
  },
  { id: "verify-node", name: "Node.js", language: "js", code: Snippets.NODE },
  { id: "verify-python", name: "Python", language: "python", code: Snippets.PYTHON },
  { id: "verify-go", name: "Go", language: "go", code: Others.GO },
  { id: "verify-php", name: "PHP", language: "php", code: Others.PHP },
  { id: "verify-ruby", name: "Ruby", language: "ruby", code: Others.RUBY },
  { id: "verify-java", name: "Java", language: "java", code: Others.JAVA },
  { id: "verify-csharp", name: "C#", language: "csharp", code: Others.CSHARP },
  {
    id: "verify-shell",
    name: "Shell",
    language: "bash",
    note: "To find out what is wrong: this one compares nothing.",
    code: Snippets.SHELL
  }
]

const verifying = (): Value => [
  prose(`1. Take the body **as it arrived**, before anything parses it. A body that was parsed and serialised again
  has another signature.
2. Split the header at its commas. Look at no more than ${SigningSecret.MAX_LIVE} values of \`v1\`.
3. Compute the HMAC and compare it with each \`v1\` in constant time. One match is enough.
4. Refuse a delivery whose \`t\` is more than 60 seconds before or after the time of your clock. Allow more, at most 300
   seconds, only if real deliveries are refused: your clock may be off.

Stripe's libraries read the same header: \`stripe.webhooks.constructEvent(rawBody, header, secret)\`. The examples need
no library but those that come with the language, and every one of them is run against our test vectors.`),
  languages("Verifying a delivery", EXAMPLES),
  prose(
    "Test your own code with this secret, body and header, which belong together. The repository of the service has many more test vectors, and receivers to copy for Express, Fastify and `node:http` (`docs/receiving-webhooks.md`)."
  ),
  html`<dl>
    <dt>Secret</dt>
    <dd><code>${WorkedSignature.secret}</code></dd>
    <dt>Body</dt>
    <dd><code>${WorkedSignature.body}</code></dd>
    <dt>${Signature.HEADER}</dt>
    <dd><code>${WorkedSignature.header}</code></dd>
  </dl>`
]

const answering = (): Value =>
  prose(`Answer any \`2xx\` within ${ANSWER}: keep the event, answer, then work on it. Everything else is a failure,
  and the service retries:
    another status, a redirect, no answer in time, no connection.

Deliveries are **at least once**. The same event can come again, after an answer that was lost on its way or because
somebody sent it again. It carries the
same \`event_id\` every time, to every endpoint: remember the ids that you have handled, and skip them.

**Order is not promised**: an event that is tried again arrives after later ones. Go by \`occurred_at\`.`)

const retries = (): Value => {
  const ends = RetrySchedule.WAITS.map((_, index) =>
    RetrySchedule.WAITS.slice(0, index + 1).reduce((sum, wait) => sum + wait, 0)
  )
  const total = ends.at(-1) ?? 0
  return [
    table(
      "Retry schedule",
      ["Attempt", "After the end of the one before", "Since the first, at the earliest"],
      [
        ["1", "as soon as it happened", ""],
        ...RetrySchedule.WAITS.map((wait, index) => [`${index + 2}`, duration(wait), duration(ends[index] ?? 0)])
      ]
    ),
    prose(`${RetrySchedule.MAX_ATTEMPTS} attempts, over ${duration(total)} plus the time of the attempts themselves.
    Then the event has failed. Waiting events are
      stored: a restart of the service loses none.

- An event that used up its attempts counts once against its endpoint. **${MAX_STRIKES} in a row disable it**: nothing
  more is sent, and waiting deliveries fail. One successful delivery resets the count. We
  write an e-mail to the app's owners and developers at ${WARNED_STRIKES.join(" and at ")} in a row.
- A disabled endpoint is enabled again on the developer's page, or with \`PATCH … {"enabled": true}\`. An event that waited
  when the endpoint was disabled has failed, and is not sent automatically: send it again from the delivery log.
- The service looks for the receivers of an event within a second, or later after an outage. An endpoint that is disabled
  then gets no delivery of this event, so the event cannot be sent to it later.
- A rule with \`max_event_age_s\` never sends an event that is older, retries included. An event that waits for
  \`settle_s\` or \`silence_s\` is already that old when it is written: leave room for the phone's upload, which is
  often minutes late, and for the delivery. The delivery log and the user's access log call an older event *too old to
  send*. It did not use up its attempts, so it does not count against the endpoint: when all rules of an app have
  \`max_event_age_s\`, its endpoint is never disabled, and you get no e-mail.
- Events that you send again by hand, and *Retry now*, count neither for nor against the endpoint.`)
  ]
}

const rules = (): Value =>
  prose(`- **Before every attempt the service checks whether your app is still authorised.** Nothing is sent when the
  user has disconnected, when your app was revoked, or when the scope that the event needs is gone. Nothing is sent
  while the account of the user or of your app's holder is suspended, and what happened in that time is not sent later
  either. An event from before the suspension waits for its end, for at most 30 days. The events of the sensitive tier
  are an exception for scopes: they are sent although the tier's scopes end or have ended.
- **An event of a rule** is also not sent when the rule was deleted, when its place was archived or is no longer shared
  with you, when the user has deleted the history of that time, during a pause of the connection, and after a pause when
  it happened before the end of the pause.
- **Rule events follow the phone.** Minutes between what happened and the event are normal: \`occurred_at\` is when it
  happened. A phone that was offline uploads its readings later. A reading that reaches us more than
  ${duration(RuleEvaluation.STALE_AFTER)} after its capture fires nothing. Neither does a reading from before the rule
  was created, before its place was moved or shared with you, before its scope came back, or before the last pause
  ended: it only tells the rule where the user is at the start.
- **The service checks the sensitive tier every 15 minutes**, so the tier's events can be 15 minutes late.
- Each event of the sensitive tier is sent **once for each expiry date**. A renewal sets a new date and begins again;
  a connection
  that was renewed in time never gets \`sensitive.lapsed\`.
- A \`sensitive.expiring\` whose moment had passed at consent is skipped.
- After \`places.changed\`, read \`GET /v1/answers/places\` and keep the version of that answer.
- **Events can be lost**: when your receiver is down for more than a day, or the endpoint is disabled.
  \`GET /v1/me\` always says how a connection stands.`)

const rotation = (): Value =>
  prose(`*New signing secret* on the page of the endpoint, or
  [rotate-secret](${DOCS}/reference/webhook-endpoints#endpointsRotateSecret). For ${OVERLAP} the old secret stays
  valid:
    each delivery carries a \`v1\` by either secret. A receiver that knows one of the two accepts the delivery, so no
    delivery fails. In the first ${LEASE} a delivery may carry the \`v1\` of the old secret alone, so your receiver
    must still accept the old secret then. Rotating twice in a row shortens the validity of no secret.

If somebody else may have the secret, *Replace the secret now*, or
[replace-secret](${DOCS}/reference/webhook-endpoints#endpointsReplaceSecret), ends the old secrets at
once. Within ${LEASE}, every delivery is signed with the new secret alone. Until then a delivery may be signed
with an old one; when your receiver refuses it, the service retries it, signed with the new one.`)

const debugging = (baseUrl: string): Value => [
  prose(`- **Send a test** posts a \`ping\`, or a sample of another event, at once and says what your endpoint answered. It is not retried, unless you
  redeliver it, and never counts.
- **The delivery log** of an app shows every delivery with its state and the time of its next attempt, or of its
  end if the event is too old before that attempt. Every attempt has the status and the first KiB of the answer, or
  says what went wrong. Filters narrow the log, by the reason of a failure and by the answer to the newest attempt
  among others. We keep delivered events for
  ${keptFor("delivered_deliveries")} and failed events for ${keptFor("failed_deliveries")} after they ended. A replay is
  a delivery of its own, and is kept for as long after its own end.
- **Redeliver** sends an event again, with the same \`event_id\` and a new signature. **Retry now** makes the next
  attempt at once and uses no extra attempt. **Send again what failed** redelivers the failed events of an endpoint
  since a given day, also those whose last attempt failed later.
- The API can do everything in this list: see the [reference](${DOCS}/reference/deliveries).

While you write your program, it has no public address. In a clone of this service, \`npm run listen\` forwards the
app's
events to your machine, signed like real ones:`),
  code(`npm run listen -- --service ${baseUrl} --forward http://localhost:3000/webhooks`)
]

const legacy = (): Value =>
  prose(`Rules with their own address and secret, and subscriptions, are from before apps had endpoints. They are
  deprecated and still work. Their deliveries have
    neither \`app_id\` nor \`endpoint_id\` (those of a subscription have \`subscription_id\`), are tried at once,
    after ${LegacyDelivery.WAITS.map(duration).join(" and after ")} more. Deliveries that wait are lost when the service
    restarts.

To move on: register an endpoint for \`rule.fired\`, create each rule again without \`webhook_url\`, then delete the
old one. Meanwhile verify each delivery against the secret of
its origin: the endpoint's if it has \`endpoint_id\`, the subscription's if it has \`subscription_id\`, otherwise that of its \`rule_id\`.`)
