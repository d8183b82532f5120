// The views of a connection for its app, its user and its app's developer. Decisions connection-1 and connection-2.
import { type App, publicLogo } from "../apps/App.js"
import * as Place from "../places/Place.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection, SharedPlace } from "./Connection.js"
import type { WithApp } from "./ConnectionStore.js"
import * as EffectiveScopes from "./EffectiveScopes.js"
import * as Ending from "./Ending.js"
import * as Pause from "./Pause.js"

/** A connection as its app reads it at `GET /v1/me` (Spec §2.2). */
export interface ConnectionDescription {
  readonly sub: Connection["sub"]
  readonly externalUserId: string | null
  readonly scopes: ReadonlyArray<Scope.Scope>
  /**
   * The granted scopes that the app still declares, lapsed sensitive scopes included. While the connection is live and
   * has no sensitive scopes, this list equals `scopes`.
   */
  readonly heldScopes: ReadonlyArray<Scope.Scope>
  readonly placesVersion: number
  readonly grantExpiresAt: Timestamp | null
  /**
   * The end of the sensitive tier, exclusive. Null, like `renewalGraceEndsAt`, if `heldScopes` has no sensitive scope.
   */
  readonly sensitiveExpiresAt: Timestamp | null
  /** When the sensitive tier lapsed. Null while the tier is active, and when `heldScopes` has no sensitive scope. */
  readonly sensitiveLapsedAt: Timestamp | null
  readonly renewalGraceEndsAt: Timestamp | null
  readonly connectedAt: Timestamp
}

/** The connection as its app reads it (Spec §2.2). */
export const describe = ({ app, connection }: WithApp, now: Timestamp): ConnectionDescription => {
  const heldScopes = EffectiveScopes.held(connection, app, now)
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

/** A connection as its user reads it. `sub` and `external_user_id` are for the app only (Spec §2.1). */
export interface UserConnection
  extends Omit<ConnectionDescription, "sub" | "externalUserId">, Pick<Connection, "id" | "endedAt" | "endReason"> {
  /** `logo` is null when the app has no logo that everybody may see, for example in the sandbox (`App.publicLogo`). */
  readonly app: Pick<App, "id" | "name" | "description" | "homepageUrl" | "logo" | "status">
  /**
   * False as soon as the connection is over, even if no worker has stored the end yet. While false, `endedAt` and
   * `endReason` are not null.
   */
  readonly live: boolean
  /**
   * Whether the app is suspended, because the account in whose name the app is registered is suspended (decision
   * staff-1). A suspended app gets no answers and no events. False when the connection has ended.
   */
  readonly onHold: boolean
  /** The present pause; null when the connection is not paused or has ended. */
  readonly pause: Pause.Pause | null
  /**
   * The scopes that the user agreed to and the app still declares, without sensitive scopes whose grace period is over
   * (`EffectiveScopes.agreed`). While the connection is live, the user can restore the scopes in this list that are not
   * granted now. A sensitive scope can be restored only if the app may use a purpose for it.
   */
  readonly agreedScopes: ReadonlyArray<Scope.Scope>
  /**
   * The granted scopes that the app may not have now, for example because an admin limits the app. No other list has
   * these scopes. The app gets them back when the limit ends, so the user must see them and be able to take them away.
   */
  readonly limitedScopes: ReadonlyArray<Scope.Scope>
  /**
   * When the app last got an answer or an event in this connection. Null: the access log has no entry about an answer
   * or an event that the app got. Old entries of the access log are deleted.
   */
  readonly lastUsedAt: Timestamp | null
  readonly places: ReadonlyArray<SharedPlace & Place.PlaceRef & { readonly archivedAt: Timestamp | null }>
}

/**
 * The end of a connection and its reason: the stored end, or the end that a worker will store because the standard tier
 * has ended or the app was revoked. Both fields are null when the connection has not ended.
 */
const ending = ({ app, connection }: WithApp, now: Timestamp): Pick<Connection, "endedAt" | "endReason"> => {
  const { endedAt, endReason } = connection
  const due = Ending.ifOver(connection, app, now).find((write) => write._tag === "End")
  return due === undefined ? { endedAt, endReason } : { endedAt: due.at, endReason: due.reason }
}

/**
 * The connection as its user reads it. `own`: the user's places, archived ones included. An ended connection shows the
 * places, the scopes and the state of the sensitive tier at its end. Granted scopes that the app may not have at `now`
 * are in `limitedScopes` only.
 */
export const forUser = (
  { app, connection }: WithApp,
  own: ReadonlyArray<Place.Place>,
  lastUsedAt: Timestamp | null,
  now: Timestamp
): UserConnection => {
  const end = ending({ app, connection }, now)
  const live = EffectiveScopes.isLive(connection, app, now)
  const { externalUserId: _, sub: __, ...described } = describe({ app, connection }, end.endedAt ?? now)
  return {
    ...described,
    id: connection.id,
    app: {
      id: app.id,
      name: app.name,
      description: app.description,
      homepageUrl: app.homepageUrl,
      logo: publicLogo(app),
      status: app.status
    },
    live,
    ...end,
    onHold: live && app.suspendedAt !== null,
    pause: live && Pause.isOn(connection.pause, now) ? connection.pause : null,
    agreedScopes: EffectiveScopes.agreed(connection, app, now),
    limitedScopes: EffectiveScopes.limited(connection, app, end.endedAt ?? now),
    lastUsedAt,
    places: own.flatMap((place) => {
      const shared = connection.places.find((one) => one.placeId === place.id)
      return shared === undefined ? [] : [{ ...Place.ref(place), ...shared, archivedAt: place.archivedAt }]
    })
  }
}

/**
 * A connection as its app's developer reads it. The user's account is not named: `sub` and `externalUserId` are ids
 * that only this app has for the user (Spec §2.1).
 */
export interface AppUser
  extends Omit<ConnectionDescription, "placesVersion">, Pick<Connection, "endedAt" | "endReason"> {
  /** The connection's id, which the app's events have in the field `grant_id`. */
  readonly grantId: Connection["id"]
  readonly live: boolean
}

/** The connection as the app's developer reads it. An ended connection keeps its dates and has no effective scope. */
export const forDeveloper = ({ app, connection }: WithApp, now: Timestamp): AppUser => {
  const end = ending({ app, connection }, now)
  const { placesVersion: _, ...described } = describe({ app, connection }, end.endedAt ?? now)
  return {
    ...described,
    grantId: connection.id,
    live: EffectiveScopes.isLive(connection, app, now),
    ...end
  }
}
