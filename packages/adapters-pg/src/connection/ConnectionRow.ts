import type { Fragment } from "@effect/sql/Statement"
import type { SqlClient } from "@effect/sql/SqlClient"
import { type AuthorizationCode, Pkce, type TokenFamily } from "@place-access/domain/tokens"
import { Connection, type WithApp } from "@place-access/domain/connection"
import { RedirectUri } from "@place-access/domain/apps"
import {
  AppId,
  ConnectionId,
  FamilyId,
  PlaceId,
  Scope,
  Sub,
  Timestamp,
  UserId,
  Vault
} from "@place-access/domain/shared"
import { Schema } from "effect"
import { AppRow, toApp } from "../apps/AppRow.js"
import * as Rows from "../driver/Rows.js"
import { toPause } from "../steering/PauseColumns.js"

/** The columns of `connections` that make a `Connection`, and its places as JSON. `columns` selects them. */
export const ConnectionRow = Schema.Struct({
  user_id: UserId,
  connection_id: ConnectionId,
  app_id: AppId,
  sub: Sub,
  external_user_id: Schema.NullOr(Schema.String),
  held_scopes: Schema.Array(Scope.Scope),
  // Null in rows that were written before this column existed. In these rows the scopes of `held_scopes` count as
  // agreed.
  agreed_scopes: Schema.NullOr(Schema.Array(Scope.Scope)),
  places_version: Schema.Int,
  standard_expires_at: Rows.NullableAt,
  sensitive_expires_at: Rows.NullableAt,
  paused_at: Rows.NullableAt,
  paused_until: Rows.NullableAt,
  connected_at: Rows.At,
  ended_at: Rows.NullableAt,
  end_reason: Schema.NullOr(Connection.EndReason),
  family_id: Schema.NullOr(FamilyId),
  places: Schema.Array(
    Schema.Struct({ placeId: PlaceId, sharedAt: Timestamp.Timestamp, includeEarlierVisits: Schema.Boolean })
  )
})
export type ConnectionRow = typeof ConnectionRow.Type

export const toConnection = (row: ConnectionRow): Connection.Connection => ({
  userId: row.user_id,
  id: row.connection_id,
  appId: row.app_id,
  sub: row.sub,
  externalUserId: row.external_user_id,
  heldScopes: row.held_scopes,
  agreedScopes:
    row.agreed_scopes === null ? row.held_scopes : Scope.normalise([...row.agreed_scopes, ...row.held_scopes]),
  placesVersion: row.places_version,
  places: row.places,
  standardExpiresAt: row.standard_expires_at,
  sensitiveExpiresAt: row.sensitive_expires_at,
  pause: toPause(row),
  connectedAt: row.connected_at,
  endedAt: row.ended_at,
  endReason: row.end_reason,
  familyId: row.family_id
})

/**
 * A row that joins a connection `c` with its app `a`. Both tables have a column `app_id`, with the same value in the
 * joined row.
 */
export const WithAppRow = Schema.Struct({ ...AppRow.fields, ...ConnectionRow.fields, is_suspended: Schema.Boolean })
export type WithAppRow = typeof WithAppRow.Type

export const toWithApp = (row: WithAppRow): WithApp => ({
  connection: toConnection(row),
  app: toApp(row),
  ...(row.is_suspended ? { isSuspended: true } : {})
})

/**
 * An SQL condition over `connections c` and `apps a`. It is true if the account of the person, or the account of the
 * app's holder, is suspended, or if the person is a test person and the app is in production. `apps.suspended_at` is a
 * copy of `accounts.suspended_at` of the holder.
 */
export const IS_SUSPENDED = `(a.suspended_at IS NOT NULL OR EXISTS (
  SELECT 1 FROM accounts person WHERE person.user_id = c.user_id AND (person.suspended_at IS NOT NULL
    OR (person.test_app_id IS NOT NULL AND a.status = 'production'))))`

export interface ConnectionColumns {
  readonly connection: (userId: UserId | null) => Fragment
  readonly withApp: (userId: UserId | null) => Fragment
}

