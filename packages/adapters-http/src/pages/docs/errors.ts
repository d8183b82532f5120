import { Delivery, RetrySchedule } from "@place-access/domain/deliveries"
import { EndpointUrl, SigningSecret, WebhookEndpoint } from "@place-access/domain/endpoints"
import { Idempotency } from "@place-access/domain/idempotency"
import { Rate, Subject, ZoneQuestions } from "@place-access/domain/limits"
import { AccountLimits } from "@place-access/domain/quotas"
import { Coordinates, Geometry } from "@place-access/domain/places"
import { ConcurrentLimit, RecentEvaluations, Rule, RuleEvaluation } from "@place-access/domain/rules"
import * as BodyBounds from "../../edge/BodyBounds.js"
import { BOUNDS as UPLOAD_BOUNDS } from "../../fixes/UploadAnnotations.js"
import type { ServiceOptions } from "../../HttpOptions.js"
import * as ErrorCatalogue from "../../openapi/ErrorCatalogue.js"
import { html, type Value } from "../../html/Html.js"
import { code, DOCS, json, page, table } from "./frame.js"
import { errorPath } from "./errorPages.js"
import { inline, prose } from "./prose.js"
import { duration, keptFor, number } from "./words.js"

export const pages = (options: ServiceOptions) => [
  page(`${DOCS}/errors`, () => ({
    title: "Errors and limits",
    about: "Every error code, what to do about it, rates, budgets and sizes",
    lead: inline("Every error has a body of the same form. `error` is for your code, `message` for your log."),
    sections: [
      { id: "body", name: "The body", content: body(options) },
      { id: "codes", name: "Every code", content: codes() },
      { id: "examples", name: "Examples", content: examples(options) },
      { id: "order", name: "What is checked first", content: order() },
      { id: "repeating", name: "Repeating a request", content: repeating(options) },
      { id: "rates", name: "Rates and budgets", content: rates(options) },
      { id: "accounts", name: "What an account may own and do", content: accounts() },
      { id: "limits", name: "Sizes and limits", content: limits() }
    ]
  }))
]

const body = (options: ServiceOptions): Value => [
  json(ErrorCatalogue.exampleOf("missing_scope", options)),
  prose(`\`message\` is a list when several fields are wrong, one text for each, beginning with the field's name.
  \`message\` never repeats a value, so a mistake does not put a secret into your log. \`request_id\` is the id of the
  request, as in the header \`X-Request-Id\`: tell it to us when you ask about an error. Only \`invalid_token\` has no
  \`request_id\`. \`doc_url\` is the page about the code.

Some errors have further fields. New codes may be added: handle an unknown code by its status.`)
]

const codes = (): Value =>
  table(
    "Error codes",
    ["Code", "Meaning", "What to do"],
    ErrorCatalogue.ENTRIES.map(({ advice, code, meaning, status }) => ({
      id: code,
      cells: [
        html`<a href="${errorPath(code)}"><code>${code}</code></a
          ><br /><span class="soft small">${status}</span>`,
        `${meaning}.`,
        inline(advice)
      ]
    }))
  )

const examples = (options: ServiceOptions): Value =>
  ErrorCatalogue.ENTRIES.map(
    ({ code, status }) =>
      html`<details>
        <summary>${status} <code>${code}</code></summary>
        ${json(ErrorCatalogue.exampleOf(code, options))}
      </details>`
  )

const order = (): Value =>
  prose(`1. The credentials: 401. The answer does not say whether a token is expired, revoked, unknown or malformed.
2. The rate: 429.
3. The scope, then the purpose: 403 and 400 \`invalid_purpose\`.
4. The body's type and size: 415 and 413.
5. The content of the body and the parameters: 400, then 404 and 409.

\`/v1/oauth/token\` and \`/v1/oauth/revoke\` read the body first, then count the request, and only then check the
client's credentials: wrong guesses of a secret count. Calls under \`/v1/test-people\` too are counted before their
credentials are checked. For a call with a session, \`Origin\` and
the role of the account (403) are checked before the rate.

Retry after 429, 503 and 409 \`idempotency_key_in_use\`, once \`Retry-After\` has passed. A retry helps with no other
error of a request that was refused. After 500 the service may have done the work: repeat only a request with an
\`Idempotency-Key\` ([Repeating a request](#repeating)). 502 and 504 come from a proxy: treat them like 503.`)

const repeating = ({ baseUrl }: ServiceOptions): Value => [
  prose(`When the answer to a POST gets lost (the connection broke, or the status was 500 or 503), the service may
  have done the work all the same. Where the [reference](${DOCS}/reference) lists the header \`Idempotency-Key\`, give a
  request a key of its own, a random UUID for example, and send the same request with the same key again:`),
  code(
    `curl ${baseUrl}/v1/rules/place -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: $(uuidgen)" \\
  -H 'Content-Type: application/json' -d '{ "type": "enter", "place_id": "plc_…" }'`
  ),
  prose(`- Within ${duration(Idempotency.KEPT_FOR)} the service repeats its first answer, with \`Idempotent-Replayed:
  true\`, and does nothing twice. The repeated answer has a secret that is otherwise shown once, too.
- Refusals and faults are not kept: mend the request and send it with the same key, or with a new one.
- The same key for another request answers 422 \`idempotency_key_reused\`; while the first request is in progress, 409
  \`idempotency_key_in_use\`.
- A key is 1 to 255 visible ASCII characters. Each connection and each account has keys of its own: another one may use
  the same key for another request.`)
]

