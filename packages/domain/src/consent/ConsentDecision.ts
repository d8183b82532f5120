import { Option, Schema } from "effect"
import * as App from "../apps/App.js"
import type { Purpose } from "../purposes/Purpose.js"
import {
  type AppId,
  type ConnectionId,
  type EventId,
  Problem,
  Scope,
  type Sub,
  Token,
  type UserId
} from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash, KeyId } from "../shared/Vault.js"
import * as SensitiveNotice from "../tiers/SensitiveNotice.js"
import * as Tier from "../tiers/Tier.js"
import * as AuthorizeRequest from "./AuthorizeRequest.js"
import type { Connection } from "../connection/Connection.js"
import * as ConsentEntry from "../connection/ConsentEntry.js"
import type { Write } from "../connection/ConnectionStore.js"
import type { TokenWrite } from "../tokens/TokenStore.js"
import type { ApprovalState, RequestDecision } from "./ConsentStore.js"
import type { ConsentChoices } from "./ConsentChoices.js"
import * as ConsentMode from "./ConsentMode.js"
import { type ConsentRequest, type DecidedConsent, isOpen, type Mode } from "./ConsentRequest.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import * as Ending from "../connection/Ending.js"
import type { ConsentRefusal } from "../connection/Errors.js"
import * as PlacesNotice from "../connection/PlacesNotice.js"
import * as Receipt from "./Receipt.js"
import * as SharedPlaces from "../connection/SharedPlaces.js"

// How a user's answer to a consent page is decided. Decisions consent-5, consent-6, consent-7, consent-8 and M7.

/**
 * Everything that `decideConsent` reads or generates before the store locks the request: the user, the answer, ids and
 * secrets.
 */
export interface ConsentInput {
  readonly userId: UserId
  /** The app whose test person the user is; null for a real person (`Account.testOf`). */
  readonly testOf: AppId | null
  readonly choices: ConsentChoices
  readonly purposes: ReadonlyArray<Purpose>
  readonly issuer: string
  /** Whether a phone of the user has ever sent something. If not, the receipt says how to set up a phone. */
  readonly phoneHasSent: boolean
  /** The ids of a new connection. `sub` is used only when the user was never connected to the app. */
  readonly fresh: { readonly connectionId: ConnectionId; readonly sub: Sub }
  /** The id for the event about changed places, if the decision emits this event. */
  readonly eventId: EventId
  /**
   * For each of the service's keys, the secret of the authorization code, derived from the request's id. When the form
   * is posted again after a key rotation, the key of the first answer gives the same code.
   */
  readonly codeSecrets: ReadonlyMap<KeyId, string>
  readonly currentKey: KeyId
  /** SHA-256, as `Vault.sha256` computes it. */
  readonly hash: (text: string) => Hash
}

export type ConsentOutcome =
  | { readonly _tag: "Redirect"; readonly to: string }
  | { readonly _tag: "Refused"; readonly reason: ConsentRefusal }
  | { readonly _tag: "Invalid"; readonly problems: readonly [Problem, ...ReadonlyArray<Problem>] }

export type UserDecision = RequestDecision<ConsentOutcome>

const only = (outcome: ConsentOutcome): UserDecision => ({ outcome, decided: null, approval: null })
const refuse = (reason: ConsentRefusal): UserDecision => only({ _tag: "Refused", reason })

/**
 * Why nobody can connect the app now; undefined when the app is neither revoked nor suspended. A revoked app stays
 * closed forever, a suspended app only until the account of its holder (`App.ownerId`) is resumed.
 */
export const closedApp = (app: Pick<App.App, "revokedAt" | "suspendedAt">): ConsentRefusal | undefined =>
  app.revokedAt !== null ? "app_revoked" : app.suspendedAt !== null ? "app_suspended" : undefined

/**
 * Whether an answer to the request may be sent to its redirect URI. False when the app no longer has the URI, because a
 * stranger may control the address now. Always true for test people: their requests redirect no browser, so these
 * requests have a redirect URI that no app registers.
 */
export const canBeAnswered = (
  request: Pick<ConsentRequest, "redirectUri">,
  app: Pick<App.App, "redirectUris">,
  testOf: AppId | null
): boolean => testOf !== null || app.redirectUris.includes(request.redirectUri)

/**
 * Decides a request once. The same form posted again gets the first answer, with the same code, while the app can still
 * exchange the code, the request is open, its redirect URI is registered, and the app is neither revoked nor suspended.
 * The form may be forged or out of
 * date, so `decide` checks each field: against `state`, which the store read after it had locked the request, and
 * against the purposes in `input`, which were read before the lock.
 */
