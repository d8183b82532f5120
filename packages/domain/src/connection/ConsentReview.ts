import type { App, Status } from "../apps/App.js"
import * as RedirectUri from "../apps/RedirectUri.js"
import * as Place from "../places/Place.js"
import * as Purpose from "../purposes/Purpose.js"
import type { AppId, ConsentRequestId } from "../shared/Ids.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection } from "./Connection.js"
import * as ConsentMode from "./ConsentMode.js"
import type { ConsentRequest, Mode } from "./ConsentRequest.js"
import * as EffectiveScopes from "./EffectiveScopes.js"
import type { Uses } from "./Uses.js"

/** Everything that the consent page shows (Spec §4.1). */
export interface ConsentReview {
  readonly requestId: ConsentRequestId
  /** Put into the form as the hidden field `mode`: it tells which questions the user was asked. */
  readonly mode: Mode
  readonly app: {
    readonly id: AppId
    readonly name: string
    readonly description: string
    readonly homepageUrl: string | null
    readonly status: Status
  }
  readonly developerName: string
  /** Where the browser goes afterwards: `https://coffee.example`, or `com.example.app:` of a private scheme. */
  readonly redirectOrigin: string
  /** In catalogue order, standard ones first. */
  readonly scopes: ReadonlyArray<ScopeChoice>
  /** Held now and not asked for any more: gone when the user allows the rest. Empty but in mode `change`. */
  readonly leaving: ReadonlyArray<Pick<ScopeChoice, "scope" | "sensitive" | "description">>
  /** False in a renewal: places and the standard tier stay as they are and must not be asked for. */
  readonly asksPlaces: boolean
  readonly asksStandardDays: boolean
  /** The user's places that are not archived, by label, then id. */
  readonly places: ReadonlyArray<PlaceChoice>
  /** The user's connection with the app as it is now; null in mode `new`. */
  readonly previous: {
    readonly connectedAt: Timestamp
    readonly standardExpiresAt: Timestamp | null
    readonly sensitiveExpiresAt: Timestamp | null
    /** Lapsed, and in its grace. */
    readonly sensitiveLapsed: boolean
  } | null
  /** Uses of the last 90 days, in a renewal; else null. */
  readonly uses: Uses | null
  readonly standardOptions: ReadonlyArray<ExpiryOption<Tier.StandardDays>>
  readonly sensitiveOptions: ReadonlyArray<ExpiryOption<Tier.SensitiveDays>>
  /** False until any phone of the user sent something: every answer is unknown until then, and the page says so. */
  readonly phoneHasSent: boolean
}

export interface ScopeChoice {
  readonly scope: Scope.Scope
  readonly sensitive: boolean
  /** In the user's words. */
  readonly description: string
  /** What a sensitive scope would be used for, in the app's (in production: approved) wording; empty for standard scopes. */
  readonly purposes: ReadonlyArray<string>
  /** On the connection already; null when there is none. */
  readonly heldBefore: boolean | null
  /** What the box begins with: as before, else standard scopes ticked and sensitive ones not. */
  readonly ticked: boolean
}

export interface PlaceChoice extends Place.PlaceRef {
  /** Shared with the app already. */
  readonly ticked: boolean
  readonly earlierTicked: boolean
}

export interface ExpiryOption<Days> {
  readonly days: Days
  /** Counted from the moment of the review; the decision counts from its own. Null: never. */
  readonly endsAt: Timestamp | null
  readonly preselected: boolean
}

export interface Facts {
  readonly request: ConsentRequest
  readonly app: App
  readonly developerName: string
  readonly purposes: ReadonlyArray<Purpose.Purpose>
  readonly places: ReadonlyArray<Place.Place>
  /** Not ended; its standard tier may have passed. */
  readonly existing: Connection | undefined
  readonly phoneHasSent: boolean
  readonly uses: Uses | null
}

/** What the consent page shows and lets choose. */
export const of = (facts: Facts, now: Timestamp): ConsentReview => {
  const { app, request } = facts
  const mode = ConsentMode.of(request.scopes, facts.existing, app, now)
  const previous = mode === "new" ? undefined : facts.existing
  const held = previous === undefined ? [] : EffectiveScopes.reported(previous, app, now)
  const asked = Scope.normalise(request.scopes)
  const shared = new Map(previous?.places.map((place) => [place.placeId, place]))
  return {
    requestId: request.id,
    mode,
    app: {
      id: app.id,
      name: app.name,
      description: app.description,
      homepageUrl: app.homepageUrl,
      status: app.status
    },
    developerName: facts.developerName,
    redirectOrigin: RedirectUri.origin(request.redirectUri),
    scopes: asked.map((scope) => {
      const heldBefore = previous === undefined ? null : held.includes(scope)
      return {
        scope,
        sensitive: Scope.isSensitive(scope),
        description: Scope.describe[scope],
        purposes: purposesOf(scope, facts.purposes, app),
        heldBefore,
        ticked: heldBefore ?? !Scope.isSensitive(scope)
      }
    }),
    leaving: held
      .filter((scope) => !asked.includes(scope))
      .map((scope) => ({ scope, sensitive: Scope.isSensitive(scope), description: Scope.describe[scope] })),
    asksPlaces: mode !== "renew_sensitive",
    asksStandardDays: mode !== "renew_sensitive",
    places: facts.places
      .filter((place) => place.archivedAt === null)
      .map((place) => ({
        ...Place.ref(place),
        ticked: shared.has(place.id),
        earlierTicked: shared.get(place.id)?.includeEarlierVisits ?? false
      })),
    previous:
      previous === undefined
        ? null
        : {
            connectedAt: previous.connectedAt,
            standardExpiresAt: previous.standardExpiresAt,
            sensitiveExpiresAt: previous.sensitiveExpiresAt,
            sensitiveLapsed: Tier.sensitiveState(previous, now) === "lapsed"
          },
    uses: mode === "renew_sensitive" ? facts.uses : null,
    standardOptions: Tier.StandardDays.literals.map((days) =>
      // How many days were chosen before is not kept; that there was to be no end is.
      option(days, Tier.standardExpiry(days, now), previous?.standardExpiresAt === null ? "never" : Tier.DEFAULT_DAYS)
    ),
    sensitiveOptions: Tier.SensitiveDays.literals.map((days) =>
      option(days, Tier.sensitiveExpiry(days, now), Tier.DEFAULT_DAYS)
    ),
    phoneHasSent: facts.phoneHasSent
  }
}

const option = <Days extends Tier.StandardDays>(
  days: Days,
  endsAt: Timestamp | null,
  preselected: Tier.StandardDays
): ExpiryOption<Days> => ({ days, endsAt, preselected: days === preselected })

/** Only purposes that may be used now, in the wording under which they may be used (Spec §2.4). */
const purposesOf = (scope: Scope.Scope, purposes: ReadonlyArray<Purpose.Purpose>, app: App): ScopeChoice["purposes"] =>
  Scope.isSensitive(scope)
    ? purposes.flatMap((purpose) => {
        const terms = Purpose.usableTerms(purpose, app.status)
        return terms?.scopes.includes(scope) ? [terms.description] : []
      })
    : []