const rates = ({ rateLimitPerMinute }: ServiceOptions): Value => [
  table(
    "Rates",
    ["Whose calls", "How many", "Where"],
    [
      ...Subject.KINDS.map((kind) => {
        const { given, where, whose } = COUNTED[kind]
        return [whose, rate(given(rateLimitPerMinute)), inline(where)]
      }),
      [
        "One network's, to one mailbox",
        rate(Rate.LINKS),
        `Links for a sign-up; those of all networks together: ${rate(Rate.LINKS_TO_MAILBOX)}`
      ],
      [
        "One account's, to one mailbox",
        rate(Rate.ADDRESS_CHANGES),
        `Links that change the account's address; those of all accounts together: ${rate(Rate.LINKS_TO_MAILBOX)}`
      ],
      [
        "One account's",
        rate(Rate.SIGN_INS_OF_ACCOUNT),
        "Attempts with a password or a code, right ones too; those in known browsers are counted separately"
      ],
      [
        "All teams', to one mailbox",
        rate(Rate.INVITATION_MAILS),
        "Mails about invitations into teams; further invitations are made without a mail, and the answer is the same"
      ],
      [
        "One app's about one user, budget",
        `${ZoneQuestions.HOURLY.calls} in any ${duration(ZoneQuestions.HOURLY.windowMillis)}`,
        inline("`POST /v1/answers/verify-zone` and `POST /v1/rules/zone` together; refused as `budget_exceeded`")
      ],
      [
        "One app's about one user, budget",
        `Ten zones with a radius of 950 m in one town in any ${duration(ZoneQuestions.COUNTED_FOR)}; more that are smaller, fewer that are larger; the same zone counts once`,
        inline("`POST /v1/answers/verify-zone` and `POST /v1/rules/zone` together; refused as `budget_exceeded`")
      ]
    ]
  ),
  prose("Every answer to a counted call, except 401 `invalid_token`, says how many calls are left:"),
  code(
    `RateLimit-Limit: ${rateLimitPerMinute}
RateLimit-Remaining: ${Math.max(0, rateLimitPerMinute - 13)}
RateLimit-Reset: 42
RateLimit-Policy: ${rateLimitPerMinute};w=60`,
    "http"
  ),
  prose(
    "`RateLimit-Reset` is the number of seconds until all calls are available again. A call beyond the rate answers 429 with `Retry-After`. A network address is an IPv4 address, or the /64 network of an IPv6 address."
  )
]

const accounts = (): Value =>
  table(
    "Limits of an account",
    ["What", "How many", "Which count", "Beyond the limit"],
    AccountLimits.ALL.map((limit) => [
      limit.what,
      limit._tag === "Owned" ? number(limit.most) : `${number(limit.most)} in ${duration(limit.windowMs)}`,
      limit.counted,
      beyond(limit)
    ])
  )

const beyond = (limit: (typeof AccountLimits.ALL)[number]): Value => {
  // The limit of archived places is for imports only. An import leaves out the archived places beyond the limit,
  // without an error.
  if (limit === AccountLimits.ARCHIVED_PLACES) return `No error: ${limit.refusal}`
  if (limit._tag === "Owned") return inline(`409 \`conflict\`: ${limit.refusal}`)
  return limit.refusal === null
    ? "Combined into one e-mail or entry, without an error"
    : inline(`429 \`rate_limited\`: ${limit.refusal}`)
}

interface Counted {
  readonly whose: string
  readonly given: (rateLimitPerMinute: number) => Rate.Rate
  readonly where: string
}

