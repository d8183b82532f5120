// The consent history as its user reads it (decision connection-7).
import type { Scope } from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type * as Place from "../places/Place.js"
import type { Connection, EndReason } from "./Connection.js"
import type { UserConnection } from "./ConnectionView.js"
import type { ConsentChange, ConsentEntry } from "./ConsentEntry.js"
import type { Pause } from "./Pause.js"

/** Who made a change: the user on the app's consent page, the user in the portal, the app, or the service. */
export type ChangedBy = "consent" | "user" | "app" | "service"

/** An entry of the consent history, with everything that a receipt of the entry says. */
export interface HistoryEntry {
  readonly at: Timestamp
  readonly change: ConsentChange
  readonly by: ChangedBy
  readonly endReason: EndReason | null
  readonly scopes: ReadonlyArray<Scope>
  /** The places with their present labels (Spec §4.5.5). */
  readonly places: ReadonlyArray<Place.PlaceRef>
  readonly standardExpiresAt: Timestamp | null
  readonly sensitiveExpiresAt: Timestamp | null
  readonly pause: Pause | null
  /** Scopes and places that the next older entry does not have; `removed` has those that only the older entry has. */
  readonly added: Difference
  readonly removed: Difference
}

interface Difference {
  readonly scopes: ReadonlyArray<Scope>
  readonly places: ReadonlyArray<Place.PlaceRef>
}

const BY: Readonly<Record<Exclude<ConsentChange, "ended">, ChangedBy>> = {
  connected: "consent",
  changed: "consent",
  renewed: "consent",
  permissions_changed: "user",
  end_changed: "user",
  exact_location_ended: "user",
  places_changed: "user",
  paused: "user",
  resumed: "user",
  exact_location_removed: "service"
}

const ENDED_BY: Readonly<Record<EndReason, ChangedBy>> = {
  user_disconnected: "user",
  app_revoked_token: "app",
  admin_revoked: "service",
  expired: "service",
  refresh_token_reused: "service",
  code_reused: "service"
}

/**
 * At most `limit` entries of the history, newest first, and before them the entry `ended` of an ended connection, which
 * is made from `view` because it is never stored. `stored` is newest first and has up to `limit + 1` entries: entry
 * number `limit + 1` is not returned, and only shows what the next newer entry changed.
 */
export const of = (
  view: UserConnection,
  stored: ReadonlyArray<ConsentEntry>,
  own: ReadonlyArray<Place.Place>,
  limit: number
): ReadonlyArray<HistoryEntry> => {
  const labels = new Map<string, Place.PlaceRef>(own.map(({ id, kind, label }) => [id, { id, kind, label }]))
  const placesOf = (ids: ReadonlyArray<Connection["places"][number]["placeId"]>) =>
    ids.flatMap((id) => labels.get(id) ?? [])
  const entries = stored.slice(0, limit).map((entry, index): HistoryEntry => {
    const { agreement, at, change } = entry
    const before = stored[index + 1]?.agreement
    const had = { scopes: before?.scopes ?? [], places: before?.places ?? [] }
    return {
      at,
      change,
      by: change === "ended" ? "service" : BY[change],
      endReason: null,
      scopes: agreement.scopes,
      places: placesOf(agreement.places),
      standardExpiresAt: agreement.standardExpiresAt,
      sensitiveExpiresAt: agreement.sensitiveExpiresAt,
      pause: agreement.pause,
      added: {
        scopes: agreement.scopes.filter((scope) => !had.scopes.includes(scope)),
        places: placesOf(agreement.places.filter((id) => !had.places.includes(id)))
      },
      removed: {
        scopes: had.scopes.filter((scope) => !agreement.scopes.includes(scope)),
        places: placesOf(had.places.filter((id) => !agreement.places.includes(id)))
      }
    }
  })
  if (view.endedAt === null) return entries
  const ended: HistoryEntry = {
    at: view.endedAt,
    change: "ended",
    by: ENDED_BY[view.endReason ?? "expired"],
    endReason: view.endReason,
    scopes: [],
    places: [],
    standardExpiresAt: null,
    sensitiveExpiresAt: null,
    pause: null,
    added: { scopes: [], places: [] },
    removed: { scopes: view.heldScopes, places: view.places.map(({ id, kind, label }) => ({ id, kind, label })) }
  }
  return [ended, ...entries]
}