export const decide = (input: ConsentInput, state: ApprovalState, now: Timestamp): UserDecision => {
  const { app, existing, request } = state
  if (!canBeAnswered(request, app, input.testOf)) return refuse("outdated")
  if (!isOpen(request, now)) return refuse("expired")
  const closed = closedApp(app)
  if (closed !== undefined) return refuse(closed)
  if (request.decided !== null) return repeat(input, state, request.decided)
  const { choices } = input
  if (choices.decision === "cancel") return deny(input, request, [])
  const before = Option.getOrUndefined(existing)
  const current = ConsentMode.of(request.scopes, before, app, now)
  if (choices.decision === "stop" && (choices.shown ?? current) === "renew_sensitive") {
    return deny(input, request, before === undefined ? [] : stop(request, app, before, now))
  }
  if (!App.canBeConnectedBy(app, { id: input.userId, testOf: input.testOf })) return refuse("sandbox")
  const mode = modeOfAnswer(choices.shown, current)
  if (mode === undefined) return refuse("outdated")
  const live = mode === "new" ? undefined : before
  const checked = check(input, state, live, mode)
  return "problems" in checked
    ? only({ _tag: "Invalid", problems: checked.problems })
    : approve(input, state, { mode, live, checked }, now)
}

const deny = (input: ConsentInput, request: ConsentRequest, writes: ReadonlyArray<TokenWrite>): UserDecision => ({
  outcome: { _tag: "Redirect", to: denied(request, input.issuer) },
  decided: { by: input.userId, outcome: "denied" },
  approval: null,
  writes
})

/** An answer that passed every check. */
interface AcceptedAnswer {
  readonly mode: Mode
  /** The connection that continues; undefined when a new connection begins. */
  readonly live: Connection | undefined
  readonly checked: CheckedChoices
}

const approve = (input: ConsentInput, state: ApprovalState, answer: AcceptedAnswer, now: Timestamp): UserDecision => {
  const { app, existing, request } = state
  const connection = connectionOf(input, state, answer, now)
  const by = { by: input.userId, outcome: "approved", connectionId: connection.id } as const
  const decided = { ...by, keyId: input.currentKey }
  const code = codeOf(input, decided)
  if (code === undefined) return refuse("expired")
  const expired = answer.live === undefined ? Option.getOrNull(Option.map(existing, ({ id }) => id)) : null
  return {
    outcome: { _tag: "Redirect", to: approved(request, input.issuer, code) },
    decided,
    approval: {
      connection,
      code: {
        hash: input.hash(code),
        userId: input.userId,
        connectionId: connection.id,
        appId: app.id,
        redirectUri: request.redirectUri,
        challenge: request.challenge,
        createdAt: now,
        familyId: null,
        exchange: null
      },
      expired
    },
    writes: writesOf(input, state, answer, connection, now)
  }
}

/** The connection after the approval. */
const connectionOf = (
  input: ConsentInput,
  { app, ownPlaces, placesVersion, request, sub }: ApprovalState,
  { checked, live, mode }: AcceptedAnswer,
  now: Timestamp
): Connection => ({
  userId: input.userId,
  id: live?.id ?? input.fresh.connectionId,
  appId: app.id,
  sub: live?.sub ?? Option.getOrElse(sub, () => input.fresh.sub),
  // A request without `external_user_id` keeps the id of an earlier request.
  externalUserId: request.externalUserId ?? live?.externalUserId ?? null,
  heldScopes: scopesAfter(mode, live, checked.scopes),
  agreedScopes: Scope.normalise([
    ...(live === undefined ? [] : EffectiveScopes.stillAgreed(live, now)),
    ...checked.scopes
  ]),
  ...(live === undefined || ConsentMode.asksPlaces(mode, request.scopes)
    ? SharedPlaces.replace(live ?? placesVersion, checked.chosenPlaces, ownPlaces, now)
    : { places: live.places, placesVersion: live.placesVersion }),
  standardExpiresAt:
    mode === "renew_sensitive" && live !== undefined
      ? live.standardExpiresAt
      : Tier.standardExpiry(checked.standardDays, now),
  sensitiveExpiresAt: checked.scopes.some(Scope.isSensitive) ? Tier.sensitiveExpiry(checked.sensitiveDays, now) : null,
  // A pause continues after a further consent: only the user's own choice ends the pause.
  pause: live?.pause ?? null,
  connectedAt: live?.connectedAt ?? now,
  endedAt: null,
  endReason: null,
  // Null until the app exchanges the new code, because that exchange starts a token family. When an older code is
  // exchanged a second time, the connection ends only if its `familyId` is still the family of that code. So after this
  // consent, the second exchange of an older code ends nothing.
  familyId: null
})

