import { ClientSecret } from "@place-access/domain/apps"
import { AuthorizationCode, TokenFamily } from "@place-access/domain/tokens"
import { ConsentRequest } from "@place-access/domain/consent"
import { Event } from "@place-access/domain/events"
import { Purpose, VolumeFlag } from "@place-access/domain/purposes"
import { Scope } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as EventCatalogue from "../../openapi/EventCatalogue.js"
import * as Values from "../../openapi/ExampleValues.js"
import { type Html, html, type Value } from "../../html/Html.js"
import { type Contract, linkTo } from "./contract.js"
import { code, DOCS, page, table } from "./frame.js"
import { inline, prose } from "./prose.js"
import { sequence } from "./sequence.js"
import { duration } from "./words.js"

export const pages = (options: ServiceOptions, contract: () => Contract) => [
  page(`${DOCS}/authorization`, () => ({
    title: "Authorization",
    about: "Consent, tokens, scopes, expiry and purposes",
    lead: inline(
      "A user approves your app: what it may ask, about which places, and for how long. The result is a *connection* and a token for it. The protocol is OAuth 2.1, authorization code with PKCE."
    ),
    sections: [
      { id: "app", name: "Your app", content: app() },
      { id: "consent", name: "Asking for approval", content: consent(options) },
      { id: "tokens", name: "Tokens", content: tokens(options) },
      { id: "scopes", name: "Scopes", content: scopes(contract()) },
      { id: "expiry", name: "How long it lasts", content: expiry() },
      { id: "purposes", name: "Purposes", content: purposes() },
      { id: "access-log", name: "What the user sees", content: accessLog(options) },
      { id: "sessions", name: "Sessions", content: sessions(options) },
      { id: "phones", name: "Tokens of phones", content: phones() }
    ]
  }))
]

const app = (): Value =>
  prose(`Make an app under [Your apps](/developer). An app declares all scopes for which it may ask users. A new app is in
  the **sandbox**: only its holder (the person in whose name the app is registered) and its
  [test people](${DOCS}/reference/test-people) can connect it, also while a reviewer looks at the app.
  [Hand the app in for review](${DOCS}/reference/apps#appsSubmit), so that everybody can connect it.

Register the addresses to which users return. We compare an address exactly, without prefixes or wildcards. We add
\`code\`, \`state\`, \`iss\`, \`error\`, \`error_description\` and \`error_uri\` to the query, so no address may have these.
Registering addresses issues a new client secret, which is shown once and belongs on your server.`)

