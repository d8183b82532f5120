import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { AuthorizationCode, type Connection, type Write } from "@place-access/domain/connection"
import { LiveRule } from "@place-access/domain/rules"
import type { Scope, Timestamp } from "@place-access/domain/shared"
import { Effect, type ParseResult } from "effect"
import { last } from "./client/Client.js"
import * as EventOutbox from "./EventOutbox.js"
import * as MailOutbox from "./MailOutbox.js"
import * as Rows from "./Rows.js"
import { standing } from "./rules/RuleStanding.js"

type Of = Pick<Connection.Connection, "userId" | "id">
type Failure = SqlError | ParseResult.ParseError

/** What changes the rows of one connection. The caller holds the lock of its row. */
export const make = (sql: SqlClient) => {
  const revoke = ({ id, userId }: Of, now: Timestamp.Timestamp, familyId: string | null) =>
    Effect.gen(function* () {
      for (const table of ["access_tokens", "refresh_tokens"]) {
        yield* sql`UPDATE ${sql(table)} SET revoked_at = ${Rows.at(now)}
                   WHERE user_id = ${userId} AND connection_id = ${id} AND revoked_at IS NULL
                     AND (${familyId}::text IS NULL OR family_id = ${familyId}::text)`
      }
      yield* sql`UPDATE authorization_codes SET dead_at = ${Rows.at(now)}
                 WHERE user_id = ${userId} AND connection_id = ${id} AND family_id IS NOT NULL AND dead_at IS NULL
                   AND (${familyId}::text IS NULL OR family_id = ${familyId}::text)`
    })

  const setPlaces = ({ id, userId }: Of, places: Connection.Connection["places"]) =>
    Effect.gen(function* () {
      const ids = places.map((place) => place.placeId)
      yield* sql`DELETE FROM connection_places
                 WHERE user_id = ${userId} AND connection_id = ${id} AND place_id <> ALL(${ids}::text[])`
      if (places.length === 0) return
      yield* sql`INSERT INTO connection_places (user_id, connection_id, place_id, shared_at, include_earlier_visits)
                 SELECT ${userId}, ${id}, place_id, shared_at, include_earlier_visits
                 FROM unnest(${ids}::text[], ${places.map((place) => Rows.at(place.sharedAt))}::timestamptz[],
                             ${places.map((place) => place.includeEarlierVisits)}::boolean[])
                   AS t (place_id, shared_at, include_earlier_visits)
                 ON CONFLICT (user_id, connection_id, place_id) DO UPDATE
                   SET shared_at = excluded.shared_at, include_earlier_visits = excluded.include_earlier_visits`
    })

  /** Writes down since when a rule does not stand, or that it does again: its place or scope came or went (decision L8). */
  const noteRules = ({ id, userId }: Of, now: Timestamp.Timestamp) => standing(sql, userId, id, now)

  /** Now, where the scope comes back to a connection that had lost it. */
  const regained = (scope: Scope.Scope, column: string, now: Timestamp.Timestamp) =>
    sql`CASE WHEN ${scope} = ANY (excluded.held_scopes) AND NOT ${scope} = ANY (connections.held_scopes)
             THEN ${Rows.at(now)} ELSE connections.${sql.literal(column)} END`

  const write = (of: Of, one: Write, now: Timestamp.Timestamp): Effect.Effect<unknown, Failure> => {
    const { id, userId } = of
    switch (one._tag) {
      case "UseCode":
        return sql`UPDATE authorization_codes SET family_id = ${one.familyId}, dead_at = NULL, used_at = ${Rows.at(one.exchange.at)},
                       nonce = ${one.exchange.nonce}, key_id = ${one.exchange.keyId}
                   WHERE user_id = ${userId} AND code_hash = ${one.hash} AND connection_id = ${id}`
      case "RevokeTokens":
        return revoke(of, now, null)
      case "RevokeFamily":
        return revoke(of, now, one.familyId)
      case "StartFamily":
        return sql`UPDATE connections SET family_id = ${one.familyId}
                   WHERE user_id = ${userId} AND connection_id = ${id}`
      case "IssueAccess":
        return sql`INSERT INTO access_tokens (user_id, token_hash, connection_id, family_id, issued_at, revoked_at)
                   VALUES (${userId}, ${one.token.hash}, ${id}, ${one.token.familyId}, ${Rows.at(one.token.issuedAt)},
                           ${Rows.nullableAt(one.token.revokedAt)})`
      case "IssueRefresh":
        return sql`INSERT INTO refresh_tokens (user_id, token_hash, connection_id, family_id, issued_at, link, revoked_at)
                   SELECT ${userId}, ${one.token.hash}, ${id}, ${one.token.familyId}, ${Rows.at(one.token.issuedAt)},
                          coalesce(max(link) + 1, 0), ${Rows.nullableAt(one.token.revokedAt)}::timestamptz
                   FROM refresh_tokens WHERE user_id = ${userId} AND family_id = ${one.token.familyId}`
      case "Rotate":
        return sql`UPDATE refresh_tokens
                   SET rotated_at = ${Rows.at(one.rotation.at)}, nonce = ${one.rotation.nonce}, key_id = ${one.rotation.keyId}
                   WHERE user_id = ${userId} AND token_hash = ${one.hash} AND connection_id = ${id}`
      case "End":
        return Effect.all([
          sql`UPDATE connections SET ended_at = ${Rows.at(one.at)}, end_reason = ${one.reason}
              WHERE user_id = ${userId} AND connection_id = ${id} AND ended_at IS NULL`,
          sql`DELETE FROM subscriptions WHERE user_id = ${userId} AND connection_id = ${id}`,
          revoke(of, now, null)
        ])
      case "Flag":
        return sql`UPDATE connections SET flagged_at = ${Rows.at(one.at)}
                   WHERE user_id = ${userId} AND connection_id = ${id}`
      case "Mail":
        return MailOutbox.queue(sql, one.message, now)
      case "SetPlaces":
        return Effect.all([
          sql`UPDATE connections SET places_version = ${one.placesVersion}
              WHERE user_id = ${userId} AND connection_id = ${id}`,
          setPlaces(of, one.places),
          noteRules(of, now)
        ])
      case "Emit":
        return EventOutbox.queue(sql, one.event, now)
      case "LookAt":
        return sql`UPDATE connections SET look_at = ${Rows.nullableAt(one.at)}, look_leased_until = NULL
                   WHERE user_id = ${userId} AND connection_id = ${id}`
      case "SetScopes":
        return Effect.zipRight(
          sql`UPDATE connections
              SET held_scopes = ${one.heldScopes}, sensitive_expires_at = ${Rows.nullableAt(one.sensitiveExpiresAt)}
              WHERE user_id = ${userId} AND connection_id = ${id}`,
          noteRules(of, now)
        )
    }
  }

  return {
    /** In order; each sees what the ones before it wrote. */
    all: (of: Of, writes: ReadonlyArray<Write>, now: Timestamp.Timestamp) =>
      Effect.forEach(writes, (one) => write(of, one, now), { discard: true }),

    /** As `all`, at the end of a transaction. */
    last: (of: Of, writes: ReadonlyArray<Write>, now: Timestamp.Timestamp) =>
      last(writes.map((one) => write(of, one, now))),

    /** The connection as it is from now on; new, or changed in place. */
    save: (one: Connection.Connection, now: Timestamp.Timestamp) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO connections (user_id, connection_id, app_id, sub, external_user_id, held_scopes,
                     places_version, standard_expires_at, sensitive_expires_at, connected_at, ended_at, end_reason,
                     family_id)
                   VALUES (${one.userId}, ${one.id}, ${one.appId}, ${one.sub}, ${one.externalUserId}, ${one.heldScopes},
                     ${one.placesVersion}, ${Rows.nullableAt(one.standardExpiresAt)},
                     ${Rows.nullableAt(one.sensitiveExpiresAt)}, ${Rows.at(one.connectedAt)},
                     ${Rows.nullableAt(one.endedAt)}, ${one.endReason}, ${one.familyId})
                   ON CONFLICT (user_id, connection_id) DO UPDATE SET
                     external_user_id = excluded.external_user_id,
                     held_scopes = excluded.held_scopes,
                     places_version = excluded.places_version,
                     standard_expires_at = excluded.standard_expires_at,
                     sensitive_expires_at = excluded.sensitive_expires_at,
                     family_id = excluded.family_id,
                     place_rules_since = ${regained(LiveRule.PLACE_SCOPE, "place_rules_since", now)},
                     zone_rules_since = ${regained(LiveRule.ZONE_SCOPE, "zone_rules_since", now)}`
        yield* sql`INSERT INTO connection_routes (connection_id, user_id) VALUES (${one.id}, ${one.userId})
                   ON CONFLICT (connection_id) DO NOTHING`
        yield* setPlaces(one, one.places)
        yield* noteRules(one, now)
      }),

    addCode: (code: AuthorizationCode.AuthorizationCode) =>
      sql`INSERT INTO authorization_codes (user_id, code_hash, connection_id, app_id, redirect_uri, challenge,
            created_at, family_id, dead_at)
          VALUES (${code.userId}, ${code.hash}, ${code.connectionId}, ${code.appId}, ${code.redirectUri},
            ${code.challenge}, ${Rows.at(code.createdAt)}, ${code.familyId},
            ${Rows.at(code.createdAt + AuthorizationCode.LIFETIME)})`
  }
}
