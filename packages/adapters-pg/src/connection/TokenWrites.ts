import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Connection, Write } from "@place-access/domain/connection"
import type { Timestamp } from "@place-access/domain/shared"
import { AuthorizationCode, TokenFamily, type TokenWrite } from "@place-access/domain/tokens"
import { Effect } from "effect"
import * as Rows from "../driver/Rows.js"

/**
 * The statements that change the codes and tokens of one connection. The caller holds the lock of the connection's row.
 */

type Key = Pick<Connection.Connection, "userId" | "id">

export const writeToken = (
  sql: SqlClient,
  of: Key,
  one: Exclude<TokenWrite, Write>,
  now: Timestamp.Timestamp
): Effect.Effect<unknown, SqlError> => {
  const { id, userId } = of
  switch (one._tag) {
    case "UseCode":
      return sql`UPDATE authorization_codes
                 SET family_id = ${one.familyId}, dead_at = NULL,
                   used_at = ${Rows.nullableAt(one.exchange?.at ?? null)},
                   nonce = ${one.exchange?.nonce ?? null}, key_id = ${one.exchange?.keyId ?? null}
                 WHERE user_id = ${userId} AND code_hash = ${one.hash} AND connection_id = ${id}`
    case "RevokeTokens":
      return revoke(sql, of, now, null)
    case "RevokeFamily":
      return revoke(sql, of, now, one.familyId)
    case "StartFamily":
      return sql`UPDATE connections SET family_id = ${one.familyId}
                 WHERE user_id = ${userId} AND connection_id = ${id}`
    case "IssueAccess":
      return sql`INSERT INTO access_tokens (user_id, token_hash, connection_id, family_id, issued_at, revoked_at)
                 VALUES (${userId}, ${one.token.hash}, ${id}, ${one.token.familyId}, ${Rows.at(one.token.issuedAt)},
                         ${Rows.nullableAt(one.token.revokedAt)})`
    case "IssueRefresh":
      // Citus runs the whole statement on one shard only when it selects from the connection's row and has no VALUES.
      return sql`INSERT INTO refresh_tokens (user_id, token_hash, connection_id, family_id, issued_at, link, revoked_at)
                 SELECT c.user_id, ${one.token.hash}, c.connection_id, ${one.token.familyId},
                        ${Rows.at(one.token.issuedAt)}::timestamptz,
                        coalesce((SELECT max(r.link) + 1 FROM refresh_tokens r
                                  WHERE r.user_id = ${userId} AND r.family_id = ${one.token.familyId}), 0),
                        ${Rows.nullableAt(one.token.revokedAt)}::timestamptz
                 FROM connections c WHERE c.user_id = ${userId} AND c.connection_id = ${id}`
    case "Rotate":
      return sql`UPDATE refresh_tokens
                 SET rotated_at = ${Rows.at(one.rotation.at)}, nonce = ${one.rotation.nonce},
                   key_id = ${one.rotation.keyId}
                 WHERE user_id = ${userId} AND token_hash = ${one.hash} AND connection_id = ${id}`
  }
}

/**
 * Revokes the live tokens of one family or, with null, of the whole connection. A connection can have any number of
 * expired access tokens and spent refresh tokens. The service refuses all these tokens once their family has ended, so
 * the statements below do not change these tokens. Otherwise the end of a connection with many tokens could exceed the
 * statement time-out (decision O6). The codes whose exchange began the revoked families get `dead_at`, so that
 * retention deletes these codes.
 */
export const revoke = (sql: SqlClient, { id, userId }: Key, now: Timestamp.Timestamp, familyId: string | null) =>
  Effect.gen(function* () {
    yield* sql`UPDATE access_tokens SET revoked_at = ${Rows.at(now)}
               WHERE user_id = ${userId} AND connection_id = ${id} AND revoked_at IS NULL
                 AND issued_at > ${Rows.at(now - TokenFamily.ACCESS_LIFETIME)}
                 AND (${familyId}::text IS NULL OR family_id = ${familyId}::text)`
    yield* sql`UPDATE refresh_tokens SET revoked_at = ${Rows.at(now)}
               WHERE user_id = ${userId} AND connection_id = ${id} AND revoked_at IS NULL AND rotated_at IS NULL
                 AND (${familyId}::text IS NULL OR family_id = ${familyId}::text)`
    yield* sql`UPDATE authorization_codes SET dead_at = ${Rows.at(now)}
               WHERE user_id = ${userId} AND connection_id = ${id} AND family_id IS NOT NULL AND dead_at IS NULL
                 AND (${familyId}::text IS NULL OR family_id = ${familyId}::text)`
  })

export const insertCode = (sql: SqlClient, code: AuthorizationCode.AuthorizationCode) =>
  sql`INSERT INTO authorization_codes (user_id, code_hash, connection_id, app_id, redirect_uri, challenge,
        created_at, family_id, dead_at)
      VALUES (${code.userId}, ${code.hash}, ${code.connectionId}, ${code.appId}, ${code.redirectUri},
        ${code.challenge}, ${Rows.at(code.createdAt)}, ${code.familyId},
        ${Rows.at(code.createdAt + AuthorizationCode.LIFETIME)})`