const consent = ({ authUrl }: ServiceOptions): Value => [
  sequence(
    "Authorization code with PKCE",
    ["Browser", "Your app", "Service"],
    [
      { from: "Browser", to: "Your app", says: "connect my places" },
      { from: "Your app", to: "Your app", says: "state, code_verifier" },
      { from: "Your app", to: "Browser", says: "redirect to /authorize", isAnswer: true },
      { from: "Browser", to: "Service", says: "/authorize?code_challenge=…" },
      { from: "Service", to: "Service", says: "the user decides" },
      { from: "Service", to: "Browser", says: "redirect with code and state", isAnswer: true },
      { from: "Browser", to: "Your app", says: "redirect_uri?code=…&state=…" },
      { from: "Your app", to: "Service", says: "token: code, code_verifier" },
      { from: "Service", to: "Your app", says: "access and refresh token", isAnswer: true }
    ]
  ),
  prose(`Send the user's browser to \`${authUrl}/authorize\` with these parameters:`),
  table(
    "Parameters of the consent page",
    ["Parameter", "Needed", "Rules"],
    [
      [html`<code>client_id</code>`, "required", "The app's id."],
      [html`<code>redirect_uri</code>`, "required", "Exactly one of the registered addresses."],
      [html`<code>scope</code>`, "required", "Scopes with spaces between them, among those that the app declares."],
      [html`<code>state</code>`, "required", "8 to 512 characters that nobody can guess. It is returned unchanged."],
      [
        html`<code>code_challenge</code>`,
        "required",
        inline("`base64url(SHA-256(code_verifier))`; the verifier has 43 to 128 characters and stays on your server.")
      ],
      [html`<code>code_challenge_method</code>`, "required", html`<code>S256</code>`],
      [
        html`<code>external_user_id</code>`,
        "optional",
        "Your own id of this user, up to 128 characters. You read it in GET /v1/me; the user never sees it."
      ],
      [
        html`<code>response_type</code>`,
        "optional",
        inline("`code`, for libraries that send it; the answer then carries `iss` (RFC 9207).")
      ]
    ]
  ),
  code(
    `${authUrl}/authorize?${new URLSearchParams({
      client_id: Values.ids.app,
      redirect_uri: "https://umbrella.example/callback",
      scope: "location.place.current location.rules.place",
      state: "af0ifjsldkj-8sdf",
      code_challenge: Values.challenge,
      code_challenge_method: "S256"
    }).toString()}`,
    "http"
  ),
  prose(`The user signs in, chooses scopes (perhaps fewer than you asked for), places and expiries, and comes back to
  \`redirect_uri\` with \`code\` and
    \`state\`. **Refuse an answer whose \`state\` is not the one that you sent.** The page waits for the user's answer for
    ${duration(ConsentRequest.LIFETIME)}.

In a window of its own the consent page has no \`window.opener\`: the page sends \`Cross-Origin-Opener-Policy: same-origin\`. Let your
page at \`redirect_uri\` tell the first window, for example with a \`BroadcastChannel\`.

What the user sees depends on what exists already:

- **No connection yet:** the whole consent page.
- **A connection, and you ask for exactly the scopes that it holds, one of them sensitive:** a renewal. One
  confirmation chooses a new date for the sensitive scopes; everything else stays.
- **A connection, and any other request:** the whole page again, also for the same scopes when none is sensitive. Both
  expiries are set anew; rules, places and \`sub\` stay.

If the user does not connect your app, the browser returns with \`error\`, \`error_description\` and \`state\`:`),
  table(
    "Errors that the app gets",
    ["error", "Meaning"],
    REDIRECT_ERRORS.map(([name, meaning]) => [html`<code>${name}</code>`, inline(meaning)])
  ),
  prose(
    "For a wrong `client_id`, `redirect_uri` or `state` the user sees an error page and is not redirected, because the address could be anybody's. A user also stays on a page of this service when your app is in the sandbox and the user is not its holder, while your app is on hold, until the user has confirmed their e-mail address, when the `redirect_uri` is not registered any more, and when the consent page has become too old."
  )
]

const REDIRECT_ERRORS = [
  [
    "access_denied",
    "The user pressed Cancel, or on a renewal page Not now or Stop sharing. After Stop sharing, the sensitive scopes are gone at once. A connection that had no other scopes has ended: `GET /v1/me` answers 401."
  ],
  [
    "invalid_request",
    "A parameter other than `scope` is missing, or one is repeated or not valid; the description names it."
  ],
  [
    "invalid_scope",
    "`scope` is missing, or a scope does not exist, is not declared by the app, or needs a purpose that the app does not have."
  ],
  ["unsupported_response_type", "response_type is not code."]
] as const

