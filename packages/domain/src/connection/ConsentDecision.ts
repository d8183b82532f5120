import { Option, Schema } from "effect"
import * as App from "../apps/App.js"
import type { Place } from "../places/Place.js"
import type { Purpose } from "../purposes/Purpose.js"
import type { ConnectionId, EventId, Sub, UserId } from "../shared/Ids.js"
import { Problem } from "../shared/Invalid.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Token from "../shared/Token.js"
import type { Hash, KeyId } from "../shared/Vault.js"
import * as SensitiveNotice from "../tiers/SensitiveNotice.js"
import * as Tier from "../tiers/Tier.js"
import * as AuthorizeRequest from "./AuthorizeRequest.js"
import type { Connection } from "./Connection.js"
import type { ApprovalState, RequestDecision, Write } from "./ConnectionStore.js"
import type { ConsentChoices } from "./ConsentChoices.js"
import * as ConsentMode from "./ConsentMode.js"
import { type ConsentRequest, type Decided, isOpen, type Mode } from "./ConsentRequest.js"
import * as EffectiveScopes from "./EffectiveScopes.js"
import * as Ending from "./Ending.js"
import type { ConsentRefusal } from "./Errors.js"
import * as PlacesNotice from "./PlacesNotice.js"
import * as Receipt from "./Receipt.js"
import * as SharedPlaces from "./SharedPlaces.js"

/** What the decision needs besides the locked state: who decides, with what, and material made beforehand. */
export interface Input {
  readonly userId: UserId
  readonly choices: ConsentChoices
  readonly places: ReadonlyArray<Place>
  readonly purposes: ReadonlyArray<Purpose>
  readonly issuer: string
  /** Used only for a first connection. */
  readonly fresh: { readonly connectionId: ConnectionId; readonly sub: Sub }
  /** For the event that tells of other places. */
  readonly eventId: EventId
  /** The code's secret as each key derives it from the request's id; a code made before is found again by its key. */
  readonly codeSecrets: ReadonlyMap<KeyId, string>
  readonly currentKey: KeyId
  /** SHA-256, as `Vault` does it. */
  readonly hash: (text: string) => Hash
}

export type Outcome =
  | { readonly _tag: "Redirect"; readonly to: string }
  | { readonly _tag: "Refused"; readonly reason: ConsentRefusal }
  | { readonly _tag: "Invalid"; readonly problems: readonly [Problem, ...ReadonlyArray<Problem>] }

export type Decision = RequestDecision<Outcome>

const only = (outcome: Outcome): Decision => ({ outcome, decided: null, approval: null })
const refuse = (reason: ConsentRefusal): Decision => only({ _tag: "Refused", reason })

/**
 * One answer per request: whoever posts the form again gets the first answer again, with the same code. Everything is checked
 * against what holds now, under the lock; nothing posted is taken for granted.
 */
export const decide = (input: Input, state: ApprovalState, now: Timestamp): Decision => {
  const { app, existing, request, sub } = state
  if (request.decided !== null) return repeat(input, request, request.decided)
  if (!isOpen(request, now)) return refuse("expired")
  if (app.revokedAt !== null) return refuse("app_revoked")
  const { choices } = input
  const deny = (writes: ReadonlyArray<Write>): Decision => ({
    outcome: { _tag: "Redirect", to: denied(request, input.issuer) },
    decided: { by: input.userId, outcome: "denied" },
    approval: null,
    writes
  })
  if (choices.decision === "cancel") return deny([])
  const before = Option.getOrUndefined(existing)
  const current = ConsentMode.of(request.scopes, before, app, now)
  if (choices.decision === "stop" && (choices.shown ?? current) === "renew_sensitive") {
    return deny(before === undefined ? [] : stop(request, app, before, now))
  }
  if (!App.canBeConnectedBy(app, input.userId)) return refuse("sandbox")

  const mode = modeOfAnswer(choices.shown, current)
  if (mode === undefined) return refuse("outdated")
  const live = mode === "new" ? undefined : before

  const checked = check(input, request, app, live, mode)
  if ("problems" in checked) return only({ _tag: "Invalid", problems: checked.problems })
  const { chosenPlaces, scopes, sensitiveDays, standardDays } = checked

  const connection: Connection = {
    userId: input.userId,
    id: live?.id ?? input.fresh.connectionId,
    appId: app.id,
    sub: live?.sub ?? Option.getOrElse(sub, () => input.fresh.sub),
    // An app that names no id this time does not take back the one it gave before.
    externalUserId: request.externalUserId ?? live?.externalUserId ?? null,
    heldScopes: scopes,
    ...(mode === "renew_sensitive" && live !== undefined
      ? { places: live.places, placesVersion: live.placesVersion, standardExpiresAt: live.standardExpiresAt }
      : {
          ...SharedPlaces.replace(live ?? state.placesVersion, chosenPlaces, input.places, now),
          standardExpiresAt: Tier.standardExpiry(standardDays, now)
        }),
    sensitiveExpiresAt: scopes.some(Scope.isSensitive) ? Tier.sensitiveExpiry(sensitiveDays, now) : null,
    connectedAt: live?.connectedAt ?? now,
    endedAt: null,
    endReason: null,
    // The tokens end now. So a code that was exchanged for them and comes again cannot end what is made here.
    familyId: null
  }
  const decided: Decided = {
    by: input.userId,
    outcome: "approved",
    connectionId: connection.id,
    keyId: input.currentKey
  }
  const code = codeOf(input, decided)
  if (code === undefined) return refuse("expired")
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
      expired: live === undefined && before !== undefined ? before.id : null
    },
    writes: [
      ...(live === undefined ? [] : [{ _tag: "RevokeTokens" } as const]),
      {
        _tag: "Mail",
        message: Receipt.approved(
          request,
          mode,
          app,
          connection,
          SharedPlaces.present(connection, input.places).length,
          now
        )
      },
      { _tag: "LookAt", at: SensitiveNotice.nextLook(connection, now) },
      ...PlacesNotice.events(live, { app, connection }, input.eventId, now).map((event): Write => ({
        _tag: "Emit",
        event
      }))
    ]
  }
}

