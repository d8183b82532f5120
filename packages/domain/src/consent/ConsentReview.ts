// What the consent page shows. Decisions consent-3 and consent-4.
import type { App, AppStatus } from "../apps/App.js"
import type { LogoDigest } from "../apps/AppLogo.js"
import * as RedirectUri from "../apps/RedirectUri.js"
import * as Place from "../places/Place.js"
import * as Purpose from "../purposes/Purpose.js"
import { type AppId, type ConsentRequestId, Scope, type Timestamp } from "../shared/index.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection } from "../connection/Connection.js"
import * as ConsentMode from "./ConsentMode.js"
import type { ConsentRequest, Mode } from "./ConsentRequest.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import * as Pause from "../connection/Pause.js"
import type { Uses } from "../connection/Uses.js"

/** Everything that the consent page shows (Spec §4.1). */
export interface ConsentReview {
  readonly requestId: ConsentRequestId
  /** The hidden field `mode` of the form, by which the service knows which questions the page asked. */
  readonly mode: Mode
  readonly app: {
    readonly id: AppId
    readonly name: string
    readonly description: string
    readonly homepageUrl: string | null
    readonly logo: LogoDigest | null
    readonly status: AppStatus
  }
  readonly developerName: string
  /**
   * Where the browser goes after the answer, such as `https://coffee.example`, or `com.example.app:` for a private
   * scheme.
   */
  readonly redirectOrigin: string
  /** The requested scopes: standard scopes first, then sensitive scopes. */
  readonly scopes: ReadonlyArray<ScopeChoice>
  /**
   * Scopes that are held now (`EffectiveScopes.held`) and that the app does not ask for: an approval removes them.
   * Empty except in mode `change`.
   */
  readonly leaving: ReadonlyArray<Pick<ScopeChoice, "scope" | "sensitive" | "description">>
  /** Whether the answer chooses the shared places (`ConsentMode.asksPlaces`). */
  readonly asksPlaces: boolean
  /** False in a renewal, which does not change the standard tier. */
  readonly asksStandardDays: boolean
  /** The user's places that are not archived, by label, then id. */
  readonly places: ReadonlyArray<PlaceChoice>
  /** The user's connection with the app as it is now; null in mode `new`. */
  readonly previous: {
    readonly connectedAt: Timestamp.Timestamp
    readonly standardExpiresAt: Timestamp.Timestamp | null
    /** Null when no sensitive scope is held (`EffectiveScopes.held`). */
    readonly sensitiveExpiresAt: Timestamp.Timestamp | null
    readonly sensitiveLapsed: boolean
    /** The present pause, which an approval does not end (decision connection-4); null: the app is not paused. */
    readonly pause: Pause.Pause | null
  } | null
  /** How many answers the app got about the user in the last 90 days. Null when the page is no renewal page. */
  readonly uses: Uses | null
  readonly standardOptions: ReadonlyArray<ExpiryOption<Tier.StandardDays>>
  readonly sensitiveOptions: ReadonlyArray<ExpiryOption<Tier.SensitiveDays>>
  /**
   * False until a phone of the user has sent something. While false, the page says that the app does not learn where
   * the user is, but can read imported history.
   */
  readonly phoneHasSent: boolean
}

export interface ScopeChoice {
  readonly scope: Scope.Scope
  readonly sensitive: boolean
  /** What the scope allows, in words for the user. */
  readonly description: string
  /** The wordings of the purposes that the app may use for a sensitive scope. Empty for a standard scope. */
  readonly purposes: ReadonlyArray<string>
  /** Whether the connection holds the scope (`EffectiveScopes.held`); null in mode `new`. */
  readonly heldBefore: boolean | null
  /** The initial state of the checkbox: `heldBefore`; in mode `new`, ticked for standard scopes only. */
  readonly ticked: boolean
}

export interface PlaceChoice extends Place.PlaceRef {
  readonly ticked: boolean
  readonly earlierTicked: boolean
}

export interface ExpiryOption<Days> {
  readonly days: Days
  /**
   * The end date if the user decided immediately; null: no end. The real end date is later, because the days count from
   * the user's decision.
   */
  readonly endsAt: Timestamp.Timestamp | null
  readonly preselected: boolean
}

export interface ConsentFacts {
  readonly request: ConsentRequest
  readonly app: App
  readonly developerName: string
  readonly purposes: ReadonlyArray<Purpose.Purpose>
  readonly places: ReadonlyArray<Place.Place>
  /**
   * The user's connection with the app, unless its end is stored; else undefined. The end date of its standard tier may
   * have passed.
   */
  readonly existing: Connection | undefined
  readonly phoneHasSent: boolean
  readonly uses: Uses | null
}

/** What the consent page shows. `facts` are what the stores returned. */
export const of = (facts: ConsentFacts, now: Timestamp.Timestamp): ConsentReview => {
  const { app, request } = facts
  const mode = ConsentMode.of(request.scopes, facts.existing, app, now)
  const previous = mode === "new" ? undefined : facts.existing
  const held = previous === undefined ? [] : EffectiveScopes.held(previous, app, now)
  const requested = Scope.normalise(request.scopes)
  const shared = new Map(previous?.places.map((place) => [place.placeId, place]))
  return {
    requestId: request.id,
    mode,
    app: {
      id: app.id,
      name: app.name,
      description: app.description,
      homepageUrl: app.homepageUrl,
      logo: app.logo,
      status: app.status
    },
    developerName: facts.developerName,
    redirectOrigin: RedirectUri.origin(request.redirectUri),
    scopes: requested.map((scope) => {
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
      .filter((scope) => !requested.includes(scope))
      .map((scope) => ({ scope, sensitive: Scope.isSensitive(scope), description: Scope.describe[scope] })),
    asksPlaces: ConsentMode.asksPlaces(mode, request.scopes),
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
            sensitiveExpiresAt: held.some(Scope.isSensitive) ? previous.sensitiveExpiresAt : null,
            sensitiveLapsed: Tier.sensitiveState(previous, now) === "lapsed",
            pause: Pause.isOn(previous.pause, now) ? previous.pause : null
          },
    uses: mode === "renew_sensitive" ? facts.uses : null,
    standardOptions: Tier.StandardDays.literals.map((days) =>
      // The stored connection does not say how many days were chosen, only whether there is an end. So a connection
      // with an end preselects the default.
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
  endsAt: Timestamp.Timestamp | null,
  preselected: Tier.StandardDays
): ExpiryOption<Days> => ({ days, endsAt, preselected: days === preselected })

/** The wordings in force of the purposes that the app may use now for a sensitive scope (Spec §2.4). */
const purposesOf = (scope: Scope.Scope, purposes: ReadonlyArray<Purpose.Purpose>, app: App): ScopeChoice["purposes"] =>
  Scope.isSensitive(scope)
    ? purposes.flatMap((purpose) => {
        const terms = Purpose.usableTerms(purpose, app.status)
        return terms?.scopes.includes(scope) ? [terms.description] : []
      })
    : []