/**
 * Makes the select lists for connections. With a user's id, the lists are for connections of this user; with null, for
 * connections of any user. The sub-query for the places repeats the user's id, because Citus would otherwise ask every
 * shard for the places.
 *
 * Do not use these lists in a statement that locks the connection's row. Such a statement may wait for the lock, and
 * the sub-query would return the places as they were before the wait. So lock in one statement, and read in the next.
 */
export const columns = (sql: SqlClient): ConnectionColumns => {
  const names = (alias: string, fields: object, without: string): string =>
    Object.keys(fields)
      .filter((name) => name !== without)
      .map((name) => `${alias}.${name}`)
      .join(", ")
  const own = sql.literal(names("c", ConnectionRow.fields, "places"))
  const apps = sql.literal(names("a", AppRow.fields, "app_id"))
  const sameUser = sql.literal("c.user_id")
  const suspended = sql.literal(IS_SUSPENDED)
  const places = (userId: UserId | null) => sql`(
    SELECT coalesce(json_agg(json_build_object(
      'placeId', p.place_id,
      'sharedAt', (extract(epoch FROM p.shared_at) * 1000)::bigint,
      'includeEarlierVisits', p.include_earlier_visits
    ) ORDER BY p.place_id COLLATE "C"), '[]'::json)
    FROM connection_places p WHERE p.user_id = ${userId ?? sameUser} AND p.connection_id = c.connection_id
  ) AS places`
  return {
    connection: (userId) => sql`${own}, ${places(userId)}`,
    withApp: (userId) => sql`${own}, ${places(userId)}, ${apps}, ${suspended} AS is_suspended`
  }
}

export const CodeRow = Schema.Struct({
  user_id: UserId,
  code_hash: Vault.Hash,
  connection_id: ConnectionId,
  app_id: AppId,
  redirect_uri: RedirectUri.RedirectUri,
  challenge: Pkce.Challenge,
  created_at: Rows.At,
  family_id: Schema.NullOr(FamilyId),
  used_at: Rows.NullableAt,
  nonce: Schema.NullOr(Schema.String),
  key_id: Schema.NullOr(Vault.KeyId)
})

export const toCode = (row: typeof CodeRow.Type): AuthorizationCode.AuthorizationCode => ({
  hash: row.code_hash,
  userId: row.user_id,
  connectionId: row.connection_id,
  appId: row.app_id,
  redirectUri: row.redirect_uri,
  challenge: row.challenge,
  createdAt: row.created_at,
  familyId: row.family_id,
  exchange:
    row.used_at === null || row.nonce === null || row.key_id === null
      ? null
      : { at: row.used_at, nonce: row.nonce, keyId: row.key_id }
})

/**
 * All columns but `user_id` and `connection_id` begin with `token_`, so that one statement can select from
 * `connections`, `apps` and `access_tokens`.
 */
export const AccessTokenRow = Schema.Struct({
  user_id: UserId,
  connection_id: ConnectionId,
  token_hash: Vault.Hash,
  token_family_id: FamilyId,
  token_issued_at: Rows.At,
  token_revoked_at: Rows.NullableAt
})

export const toAccessToken = (row: typeof AccessTokenRow.Type): TokenFamily.AccessToken => ({
  hash: row.token_hash,
  userId: row.user_id,
  connectionId: row.connection_id,
  familyId: row.token_family_id,
  issuedAt: row.token_issued_at,
  revokedAt: row.token_revoked_at
})

export const RefreshTokenRow = Schema.Struct({
  user_id: UserId,
  connection_id: ConnectionId,
  token_hash: Vault.Hash,
  family_id: FamilyId,
  issued_at: Rows.At,
  rotated_at: Rows.NullableAt,
  nonce: Schema.NullOr(Schema.String),
  key_id: Schema.NullOr(Vault.KeyId),
  revoked_at: Rows.NullableAt
})

export const toRefreshToken = (row: typeof RefreshTokenRow.Type): TokenFamily.RefreshToken => ({
  hash: row.token_hash,
  userId: row.user_id,
  connectionId: row.connection_id,
  familyId: row.family_id,
  issuedAt: row.issued_at,
  rotation:
    row.rotated_at === null || row.nonce === null || row.key_id === null
      ? null
      : { at: row.rotated_at, nonce: row.nonce, keyId: row.key_id },
  revokedAt: row.revoked_at
})
