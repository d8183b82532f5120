import type { ServiceOptions } from "../../HttpOptions.js"
import { html, type Value } from "../../html/Html.js"
import { code, DOCS, page } from "./frame.js"
import { inline, prose } from "./prose.js"
import { sequence } from "./sequence.js"

export const pages = (options: ServiceOptions) => [
  page(DOCS, () => ({
    title: "Documentation",
    about: "What the service is, and where to find what",
    lead: inline(
      "Ask where a user is or has been, with their approval, and get an event when they arrive somewhere. Answers name places that the user shares with your app, not coordinates."
    ),
    above: cards(),
    sections: [
      { id: "find", name: "What are you looking for?", content: find() },
      { id: "idea", name: "How it works", content: idea() },
      { id: "first-calls", name: "What a call looks like", content: calls(options) },
      { id: "conventions", name: "Conventions", content: conventions() },
      { id: "versions", name: "Versions", content: versions() }
    ]
  }))
]

const CARDS = [
  ["quick-start", "Quick start", "From an account to a verified webhook in one shell, with curl and node."],
  ["authorization", "Authorization", "Consent, tokens, scopes, expiry and purposes."],
  ["webhooks", "Webhooks", "Every event with examples, signatures, retries and what you can rely on."],
  ["errors", "Errors and limits", "Every code, what it means, what to do; rates and sizes."],
  ["reference", "Reference", "Everything that can be called, generated from the contract."]
] as const

const cards = (): Value =>
  html`<ul class="plain grid">
    ${CARDS.map(
      ([path, name, text]) =>
        html`<li class="card">
          <h2><a href="${DOCS}/${path}">${name}</a></h2>
          <p>${text}</p>
        </li>`
    )}
  </ul>`

const find = (): Value =>
  prose(`- [Verify a webhook in Go](${DOCS}/webhooks#verify-go), Python, PHP, Ruby, Java, C# or Node.js
- [Handle unknown](${DOCS}/how-to#unknown)
- [Test without a phone](${DOCS}/how-to#without-a-phone)
- [Rotate a secret](${DOCS}/how-to#rotate)
- [What changed last month](${DOCS}/changes)
- [An error code](${DOCS}/errors#codes)`)

const idea = (): Value => [
  sequence(
    "From consent to a webhook",
    ["User", "Your app", "Service", "Phone"],
    [
      { from: "Your app", to: "User", says: "go to the consent page" },
      { from: "User", to: "Service", says: "approves: what, which places, how long" },
      { from: "Service", to: "Your app", says: "a code, then tokens", isAnswer: true },
      { from: "Your app", to: "Service", says: "a rule: tell me about arrivals" },
      { from: "Phone", to: "Service", says: "locations" },
      { from: "Service", to: "Your app", says: "signed webhook" },
      { from: "Your app", to: "Service", says: "where is the user?" },
      { from: "Service", to: "Your app", says: "at Home", isAnswer: true }
    ]
  ),
  prose(`1. A **user** keeps places (home, work, a gym) and a phone that sends its location to this service.
2. Your **app** sends the user's browser to the consent page. The user chooses what the app may ask, about which
   places, and for how long. The result is a [connection](${DOCS}/authorization), and a token for it.
3. With the token the app [asks](${DOCS}/reference/answers): at which of the shared places is the user, is the user at
   this place, when was the user there?
4. Or the app makes a [rule](${DOCS}/reference/rules) – tell me when the user arrives at, leaves or stays at a place –
   and gets a signed [webhook](${DOCS}/webhooks) when the rule fires.
5. The user reads every request of every app in their access log, and can disconnect at any time.

Until a phone has sent a reading, every answer about the present is \`unknown\`. Your app must
expect this answer; it is no error.`)
]

const calls = ({ baseUrl }: ServiceOptions): Value => [
  code(`curl ${baseUrl}/v1/answers/current-place -H "Authorization: Bearer $TOKEN"`),
  code(
    JSON.stringify(
      { state: "at_place", place: { id: "plc_…", label: "Home", kind: "home" }, asOf: "2026-03-01T18:04:31.000Z" },
      null,
      2
    ),
    "json"
  ),
  prose(`No token at hand? The [quick start](${DOCS}/quick-start) creates everything that you need.`)
]

const conventions = (): Value =>
  prose(`- Bodies are JSON in UTF-8. Names are \`snake_case\`, except \`asOf\`, \`deltaSeconds\`, \`nextCursor\`,
  \`statusCode\` and those of a registered client (\`clientId\`, \`redirectUris\` …).
- The OAuth endpoints read JSON with \`camelCase\` or \`snake_case\` names, and the forms of RFC 6749.
- Times are ISO 8601 in UTC with milliseconds; those that you send need a time and a zone (\`Z\`, \`+02:00\`,
  \`+0200\` or \`+02\`); seconds are optional.
- Ids are opaque texts. Do not take them apart.
- Unknown fields of a request are ignored, and new fields may appear in answers and events.
- Lists have \`limit\` and \`cursor\`; \`nextCursor\` is null on the last page.
- Most POSTs that make something can be [repeated safely](${DOCS}/errors#repeating) with \`Idempotency-Key\`; the
  [reference](${DOCS}/reference) lists the header where it is read.
- \`If-Match\` is not read: no resource has an \`ETag\`, and the request is carried out.
- Every answer has an \`X-Request-Id\`.`)

const versions = (): Value =>
  prose(`All paths begin with \`/v1\`. A deprecated operation is marked in the reference and answers with
  \`Deprecation\` (RFC 9745). It still works in this release. For tools there is
    [openapi.json](/openapi.json), OpenAPI 3.1. This documentation is that of the server that you read it on.`)
