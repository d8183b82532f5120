// Records what a user agreed to in a connection, and when. Decision connection-7.
import { Schema } from "effect"
import { type PlaceId, Scope, type Timestamp } from "../shared/index.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection } from "./Connection.js"
import type { Pause } from "./Pause.js"

/** The kinds of changes to what a user agreed to. */
export const ConsentChange = Schema.Literal(
  /**
   * the user allowed the app on the consent page: `connected` made the connection, `changed` changed it, and `renewed`
   * extended the sharing of exact location
   */
  "connected",
  "changed",
  "renewed",
  /**
   * the values from `permissions_changed` to `resumed`: the user changed the connection without a request of the app.
   * The button "Stop sharing" on a renewal page stores `exact_location_ended`, although the app asked for the renewal
   */
  "permissions_changed",
  "end_changed",
  "exact_location_ended",
  "places_changed",
  "paused",
  "resumed",
  /** the grace period after the end of exact location is over (Spec §3.1) */
  "exact_location_removed",
  /** the connection ended: this entry is never stored, `ConsentHistory.of` makes it from the connection */
  "ended"
)
export type ConsentChange = typeof ConsentChange.Type

/** What the user agreed to at a moment. */
export interface Agreement {
  readonly scopes: ReadonlyArray<Scope.Scope>
  readonly places: ReadonlyArray<PlaceId>
  /**
   * The places for which the user shares visits from before the sharing, too. Null in entries that an older version of
   * the service wrote, because that version did not record these places.
   */
  readonly earlierVisits: ReadonlyArray<PlaceId> | null
  readonly standardExpiresAt: Timestamp.Timestamp | null
  readonly sensitiveExpiresAt: Timestamp.Timestamp | null
  readonly pause: Pause | null
}

/** A row of the consent history: a change, and the whole agreement after this change. */
export interface ConsentEntry {
  readonly at: Timestamp.Timestamp
  readonly change: ConsentChange
  readonly agreement: Agreement
}

/**
 * The entry about a change. `after` is the connection after the change. The entry leaves out sensitive scopes whose
 * grace period has ended, because these scopes allow nothing. It leaves them out even if no sweep has removed them yet
 * (decision tiers-1).
 */
export const of = (
  change: ConsentChange,
  after: Pick<Connection, "heldScopes" | "places" | "standardExpiresAt" | "sensitiveExpiresAt" | "pause">,
  at: Timestamp.Timestamp
): ConsentEntry => {
  const isRemoved = Tier.sensitiveState(after, at) === "removed"
  return {
    at,
    change,
    agreement: {
      scopes: isRemoved ? after.heldScopes.filter((scope) => !Scope.isSensitive(scope)) : after.heldScopes,
      places: after.places.map(({ placeId }) => placeId),
      earlierVisits: after.places.filter((shared) => shared.includeEarlierVisits).map(({ placeId }) => placeId),
      standardExpiresAt: after.standardExpiresAt,
      sensitiveExpiresAt: isRemoved ? null : after.sensitiveExpiresAt,
      pause: after.pause
    }
  }
}
