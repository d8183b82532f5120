import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { Authorisation } from "@place-access/domain/deliveries"
import { AppId, type ConnectionId, type RuleId, Scope, type Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { reads } from "../driver/Client.js"
import { orStoreError } from "../Failures.js"
import { IS_SUSPENDED } from "../connection/ConnectionRow.js"
import { toPause } from "../steering/PauseColumns.js"
import * as Rows from "../driver/Rows.js"
import * as Erasures from "../retention-choice/Erasures.js"

export interface AuthorisationQuestion {
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly ruleId: RuleId | null
  /**
   * The time of the event. Null: the caller does not need to know whether the user has erased this time from the
   * history, or whether a suspension contains it.
   */
  readonly occurredAt: Timestamp.Timestamp | null
}

export const AuthorisationRow = Schema.Struct({
  app_id: AppId,
  held_scopes: Schema.Array(Scope.Scope),
  standard_expires_at: Rows.NullableAt,
  sensitive_expires_at: Rows.NullableAt,
  ended_at: Rows.NullableAt,
  paused_at: Rows.NullableAt,
  paused_until: Rows.NullableAt,
  declared_scopes: Schema.Array(Scope.Scope),
  allowed_scopes: Schema.NullOr(Schema.Array(Scope.Scope)),
  revoked_at: Rows.NullableAt,
  rule_stands: Schema.Boolean,
  webhook_url: Schema.NullOr(Schema.String),
  is_suspended: Schema.Boolean,
  was_suspended: Schema.Boolean,
  is_erased: Schema.Boolean
})

export const toAuthorisation = (row: typeof AuthorisationRow.Type): Authorisation.Authorisation => ({
  connection: {
    appId: row.app_id,
    heldScopes: row.held_scopes,
    standardExpiresAt: row.standard_expires_at,
    sensitiveExpiresAt: row.sensitive_expires_at,
    endedAt: row.ended_at,
    pause: toPause(row)
  },
  app: { declaredScopes: row.declared_scopes, allowedScopes: row.allowed_scopes, revokedAt: row.revoked_at },
  ruleStands: row.rule_stands,
  ...(row.is_erased ? { isErased: true } : {}),
  ...(row.is_suspended ? { isSuspended: true } : {}),
  ...(row.was_suspended ? { wasSuspended: true } : {}),
  ...(row.webhook_url === null ? {} : { webhookUrl: row.webhook_url })
})

/**
 * The columns `is_suspended` and `was_suspended` over `connections c` and `apps a`. `was_suspended` is true when the
 * event's time `at` lies in a suspension, past or present, of the person's account or of the account of the app's
 * holder. `was_suspended` is false when `at` is null.
 */
const suspensions = (sql: SqlClient, at: Fragment) =>
  sql`${sql.literal(IS_SUSPENDED)} AS is_suspended,
      coalesce(a.suspended_at <= ${at} OR a.suspensions @> ${at} OR (
        SELECT person.suspended_at <= ${at} OR person.suspensions @> ${at}
        FROM accounts person WHERE person.user_id = c.user_id), false) AS was_suspended`

/**
 * The select list for an `AuthorisationRow`, in the order of its columns, for a statement on `connections c`, `apps a`
 * and `asked`. `asked` has the question: `user_id`, `rule_id` and `occurred_at`.
 */
export const answers = (sql: SqlClient) =>
  sql`c.app_id, c.held_scopes, c.standard_expires_at, c.sensitive_expires_at, c.ended_at,
      c.paused_at, c.paused_until, a.declared_scopes, a.allowed_scopes, a.revoked_at,
      asked.rule_id IS NULL OR EXISTS (
        SELECT 1 FROM rules r
        WHERE r.user_id = asked.user_id AND r.rule_id = asked.rule_id AND r.connection_id = c.connection_id
          AND r.deleted_at IS NULL
          AND (r.place_id IS NULL OR EXISTS (
            SELECT 1 FROM connection_places shared
            JOIN places p ON p.user_id = shared.user_id AND p.place_id = shared.place_id
            WHERE shared.user_id = asked.user_id AND shared.connection_id = c.connection_id
              AND shared.place_id = r.place_id AND p.archived_at IS NULL
          ))
      ) AS rule_stands,
      (SELECT r.webhook_url FROM rules r
       WHERE r.user_id = asked.user_id AND r.rule_id = asked.rule_id) AS webhook_url,
      ${suspensions(sql, sql`asked.occurred_at`)},
      EXISTS (SELECT 1 FROM erasures e
              WHERE e.user_id = asked.user_id AND e.from_at <= asked.occurred_at
                AND e.until_at > asked.occurred_at) AS is_erased`

/** An `AuthorisationRow` with the position of its question in the batch, from 1. */
const PlacedRow = Schema.Struct({ position: Rows.Bigint, ...AuthorisationRow.fields })

/**
 * Answers a batch of questions in one statement, which reads the rows of several users. The answers have the questions'
 * order; None when the connection does not exist.
 */
export const authorisations = (sql: SqlClient, questions: ReadonlyArray<AuthorisationQuestion>) =>
  sql`SELECT asked.position, ${answers(sql)}
          FROM unnest(${questions.map(({ userId }) => userId)}::text[],
                      ${questions.map(({ connectionId }) => connectionId)}::text[],
                      ${questions.map(({ ruleId }) => ruleId)}::text[],
                      ${questions.map(({ occurredAt }) => Rows.nullableAt(occurredAt))}::timestamptz[])
            WITH ORDINALITY AS asked (user_id, connection_id, rule_id, occurred_at, position)
          JOIN connections c ON c.user_id = asked.user_id AND c.connection_id = asked.connection_id
          JOIN apps a ON a.app_id = c.app_id`.pipe(
    Rows.all(PlacedRow),
    Effect.map((rows) => {
      const found = new Map(rows.map((row) => [row.position, toAuthorisation(row)]))
      return questions.map((_, index) => Option.fromNullable(found.get(index + 1)))
    }),
    orStoreError
  )

/**
 * Answers one question as `authorisations` answers a batch, but with a statement that Citus runs on the user's shard
 * alone.
 */
export const authorisationOf = (sql: SqlClient, { connectionId, occurredAt, ruleId, userId }: AuthorisationQuestion) =>
  reads(sql)`SELECT c.app_id, c.held_scopes, c.standard_expires_at, c.sensitive_expires_at, c.ended_at,
            c.paused_at, c.paused_until, a.declared_scopes, a.allowed_scopes, a.revoked_at,
            ${ruleId}::text IS NULL OR EXISTS (
              SELECT 1 FROM rules r
              WHERE r.user_id = ${userId} AND r.rule_id = ${ruleId} AND r.connection_id = ${connectionId}
                AND r.deleted_at IS NULL
                AND (r.place_id IS NULL OR EXISTS (
                  SELECT 1 FROM connection_places shared
                  JOIN places p ON p.user_id = shared.user_id AND p.place_id = shared.place_id
                  WHERE shared.user_id = ${userId} AND p.user_id = ${userId}
                    AND shared.connection_id = ${connectionId} AND shared.place_id = r.place_id
                    AND p.archived_at IS NULL
                ))
            ) AS rule_stands,
            (SELECT r.webhook_url FROM rules r WHERE r.user_id = ${userId} AND r.rule_id = ${ruleId}) AS webhook_url,
            ${suspensions(sql, sql`${Rows.nullableAt(occurredAt)}::timestamptz`)},
            ${occurredAt === null ? sql`false` : Erasures.covering(sql, userId, occurredAt)} AS is_erased
          FROM connections c JOIN apps a ON a.app_id = c.app_id
          WHERE c.user_id = ${userId} AND c.connection_id = ${connectionId}`.pipe(
    Rows.first(AuthorisationRow),
    Effect.map(Option.map(toAuthorisation)),
    orStoreError
  )
