import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type Budget, ZoneQuestions } from "@place-access/domain/limits"
import { type Rule, type RuleKind, RuleStore } from "@place-access/domain/rules"
import { AppId, type ConnectionId, Page, Timestamp, type UserId } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import { Effect, Layer, Option, type ParseResult, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"
import { insertRule } from "./rules/insertRule.js"
import { evaluations } from "./rules/RuleEvaluations.js"
import { COLUMNS, RuleRow, toRule } from "./rules/RuleRow.js"
import { standing } from "./rules/RuleStanding.js"
import * as ZoneQuestionsRow from "./ZoneQuestionsRow.js"

const Position = Schema.Tuple(Timestamp.Timestamp, Schema.String)
const ConnectionRow = Schema.Struct({ app_id: AppId, standard_expires_at: Rows.NullableAt })

export const layer: Layer.Layer<RuleStore, never, SqlClient> = Layer.effect(
  RuleStore,
  Effect.map(SqlClient, (sql) => {
    const present = (userId: UserId, connectionId: ConnectionId, now: Timestamp.Timestamp) =>
      sql`SELECT ${sql.literal(COLUMNS)} FROM rules r
          LEFT JOIN places p ON p.user_id = r.user_id AND p.place_id = r.place_id
          WHERE r.user_id = ${userId} AND r.connection_id = ${connectionId} AND r.deleted_at IS NULL
            AND (r.active_until IS NULL OR r.active_until > ${Rows.at(now)})
          ORDER BY r.created_at, r.rule_id COLLATE "C"`.pipe(
        Rows.all(RuleRow),
        Effect.map((rows) => rows.map((row) => toRule(row, null)))
      )

    const creating = <A>(
      userId: UserId,
      connectionId: ConnectionId,
      decide: (
        asked: ZoneQuestions.ZoneQuestions,
        present: ReadonlyArray<Rule.Rule>,
        now: Timestamp.Timestamp
      ) => {
        readonly outcome: A
        readonly rule: Rule.Rule | null
        readonly asked: ZoneQuestions.ZoneQuestions | null
      },
      lockQuestions: (
        spender: Budget.Spender
      ) => Effect.Effect<ZoneQuestions.ZoneQuestions, SqlError | ParseResult.ParseError>
    ) =>
      Effect.gen(function* () {
        const connection = yield* sql`SELECT app_id, standard_expires_at FROM connections
                                      WHERE user_id = ${userId} AND connection_id = ${connectionId} AND ended_at IS NULL
                                      FOR UPDATE`.pipe(Rows.first(ConnectionRow))
        if (Option.isNone(connection)) return Option.none()
        const { app_id: appId, standard_expires_at: standardExpiresAt } = connection.value
        const before = yield* lockQuestions({ userId, appId })
        const now = yield* Timestamp.now
        if (!Tier.standardIsLive({ standardExpiresAt, sensitiveExpiresAt: null }, now)) return Option.none()
        const { asked, outcome, rule } = decide(before, yield* present(userId, connectionId, now), now)
        if (asked !== null) yield* ZoneQuestionsRow.store(sql, { userId, appId }, asked)
        if (rule !== null) yield* insertRule(sql, rule, null)
        return Option.some(outcome)
      }).pipe(sql.withTransaction, orStoreError)

    return RuleStore.of({
      create: (userId, connectionId, decide) =>
        creating(
          userId,
          connectionId,
          (_, rules, now) => ({ ...decide(rules, now), asked: null }),
          () => Effect.succeed(ZoneQuestions.none)
        ),

      createZone: (userId, connectionId, decide) =>
        creating(
          userId,
          connectionId,
          (asked, rules, now) => decide(rules, now, asked),
          (spender) => ZoneQuestionsRow.lock(sql, spender)
        ),

      list: (userId, connectionId, kind, limit, after) =>
        Effect.gen(function* () {
          const position = after === undefined ? undefined : yield* Schema.decodeUnknown(Position)(after)
          const rest =
            position === undefined
              ? sql``
              : sql`AND (r.created_at, r.rule_id COLLATE "C") > (${Rows.at(position[0])}, ${position[1]})`
          const rules = yield* standing(sql, userId, connectionId, yield* Timestamp.now, {
            and: sql`AND ${ofKind(kind)} ${rest}`,
            limit: sql`LIMIT ${limit + 1}`
          })
          return Page.of(rules, limit, (last) => [last.createdAt, last.id])
        }).pipe(orStoreError),

      find: (userId, connectionId, id, kind) =>
        Effect.gen(function* () {
          const only = { and: sql`AND r.rule_id = ${id} AND ${ofKind(kind)}`, limit: sql`` }
          const [rule] = yield* standing(sql, userId, connectionId, yield* Timestamp.now, only)
          return Option.fromNullable(rule)
        }).pipe(orStoreError),

      evaluations: (userId, connectionId, ids) => evaluations(sql, userId, connectionId, ids).pipe(orStoreError),

      remove: (userId, connectionId, id, kind, at) =>
        sql`WITH gone AS (
              UPDATE rules r SET deleted_at = ${Rows.at(at)}
              WHERE user_id = ${userId} AND rule_id = ${id} AND deleted_at IS NULL AND ${ofKind(kind)}
                AND (${connectionId}::text IS NULL OR connection_id = ${connectionId})
              RETURNING rule_id
            ), forgotten AS (
              DELETE FROM rule_states WHERE user_id = ${userId} AND rule_id IN (SELECT rule_id FROM gone)
            )
            SELECT rule_id FROM gone`.pipe(
          Effect.map((rows) => rows.length > 0),
          orStoreError
        )
    })

    function ofKind(kind: RuleKind) {
      switch (kind) {
        case "Place":
          return sql`r.place_id IS NOT NULL`
        case "Zone":
          return sql`r.place_id IS NULL`
        case "all":
          return sql`true`
      }
    }
  })
)
