import { Delivery, RetrySchedule } from "@place-access/domain/deliveries"
import { EndpointUrl, SigningSecret, WebhookEndpoint } from "@place-access/domain/endpoints"
import { Idempotency } from "@place-access/domain/idempotency"
import { Rate, ZoneQuestions } from "@place-access/domain/limits"
import { Geometry } from "@place-access/domain/places"
import { ConcurrentLimit, RecentEvaluations, Rule, RuleEvaluation } from "@place-access/domain/rules"
import { limitFor } from "../../edge/Body.js"
import type { Options } from "../../HttpOptions.js"
import * as ErrorCatalogue from "../../openapi/ErrorCatalogue.js"
import { object } from "../../openapi/Json.js"
import { html, type Value } from "../kit/Html.js"
import type { Contract } from "./contract.js"
import { code, DOCS, json, page, table } from "./frame.js"
import { inline, prose } from "./prose.js"
import { duration, keptFor, number } from "./words.js"

export const routes = (options: Options, contract: () => Contract) => [
  page(`${DOCS}/errors`, () => ({
    title: "Errors and limits",
    lead: inline("Every error has the same body. `error` is for your code, `message` for your log."),
    sections: [
      { id: "body", name: "The body", content: body() },
      { id: "codes", name: "Every code", content: codes() },
      { id: "examples", name: "As they are sent", content: examples() },
      { id: "order", name: "What is checked first", content: order() },
      { id: "repeating", name: "Repeating a request", content: repeating() },
      { id: "rates", name: "Rates and budgets", content: rates(options) },
      { id: "limits", name: "Sizes and limits", content: limits(contract()) }
    ]
  }))
]

const body = (): Value => [
  json(ErrorCatalogue.exampleOf("missing_scope")),
  prose(`\`message\` is a list when several fields are wrong, one text for each, beginning with the field's name. It never repeats a value: a mistake does not put a secret into
    your log. Some errors have fields beside these three. New codes may be added: treat one that you do not know by its status. Tell us the \`X-Request-Id\` of the answer when you ask about one.`)
]

const codes = (): Value =>
  table(
    "Error codes",
    ["Code", "Meaning", "What to do"],
    ErrorCatalogue.ENTRIES.map(({ advice, code, meaning, status }) => ({
      id: code,
      cells: [html`<code>${code}</code><br /><span class="soft small">${status}</span>`, `${meaning}.`, inline(advice)]
    }))
  )

const examples = (): Value =>
  ErrorCatalogue.ENTRIES.map(
    ({ code, example, status }) =>
      html`<details>
        <summary>${status} <code>${code}</code></summary>
        ${json(example)}
      </details>`
  )

const order = (): Value =>
  prose(`1. The credentials: 401. Expired, revoked, unknown and malformed tokens are not told apart.
2. The rate: 429.
3. The scope, then the purpose: 403 and 400 \`invalid_purpose\`.
4. The body's type and size: 415 and 413.
5. What is in it: 400, then 404 and 409.

Try again after 429 and 503, as long later as \`Retry-After\` says, and after 500 at most once. Nothing else is helped by trying again.`)

const repeating = (): Value => [
  prose(`When you do not learn the answer to a POST that makes something (the connection broke, or it was 500 or 503), it may have been made all the same. Give such a request an
    \`Idempotency-Key\` of its own, a random UUID for example, and send the same request with the same key again:`),
  code(
    `curl /v1/rules/place -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: $(uuidgen)" \\
  -H 'Content-Type: application/json' -d '{ "type": "enter", "place_id": "plc_…" }'`
  ),
  prose(`- Within ${duration(Idempotency.KEPT_FOR)} it is answered as the first time, with \`Idempotent-Replayed: true\`, and nothing is made twice. A secret that is shown once is in that answer, too.
- Refusals and faults are not kept: mend the request and send it with the same key, or with a new one.
- The same key for another request answers 422 \`idempotency_key_reused\`; while the first request is at work, 409 \`idempotency_key_in_use\`.
- Keys are 1 to 255 visible ASCII characters. They are yours: another connection or account may use the same.

The [reference](${DOCS}/reference) says which operations read the header.`)
]