const tokens = ({ baseUrl }: ServiceOptions): Value => [
  prose(`Your server exchanges the code at [\`POST /v1/oauth/token\`](${DOCS}/reference/oauth#oauthToken), within
  ${duration(AuthorizationCode.LIFETIME)} and once. The route reads JSON with the names below, and the form of RFC 6749
    that OAuth libraries send. The libraries find the addresses of all routes at
    \`${baseUrl}/.well-known/oauth-authorization-server\`.`),
  code(
    `curl ${baseUrl}/v1/oauth/token -H 'Content-Type: application/json' -d '{
  "grantType": "authorization_code", "clientId": "…", "clientSecret": "…",
  "code": "…", "codeVerifier": "…", "redirectUri": "https://umbrella.example/callback" }'`,
    "bash"
  ),
  table(
    "Credentials",
    ["What", "Good for", "Note"],
    [
      [
        "Access token",
        duration(TokenFamily.ACCESS_LIFETIME),
        inline(
          "`Authorization: Bearer …` on every call, never in an address. One user's approval of one app: ten users, ten tokens."
        )
      ],
      [
        "Refresh token",
        "as long as the connection",
        inline(
          `Spent with every use: store the new one from the answer. Used again within ${duration(TokenFamily.RACE_WINDOW)}, it gets the newest refresh token and a new access token, so two of your servers may refresh at the same time. **Used later, it counts as a leak and ends the connection.**`
        )
      ],
      [
        "Client secret",
        `until the next is issued, and ${duration(ClientSecret.OVERLAP)} more, unless you end it at once`,
        inline(
          "Authenticates the app at the token and revocation endpoints, in the body or by HTTP Basic. For calls under `/v1/test-people`: by HTTP Basic."
        )
      ]
    ]
  ),
  prose(`- A code can be exchanged once. **A second exchange counts as a leak and ends the connection.** If you send an
  \`Idempotency-Key\` with the exchange, and its answer was lost, send the same request with the same key again within
  ${duration(TokenFamily.RACE_WINDOW)}: it gets the same refresh token and another access token.
- When a user renews or changes a connection, the earlier tokens end at once. The code at \`redirect_uri\` gets you
  new tokens.
- When a call answers 401 \`invalid_token\`, refresh once. When the refresh answers \`invalid_grant\`, the user has to
  connect again. Never loop.
- A refresh that is refused with 503 [connection_on_hold](${DOCS}/errors/connection_on_hold) spends nothing, but the
  ${duration(TokenFamily.RACE_WINDOW)} run on. If the answer to an earlier refresh got lost, do not send its token again
  after the hold: it counts as a leak. Let the user connect again.
- \`scope\` in every token answer lists the scopes that are effective now. There may be fewer than last time, and none
  (\`""\`): for example, when the sensitive scopes have lapsed and the user granted no other.
- [\`POST /v1/oauth/revoke\`](${DOCS}/reference/oauth#oauthRevoke) with a token of a connection ends the whole
  connection, also with a spent refresh token. A token from before the user's last approval ends nothing: exchange the
  new code first, and revoke the new token.
- The revocation endpoint answers 200 for any token, with an empty body and no content type. simple-oauth2 fails with
  406 on such an answer: call \`revokeAll({ json: true })\` or \`revoke(type, { json: true })\`.
- \`sub\` is the user as your app sees them: the same after a reconnect, another one for another app. It says nothing
  about who they are.
- Encrypt tokens where you keep them. The service itself keeps only hashes.`)
]

const scopes = (contract: Contract): Value => [
  prose(
    "Standard scopes answer questions about places that the user shares. Sensitive scopes disclose coordinates: they have an expiry of their own and need a [purpose](#purposes) on every call. A call without its scope answers 403."
  ),
  table(
    "Scopes",
    ["Scope", "Opens"],
    Scope.all.map((scope) => ({
      id: scope,
      cells: [
        html`<code>${scope}</code>${Scope.isSensitive(scope) && html` <span class="badge warn">Sensitive</span>`}
          <p class="soft">${Scope.describe[scope]}</p>`,
        opens(contract, scope)
      ]
    }))
  ),
  html`<p>Any one of the standard scopes opens:</p>`,
  calls(contract, (needs) => needs.length > 1),
  prose(
    "`GET /v1/me` answers any live token. A scope is effective if the user granted it *and* the app declares it. When either ends, live tokens lose the scope at once."
  )
]

/**
 * The operations and events that need the scope. The operations come from the contract. An event needs the scope when
 * the service checks the scope before it delivers the event.
 */
const opens = (contract: Contract, scope: Scope.Scope): Value => [
  calls(contract, (needs) => needs.length === 1 && needs[0] === scope),
  Event.SUBSCRIBABLE.filter((name) => EventCatalogue.neededScopes(name).includes(scope)).map(
    (name) =>
      html`<p>
        Event <a href="${DOCS}/webhooks#${name}"><code>${name}</code></a>
      </p>`
  )
]

const calls = ({ tags }: Contract, isWanted: (needs: ReadonlyArray<string>) => boolean): Html =>
  html`<ul class="plain">
    ${tags.flatMap((tag) =>
      tag.operations
        .filter(({ needs, scheme }) => scheme === "accessToken" && isWanted(needs))
        .map(
          (operation) =>
            html`<li>
              <a href="${linkTo(tag, operation)}"><code>${operation.method} ${operation.path}</code></a>
            </li>`
        )
    )}
  </ul>`