const COUNTED: Readonly<Record<Subject.LimitSubjectKind, Counted>> = {
  connection: { whose: "One connection's", given: Rate.perMinute, where: "Everything behind an access token" },
  device: { whose: "One phone's", given: () => Rate.UPLOADS, where: "Uploads" },
  client: {
    whose: "One app's, from one network address",
    given: () => Rate.OAUTH,
    where:
      "`/v1/oauth/token`, `/v1/oauth/revoke` and the calls under `/v1/test-people` together. Calls with client ids that do not exist count together as one app, also at the consent page"
  },
  "sign-up": { whose: "One network address's", given: () => Rate.SIGN_UPS, where: "Making accounts" },
  "sign-in": {
    whose: "One network address's",
    given: () => Rate.SIGN_INS,
    where: "Attempts with a password or a code, right ones too, in browsers that the account does not know"
  },
  consent: { whose: "One network address's", given: () => Rate.CONSENTS, where: "Opening consent pages" },
  "consents-of": {
    whose: "One account's",
    given: () => Rate.CONSENTS_OF_ACCOUNT,
    where: "Opening consent pages while signed in"
  },
  "made-by": {
    whose: "One account's",
    given: () => Rate.CREATIONS,
    where: "New places, devices, apps, purposes and test people, and moves of places"
  },
  "tests-of": { whose: "One account's", given: () => Rate.TESTS, where: "Test webhooks, redelivered ones too" },
  "redeliveries-of": { whose: "One account's", given: () => Rate.REDELIVERIES, where: "Redelivered webhooks" },
  "secrets-of": {
    whose: "One account's",
    given: () => Rate.NEW_SECRETS,
    where: "New client secrets, and new signing secrets of endpoints that exist"
  },
  "webhooks-of": {
    whose: "One account's",
    given: () => Rate.WEBHOOK_ADDRESSES,
    where: "Addresses of webhooks: new endpoints, and changes of endpoints with an address"
  },
  "invited-by": {
    whose: "One account's",
    given: () => Rate.INVITATIONS,
    where: "Invitations into the teams of apps"
  },
  "handed-over-by": { whose: "One account's", given: () => Rate.HAND_OVERS, where: "Hand-overs of apps" },
  "named-by": { whose: "One account's", given: () => Rate.NAME_CHANGES, where: "Changes of the account's name" },
  "trips-of": { whose: "One account's", given: () => Rate.TRIPS, where: "Simulated trips of test people" },
  keyed: {
    whose: "One account's or one connection's",
    given: () => Rate.KEYED,
    where: "Requests with an `Idempotency-Key`, also refused and repeated ones"
  },
  dead: {
    whose: "One connection's, for each route",
    given: () => Rate.DEAD,
    where:
      "Entries in the user's access log about calls with a token that no longer works; further calls are counted in the entry"
  },
  reset: {
    whose: "One network address's",
    given: () => Rate.RESETS,
    where: "Requests for a link by mail, and uses of such links"
  },
  mailbox: {
    whose: "One mailbox's",
    given: () => Rate.LINKS,
    where:
      "Mailed links of one kind: for a new password, for a browser that cannot sign in, or to confirm an account's address. More are not mailed, and the answer is the same"
  },
  challenge: {
    whose: "One network address's",
    given: () => Rate.CHALLENGES,
    where: "Opening the sign-in page for passkeys"
  }
}

const rate = ({ calls, windowMillis }: Rate.Rate): string => `${number(calls)} in ${duration(windowMillis)}`

const mib = (bytes: number): string => `${bytes / 1_048_576} MiB`

const limits = (): Value =>
  table(
    "Limits",
    ["What", "Limit"],
    [
      ["Body of a request", mib(BodyBounds.ORDINARY.bytes)],
      ["Body of a phone's upload", mib(UPLOAD_BOUNDS.bytes)],
      ["Rules of a connection at one instant, disabled rules included", ConcurrentLimit.MAX_ACTIVE],
      [
        html`<code>radius_m</code> of a zone`,
        `${Coordinates.MIN_RADIUS_M} to ${number(Coordinates.MAX_RADIUS_M)} metres`
      ],
      [html`<code>dwell_minutes</code>`, `${Rule.MIN_DWELL_MINUTES} to ${Rule.MAX_DWELL_MINUTES}`],
      [html`<code>settle_s</code>`, `0 to ${Rule.MAX_SETTLE_S}`],
      [html`<code>silence_s</code>`, `${Rule.MIN_SILENCE_S} to ${number(Rule.MAX_SILENCE_S)}`],
      [html`<code>max_event_age_s</code>`, `${Rule.MIN_EVENT_AGE_S} to ${number(Rule.MAX_EVENT_AGE_S)}`],
      [
        "Distance from the edge of a place within which a reading decides nothing",
        `${Geometry.MIN_BAND_M} m, or the reading's accuracy if that is more`
      ],
      ["Between two events of one rule", duration(RuleEvaluation.COOLDOWN)],
      ["Age of a reading above which it changes the state but fires no event", duration(RuleEvaluation.STALE_AFTER)],
      ["Evaluations that are kept for a rule", RecentEvaluations.KEPT],
      ["Webhook endpoints of an app", WebhookEndpoint.MAX_PER_APP],
      ["Length of an endpoint's address", `${number(EndpointUrl.MAX_LENGTH)} characters`],
      ["Time to answer a delivery", duration(Delivery.ANSWER_DEADLINE)],
      [
        "Attempts of a delivery",
        html`${RetrySchedule.MAX_ATTEMPTS}, <a href="${DOCS}/webhooks#retries">on a schedule</a>`
      ],
      ["Consecutive events that use up all attempts and disable an endpoint", WebhookEndpoint.MAX_STRIKES],
      ["Validity of the old signing secret after a rotation", duration(SigningSecret.OVERLAP)],
      ["Delivered events in the delivery log", keptFor("delivered_deliveries")],
      ["Failed events in the delivery log", keptFor("failed_deliveries")]
    ]
  )