const rates = ({ rateLimitPerMinute }: Options): Value => [
  table(
    "Rates",
    ["Whose calls", "How many", "Where"],
    [
      ["One connection's", rate(Rate.perMinute(rateLimitPerMinute)), "Everything behind an access token"],
      ["One app's, from one address", rate(Rate.OAUTH), inline("`/v1/oauth/token` and `/v1/oauth/revoke` together")],
      ["One phone's", rate(Rate.UPLOADS), "Uploads"],
      ["One address's", rate(Rate.SIGN_UPS), "Making accounts"],
      ["One address's", rate(Rate.CONSENTS), "Opening consent pages"],
      [
        "One app's about one user, budget",
        `${ZoneQuestions.HOURLY.calls} in any ${duration(ZoneQuestions.HOURLY.windowMillis)}`,
        inline("`POST /v1/answers/verify-zone` and `POST /v1/rules/zone` together; refused as `budget_exceeded`")
      ],
      [
        "One app's about one user, budget",
        `Ten zones of up to 1.1 km in one town in any ${duration(ZoneQuestions.COUNTED_FOR)}, fewer that are larger; the same zone again is free`,
        inline("`POST /v1/answers/verify-zone` and `POST /v1/rules/zone` together; refused as `budget_exceeded`")
      ]
    ]
  ),
  prose("Every counted answer says how you stand:"),
  code(
    `RateLimit-Limit: ${rateLimitPerMinute}
RateLimit-Remaining: ${Math.max(0, rateLimitPerMinute - 13)}
RateLimit-Reset: 42
RateLimit-Policy: ${rateLimitPerMinute};w=60`,
    "http"
  ),
  prose(
    "`RateLimit-Reset` counts seconds until all calls are there again. A refused call answers 429 with `Retry-After`."
  )
]

const rate = ({ calls, windowMillis }: Rate.Rate): string => `${number(calls)} in ${duration(windowMillis)}`

const mib = (bytes: number): string => `${bytes / 1_048_576} MiB`

/** What the contract says that a field may be. */
const rangeOf = ({ schemas }: Contract, schema: string, field: string): string => {
  const { maximum, minimum } = object(object(object(schemas[schema])["properties"])[field])
  return `${number(Number(minimum))} to ${number(Number(maximum))}`
}

const limits = (contract: Contract): Value =>
  table(
    "Limits",
    ["What", "Limit"],
    [
      ["Body of a request", mib(limitFor("/v1/me"))],
      ["Body of a phone's upload", mib(limitFor("/v1/phone/locations"))],
      ["Rules of a connection that are active at one instant", ConcurrentLimit.MAX_ACTIVE],
      [html`<code>radius_m</code> of a zone`, `${rangeOf(contract, "NewZoneRule", "radius_m")} metres`],
      [html`<code>dwell_minutes</code>`, `${Rule.MIN_DWELL_MINUTES} to ${Rule.MAX_DWELL_MINUTES}`],
      [html`<code>max_event_age_s</code>`, `${Rule.MIN_EVENT_AGE_S} to ${number(Rule.MAX_EVENT_AGE_S)}`],
      [
        "Near the edge of a place, where nothing is decided",
        `${Geometry.MIN_BAND_M} m, or the reading's accuracy if that is more`
      ],
      ["Between two events of one rule", duration(RuleEvaluation.COOLDOWN)],
      ["A reading that is older than this changes the state and sends nothing", duration(RuleEvaluation.STALE_AFTER)],
      ["Reasons that are kept of a rule's evaluations", RecentEvaluations.KEPT],
      ["Webhook endpoints of an app", WebhookEndpoint.MAX_PER_APP],
      ["Length of an endpoint's address", `${number(EndpointUrl.MAX_LENGTH)} characters`],
      ["Time to answer a delivery", duration(Delivery.ANSWER_DEADLINE)],
      [
        "Attempts of a delivery",
        html`${RetrySchedule.MAX_ATTEMPTS}, <a href="${DOCS}/webhooks#retries">on a schedule</a>`
      ],
      ["Events in a row that fail for good and disable an endpoint", WebhookEndpoint.MAX_STRIKES],
      ["An old signing secret after a rotation", duration(SigningSecret.OVERLAP)],
      ["Delivered rows in the delivery log", keptFor("delivered_deliveries")],
      ["Failed rows in the delivery log", keptFor("failed_deliveries")]
    ]
  )