const expiry = (): Value => [
  table(
    "Expiry choices",
    ["Tier", "The user chooses", "At its end"],
    [
      [
        "Standard",
        choices(Tier.StandardDays.literals),
        "The connection ends: every call answers 401, every rule stops."
      ],
      [
        "Sensitive",
        choices(Tier.SensitiveDays.literals),
        "Only the sensitive scopes stop. All sensitive scopes of a connection share one date."
      ]
    ]
  ),
  prose(`A day is 24 hours. ${Tier.DEFAULT_DAYS} days are chosen already when the page opens.

When the sensitive date passes, calls that need those scopes answer 403 \`scope_expired\`, with the time at which the scopes ended and the time at which the grace ends.
The grace is ${duration(Tier.GRACE)}. In this time a **renewal** brings the scopes back: send the user
through consent with exactly the scopes that you hold (\`held_scopes\` of \`GET /v1/me\`). After the grace the sensitive
scopes leave the grant, calls answer \`missing_scope\`, and only the full consent page grants the scopes again. Rules and
standard scopes work all the time. The [events](${DOCS}/webhooks#sensitive.expiring) tell you before the end, at the
end, and after the grace.

A connection ends permanently when its standard tier expires, the user disconnects it or deletes the account, your app
revokes a token, your app is revoked, or somebody uses a spent refresh token or code again. An admin can revoke your app.
It is revoked too when its holder's account is deleted and no other owner can take it over.`)
]

const choices = (days: ReadonlyArray<number | "never">): string =>
  days
    .map((one) => (one === "never" ? "or never" : String(one)))
    .join(", ")
    .replace(/(\d+)(, or never)?$/, "$1 days$2")

const purposes = (): Value =>
  prose(`A call that discloses coordinates names its purpose: \`?purpose=order_ahead\`. Purposes are registered [by
  the app's developer](${DOCS}/reference/purposes).

- The **key** is for your code: 3 to 40 characters of \`a-z\`, \`0-9\` and \`_\`, beginning with a letter. It never
  belongs to another purpose.
- The **description**, 10 to 200 characters, is what users read, exactly as it was approved.
- A purpose covers certain sensitive scopes, and says how many calls a day one connection should need, 1 to 10,000.
  When a connection makes more than ${VolumeFlag.FACTOR === 2 ? "twice" : `${VolumeFlag.FACTOR} times`} as many calls
  in a day, our reviewers and the user see a flag. We refuse no call for that reason.
- A sandbox app may use drafts. In production a reviewer must approve each purpose
  first. Editing an approved purpose sends it to review again; the approved wording stays in force until the decision.
- An app has at most ${Purpose.MAX_PER_APP} purposes, archived ones included. No call may name an archived purpose.

A call whose purpose is missing, unknown, not approved or does not cover the scope answers 400
\`invalid_purpose\`.`)

const accessLog = (options: ServiceOptions): Value =>
  prose(`[The user's access log](${portalPath(options)}/access-log) lists every request of your app about the user,
  refused requests
included, with its purpose and what you learned, in words. It also lists events that tell your app something about
the user: each firing of a rule, sent or withheld, and changes of the shared places that were sent. A
question is written down before it is answered.`)

const sessions = ({ baseUrl }: ServiceOptions): Value =>
  prose(`Routes under \`/v1/developer\`, \`/v1/user\` and \`/v1/admin\` are for people who are signed in: a cookie,
  which
    [\`POST /v1/session\`](${DOCS}/reference/session#sessionSignIn) sets. Calls that change something also send \`Origin: ${new URL(baseUrl).origin}\`, as browsers do on their own. An
    app cannot act for its users with a session.`)

const phones = (): Value =>
  prose(`A user adds a phone in the portal and gets a token for it, which uploads and can do nothing else. Apps for
  phones are described
    [in the reference](${DOCS}/reference/phone-apps); anything of your own uses [\`POST /v1/phone/locations\`](${DOCS}/reference/phone).`)
