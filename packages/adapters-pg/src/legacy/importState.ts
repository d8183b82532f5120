import type { SqlClient } from "@effect/sql/SqlClient"
import type { RuleImport } from "@place-access/domain/legacy"
import { AppId, ConnectionId, PlaceId, type RuleId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { COLUMNS, RuleRow, toRule } from "../rules/RuleRow.js"

const OwnerRow = Schema.Struct({
  user_id: UserId,
  connection_id: ConnectionId,
  app_id: AppId,
  ended_at: Rows.NullableAt,
  standard_expires_at: Rows.NullableAt
})

const SharedRow = Schema.Struct({ connection_id: ConnectionId, place_id: PlaceId, label: Schema.String })

const FoundRow = Schema.extend(RuleRow, Schema.Struct({ is_asked: Schema.Boolean }))

/**
 * Locks the connections that the import names, in the order of their ids, and reads the state that the decision needs.
 * Every other transaction locks connections in this order too, so that none deadlock.
 */
export const importState = (
  sql: SqlClient,
  requested: ReadonlyArray<{ readonly owner: RuleImport.RuleOwner; readonly id: RuleId }>
) =>
  Effect.gen(function* () {
    const users = requested.map(({ owner }) => owner.userId)
    const connections = requested.map(({ owner }) => owner.id)
    const ids = requested.map(({ id }) => id)
    const owners = sql`(SELECT DISTINCT * FROM unnest(${users}::text[], ${connections}::text[]) AS o (user_id, connection_id))`
    const distinct = new Map(requested.map(({ owner }) => [owner.id, owner]))
    const inOrder = [...distinct.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
    // Sends one statement for each connection, because on a cluster one statement cannot lock rows of several users.
    const locked = (yield* Effect.forEach(inOrder, (owner) =>
      sql`SELECT user_id, connection_id, app_id, ended_at, standard_expires_at FROM connections
          WHERE user_id = ${owner.userId} AND connection_id = ${owner.id} FOR UPDATE`.pipe(Rows.all(OwnerRow))
    )).flat()
    const now = yield* Timestamp.now
    const shared = yield* sql`
      SELECT s.connection_id, p.place_id, p.label
      FROM ${owners} asked
      JOIN connection_places s ON s.user_id = asked.user_id AND s.connection_id = asked.connection_id
      JOIN places p ON p.user_id = s.user_id AND p.place_id = s.place_id
      WHERE p.archived_at IS NULL`.pipe(Rows.all(SharedRow))
    const found = yield* sql`
      WITH named AS (
        SELECT DISTINCT * FROM unnest(${users}::text[], ${ids}::text[]) AS n (user_id, rule_id)
      ), here AS (
        SELECT r.user_id, r.rule_id, false AS is_asked FROM ${owners} asked
        JOIN rules r ON r.user_id = asked.user_id AND r.connection_id = asked.connection_id AND r.deleted_at IS NULL
        UNION ALL
        SELECT user_id, rule_id, true FROM named
      )
      SELECT ${sql.literal(COLUMNS)}, here.is_asked
      FROM here JOIN rules r ON r.user_id = here.user_id AND r.rule_id = here.rule_id
      LEFT JOIN places p ON p.user_id = r.user_id AND p.place_id = r.place_id`.pipe(Rows.all(FoundRow))
    const rules = found.filter((row) => !row.is_asked)
    const state: RuleImport.RuleImportFacts = {
      connections: locked.map((row) => ({
        userId: row.user_id,
        id: row.connection_id,
        appId: row.app_id,
        endedAt: row.ended_at,
        standardExpiresAt: row.standard_expires_at,
        places: shared
          .filter((place) => place.connection_id === row.connection_id)
          .map((place) => ({ id: place.place_id, label: place.label })),
        rules: rules.filter((rule) => rule.connection_id === row.connection_id).map((rule) => toRule(rule, null))
      })),
      known: found.filter((row) => row.is_asked).map((row) => toRule(row, null))
    }
    return { now, state }
  })
