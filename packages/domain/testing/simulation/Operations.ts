/**
 * Everything that people, apps, phones and developers can do in a simulation, with the results. A trace records the
 * operations, and oracles judge a run by the trace. So each operation has all values that the specification names,
 * under the specification's names. Times are milliseconds since 1970, ids are the service's ids, and aliases replace
 * secrets.
 */
export interface Operations {
  // ---- accounts
  readonly signUp: { args: { email: string; roles: ReadonlyArray<string> }; value: { userId: string } }
  /** `password`: the number of a password that the account has or had. 0 is the first password; -1 is a wrong guess. */
  readonly signIn: { args: Owned<{ password: number; address: string }>; value: { cookie: string } }
  /**
   * Somebody, perhaps a thief, sends a request with the cookie. `userId` is null when the cookie belongs to no valid
   * session.
   */
  readonly useCookie: { args: { cookie: string }; value: { userId: string | null } }
  readonly signOut: { args: { cookie: string }; value: null }
  readonly endOtherSessions: { args: { cookie: string }; value: { ended: number } }
  readonly changePassword: {
    args: { cookie: string; password: number; next: number; address: string }
    /** The session's new cookie; null when the session ended during the change. */
    value: { cookie: string | null }
  }

  // ---- places and phones
  readonly createPlace: { args: Owned<{ label: string; kind: string } & Circle>; value: { placeId: string } }
  readonly updatePlace: { args: Owned<{ placeId: string; label: string; kind: string } & Circle>; value: null }
  readonly archivePlace: { args: Owned<{ placeId: string }>; value: null }
  readonly addDevice: { args: Owned<{ name: string }>; value: { deviceId: string } }
  readonly removeDevice: { args: Owned<{ deviceId: string }>; value: null }
  readonly upload: {
    args: Owned<{ deviceId: string; fixes: ReadonlyArray<Reading>; visits: ReadonlyArray<PhoneVisit> }>
    value: { accepted: number; duplicates: number; quarantined: number }
  }

  // ---- imports
  /** The owner imports a file that has these readings, and `wrong` further lines that the service cannot use. */
  readonly importFile: {
    args: Owned<{ readings: ReadonlyArray<{ capturedAt: number; lat: number; lon: number }>; wrong: number }>
    value: { importId: string }
  }
  readonly undoImport: { args: Owned<{ importId: string }>; value: null }
  /** Reads the imports of the owner, newest first, at most 500. */
  readonly readImports: { args: Owned<object>; value: { imports: ReadonlyArray<ImportRow> } }

  // ---- the developer
  readonly createApp: { args: Owned<{ scopes: ReadonlyArray<string> }>; value: { appId: string } }
  readonly registerRedirectUris: {
    args: OfApp<{ redirectUris: ReadonlyArray<string> }>
    value: { clientSecret: string }
  }
  readonly declareScopes: { args: OfApp<{ scopes: ReadonlyArray<string> }>; value: null }
  readonly createPurpose: { args: OfApp<PurposeFields & { key: string }>; value: { purposeId: string } }
  readonly editPurpose: { args: OfApp<PurposeFields & { purposeId: string }>; value: { status: string } }
  readonly submitPurpose: { args: OfApp<{ purposeId: string }>; value: { status: string } }
  readonly archivePurpose: { args: OfApp<{ purposeId: string }>; value: null }
  readonly submitApp: { args: OfApp<object>; value: null }
  readonly createEndpoint: {
    args: OfApp<{ url: string; events: ReadonlyArray<string> }>
    value: { endpointId: string; secret: string }
  }
  readonly editEndpoint: {
    args: OfApp<{ endpointId: string; url?: string; events?: ReadonlyArray<string>; enabled?: true }>
    value: null
  }
  readonly removeEndpoint: { args: OfApp<{ endpointId: string }>; value: null }
  readonly rotateSecret: { args: OfApp<{ endpointId: string }>; value: { secret: string } }
  readonly testEndpoint: { args: OfApp<{ endpointId: string }>; value: { delivered: boolean; status: number | null } }
  readonly redeliver: { args: OfApp<{ deliveryId: string }>; value: { deliveryId: string } }
  readonly retryNow: { args: OfApp<{ deliveryId: string }>; value: null }
  readonly recover: { args: OfApp<{ endpointId: string; since: number }>; value: { queued: number } }
  /**
   * The developer listens to the app's events, with the cookie of a session, for at most `forMs`. The listener gets the
   * events of the endpoint `endpointId`. If `endpointId` is null, the listener gets the events of the types in
   * `events`, signed with `secret`.
   */
  readonly listen: {
    args: OfApp<{ cookie: string; endpointId: string | null; events: ReadonlyArray<string>; forMs: number }>
    value: { listenerId: string; secret: string | null }
  }
  readonly stopListening: { args: { listenerId: string }; value: null }
  /** Reads all endpoints of the app. */
  readonly readEndpoints: { args: OfApp<object>; value: { endpoints: ReadonlyArray<EndpointRow> } }
  /** Reads all rows of the app's delivery log that the service still keeps. */
  readonly readDeliveries: { args: OfApp<object>; value: { deliveries: ReadonlyArray<DeliveryRow> } }

