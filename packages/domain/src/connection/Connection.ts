import { Schema } from "effect"
import type { AppId, ConnectionId, FamilyId, PlaceId, Sub, UserId } from "../shared/Ids.js"
import type { Scope } from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"

export const EndReason = Schema.Literal(
  /** the user disconnected */
  "user_disconnected",
  /** the app called POST /v1/oauth/revoke */
  "app_revoked_token",
  /** an admin revoked the app */
  "admin_revoked",
  /** the standard tier's date passed */
  "expired",
  /** a refresh token that had been spent was used again after the race window */
  "refresh_token_reused",
  /** an authorization code was exchanged twice */
  "code_reused"
)
export type EndReason = typeof EndReason.Type

/** A place that the user shared with the app. */
export interface SharedPlace {
  readonly placeId: PlaceId
  readonly sharedAt: Timestamp
  /** Visits from before `sharedAt` may be told too (Spec §4.5, visits rule 3). */
  readonly includeEarlierVisits: boolean
}

/** One user approving one app (Spec §2.2). Lives until `endedAt`; a reconnect changes it in place. */
export interface Connection {
  readonly userId: UserId
  readonly id: ConnectionId
  readonly appId: AppId
  readonly sub: Sub
  readonly externalUserId: string | null
  /** Every scope on the grant, lapsed sensitive ones included. */
  readonly heldScopes: ReadonlyArray<Scope>
  readonly placesVersion: number
  readonly places: ReadonlyArray<SharedPlace>
  /** Exclusive; null when the user chose no expiry. */
  readonly standardExpiresAt: Timestamp | null
  /** Exclusive; null when no sensitive scope is held. */
  readonly sensitiveExpiresAt: Timestamp | null
  readonly connectedAt: Timestamp
  readonly endedAt: Timestamp | null
  readonly endReason: EndReason | null
  /** Tokens of other families are dead. Null until the first code is exchanged. */
  readonly familyId: FamilyId | null
}

/** Whom it belongs to: what an access-log entry of a refused call names too. */
export type Owner = Pick<Connection, "userId" | "appId"> & { readonly connectionId: ConnectionId }