/**
 * The granted scopes after the approval: the scopes that the user chose. A renewal decides about sensitive scopes only.
 * So a renewal keeps every standard scope, even a scope that the app may not use at the moment and that the page does
 * not show. A sensitive scope that the page did not show is removed, because the user was not asked to renew this
 * scope.
 */
const scopesAfter = (
  mode: Mode,
  live: Connection | undefined,
  chosen: ReadonlyArray<Scope.Scope>
): ReadonlyArray<Scope.Scope> =>
  mode === "renew_sensitive" && live !== undefined
    ? Scope.normalise([...live.heldScopes.filter((scope) => !Scope.isSensitive(scope)), ...chosen])
    : chosen

const CHANGES = { new: "connected", change: "changed", renew_sensitive: "renewed" } as const

/**
 * The writes of an approval in addition to the connection and the code. They revoke the old tokens, mail a receipt to
 * the user, set the time when the tier sweep next checks the connection, add an entry to the consent history, and emit
 * an event about changed places.
 */
const writesOf = (
  input: ConsentInput,
  { app, ownPlaces, request }: ApprovalState,
  { live, mode }: AcceptedAnswer,
  connection: Connection,
  now: Timestamp
): ReadonlyArray<TokenWrite> => {
  const shared = SharedPlaces.present(connection, ownPlaces).length
  // An answer that renews no sensitive scope takes exact location away, so neither the mail nor the history calls this
  // answer a renewal.
  const made = mode === "renew_sensitive" && connection.sensitiveExpiresAt === null ? "change" : mode
  return [
    ...(live === undefined ? [] : [{ _tag: "RevokeTokens" } as const]),
    {
      _tag: "Mail",
      message: Receipt.approved(
        request,
        made,
        app,
        connection,
        { places: shared, phoneHasSent: input.phoneHasSent },
        now
      )
    },
    { _tag: "LookAt", at: SensitiveNotice.nextLook(connection, now) },
    { _tag: "Record", entry: ConsentEntry.of(CHANGES[made], connection, now) },
    ...PlacesNotice.events(live, { app, connection }, input.eventId, now).map((event): Write => ({
      _tag: "Emit",
      event
    }))
  ]
}

/**
 * The writes of the button "Stop sharing" on the renewal page: they remove the sensitive scopes immediately, even in
 * the grace period. The connection ends when it has no other scope that the app declares. Empty when the connection is
 * over, when the grace period is over, and when no sensitive scope is granted any more, for example because another tab
 * has already stopped the sharing.
 */
const stop = (request: ConsentRequest, app: App.App, connection: Connection, now: Timestamp): ReadonlyArray<Write> => {
  if (!EffectiveScopes.isLive(connection, app, now)) return []
  // After the grace period, the tier sweep removes the sensitive scopes and informs the app, so there is nothing to
  // write here.
  if (!EffectiveScopes.granted(connection, now).some(Scope.isSensitive)) return []
  const heldScopes = connection.heldScopes.filter((scope) => !Scope.isSensitive(scope))
  const ended = EffectiveScopes.hasOnlyExactLocation(connection, app, now)
  return [
    ...(ended
      ? Ending.end(connection, "user_disconnected", now)
      : ([
          { _tag: "SetScopes", heldScopes, sensitiveExpiresAt: null },
          {
            _tag: "Record",
            entry: ConsentEntry.of("exact_location_ended", { ...connection, heldScopes, sensitiveExpiresAt: null }, now)
          }
        ] as const)),
    { _tag: "Mail", message: Receipt.stopped(request, app, connection, ended, now) }
  ]
}

const approved = (request: ConsentRequest, issuer: string, code: string): string =>
  AuthorizeRequest.answer(request, issuer, [["code", code]])

const denied = (request: ConsentRequest, issuer: string): string =>
  AuthorizeRequest.answer(request, issuer, [
    ["error", "access_denied"],
    ["error_description", "the user did not allow the connection"]
  ])

/**
 * The authorization code of an approval. Undefined when an operator has removed the key that derived the code.
 */
const codeOf = (input: ConsentInput, decided: Extract<DecidedConsent, { outcome: "approved" }>): string | undefined => {
  const secret = input.codeSecrets.get(decided.keyId)
  return secret === undefined ? undefined : Token.format("ac", decided.connectionId, secret)
}

/**
 * Repeats the first answer, unless its code is of no use any more. An app that exchanges a code again loses its
 * connection (decision O7). An exchanged code shows that the first answer reached the app.
 */
