import type { App } from "../apps/App.js"
import * as Place from "../places/Place.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection, SharedPlace } from "./Connection.js"
import type { WithApp } from "./ConnectionStore.js"
import * as EffectiveScopes from "./EffectiveScopes.js"

/** A connection as its app reads it at `GET /v1/me` (Spec §2.2). */
export interface Description {
  readonly sub: Connection["sub"]
  readonly externalUserId: string | null
  readonly scopes: ReadonlyArray<Scope.Scope>
  /** With lapsed sensitive ones; equals `scopes` when no sensitive scope is held. */
  readonly heldScopes: ReadonlyArray<Scope.Scope>
  readonly placesVersion: number
  readonly grantExpiresAt: Timestamp | null
  /** This and the two below: null when no sensitive scope is held. */
  readonly sensitiveExpiresAt: Timestamp | null
  /** Null too while the tier is active. */
  readonly sensitiveLapsedAt: Timestamp | null
  readonly renewalGraceEndsAt: Timestamp | null
  readonly connectedAt: Timestamp
}

/** What an app is told of its connection (Spec §2.2). */
export const describe = ({ app, connection }: WithApp, now: Timestamp): Description => {
  const heldScopes = EffectiveScopes.reported(connection, app, now)
  const expiresAt = heldScopes.some(Scope.isSensitive) ? connection.sensitiveExpiresAt : null
  return {
    sub: connection.sub,
    externalUserId: connection.externalUserId,
    scopes: EffectiveScopes.effective(connection, app, now),
    heldScopes,
    placesVersion: connection.placesVersion,
    grantExpiresAt: connection.standardExpiresAt,
    sensitiveExpiresAt: expiresAt,
    sensitiveLapsedAt: expiresAt !== null && now >= expiresAt ? expiresAt : null,
    renewalGraceEndsAt: expiresAt === null ? null : Tier.graceEndsAt(expiresAt),
    connectedAt: connection.connectedAt
  }
}

/** A connection as its user reads it: no `sub`, no `external_user_id` (Spec §2.1). */
export interface UserConnection
  extends Omit<Description, "sub" | "externalUserId">, Pick<Connection, "id" | "endedAt" | "endReason"> {
  readonly app: Pick<App, "id" | "name" | "description" | "homepageUrl" | "status">
  /** False too when nobody has noticed the end yet: `endedAt` and `endReason` say so all the same. */
  readonly live: boolean
  /** When the app was last answered about the user; null when it never was, or longer ago than the access log reaches. */
  readonly lastUsedAt: Timestamp | null
  readonly places: ReadonlyArray<SharedPlace & Place.PlaceRef & { readonly archivedAt: Timestamp | null }>
}

/** Ended, or bound to be noticed as ended: by its standard tier, or by an admin who revoked the app. */
const ending = ({ app, connection }: WithApp, now: Timestamp): Pick<Connection, "endedAt" | "endReason"> => {
  const { endedAt, endReason, standardExpiresAt } = connection
  if (endedAt !== null) return { endedAt, endReason }
  const until = app.revokedAt ?? now
  if (standardExpiresAt !== null && standardExpiresAt <= until)
    return { endedAt: standardExpiresAt, endReason: "expired" }
  return { endedAt: app.revokedAt, endReason: app.revokedAt === null ? null : "admin_revoked" }
}

/** `own`: the user's places, archived ones included. What an ended connection held is shown as it ended. */
export const forUser = (
  { app, connection }: WithApp,
  own: ReadonlyArray<Place.Place>,
  lastUsedAt: Timestamp | null,
  now: Timestamp
): UserConnection => {
  const { externalUserId: _, sub: __, ...described } = describe({ app, connection }, now)
  return {
    ...described,
    id: connection.id,
    app: {
      id: app.id,
      name: app.name,
      description: app.description,
      homepageUrl: app.homepageUrl,
      status: app.status
    },
    live: EffectiveScopes.isLive(connection, app, now),
    ...ending({ app, connection }, now),
    lastUsedAt,
    places: own.flatMap((place) => {
      const shared = connection.places.find((one) => one.placeId === place.id)
      return shared === undefined ? [] : [{ ...Place.ref(place), ...shared, archivedAt: place.archivedAt }]
    })
  }
}

/** A connection as its app's developer reads it: nothing that says who the user is (Spec §2.1). */
export interface AppUser extends Omit<Description, "placesVersion">, Pick<Connection, "endedAt" | "endReason"> {
  /** As `grant_id` of the app's events names it. */
  readonly grantId: Connection["id"]
  readonly live: boolean
}

/** An ended connection keeps the dates that it had; nothing of it is effective. */
export const forDeveloper = ({ app, connection }: WithApp, now: Timestamp): AppUser => {
  const { placesVersion: _, ...described } = describe({ app, connection }, now)
  return {
    ...described,
    grantId: connection.id,
    live: EffectiveScopes.isLive(connection, app, now),
    ...ending({ app, connection }, now)
  }
}
