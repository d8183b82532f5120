import type { Change } from "./changes/Change.js"
import { EARLIER_CHANGES } from "./changes/earlierChanges.js"

/** The changes, newest first. docs/CHANGELOG.md also has the changes that concern operators and embedders. */
export const CHANGES: ReadonlyArray<Change> = [
  {
    on: "2026-11-30",
    id: "longest-lists",
    kind: "changed",
    title: "Lists of scopes, events and headers have a maximum length",
    text: `A list of scopes has at most 10 entries, and a list of events at most 5: as many as there are. A change of an
    endpoint names at most 10 headers. A longer list is answered with 400 \`validation_failed\`. A longer list of scopes
    or events could only have repeats. The OpenAPI document has these numbers as \`maxItems\`.`
  },
  {
    on: "2026-11-30",
    id: "no-invisible-characters",
    kind: "changed",
    title: "Names lose all characters that show nothing",
    text: `The service removes all invisible characters from names, labels and descriptions, such as variation selectors
    after letters. They stay inside emoji, and joiners stay between letters of the Arabic and Indic scripts. Until now,
    the service removed only some of them, so two names could look the same.`
  },
  {
    on: "2026-11-30",
    id: "role-of-repeated-requests",
    kind: "changed",
    title: "A repeated request about an app needs the role",
    text: `When a request about an app comes again with its \`Idempotency-Key\`, and you have left the app's team, the answer
    is 404; when your role does not allow the request any more, it is 403. Before, a removed member got the first answer
    again, with its secret.`
  },
  {
    on: "2026-11-30",
    id: "no-exchanged-code-again",
    kind: "changed",
    title: "A decision is not repeated with a code that nobody can exchange",
    text: `When the app has exchanged the code, or the code is older than 60 seconds, a repeated call of
    \`POST /v1/user/consent-requests/{id}/decision\` answers 409, and the consent page says that the user has decided
    already. Before, the app got the same code again, and lost the connection when it exchanged the code once more.`
  },
  {
    on: "2026-11-30",
    id: "challenges-that-nothing-fits",
    kind: "changed",
    title: "A code_challenge that cannot be a SHA-256 is refused",
    text: `\`/authorize\` answers \`invalid_request\` when the last of the 43 characters of \`code_challenge\` is none of
    \`AEIMQUYcgkosw048\`. Before, only the exchange of the code failed.`
  },
  {
    on: "2026-11-30",
    id: "callbacks-lead-anywhere",
    kind: "changed",
    title: "A callback may redirect to any address",
    text: `After Allow and Cancel, Chromium blocked a callback that redirected on to another scheme, such as
    \`com.example.app://done\`, or from https to \`http://localhost\`. Now the page at your \`redirect_uri\` may redirect
    to any address.`
  },
  {
    on: "2026-11-30",
    id: "limit-of-hand-overs",
    kind: "changed",
    title: "Hand-overs of apps have a limit",
    text: `An account can hand over 50 apps in a day. Beyond this limit,
    \`POST /v1/developer/apps/{app_id}/team/members/{member_id}/hand-over\` answers 429 \`rate_limited\`.`
  },
  {
    on: "2026-11-30",
    id: "spans-without-an-instant",
    kind: "changed",
    title: "A list whose to is not after from is refused",
    text: `\`GET /v1/visits\`, \`GET /v1/user/access-log\`, \`GET /v1/admin/audit-log\` and the delivery log of an app answer
    400 \`validation_failed\` when \`to\` is before or equal to \`from\`. Before, the list was empty.`
  },
  {
    on: "2026-11-30",
    id: "wording-at-the-time-of-the-request",
    kind: "changed",
    title: "The access log keeps the wording of a purpose",
    text: `\`purpose_description\` in \`GET /v1/user/access-log\` and in the volume flags of a user, and \`purpose\` in an
    archive, have the wording that a reviewer had approved last until the time of the entry. Before the first approval,
    they have the wording that was approved first. Until now, each approval of another wording changed the earlier
    entries too.`
  },
  {
    on: "2026-11-30",
    id: "only-accounts-of-people",
    kind: "changed",
    title: "Admins manage only the accounts of people",
    text: `The routes below \`/v1/admin/accounts\` answer 404 for a test person and for \`deleted_account\`.`
  },
  {
    on: "2026-11-30",
    id: "visits-of-test-people",
    kind: "changed",
    title: "Visits contain the simulated stays of test people",
    text: `\`GET /v1/visits\` left out a stay that began before the test person was made, so it was usually empty after a
    trip. Now it has these visits too. Test people that exist already keep the fault: make new ones.`
  },
  {
    on: "2026-11-30",
    id: "accounts-without-an-address",
    kind: "changed",
    title: "The e-mail of an account that lost its address is null",
    text: `An account loses an address that it never confirmed when another account confirms this address. Then \`email\`
    had a placeholder ending in \`@account.invalid\`. Now it is null in \`GET /v1/session\`, in the other answers with
    the account, in the developer of an app for reviewers and admins, and in the list of a team.`
  },
  {
    on: "2026-11-30",
    id: "wrong-codes-in-a-row",
    kind: "changed",
    title: "After 100 wrong one-time codes in a row, a right code is refused too",
    text: `Then \`POST /v1/session\` answers 401, and \`POST /v1/session/confirmation\` answers 403, also to a right
    code of the app, until the owner of the account uses a passkey or a recovery code. Five wrong codes in a row are
    mailed to the owner.`
  },
  {
    on: "2026-11-30",
    id: "limits-of-redeliveries-and-secrets",
    kind: "changed",
    title: "Redelivered webhooks and new secrets have a limit",
    text: `An account can redeliver 300 webhooks in an hour, and a redelivered test counts as one of the 30 tests in an
    hour too. It can make 300 new secrets in a day: registrations of redirect URIs, new client secrets, and new signing
    secrets. Beyond these limits the routes answer 429 \`rate_limited\`. Recover has no such limit.`
  },
  {
    on: "2026-11-30",
    id: "sessions-of-an-account",
    kind: "changed",
    title: "An account has at most 200 sessions",
    text: `A sign-in beyond them ends the session that was used least recently. So a program should keep its session, or
    end it with \`DELETE /v1/session\`.`
  },
  {
    on: "2026-11-30",
    id: "places-stay-when-nobody-asks",
    kind: "changed",
    title: "A change that asks for no scope about places keeps the shared places",
    text: `When a connected app asked only for scopes about areas that it chooses or about exact location, the consent
    page did not ask for places, and the connection lost all of them. Now they stay, and the page lists them. Such a
    request has \`asks_places\` false in \`GET /v1/user/consent-requests/{id}\`.`
  },
  {
    on: "2026-11-30",
    id: "all-sign-ins-are-limited",
    kind: "changed",
    title: "Sign-ins with the right password count towards a limit too",
    text: `\`POST /v1/session\`, \`POST /v1/session/confirmation\` and other routes that check a password answer 429
    \`rate_limited\` beyond 120 attempts at one account, or 600 from one network address, in 15 minutes. So a program
    should keep its session, and not sign in for each call.`
  },
  {
    on: "2026-11-30",
    id: "unusual-statuses-in-the-delivery-log",
    kind: "changed",
    title: "The delivery log can be filtered by statuses above 599",
    text: `The filter \`status\` of \`GET /v1/developer/apps/{app_id}/deliveries\` accepts 100 to 999. Some receivers
    answer with a status above 599, which the log always had.`
  },
  {
    on: "2026-11-30",
    id: "deliveries-end-when-too-old",
    kind: "changed",
    title: "A delivery becomes too_old as soon as its event is older than its rule allows",
    text: `Before, such a delivery stayed \`trying\` until its next attempt would have been due. \`next_due_at\` is now at
    the latest the moment at which the event becomes too old, except for deliveries that waited
    already, and after an attempt that this service broke off several times.`
  },
  {
    on: "2026-11-30",
    id: "rules-without-their-scope",
    kind: "changed",
    title: "An app lists and deletes its rules with any standard scope",
    text: `\`GET /v1/rules/{place|zone}\` and \`DELETE /v1/rules/{place|zone}/{id}\` take any standard scope. Disabled
    rules count among the ten rules of a connection, and an app that had lost their scope could neither list nor delete
    them. The message of 409 \`rule_limit_reached\` says that disabled rules count, and the message of 403
    \`missing_scope\` where any standard scope is enough says so.`
  },
  {
    on: "2026-11-30",
    id: "moves-of-places-are-limited",
    kind: "changed",
    title: "Moves of places count towards the 300 things that an account makes in a day",
    text: `\`PATCH /v1/user/places/{id}\` with \`lat\`, \`lon\` or \`radius_m\` counts like a new place, and is answered
    with 429 \`rate_limited\` beyond the limit. The service keeps all circles that a place has had.`
  },
  {
    on: "2026-11-30",
    id: "recover-without-changed-addresses",
    kind: "changed",
    title: "Recover sends an event again only once while its rule names another address than the endpoint",
    text: `\`POST /v1/developer/apps/{app_id}/webhooks/{endpoint_id}/recover\` no longer queues replays that failed as
    \`address_changed\`: each call added replays that failed again. Give the endpoint its old address back before the
    call. An event that was sent again before can be redelivered by itself.`
  },
  {
    on: "2026-11-30",
    id: "withheld-events-in-the-delivery-log",
    kind: "changed",
    title: "The delivery log shows neither the kind nor the time of a firing that was perhaps not for the app",
    text: `A delivery of a firing that failed without an attempt, and a replay before its first attempt, have
    \`rule.fired\` as \`type\` and null as \`occurred_at\`: the app was not authorised, or nobody has checked whether it
    was. The filter \`type=rule.fired\` finds them.`
  },
  {
    on: "2026-11-30",
    id: "keyed-invitations",
    kind: "changed",
    title: "An invitation into a team with an Idempotency-Key no longer gets 503",
    text: `\`POST /v1/developer/apps/{app_id}/team/invitations\` with an \`Idempotency-Key\` answered 503 on servers with the
    embedded database, and on others when many such requests came at the same time.`
  },
  {
    on: "2026-11-30",
    id: "phones-whose-clock-was-ahead",
    kind: "changed",
    title: "A phone whose clock was ahead no longer adds positions at wrong times when its clock is put right",
    text: `All readings that were \`quarantined\` as from the future stay in quarantine when a later reading shows that
    the phone's clock was ahead. Before, only the last of them did: rules fired, and answers about the present were
    wrong, for positions that were hours old.`
  },
  {
    on: "2026-11-30",
    id: "parameters-of-redirect-uris",
    kind: "changed",
    title: "A redirect URI cannot be registered with a parameter that the service adds",
    text: `\`POST /v1/oauth/clients/{app_id}\` answers 400 to an address with \`code\`, \`state\`, \`iss\`, \`error\`,
    \`error_description\` or \`error_uri\` in its query. Addresses that are registered already keep working.`
  },
  {
    on: "2026-11-30",
    id: "repeated-consent-decisions",
    kind: "changed",
    title: "A decision about a consent request is repeated for an hour, and without a key",
    text: `\`POST /v1/user/consent-requests/{id}/decision\` repeats its first answer until the request is an hour old, unless
    the app was revoked or suspended or no longer has the redirect URI. The call does not read \`Idempotency-Key\`.`
  },
  {
    on: "2026-11-30",
    id: "host-of-imported-rules",
    kind: "added",
    title: "Users see to which host the events of an imported rule go",
    text: `The rules in \`GET /v1/user/connections/{id}/rules\` have \`webhook_host\`: the host of an imported rule's own
    address, and null for every other rule.`
  },
  {
    on: "2026-11-30",
    id: "fresh-sign-in-for-reviewers",
    kind: "changed",
    title: "Making somebody a reviewer needs a fresh sign-in, as making an admin does",
    text: `\`PUT /v1/admin/accounts/{account_id}/roles/reviewer\` answers 403 \`confirmation_required\` when the session
    was neither opened nor confirmed in the last 15 minutes. Then call \`POST /v1/session/confirmation\` first.`
  },
  {
    on: "2026-11-30",
    id: "deliveries-of-revoked-apps",
    kind: "changed",
    title: "No delivery of a revoked app is sent again",
    text: `For a revoked app, the calls that redeliver or recover deliveries, or make the next attempt now, answer 409. Its
    team can still read the deliveries and test the endpoints.`
  },
  {
    on: "2026-11-30",
    id: "visits-of-files-end-with-the-file",
    kind: "changed",
    title: "A visit at the end of an imported file ends with the file, also when later history was deleted",
    text: `\`GET /v1/visits\` showed such a visit up to the stretch of history that its owner had deleted after the end of
    the file. Now the departure is the time of the file's newest entry. Read stored visits of such users again.`
  },
  {
    on: "2026-11-29",
    id: "undo-removes-factors",
    kind: "changed",
    title: "The undo of a change of the address removes second factors that somebody else may have added",
    text: `\`POST /v1/email-undos/use\` also removes all recovery codes, and every passkey and every app for one-time codes
    that was added in the 24 hours before the change or after it. A passkey of somebody else could sign in again.`
  },
  {
    on: "2026-11-29",
    id: "imports-keep-devices-apart",
    kind: "changed",
    title: "An import keeps the devices of a file apart, and reads more of Google's and OwnTracks' files",
    text: `\`POST /v1/user/imports\` also reads the measured positions in a Takeout's Timeline Edits.json, and the answer of
    OwnTracks' recorder. The visits of each device in Records.json, in a packed store of OwnTracks' recorder, and in a
    GPX file of this service are derived separately.`
  },
  {
    on: "2026-11-29",
    id: "endpoints-of-revoked-apps",
    kind: "changed",
    title: "A revoked app gets no new webhook endpoints and signing secrets",
    text: `For a revoked app, the calls that add or change a webhook endpoint, and those that make a new signing secret,
    answer 409. Its team can still list, test and remove its endpoints.`
  },
  {
    on: "2026-11-29",
    id: "only-possible-errors",
    kind: "changed",
    title: "The OpenAPI document names fewer errors that cannot come",
    text: `\`second_factor_missing\` is declared only where a role is needed, \`forbidden\` only for reads that can be
    forbidden, and \`validation_failed\` no longer for \`POST /v1/oauth/token\` and \`POST /v1/oauth/revoke\`.
    \`POST /v1/oauth/token\` has the header \`Idempotency-Key\`, which it has read before.`
  },
  {
    on: "2026-11-29",
    id: "users-see-subscriptions",
    kind: "added",
    title: "Users see and remove the addresses that an app named for notifications",
    text: `\`GET /v1/user/connections/{id}\` has \`subscriptions\`, with the host of each address of
    \`POST /v1/subscriptions\`. The user can remove an address on the page of the connection: the app then gets nothing
    more there, and can name the address again.`
  },
  {
    on: "2026-11-29",
    id: "headers-of-a-moved-endpoint",
    kind: "changed",
    title: "A webhook endpoint that moves to another server needs its own headers again",
    text: `\`PATCH /v1/developer/apps/{app_id}/webhooks/{endpoint_id}\` answers 400 when \`url\` has another scheme, host or
    port and \`headers\` does not name each stored header. Give new values, null, or an empty list, which removes all.`
  },
  {
    on: "2026-11-29",
    id: "later-end-needs-purpose",
    kind: "changed",
    title: "A user cannot prolong exact location without a purpose",
    text: `\`PATCH /v1/user/connections/{id}\` answers 400 when \`sensitive_days\` would move the end of exact
    location to a later date and a sensitive scope of the connection has no purpose that the app may use.`
  },
  {
    on: "2026-11-29",
    id: "later-zone-rules-count-at-opening",
    kind: "changed",
    title: "A zone rule whose window opens later also counts on the day of its opening",
    text: `\`POST /v1/rules/zone\` and \`POST /v1/answers/verify-zone\` answer 429 \`budget_exceeded\` when rules that open
    on one day use up the budget of that day, whenever they were made. Wait as \`Retry-After\` says.`
  },
  {
    on: "2026-11-29",
    id: "imprecise-readings-and-zones",
    kind: "changed",
    title: "Readings less accurate than 200 m answer no question about a zone",
    text: `\`POST /v1/answers/verify-zone\` uses the next older reading, or answers \`unknown\`. The evaluations of a zone
    rule show of such a reading only a firing. The budget of a day counts a band of 200 m around a zone: ten zones of
    up to 950 m in one town.`
  },
  {
    on: "2026-11-29",
    id: "invitations-newest-first",
    kind: "changed",
    title: "Received invitations are listed newest first",
    text: `\`GET /v1/developer/invitations\` listed the oldest 100 invitations, so a newer one could be missing.`
  },
  {
    on: "2026-11-29",
    id: "confirmed-address-for-app-changes",
    kind: "changed",
    title: "A change of an app or purpose that waits for a reviewer needs a confirmed address",
    text: `Before you have confirmed your e-mail address, \`PATCH /v1/developer/apps/{app_id}\`,
    \`PATCH /v1/developer/apps/{app_id}/purposes/{purpose_id}\` and \`POST /v1/oauth/clients/{app_id}\` answer 403 when
    the app or purpose waits for a reviewer after the change.`
  },
  {
    on: "2026-11-29",
    id: "owners-withdraw-redirect-uris",
    kind: "changed",
    title: "Only owners withdraw a waiting change that has redirect URIs",
    text: `\`POST /v1/developer/apps/{app_id}/withdraw\` answers 403 to a developer of the app's team when redirect URIs are
    part of the waiting change. A developer can set each other part back with \`PATCH\`.`
  },
  {
    on: "2026-11-28",
    id: "signature-hidden-from-viewers",
    kind: "changed",
    title: "Viewers of an app do not see the signatures of deliveries",
    text: `For a viewer, \`GET /v1/developer/apps/{app_id}/deliveries/{delivery_id}\` answers \`(hidden)\` as the value of
    \`X-Service-Signature\`, as the page of the delivery does.`
  },
  ...EARLIER_CHANGES
]
