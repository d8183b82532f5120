/**
 * The bodies of the API as an app sends and reads them, as plain types, so that an app with the client needs no other
 * package. `test/client/contract.test.ts` does not compile when the fields of a type differ from the fields of the API.
 */

/** ISO 8601 in UTC with milliseconds, such as `2026-01-31T09:30:00.000Z`. */
export type IsoTime = string

export type AppScope =
  | "location.rules.place"
  | "location.rules.zone"
  | "location.place.current"
  | "location.place.lookup"
  | "location.zone.verify"
  | "location.places.watch"
  | "location.visits.read"
  | "location.latest.read"
  | "location.history.read"
  | "location.lookup"

/**
 * `reason` is present only when the answer is unknown because the user has paused the app. The app can ask again later.
 */
interface MayBePaused {
  readonly reason?: "paused"
}

/** One user's approval of the app. */
export interface ConnectionAnswer {
  /** The id of the user for this app. Another app gets another `sub` for the same user. */
  readonly sub: string
  readonly external_user_id: string | null
  /** The scopes that the app can use now. */
  readonly scopes: ReadonlyArray<AppScope>
  /** The scopes that the user granted and the app still declares, lapsed scopes included. */
  readonly held_scopes: ReadonlyArray<AppScope>
  /** A number that grows when the set of shared places changes. */
  readonly places_version: number
  readonly grant_expires_at: IsoTime | null
  readonly sensitive_expires_at: IsoTime | null
  readonly sensitive_lapsed_at: IsoTime | null
  readonly renewal_grace_ends_at: IsoTime | null
  readonly connected_at: IsoTime
}

export interface PlaceAnswer {
  readonly id: string
  readonly label: string
  readonly kind: "home" | "work" | "school" | "gym" | "shop" | "restaurant" | "transit" | "health" | "other"
}

export interface SharedPlacesAnswer {
  readonly places_version: number
  readonly places: ReadonlyArray<PlaceAnswer>
}

export interface CurrentPlaceAnswer extends MayBePaused {
  /**
   * `elsewhere`: at none of the shared places. `unknown`: no recent reading is clear enough to decide, or the user has
   * paused the app.
   */
  readonly state: "at_place" | "elsewhere" | "unknown"
  /** Null unless `state` is `at_place`. */
  readonly place: PlaceAnswer | null
  /** When the reading that decided `state` was captured; null when no reading decided `state`. */
  readonly asOf: IsoTime | null
}

export interface PresenceAnswer extends MayBePaused {
  readonly state: "yes" | "no" | "unknown"
  readonly place: PlaceAnswer
  readonly asOf: IsoTime | null
}

export interface ZoneAnswer extends MayBePaused {
  readonly state: "yes" | "no" | "unknown"
  readonly asOf: IsoTime | null
}

export interface PlaceLookupAnswer extends MayBePaused {
  readonly place: PlaceAnswer | null
  /**
   * Whether the user was at a shared place. When `matched` is false, `asOf` is the time of a reading outside the shared
   * places, if there is such a reading.
   */
  readonly matched: boolean
  readonly asOf: IsoTime | null
  /** Whole seconds between the moment that the app asked about and `asOf`; null when `asOf` is null. */
  readonly deltaSeconds: number | null
}

export interface SharedVisit {
  readonly arrival: IsoTime
  /** Null while the visit is open. */
  readonly departure: IsoTime | null
  readonly place: PlaceAnswer
}

export interface VisitsPage extends MayBePaused {
  readonly visits: ReadonlyArray<SharedVisit>
  readonly nextCursor: string | null
  /**
   * False while the service is still deriving visits from uploaded readings. Then visits may be missing, and the app
   * can ask again later.
   */
  readonly complete: boolean
}

export interface Coordinates {
  readonly lat: number
  readonly lon: number
  readonly accuracy_m: number | null
  readonly captured_at: IsoTime
}

export interface LatestLocationAnswer extends MayBePaused {
  /**
   * Null when the user's history has no reading, and while the user has paused the app. Readings of a phone that the
   * user left behind do not count.
   */
  readonly fix: Coordinates | null
}

export interface LocationLookupAnswer extends MayBePaused {
  readonly matched: boolean
  readonly fix: Coordinates | null
  readonly asOf: IsoTime | null
  readonly deltaSeconds: number | null
}

export interface LocationsPage extends MayBePaused {
  readonly fixes: ReadonlyArray<Coordinates>
  readonly nextCursor: string | null
}

export interface LocationDay {
  /** The day, such as `2026-01-31`, in the time zone that the request names (`tz`). */
  readonly date: string
  /** How many readings the day has between `from` and `to`. */
  readonly fixes: number
  readonly first_at: IsoTime
  readonly last_at: IsoTime
}

export interface LocationDaysAnswer extends MayBePaused {
  readonly days: ReadonlyArray<LocationDay>
}

export interface PlaceRuleAnswer {
  readonly id: string
  readonly type: "enter" | "exit" | "dwell"
  /** The place or the zone that the rule is about. `place_id` is null for a zone. */
  readonly target: { readonly place_id: string | null; readonly label: string }
  readonly dwell_minutes: number | null
  readonly settle_s: number | null
  readonly silence_s: number | null
  readonly active_from: IsoTime | null
  readonly active_until: IsoTime | null
  /** `disabled`: the rule's place was archived or is no longer shared, or the app no longer has the rule's scope. */
  readonly state: "active" | "inactive" | "finished" | "disabled"
  readonly disabled_at: IsoTime | null
  readonly created_at: IsoTime
  readonly webhook_url: string | null
  readonly max_event_age_s: number | null
}

