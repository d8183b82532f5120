// What was agreed in a connection, and when. Decision connection-7.
import { Schema } from "effect"
import type { PlaceId, Scope, Timestamp } from "../shared/index.js"
import type { Connection } from "./Connection.js"
import type { Pause } from "./Pause.js"

/** What changed the agreement. */
export const ConsentChange = Schema.Literal(
  /**
   * the user allowed the app on the consent page: `connected` made the connection, `changed` changed it, and `renewed`
   * extended the sharing of exact location
   */
  "connected",
  "changed",
  "renewed",
  /**
   * the values from `permissions_changed` to `resumed`: the user changed the connection without a request of the app
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
   * The places whose visits from before the sharing are shared too. Null in entries of older versions, which did not
   * record this.
   */
  readonly earlierVisits: ReadonlyArray<PlaceId> | null
  readonly standardExpiresAt: Timestamp.Timestamp | null
  readonly sensitiveExpiresAt: Timestamp.Timestamp | null
  readonly pause: Pause | null
}

/** A row of the consent history: a change, and the whole agreement after it. */
export interface ConsentEntry {
  readonly at: Timestamp.Timestamp
  readonly change: ConsentChange
  readonly agreement: Agreement
}

/** The entry about a change. `after` is the connection after the change. */
export const of = (
  change: ConsentChange,
  after: Pick<Connection, "heldScopes" | "places" | "standardExpiresAt" | "sensitiveExpiresAt" | "pause">,
  at: Timestamp.Timestamp
): ConsentEntry => ({
  at,
  change,
  agreement: {
    scopes: after.heldScopes,
    places: after.places.map(({ placeId }) => placeId),
    earlierVisits: after.places.filter((shared) => shared.includeEarlierVisits).map(({ placeId }) => placeId),
    standardExpiresAt: after.standardExpiresAt,
    sensitiveExpiresAt: after.sensitiveExpiresAt,
    pause: after.pause
  }
})
