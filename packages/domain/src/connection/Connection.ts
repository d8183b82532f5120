import { Schema } from "effect"
import type { AppId, ConnectionId, FamilyId, PlaceId, Scope, Sub, Timestamp, UserId } from "../shared/index.js"
import type { Pause } from "./Pause.js"

export const EndReason = Schema.Literal(
  /**
   * the user disconnected the app, ended exact location when the connection had no other scope that the app declares,
   * or deleted the account
   */
  "user_disconnected",
  /** the app called POST /v1/oauth/revoke */
  "app_revoked_token",
  /** the app was revoked by an admin, or was revoked or deleted with the account of its holder */
  "admin_revoked",
  /** the end date of the standard tier has passed */
  "expired",
  /** a used refresh token was presented again, so late that the request was no retry after a lost answer */
  "refresh_token_reused",
  /** a used authorization code was presented again, and not as a permitted repetition (`CodeExchange.decide`) */
  "code_reused"
)
export type EndReason = typeof EndReason.Type

/** A place that the user shared with the app. */
export interface SharedPlace {
  readonly placeId: PlaceId
  readonly sharedAt: Timestamp.Timestamp
  /** Whether the app may read visits from before `sharedAt`, too (Spec §4.5, visits rule 3). */
  readonly includeEarlierVisits: boolean
}

/**
 * A user's consent to an app (Spec §2.2). While the connection is live, a new consent to the same app changes this
 * connection. After its end, a new consent makes a new connection.
 */
export interface Connection {
  readonly userId: UserId
  readonly id: ConnectionId
  readonly appId: AppId
  readonly sub: Sub
  readonly externalUserId: string | null
  /** Every granted scope, including sensitive scopes whose end date has passed. */
  readonly heldScopes: ReadonlyArray<Scope.Scope>
  /**
   * Every scope that the user agreed to in this connection, whether or not the scope is granted now. After the grace
   * period, the tier sweep removes the sensitive scopes from this list. `EffectiveScopes.agreed` lists the scopes that
   * the user can restore (decision connection-6).
   */
  readonly agreedScopes: ReadonlyArray<Scope.Scope>
  readonly placesVersion: number
  readonly places: ReadonlyArray<SharedPlace>
  /** The end of the standard tier, exclusive; null when the user chose no expiry. */
  readonly standardExpiresAt: Timestamp.Timestamp | null
  /** The end of the sensitive tier, exclusive; null when no sensitive scope is granted. */
  readonly sensitiveExpiresAt: Timestamp.Timestamp | null
  /** The last pause, which may be over; null: the user never paused the app in this connection. */
  readonly pause: Pause | null
  readonly connectedAt: Timestamp.Timestamp
  readonly endedAt: Timestamp.Timestamp | null
  readonly endReason: EndReason | null
  /**
   * The token family of the present consent: only tokens of this family work. Null until the app exchanges the
   * authorization code of this consent.
   */
  readonly familyId: FamilyId | null
}

/** The user, the app and the id of a connection: the access log needs these three to record a call of the app. */
export type ConnectionOwner = Pick<Connection, "userId" | "appId"> & { readonly connectionId: ConnectionId }