  // ---- reviewers and admins
  readonly decidePurpose: { args: { purposeId: string; decision: "approve" | "reject" }; value: null }
  readonly decideApp: { args: { appId: string; decision: "approve" | "reject" }; value: null }
  readonly narrowApp: { args: { appId: string; scopes: ReadonlyArray<string> }; value: null }
  readonly revokeApp: { args: { appId: string }; value: null }
  readonly readFlags: { args: object; value: { flags: ReadonlyArray<VolumeFlag> } }

  // ---- consent and tokens
  readonly consent: {
    args: Owned<{
      appId: string
      requested: ReadonlyArray<string>
      /** The scopes that the user ticked on the consent page. */
      scopes: ReadonlyArray<string>
      places: ReadonlyArray<string>
      /** Those of `places` for which the user also shares visits from before the connection. */
      earlier: ReadonlyArray<string>
      standardDays: 1 | 7 | 30 | 90 | null
      sensitiveDays: 1 | 7 | 30 | 90
      externalUserId: string | null
    }>
    value: { mode: "new" | "renew_sensitive" | "change"; code: string; connectionId: string }
  }
  /** `redirectUri`: absent when the app sends the redirect URI of the consent. */
  readonly exchange: {
    args: OfApp<{ code: string; verifier: "right" | "wrong"; client: "right" | "wrong"; redirectUri?: "wrong" }>
    value: TokenSet
  }
  readonly refresh: { args: OfApp<{ refreshToken: string; client: "right" | "wrong" }>; value: TokenSet }
  /** `token`: an access token, a refresh token, or a made-up token that the service never issued. */
  readonly revoke: { args: OfApp<{ token: string; client: "right" | "wrong" }>; value: null }
  readonly disconnect: { args: Owned<{ connectionId: string }>; value: null }
  readonly sharePlaces: {
    args: Owned<{ connectionId: string; places: ReadonlyArray<{ placeId: string; includeEarlierVisits: boolean }> }>
    value: { placesVersion: number }
  }

