import type { Change } from "./Change.js"
import { DOCS } from "../frame.js"

/** The changes until 2026-11-26, newest first. They have a file of their own, because a file has at most 400 lines. */
export const EARLIER_CHANGES: ReadonlyArray<Change> = [
  {
    on: "2026-11-26",
    id: "code-exchanged-once",
    kind: "changed",
    title: "A second exchange of a code ends the connection at once",
    text: `It was harmless within 30 seconds of the first. To repeat an exchange whose answer was lost, send the same
    \`Idempotency-Key\` with both requests ([tokens](${DOCS}/authorization#tokens)).`
  },
  {
    on: "2026-11-26",
    id: "one-body-of-invalid-token",
    kind: "changed",
    title: "The body of invalid_token has no request_id",
    text: `A missing, a malformed, an expired and a revoked token get the same body. \`X-Request-Id\` has the id of the
    request ([errors](${DOCS}/errors)).`
  },
  {
    on: "2026-11-26",
    id: "on-hold-fields",
    kind: "added",
    title: "Apps and connections say that they are on hold",
    text: `An app has \`on_hold_since\` ([reference](${DOCS}/reference/apps)). A connection has \`on_hold\`, and its app has
    \`logo\` ([reference](${DOCS}/reference/connected-apps)).`
  },
  {
    on: "2026-11-26",
    id: "mistakes-while-paused",
    kind: "changed",
    title: "A question about the past with a mistake is 400 also while the user has paused the app",
    text: "The mistake is in the span, the time zone or the cursor. Before, the answer was 200 with an empty list."
  },
  {
    on: "2026-11-26",
    id: "utf8-state",
    kind: "changed",
    title: "A state or external_user_id that is not UTF-8 is refused",
    text: `Such bytes came back changed. For \`state\` the authorization page now answers 400, for \`external_user_id\`
    the user returns with \`error=invalid_request\`. Encode other bytes, with base64url for example.`
  },
  {
    on: "2026-11-26",
    id: "exact-location-ends",
    kind: "changed",
    title: "Scopes that the app does not declare keep no connection",
    text: `When the user chooses a new end of exact location, the connection loses sensitive scopes that the app does not
    declare: \`held_scopes\` is shorter. When the user ends exact location and no declared scope is left, the connection
    ends, and its tokens get 401.`
  },
  {
    on: "2026-11-26",
    id: "uses-count-answers",
    kind: "changed",
    title: "The last use of a connection is the last answer or event",
    text: `\`last_used_at\` and \`uses\` of a connection count less than before ([reference](${DOCS}/reference/connected-apps)).`
  },
  {
    on: "2026-11-26",
    id: "delivery-log-filters",
    kind: "added",
    title: "The delivery log can be filtered by the reason of a failure and by the answer",
    text: `\`fail_reason\` selects deliveries that failed for one reason. \`status\` selects those whose newest attempt got
    this HTTP status, or no answer: \`status=none\` ([reference](${DOCS}/reference/deliveries)).`
  },
  {
    on: "2026-11-26",
    id: "change-name",
    kind: "added",
    title: "People can change their name",
    text: `\`PUT /v1/user/name\` replaces \`display_name\`, 30 times in a day at most
    ([reference](${DOCS}/reference/accounts)).`
  },
  {
    on: "2026-11-26",
    id: "paused-evaluations",
    kind: "changed",
    title: "The evaluations of rules are empty while the user has paused the app",
    text: `The answer has \`reason: "paused"\`, like the other answers of a paused app ([reference](${DOCS}/reference/evaluations)).`
  },
  {
    on: "2026-11-26",
    id: "flags-without-purpose",
    kind: "changed",
    title: "A volume flag may have no description of a purpose",
    text: `\`purpose_description\` of a volume flag is null when the purpose was deleted together with its app
    ([reference](${DOCS}/reference/volume-flags)).`
  },
  {
    on: "2026-11-26",
    id: "connection-on-hold",
    kind: "changed",
    title: "A connection that is on hold has an error code of its own",
    text: `The answer is 503 [connection_on_hold](${DOCS}/errors/connection_on_hold) in place of \`unavailable\`. The request
    has spent no code and no refresh token: keep the tokens, and ask again later.`
  },
  {
    on: "2026-11-23",
    id: "settle",
    kind: "added",
    title: "Rules that wait whether a crossing is contradicted",
    text: `Arrival and departure rules take \`settle_s\`, 0 to 300 seconds ([reference](${DOCS}/reference/rules)). Without it
    nothing changes. Evaluations have two new outcomes, \`settling\` and \`contradicted\`.`
  },
  {
    on: "2026-11-23",
    id: "imports",
    kind: "added",
    title: "Imports read more formats, and can be undone",
    text: `An import has the new states \`asking\` and \`undoing\` ([reference](${DOCS}/reference/imports)).`
  },
  {
    on: "2026-11-23",
    id: "teams",
    kind: "added",
    title: "Teams of apps, with roles",
    text: `Owners invite others as owner, developer or viewer, on the page of the app or with the API
    ([reference](${DOCS}/reference/teams)). A member whose role does not allow a call gets 403 \`forbidden\`.`
  },
  {
    on: "2026-11-23",
    id: "described-fields",
    kind: "changed",
    title: "The OpenAPI document describes every field",
    text: "The answers to look-ups have a form for each value of `matched`, so that a generated client knows what is there."
  },
  {
    on: "2026-11-23",
    id: "test-people",
    kind: "added",
    title: "Test people, whose trips are simulated",
    text: `An app in the sandbox makes people with places, a phone and a connection, with its client secret or on its page
    ([reference](${DOCS}/reference/test-people)). Rules fire and webhooks are delivered as for users.`
  },
  {
    on: "2026-11-23",
    id: "samples",
    kind: "added",
    title: "The test of an endpoint sends a sample of any event type",
    text: '`?type=place.enter` sends that event with invented ids and `"sample": true` in the signed body.'
  },
  {
    on: "2026-11-23",
    id: "generators",
    kind: "changed",
    title: "The OpenAPI document is written for generators",
    text: `Forms of a body are told apart by a discriminator, enums and lists have names, and ids of operations have no dots
    (\`answersCurrentPlace\`). A generated client has other names after you generate it again.`
  },
  {
    on: "2026-11-23",
    id: "error-bodies",
    kind: "added",
    title: "Errors name their request and their page",
    text: `\`request_id\` and \`doc_url\` are beside the fields that [errors](${DOCS}/errors) had before.`
  },
  {
    on: "2026-11-23",
    id: "figures",
    kind: "added",
    title: "Numbers of an app, and its calls of the last 7 days",
    text: "`GET /v1/developer/apps/{app_id}/figures` and `/calls`, also on the page of the app."
  },
  {
    on: "2026-11-23",
    id: "endpoint-headers",
    kind: "added",
    title: "An endpoint can have five headers of its own",
    text: "They are sent with each delivery. Their values are stored encrypted and are not shown again."
  },
  {
    on: "2026-11-23",
    id: "attempt-headers",
    kind: "added",
    title: "The delivery log shows the address and headers of each attempt",
    text: "The page of a delivery has the request as a `curl` command, too."
  },
  {
    on: "2026-11-23",
    id: "docs-for-programs",
    kind: "added",
    title: "Documentation for programs, a page for each error, a search",
    text: `Each page has a twin in Markdown (\`${DOCS}/webhooks.md\`), and [/llms.txt](/llms.txt) lists them. Each error code
    has [a page](${DOCS}/errors). Verify a webhook in [eight languages](${DOCS}/webhooks#verify).`
  },
  {
    on: "2026-11-23",
    id: "session-cookie",
    kind: "changed",
    title: "A confirmation and a new password give the session a new cookie",
    text: "Programs that sign in must take the cookie of the answer to `POST /v1/session/confirmation`."
  },
  {
    on: "2026-11-23",
    id: "typed-client",
    kind: "added",
    title: "A typed client for apps in JavaScript and TypeScript",
    text: "It keeps and refreshes tokens, tries again as `Retry-After` says, and reads lists page by page."
  },
  {
    on: "2026-11-23",
    id: "overload",
    kind: "changed",
    title: "A server that is too busy answers 503 at once",
    text: `With \`Retry-After\`, as [unavailable](${DOCS}/errors/unavailable) says. Uploads of one person take turns.`
  },
  {
    on: "2026-11-22",
    id: "pause",
    kind: "added",
    title: "People can pause an app",
    text: `Meanwhile answers are unknown or empty, with \`reason: "paused"\`. Nothing to do if you
    [handle unknown](${DOCS}/how-to#unknown).`
  },
  {
    on: "2026-11-22",
    id: "erasures",
    kind: "added",
    title: "People delete a stretch of their history",
    text: "Answers about that time are as if no reading had arrived. An app is not told."
  },
  {
    on: "2026-11-22",
    id: "confirmed-addresses",
    kind: "changed",
    title: "Addresses are confirmed by mail",
    text: "Where mail is sent, `POST /v1/accounts` answers 202, and a link in the mail makes the account."
  },
  {
    on: "2026-11-21",
    id: "rules-seed",
    kind: "changed",
    title: "A reading from before a rule began never fires it",
    text: "It only tells the rule where the person is at the start."
  },
  {
    on: "2026-11-21",
    id: "withdraw",
    kind: "added",
    title: "A change that waits for a reviewer can be withdrawn",
    text: "`POST /v1/developer/apps/{app_id}/withdraw`"
  },
  {
    on: "2026-11-20",
    id: "listen",
    kind: "added",
    title: "Events are forwarded to a developer's machine",
    text: `See [testing](${DOCS}/webhooks#debugging).`
  },
  {
    on: "2026-11-20",
    id: "legacy",
    kind: "deprecated",
    title: "Subscriptions, and rules with an address of their own",
    text: `They go on working. [Endpoints of the app](${DOCS}/webhooks#legacy) take their place.`
  }
]
