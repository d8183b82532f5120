import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Connection } from "@place-access/domain/connection"
import { LiveRule } from "@place-access/domain/rules"
import type { Scope, Timestamp } from "@place-access/domain/shared"
import type { AuthorizationCode, TokenWrite } from "@place-access/domain/tokens"
import { Effect, type ParseResult } from "effect"
import { last } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import * as EventOutbox from "../events/EventOutbox.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import { standing } from "../rules/RuleStanding.js"
import { insertEntry } from "./ConsentHistoryRow.js"
import { insertCode, revoke, writeToken } from "./TokenWrites.js"

type ConnectionKey = Pick<Connection.Connection, "userId" | "id">
type Failure = SqlError | ParseResult.ParseError

/**
 * The statements that change the rows of one connection. The caller holds the lock of the connection's row, with two
 * exceptions: a new connection has no row yet, and the first statement of `End` locks the row itself.
 */
export const make = (sql: SqlClient) => ({
  /** Runs the writes in order: each write sees the rows that the earlier writes changed. */
  all: (of: ConnectionKey, writes: ReadonlyArray<TokenWrite>, now: Timestamp.Timestamp) =>
    Effect.forEach(writes, (one) => write(sql, of, one, now), { discard: true }),

  /** Runs the writes as the last statements of a transaction: they are sent together with the COMMIT. */
  last: (of: ConnectionKey, writes: ReadonlyArray<TokenWrite>, now: Timestamp.Timestamp) =>
    last(writes.map((one) => write(sql, of, one, now))),

  save: (one: Connection.Connection, now: Timestamp.Timestamp) => save(sql, one, now),

  addCode: (code: AuthorizationCode.AuthorizationCode) => insertCode(sql, code)
})

const write = (
  sql: SqlClient,
  of: ConnectionKey,
  one: TokenWrite,
  now: Timestamp.Timestamp
): Effect.Effect<unknown, Failure> => {
  const { id, userId } = of
  switch (one._tag) {
    case "End":
      return Effect.all([
        sql`UPDATE connections SET ended_at = ${Rows.at(one.at)}, end_reason = ${one.reason}
            WHERE user_id = ${userId} AND connection_id = ${id} AND ended_at IS NULL`,
        sql`DELETE FROM subscriptions WHERE user_id = ${userId} AND connection_id = ${id}`,
        revoke(sql, of, now, null)
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
        setPlaces(sql, of, one.places),
        noteRules(sql, of, now)
      ])
    case "Emit":
      return EventOutbox.queue(sql, one.event, now)
    case "LookAt":
      // Stores when the tier sweep next checks the connection: the new time or, with `keepsEarlier`, the earlier of the
      // stored time and the new time. Without `keepsEarlier` the CASE is null, and LEAST ignores a null.
      return sql`UPDATE connections
                 SET look_at =
                   LEAST(${Rows.nullableAt(one.at)}, CASE WHEN ${one.keepsEarlier === true} THEN look_at END)
                 WHERE user_id = ${userId} AND connection_id = ${id}`
    case "SetScopes":
      return Effect.zipRight(
        sql`UPDATE connections
            SET held_scopes = ${one.heldScopes}, sensitive_expires_at = ${Rows.nullableAt(one.sensitiveExpiresAt)},
              agreed_scopes = coalesce(${one.agreedScopes ?? null}::text[], agreed_scopes, held_scopes),
              place_rules_since = ${regainedBy(sql, one.heldScopes, LiveRule.PLACE_SCOPE, "place_rules_since", now)},
              zone_rules_since = ${regainedBy(sql, one.heldScopes, LiveRule.ZONE_SCOPE, "zone_rules_since", now)}
            WHERE user_id = ${userId} AND connection_id = ${id}`,
        noteRules(sql, of, now)
      )
    case "SetEnd":
      return sql`UPDATE connections SET standard_expires_at = ${Rows.nullableAt(one.standardExpiresAt)}
                 WHERE user_id = ${userId} AND connection_id = ${id}`
    case "SetPause":
      return sql`UPDATE connections SET paused_at = ${Rows.nullableAt(one.pause?.from ?? null)},
                   paused_until = ${Rows.nullableAt(one.pause?.until ?? null)}
                 WHERE user_id = ${userId} AND connection_id = ${id}`
    case "Record":
      return insertEntry(sql, of, one.entry)
    default:
      return writeToken(sql, of, one, now)
  }
}