  // ---- steering: changes of a connection that the user makes without a request of the app
  readonly pauseConnection: { args: Owned<{ connectionId: string; length: PauseLength }>; value: null }
  readonly resumeConnection: { args: Owned<{ connectionId: string }>; value: null }
  /**
   * Pauses all live connections. A connection that is already paused for longer keeps its pause. The answer has the
   * number of live connections.
   */
  readonly pauseAll: { args: Owned<{ length: PauseLength }>; value: { connections: number } }
  readonly resumeAll: { args: Owned<object>; value: { connections: number } }
  readonly endExactLocation: { args: Owned<{ connectionId: string }>; value: null }
  /** Changes scopes or end dates. A field that is null leaves its value unchanged. */
  readonly changeConnection: {
    args: Owned<{
      connectionId: string
      scopes: ReadonlyArray<string> | null
      standardDays: 1 | 7 | 30 | 90 | "never" | null
      sensitiveDays: 1 | 7 | 30 | 90 | null
    }>
    value: null
  }
  /** Deletes the history from `from` on, until just before `until`. */
  readonly eraseHistory: { args: Owned<{ from: number; until: number }>; value: null }
  /**
   * The owner reads the newest 500 visits at all of the owner's places, and the capture times of the newest 500
   * readings. If further readings have the same time as the last of these readings, the answer also has these further
   * readings (`FixHistory.newest`).
   */
  readonly readOwnHistory: {
    args: Owned<object>
    value: {
      visits: ReadonlyArray<{ arrival: number; departure: number | null; placeId: string }>
      readings: ReadonlyArray<number>
    }
  }
  readonly removeRuleOfUser: { args: Owned<{ connectionId: string; ruleId: string }>; value: null }
  /** Reads the whole access log, newest entry first. */
  readonly readAccessLog: { args: Owned<object>; value: { entries: ReadonlyArray<LoggedAccess> } }

  /**
   * A call with a bearer token. When the service refuses the call, the operation still ends as `ok`, with the status of
   * the refusal: the service has answered.
   */
  readonly call: { args: Call; value: Answered }
}

export type Name = keyof Operations
export type Operation<N extends Name> = Operations[N]

/** How an operation ended. */
export type Ended<N extends Name> =
  | { readonly _tag: "ok"; readonly value: Operations[N]["value"] }
  /** `error`: the tag of the domain's error, or the error code of the HTTP API, such as `invalid_grant`. */
  | { readonly _tag: "refused"; readonly error: string; readonly detail: unknown }
  /**
   * The service answered 503 or was down (`unavailable`), or its process died before the answer (`crash`). The
   * operation may have taken effect nevertheless.
   */
  | { readonly _tag: "unknown"; readonly because: "unavailable" | "crash" }

type Owned<A> = A & { readonly userId: string }
type OfApp<A> = A & { readonly appId: string }

export type PauseLength = "hour" | "day" | "until_resumed"

export interface Circle {
  readonly lat: number
  readonly lon: number
  readonly radiusM: number
}

export interface Reading {
  readonly capturedAt: number
  readonly lat: number
  readonly lon: number
  readonly accuracyM: number | null
}

export interface PhoneVisit {
  readonly arrival: number | null
  readonly departure: number | null
  readonly lat: number
  readonly lon: number
}

export interface PurposeFields {
  readonly description: string
  readonly scopes: ReadonlyArray<string>
  readonly expectedDailyVolume: number
}

export interface TokenSet {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInS: number
  readonly refreshTokenExpiresAt: number | null
  readonly sensitiveScopesExpireAt: number | null
  readonly scopes: ReadonlyArray<string>
  readonly sub: string
}

export interface Call {
  readonly appId: string
  readonly token: string
  readonly request: Request
  /** The key of the purpose, as the app sent it. Endpoints with a sensitive scope need a purpose. */
  readonly purpose?: string
}

/** The method, route and parameters of an app's call: Spec §4.3-4.6, decisions §4. */
export type Request =
  | { readonly endpoint: "GET /v1/me" }
  | { readonly endpoint: "GET /v1/answers/current-place"; readonly maxAgeS: number }
  | { readonly endpoint: "GET /v1/answers/places" }
  | {
      readonly endpoint: "GET /v1/answers/places/{place_id}/presence"
      readonly placeId: string
      readonly maxAgeS: number
    }
  | ({ readonly endpoint: "POST /v1/answers/verify-zone"; readonly label: string; readonly maxAgeS: number } & Circle)
  | { readonly endpoint: "GET /v1/lookup/place"; readonly at: number; readonly toleranceS: number }
  | {
      readonly endpoint: "GET /v1/visits"
      readonly from: number | null
      readonly to: number | null
      readonly limit: number
      readonly cursor: string | null
    }
  | { readonly endpoint: "GET /v1/locations/latest" }
  | { readonly endpoint: "GET /v1/locations/lookup"; readonly at: number; readonly toleranceS: number }
  | {
      readonly endpoint: "GET /v1/locations/timerange"
      readonly from: number
      readonly to: number
      readonly limit: number
    }
  /** `tz`: the time zone of the days. Absent: UTC. */
  | { readonly endpoint: "GET /v1/locations/days"; readonly from: number; readonly to: number; readonly tz?: string }
  | ({ readonly endpoint: "POST /v1/rules/place"; readonly placeId: string } & RuleFields)
  | ({ readonly endpoint: "POST /v1/rules/zone"; readonly label: string } & Circle & RuleFields)
  | { readonly endpoint: "GET /v1/rules/place" | "GET /v1/rules/zone" }
  | { readonly endpoint: "DELETE /v1/rules/place/{id}" | "DELETE /v1/rules/zone/{id}"; readonly ruleId: string }