const repeat = (input: ConsentInput, state: ApprovalState, decided: DecidedConsent): UserDecision => {
  const { request, usableCodes } = state
  if (decided.by !== input.userId) return refuse("decided")
  if (decided.outcome === "denied") return only({ _tag: "Redirect", to: denied(request, input.issuer) })
  const code = codeOf(input, decided)
  if (code === undefined || !usableCodes.includes(input.hash(code))) return refuse("decided")
  return only({ _tag: "Redirect", to: approved(request, input.issuer, code) })
}

/**
 * The mode in which an answer is checked. `shown` is the mode of the page that the user answered, `present` the mode
 * that a page would have now. The two differ when another tab has changed the connection meanwhile.
 * - The pages `new` and `change` ask every question, so an answer to one of these pages is complete in every mode. When
 *   `present` is `renew_sensitive`, this answer counts as `change`.
 * - A renewal page asks fewer questions. So an answer to a renewal page is refused (undefined) when `present` is
 *   another mode, and the user must see a new page.
 */
const modeOfAnswer = (shown: Mode | undefined, present: Mode): Mode | undefined => {
  if (shown === undefined || shown === present) return present
  if (shown === "renew_sensitive") return undefined
  return present === "renew_sensitive" ? "change" : present
}

interface CheckedChoices {
  readonly scopes: ReadonlyArray<Scope.Scope>
  readonly chosenPlaces: ReadonlyArray<SharedPlaces.ChosenPlaces>
  readonly standardDays: Tier.StandardDays
  readonly sensitiveDays: Tier.SensitiveDays
}

const check = (
  { choices, purposes }: ConsentInput,
  { app, ownPlaces, request }: ApprovalState,
  live: Connection | undefined,
  mode: Mode
): CheckedChoices | { readonly problems: readonly [Problem, ...ReadonlyArray<Problem>] } => {
  const problems: Array<Problem> = []
  const problem = (field: string, message: string): void => {
    problems.push(new Problem({ field, message }))
  }
  if (choices.decision !== "allow") problem("decision", "must be allow or cancel")

  // A renewal page asks only for the days. When the form has no scopes, all requested scopes are renewed. When the form
  // has scopes, the sensitive scopes that are missing in the form are not renewed.
  const isWhole = mode === "renew_sensitive" && choices.scopes.length === 0
  const posted: ReadonlyArray<string> = isWhole ? request.scopes : choices.scopes
  const requested = posted.filter(Scope.isScope).filter((scope) => request.scopes.includes(scope))
  const scopes = Scope.normalise(requested)
  if (requested.length < posted.length) problem("scope", "must be among the scopes that the app asked for")
  else if (scopes.length === 0) problem("scope", "choose at least one, or cancel")
  const refused = AuthorizeRequest.unavailable(scopes, app, purposes)
  if (refused !== undefined) problem("scope", `${refused.scope} ${refused.why}`)

  const earlier = new Set(choices.earlier)
  const chosenPlaces = choices.places.map((placeId) => ({ placeId, includeEarlierVisits: earlier.has(placeId) }))
  if (mode !== "renew_sensitive" && SharedPlaces.refused(chosenPlaces, ownPlaces, live?.places ?? []).length > 0) {
    problem("place", "must be among your places")
  }

  const standardDays = days(Tier.StandardDays, choices.standardDays)
  if (mode !== "renew_sensitive" && standardDays === undefined) {
    problem("standard_days", "must be 1, 7, 30, 90 or never")
  }
  const sensitiveDays = days(Tier.SensitiveDays, choices.sensitiveDays)
  if (scopes.some(Scope.isSensitive) && sensitiveDays === undefined) {
    problem("sensitive_days", "must be 1, 7, 30 or 90")
  }

  const [first, ...rest] = problems
  return first === undefined
    ? {
        scopes,
        chosenPlaces,
        standardDays: standardDays ?? Tier.DEFAULT_DAYS,
        sensitiveDays: sensitiveDays ?? Tier.DEFAULT_DAYS
      }
    : { problems: [first, ...rest] }
}

/**
 * The number of days that the field names; undefined for a text that is not an option. An absent field means the
 * default (Spec §4.2).
 */
const days = <A>(options: Schema.Schema<A>, text: string | undefined): A | typeof Tier.DEFAULT_DAYS | undefined => {
  if (text === undefined || text === "") return Tier.DEFAULT_DAYS
  const value = /^[1-9]\d?$/.test(text) ? Number(text) : text
  return Schema.is(options)(value) ? value : undefined
}