export interface ZoneRuleAnswer extends PlaceRuleAnswer {
  readonly lat: number
  readonly lon: number
  readonly radius_m: number
}

export interface PlaceRulesPage {
  readonly rules: ReadonlyArray<PlaceRuleAnswer>
  readonly nextCursor: string | null
}

export interface ZoneRulesPage {
  readonly rules: ReadonlyArray<ZoneRuleAnswer>
  readonly nextCursor: string | null
}

/** One evaluation of a rule: what one reading did to the rule. */
export interface RuleEvaluationAnswer {
  readonly at: IsoTime
  readonly received_at: IsoTime
  readonly decision:
    | "seeded"
    | "boundary"
    | "no_change"
    | "crossed"
    | "stale"
    | "cooling_down"
    | "settling"
    | "contradicted"
    | "outside_window"
    | "late"
    | "out_of_order"
    | "fired"
  readonly event_id: string | null
}

export interface EvaluationsAnswer extends MayBePaused {
  readonly evaluations: ReadonlyArray<RuleEvaluationAnswer>
  readonly nextCursor: null
}

export interface SubscriptionAnswer {
  readonly id: string
  readonly url: string
  /** The signing secret. It is not shown again. */
  readonly secret: string
  readonly created_at: IsoTime
}

/** The answer of the token endpoint. */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: "Bearer"
  /** How many seconds the access token works. */
  readonly expires_in: number
  readonly refresh_token: string
  readonly refresh_token_expires_at: IsoTime | null
  readonly sensitive_scopes_expire_at: IsoTime | null
  /** The scopes, separated by blanks. */
  readonly scope: string
  readonly sub: string
}

/** The metadata of the authorization server (RFC 8414). */
export interface ServerMetadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly revocation_endpoint: string
  readonly scopes_supported: ReadonlyArray<string>
  readonly response_types_supported: ReadonlyArray<string>
  readonly response_modes_supported: ReadonlyArray<string>
  readonly grant_types_supported: ReadonlyArray<string>
  readonly token_endpoint_auth_methods_supported: ReadonlyArray<string>
  readonly revocation_endpoint_auth_methods_supported: ReadonlyArray<string>
  readonly code_challenge_methods_supported: ReadonlyArray<string>
  readonly authorization_response_iss_parameter_supported: boolean
}

// ---- the queries and bodies that an app sends

export interface MaxAge {
  /** The greatest age of the reading that the answer is based on, in seconds: 1 to 86,400, by default 900. */
  readonly max_age_s?: number | undefined
}

export interface AtMoment {
  readonly at: IsoTime
  /** How far before or after `at` the reading may lie, in seconds: 0 to 86,400, by default 900. */
  readonly tolerance_s?: number | undefined
}

export interface ZoneQuestion extends MaxAge {
  readonly lat: number
  readonly lon: number
  readonly radius_m: number
  /** A name for the circle. The user reads this label in their access log. */
  readonly label: string
}

export interface PageQuery {
  /** One page has at most this number of entries. */
  readonly limit?: number | undefined
  /** `nextCursor` of the previous page; left out: the first page. */
  readonly cursor?: string | undefined
}

export interface VisitsListQuery extends PageQuery {
  /** The earliest arrival, inclusive. */
  readonly from?: IsoTime | undefined
  /** The latest arrival, exclusive. */
  readonly to?: IsoTime | undefined
}

/** Every call that reads coordinates names a purpose, which the user reads in their access log. */
export interface ForPurpose {
  /** The key of a purpose of the app. The purpose must cover the scope of the call. */
  readonly purpose: string
}

export interface LocationLookupQuery extends ForPurpose, AtMoment {}

interface Stretch extends ForPurpose {
  /** Only readings from this time on, this time included. */
  readonly from: IsoTime
  /** Only readings before this time. */
  readonly to: IsoTime
}

export interface LocationsQuery extends Stretch, PageQuery {}

export interface LocationDaysQuery extends Stretch {
  /** The IANA time zone in which days begin and end; by default UTC. */
  readonly tz?: string | undefined
}

type RuleTrigger =
  | { readonly type: "enter" | "exit"; readonly dwell_minutes?: null | undefined }
  /** `dwell_minutes`: 5 to 720. */
  | { readonly type: "dwell"; readonly dwell_minutes: number }

interface RuleTerms {
  /**
   * For `enter` and `exit`: seconds from the crossing to the event, 0 to 300. No event is sent if the user has gone
   * back by then.
   */
  readonly settle_s?: number | null | undefined
  readonly silence_s?: number | null | undefined
  /** The exact url of one of the app's endpoints. Left out: all endpoints that subscribe to the rule's events. */
  readonly webhook_url?: string | null | undefined
  readonly active_from?: IsoTime | null | undefined
  readonly active_until?: IsoTime | null | undefined
  /** The greatest age of an event in seconds. Older events are not sent. Null means that events of any age are sent. */
  readonly max_event_age_s?: number | null | undefined
}

export type NewPlaceRuleBody = RuleTerms & RuleTrigger & { readonly place_id: string }

export type NewZoneRuleBody = RuleTerms &
  RuleTrigger & {
    readonly lat: number
    readonly lon: number
    /** The radius in metres: 100 to 10,000. */
    readonly radius_m: number
    /** A name for the circle. The user reads this label in the rule, and each time the rule fires. */
    readonly label: string
  }