export type Endpoint = Request["endpoint"]

export interface RuleFields {
  readonly type: "enter" | "exit" | "dwell"
  readonly dwellMinutes: number | null
  /** The seconds that an enter or exit rule waits after a crossing before it fires. Missing or null: no wait. */
  readonly settleS?: number | null
  /**
   * How many seconds after the end of its dwell time a dwell rule fires without a further fix (decision rules-14).
   * Missing or null: only a fix can make the rule fire.
   */
  readonly silenceS?: number | null
  readonly webhookUrl: string | null
  readonly activeFrom: number | null
  readonly activeUntil: number | null
  readonly maxEventAgeS: number | null
}

export interface Answered {
  readonly status: number
  /** The code of a refusal (Spec §7); null when the service did not refuse the call. */
  readonly error: string | null
  /**
   * The body of the answer, with the field names of the HTTP API (Spec §2, §4; decisions §4). Times are milliseconds
   * since 1970. The body of a refusal has only `scope`, `sensitive_expired_at`, `renewal_grace_ends_at` and `instant`,
   * where the refusal has them; code and message are left out. When the service has a bug (`internal_error`), the body
   * has only `defect`.
   */
  readonly body: Readonly<Record<string, unknown>>
}

export interface EndpointRow {
  readonly endpointId: string
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly enabled: boolean
  readonly disabledAt: number | null
  readonly strikes: number
}

/** A row of the delivery log (Spec §2.9), with every attempt that the service keeps. */
export interface DeliveryRow {
  readonly deliveryId: string
  readonly endpointId: string
  readonly eventId: string
  readonly type: string
  readonly occurredAt: number
  readonly state: "trying" | "delivered" | "failed" | "too_old"
  readonly failReason: string | null
  readonly attempt: number
  readonly dueAt: number | null
  readonly createdAt: number
  readonly endedAt: number | null
  readonly isReplay: boolean
  readonly isReplayed: boolean
  readonly isTest: boolean
  readonly attempts: ReadonlyArray<{
    readonly attempt: number
    readonly startedAt: number
    readonly endedAt: number
    readonly status: number | null
    readonly error: string | null
  }>
}

/**
 * An import, as its owner sees it. `read`, the number of entries that the service has read, is the sum of the other
 * counts.
 */
export interface ImportRow {
  readonly importId: string
  readonly state: "asking" | "waiting" | "running" | "done" | "failed" | "undoing"
  readonly counts: {
    readonly read: number
    readonly stored: number
    readonly duplicates: number
    readonly tooRecent: number
    readonly tooOld: number
    readonly overLimit: number
    readonly quarantined: number
  }
}

export interface LoggedAccess {
  readonly id: string
  readonly at: number
  readonly appId: string
  readonly connectionId: string
  /** The endpoint as the access log names it, such as `GET /v1/me` or `webhook place.enter`. */
  readonly endpoint: string
  readonly purpose: string | null
  readonly status: number
  readonly error: string | null
  readonly disclosed: string | null
  /**
   * The number of calls that this entry stands for. The number is above 1 only for calls with a token that has stopped
   * working: such calls of one connection to one route within an hour are counted in one entry.
   */
  readonly times: number
}

export interface VolumeFlag {
  readonly appId: string
  readonly connectionId: string
  readonly purpose: string
  readonly flaggedAt: number
  readonly calls: number
}