const setPlaces = (sql: SqlClient, { id, userId }: ConnectionKey, places: Connection.Connection["places"]) =>
  Effect.gen(function* () {
    const ids = places.map((place) => place.placeId)
    yield* sql`DELETE FROM connection_places
               WHERE user_id = ${userId} AND connection_id = ${id} AND place_id <> ALL(${ids}::text[])`
    if (places.length === 0) return
    yield* sql`INSERT INTO connection_places (user_id, connection_id, place_id, shared_at, include_earlier_visits)
               SELECT c.user_id, c.connection_id, t.place_id, t.shared_at, t.include_earlier_visits
               FROM connections c, unnest(${ids}::text[],
                           ${places.map((place) => Rows.at(place.sharedAt))}::timestamptz[],
                           ${places.map((place) => place.includeEarlierVisits)}::boolean[])
                 AS t (place_id, shared_at, include_earlier_visits)
               WHERE c.user_id = ${userId} AND c.connection_id = ${id}
               ON CONFLICT (user_id, connection_id, place_id) DO UPDATE
                 SET shared_at = excluded.shared_at, include_earlier_visits = excluded.include_earlier_visits`
  })

/**
 * Stores, for each rule of the connection, the time since which the rule is disabled, or removes that time when the
 * rule works again. The function runs after each change of the connection's places or scopes (decision L8).
 */
const noteRules = (sql: SqlClient, { id, userId }: ConnectionKey, now: Timestamp.Timestamp) =>
  standing(sql, userId, id, now)

/**
 * Inserts a connection. If a connection with this id is stored, updates it instead; its app, `sub`, start and end do
 * not change.
 */
const save = (sql: SqlClient, one: Connection.Connection, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    yield* upsert(sql, one, now)
    yield* sql`INSERT INTO connection_routes (connection_id, user_id) VALUES (${one.id}, ${one.userId})
               ON CONFLICT (connection_id) DO NOTHING`
    yield* setPlaces(sql, one, one.places)
    yield* noteRules(sql, one, now)
  })

const upsert = (sql: SqlClient, one: Connection.Connection, now: Timestamp.Timestamp) =>
  sql`INSERT INTO connections (user_id, connection_id, app_id, sub, external_user_id, held_scopes, agreed_scopes,
        paused_at, paused_until, places_version, standard_expires_at, sensitive_expires_at,
        connected_at, ended_at, end_reason, family_id)
      VALUES (${one.userId}, ${one.id}, ${one.appId}, ${one.sub}, ${one.externalUserId}, ${one.heldScopes},
        ${one.agreedScopes},
        ${Rows.nullableAt(one.pause?.from ?? null)}, ${Rows.nullableAt(one.pause?.until ?? null)},
        ${one.placesVersion}, ${Rows.nullableAt(one.standardExpiresAt)}, ${Rows.nullableAt(one.sensitiveExpiresAt)},
        ${Rows.at(one.connectedAt)}, ${Rows.nullableAt(one.endedAt)}, ${one.endReason}, ${one.familyId})
      ON CONFLICT (user_id, connection_id) DO UPDATE SET
        external_user_id = excluded.external_user_id,
        held_scopes = excluded.held_scopes,
        agreed_scopes = excluded.agreed_scopes,
        paused_at = excluded.paused_at,
        paused_until = excluded.paused_until,
        places_version = excluded.places_version,
        standard_expires_at = excluded.standard_expires_at,
        sensitive_expires_at = excluded.sensitive_expires_at,
        family_id = excluded.family_id,
        place_rules_since = ${regained(sql, LiveRule.PLACE_SCOPE, "place_rules_since", now)},
        zone_rules_since = ${regained(sql, LiveRule.ZONE_SCOPE, "zone_rules_since", now)}`

/**
 * An SQL expression for an upsert of a connection: `now` when the write adds the scope to a stored connection that did
 * not have it, else the stored time.
 */
const regained = (sql: SqlClient, scope: Scope.Scope, column: string, now: Timestamp.Timestamp) =>
  sql`CASE WHEN ${scope} = ANY (excluded.held_scopes) AND NOT ${scope} = ANY (connections.held_scopes)
           THEN ${Rows.at(now)} ELSE connections.${sql.literal(column)} END`

/**
 * An SQL expression for an UPDATE that sets the scopes to `after`: `now` when the update adds the scope, else the
 * stored time in `column`. (`regained` is the expression for an upsert.) In the SET list of an UPDATE, the column
 * `held_scopes` has the old value.
 */
const regainedBy = (
  sql: SqlClient,
  after: ReadonlyArray<Scope.Scope>,
  scope: Scope.Scope,
  column: string,
  now: Timestamp.Timestamp
) =>
  sql`CASE WHEN ${after.includes(scope)} AND NOT ${scope} = ANY (held_scopes)
           THEN ${Rows.at(now)}::timestamptz ELSE ${sql.literal(column)} END`
