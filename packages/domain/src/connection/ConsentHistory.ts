// The consent history as its user reads it (decision connection-7).
import type { Scope } from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type * as Place from "../places/Place.js"
import type { Connection, EndReason } from "./Connection.js"
import type { UserConnection } from "./ConnectionView.js"
import type { Agreement, ConsentChange, ConsentEntry } from "./ConsentEntry.js"
import type { Pause } from "./Pause.js"

/**
 * Who made a change: the user by approving on the app's consent page, the user in another way (mostly in the portal),
 * the app, or the service.
 */
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
  /**
   * The elements of `places` for which the user shares visits from before the sharing, too. Null: not recorded
   * (`Agreement`).
   */
  readonly earlierVisits: ReadonlyArray<Place.PlaceRef> | null
  readonly standardExpiresAt: Timestamp | null
  readonly sensitiveExpiresAt: Timestamp | null
  readonly pause: Pause | null
  /**
   * `added` is what this entry has and the next older entry does not have. `removed` is what only the older entry has.
   */
  readonly added: Difference
  readonly removed: Difference
}

interface Difference {
  readonly scopes: ReadonlyArray<Scope>
  readonly places: ReadonlyArray<Place.PlaceRef>
  /**
   * The places for which only one of the two compared entries shares visits from before the sharing. Empty when one of
   * the two entries does not record this.
   */
  readonly earlierVisits: ReadonlyArray<Place.PlaceRef>
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

const NOTHING = { scopes: [], places: [], earlierVisits: [] }

/**
 * At most `limit` entries of the history, newest first. For an ended connection, an entry `ended` comes before these
 * entries; it is never stored, so this function makes it from `view`. `stored` is newest first and has up to `limit +
 * 1` entries. Entry number `limit + 1` is not returned: it only shows what the next newer entry added and removed.
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
    const had: Pick<Agreement, "scopes" | "places" | "earlierVisits"> = before ?? NOTHING
    // When this entry or the next older entry does not record which earlier visits are shared, no difference in earlier
    // visits is listed.
    const [visits, hadVisits]: readonly [Agreement["places"], Agreement["places"]] =
      agreement.earlierVisits === null || had.earlierVisits === null
        ? [[], []]
        : [agreement.earlierVisits, had.earlierVisits]
    return {
      at,
      change,
      by: change === "ended" ? "service" : BY[change],
      endReason: null,
      scopes: agreement.scopes,
      places: placesOf(agreement.places),
      earlierVisits: agreement.earlierVisits === null ? null : placesOf(agreement.earlierVisits),
      standardExpiresAt: agreement.standardExpiresAt,
      sensitiveExpiresAt: agreement.sensitiveExpiresAt,
      pause: agreement.pause,
      added: {
        scopes: agreement.scopes.filter((scope) => !had.scopes.includes(scope)),
        places: placesOf(agreement.places.filter((id) => !had.places.includes(id))),
        earlierVisits: placesOf(visits.filter((id) => !hadVisits.includes(id)))
      },
      removed: {
        scopes: had.scopes.filter((scope) => !agreement.scopes.includes(scope)),
        places: placesOf(had.places.filter((id) => !agreement.places.includes(id))),
        earlierVisits: placesOf(hadVisits.filter((id) => !visits.includes(id)))
      }
    }
  })
  if (view.endedAt === null) return entries
  // A connection that is older than the consent history may have no entry. Then the scopes and places of the connection
  // itself are listed as removed.
  const last = entries[0] ?? {
    scopes: view.heldScopes,
    places: view.places.map(({ id, kind, label }) => ({ id, kind, label })),
    earlierVisits: view.places.filter(({ includeEarlierVisits }) => includeEarlierVisits)
  }
  const ended: HistoryEntry = {
    at: view.endedAt,
    change: "ended",
    by: ENDED_BY[view.endReason ?? "expired"],
    endReason: view.endReason,
    scopes: [],
    places: [],
    earlierVisits: [],
    standardExpiresAt: null,
    sensitiveExpiresAt: null,
    pause: null,
    added: NOTHING,
    removed: { scopes: last.scopes, places: last.places, earlierVisits: last.earlierVisits ?? [] }
  }
  return [ended, ...entries]
}