/**
 * "Stop sharing", offered as plainly as "Renew": the sensitive scopes leave the grant at once, grace or not, and everything else
 * goes on. A connection that held nothing else is over. Nothing when another tab was faster.
 */
const stop = (request: ConsentRequest, app: App.App, connection: Connection, now: Timestamp): ReadonlyArray<Write> => {
  if (!EffectiveScopes.isLive(connection, app, now) || !connection.heldScopes.some(Scope.isSensitive)) return []
  const heldScopes = connection.heldScopes.filter((scope) => !Scope.isSensitive(scope))
  const ended = heldScopes.length === 0
  return [
    ...(ended
      ? Ending.end(connection, "user_disconnected", now)
      : [{ _tag: "SetScopes", heldScopes, sensitiveExpiresAt: null } as const]),
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

/** Undefined when the key that made it was thrown away: the code is long dead then. */
const codeOf = (input: Input, decided: Extract<Decided, { outcome: "approved" }>): string | undefined => {
  const secret = input.codeSecrets.get(decided.keyId)
  return secret === undefined ? undefined : Token.format("ac", decided.connectionId, secret)
}

const repeat = (input: Input, request: ConsentRequest, decided: Decided): Decision => {
  if (decided.by !== input.userId) return refuse("decided")
  if (decided.outcome === "denied") return only({ _tag: "Redirect", to: denied(request, input.issuer) })
  const code = codeOf(input, decided)
  return code === undefined ? refuse("expired") : only({ _tag: "Redirect", to: approved(request, input.issuer, code) })
}

/**
 * Another tab may have answered since the page was shown. Whoever answered the full page answered every question, so it is
 * never cut down to a renewal; a renewal page that finds nothing to renew asked too little and is shown again as what it is now.
 */
const modeOfAnswer = (shown: Mode | undefined, now: Mode): Mode | undefined => {
  if (shown === undefined || shown === now) return now
  if (shown === "renew_sensitive") return undefined
  return now === "renew_sensitive" ? "change" : now
}

interface Checked {
  readonly scopes: ReadonlyArray<Scope.Scope>
  readonly chosenPlaces: ReadonlyArray<SharedPlaces.Chosen>
  readonly standardDays: Tier.StandardDays
  readonly sensitiveDays: Tier.SensitiveDays
}

const check = (
  { choices, places, purposes }: Input,
  request: ConsentRequest,
  app: App.App,
  live: Connection | undefined,
  mode: Mode
): Checked | { readonly problems: readonly [Problem, ...ReadonlyArray<Problem>] } => {
  const problems: Array<Problem> = []
  const problem = (field: string, message: string): void => {
    problems.push(new Problem({ field, message }))
  }
  if (choices.decision !== "allow") problem("decision", "must be allow or cancel")

  // A renewal asks for the days alone; whoever names scopes all the same gets no more than those.
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
  if (mode !== "renew_sensitive" && SharedPlaces.refused(chosenPlaces, places, live?.places ?? []).length > 0) {
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

/** Undefined for anything that is no option; absent is the default (Spec §4.2). */
const days = <A>(options: Schema.Schema<A>, text: string | undefined): A | typeof Tier.DEFAULT_DAYS | undefined => {
  if (text === undefined || text === "") return Tier.DEFAULT_DAYS
  const value = /^[1-9]\d?$/.test(text) ? Number(text) : text
  return Schema.is(options)(value) ? value : undefined
}
