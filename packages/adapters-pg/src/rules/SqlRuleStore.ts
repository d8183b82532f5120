import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Budget, ZoneQuestions } from "@place-access/domain/limits"
import { type Rule, RuleEvaluation, type RuleKind, RuleStore } from "@place-access/domain/rules"
import { AppId, type ConnectionId, Page, PlaceId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import { Effect, Layer, Option, type ParseResult, Schema } from "effect"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import * as TimePosition from "../driver/TimePosition.js"
import * as UploadStream from "../history/UploadStream.js"
import { insertRule } from "./insertRule.js"
import { evaluations } from "./RuleEvaluations.js"
import { COLUMNS, RuleRow, toRule } from "./RuleRow.js"
import { standing } from "./RuleStanding.js"
import * as ZoneQuestionsRow from "../limits/ZoneQuestionsRow.js"

type Store = typeof RuleStore.Service

export const layer: Layer.Layer<RuleStore, never, SqlClient> = Layer.effect(
  RuleStore,
  Effect.map(SqlClient, (sql) =>
    RuleStore.of({
      create: create(sql),
      createZone: createZone(sql),
      list: list(sql),
      find: find(sql),
      evaluations: (userId, connectionId, ids) => evaluations(sql, userId, connectionId, ids).pipe(orStoreError),
      remove: remove(sql)
    })
  )
)

/**
 * Creates a rule of a place. The user, and not the app, chose the circle of the place. So the rule does not count
 * towards the number of zones that the app may ask about.
 */
const create =
  (sql: SqlClient): Store["create"] =>
  (userId, connectionId, decide) =>
    creating(
      sql,
      { userId, connectionId },
      () => sharedPlaces(sql, { userId, connectionId }),
      (places, rules, now) => ({ ...decide(rules, now, places), questions: null })
    )

const createZone =
  (sql: SqlClient): Store["createZone"] =>
  (userId, connectionId, decide) =>
    creating(
      sql,
      { userId, connectionId },
      (spender) => ZoneQuestionsRow.lock(sql, spender),
      (questions, rules, now) => decide(rules, now, questions)
    )

interface Owner {
  readonly userId: UserId
  readonly connectionId: ConnectionId
}

/** Reads what `Decide` needs besides the rules. The function runs after the connection was locked. */
type Read<F> = (spender: Budget.Spender) => Effect.Effect<F, SqlError | ParseResult.ParseError>

type Decide<F, A> = (
  facts: F,
  present: ReadonlyArray<Rule.Rule>,
  now: Timestamp.Timestamp
) => {
  readonly outcome: A
  readonly rule: Rule.Rule | null
  readonly questions: ZoneQuestions.ZoneQuestions | null
}

const creating = <F, A>(sql: SqlClient, of: Owner, read: Read<F>, decide: Decide<F, A>) =>
  Effect.gen(function* () {
    const connection = yield* lockConnection(sql, of)
    if (Option.isNone(connection)) return Option.none()
    const { app_id: appId, standard_expires_at: standardExpiresAt } = connection.value
    const spender = { userId: of.userId, appId }
    const facts = yield* read(spender)
    const now = yield* Timestamp.now
    if (!Tier.standardIsLive({ standardExpiresAt, sensitiveExpiresAt: null }, now)) return Option.none()
    const { outcome, questions, rule } = decide(facts, yield* evaluated(sql, of, now), now)
    if (questions !== null) yield* ZoneQuestionsRow.store(sql, spender, questions)
    if (rule !== null) yield* insertRule(sql, rule, null)
    return Option.some(outcome)
  }).pipe(sql.withTransaction, orStoreError)

const ConnectionRow = Schema.Struct({ app_id: AppId, standard_expires_at: Rows.NullableAt })

/** Locks the connection, so that its rules are created one after the other and the limit of their number is kept. */
const lockConnection = (sql: SqlClient, { connectionId, userId }: Owner) =>
  sql`SELECT app_id, standard_expires_at FROM connections
      WHERE user_id = ${userId} AND connection_id = ${connectionId} AND ended_at IS NULL
      FOR UPDATE`.pipe(Rows.first(ConnectionRow))

const SharedRow = Schema.Struct({ place_id: PlaceId, label: Schema.String })

/** The places that the user shares with the app and has not archived. */
const sharedPlaces = (sql: SqlClient, { connectionId, userId }: Owner) =>
  sql`SELECT p.place_id, p.label FROM connection_places s
      JOIN places p ON p.user_id = s.user_id AND p.place_id = s.place_id
      WHERE s.user_id = ${userId} AND s.connection_id = ${connectionId} AND p.archived_at IS NULL`.pipe(
    Rows.all(SharedRow),
    Effect.map((rows) => rows.map((row) => ({ id: row.place_id, label: row.label })))
  )

/**
 * The rules that uploads may evaluate at `now`: rules that are not deleted and whose window did not end more than
 * `LATE_UPLOAD` ago.
 */
const evaluated = (sql: SqlClient, { connectionId, userId }: Owner, now: Timestamp.Timestamp) =>
  sql`SELECT ${sql.literal(COLUMNS)} FROM rules r
      LEFT JOIN places p ON p.user_id = r.user_id AND p.place_id = r.place_id
      WHERE r.user_id = ${userId} AND r.connection_id = ${connectionId} AND r.deleted_at IS NULL
        AND (r.active_until IS NULL OR r.active_until >= ${Rows.at(now - RuleEvaluation.LATE_UPLOAD)})
      ORDER BY r.created_at, r.rule_id COLLATE "C"`.pipe(
    Rows.all(RuleRow),
    Effect.map((rows) => rows.map((row) => toRule(row, null)))
  )

const ofKind = (sql: SqlClient, kind: RuleKind) => {
  switch (kind) {
    case "Place":
      return sql`r.place_id IS NOT NULL`
    case "Zone":
      return sql`r.place_id IS NULL`
    case "all":
      return sql`true`
  }
}

const list =
  (sql: SqlClient): Store["list"] =>
  (userId, connectionId, kind, limit, after) =>
    Effect.gen(function* () {
      const position = yield* TimePosition.decode(after)
      const rest =
        position === undefined
          ? sql``
          : sql`AND (r.created_at, r.rule_id COLLATE "C") > (${Rows.at(position[0])}, ${position[1]})`
      const rules = yield* standing(sql, userId, connectionId, yield* Timestamp.now, {
        and: sql`AND ${ofKind(sql, kind)} ${rest}`,
        limit: sql`LIMIT ${limit + 1}`,
        isLocked: false
      })
      return Page.of(rules, limit, (last) => [last.createdAt, last.id])
    }).pipe(orStoreError)

const find =
  (sql: SqlClient): Store["find"] =>
  (userId, connectionId, id, kind) =>
    Effect.gen(function* () {
      const only = { and: sql`AND r.rule_id = ${id} AND ${ofKind(sql, kind)}`, limit: sql``, isLocked: false }
      const [rule] = yield* standing(sql, userId, connectionId, yield* Timestamp.now, only)
      return Option.fromNullable(rule)
    }).pipe(orStoreError)

/**
 * Marks a rule as deleted and keeps its row, because `zonesBefore` counts deleted zone rules too. Otherwise an app
 * could delete rules to ask about more zones.
 */
const remove =
  (sql: SqlClient): Store["remove"] =>
  (userId, connectionId, id, kind, at) =>
    Effect.gen(function* () {
      // From this lock until the end of the transaction, an upload in flight waits.
      yield* UploadStream.lock(sql, userId, 0)
      const rows = yield* sql`
        WITH gone AS (
          UPDATE rules r SET deleted_at = ${Rows.at(at)}
          WHERE user_id = ${userId} AND rule_id = ${id} AND deleted_at IS NULL AND ${ofKind(sql, kind)}
            AND (${connectionId}::text IS NULL OR connection_id = ${connectionId})
          RETURNING rule_id
        ), forgotten AS (
          DELETE FROM rule_states WHERE user_id = ${userId} AND rule_id IN (SELECT rule_id FROM gone)
        )
        SELECT rule_id FROM gone`
      // When no rule was removed, returns before the version is raised. Otherwise an app could delay the person's
      // uploads and stays by removing an unknown rule again and again.
      if (rows.length === 0) return false
      // Raises the version, so that an upload in flight reads the rules again and does not store a state of the deleted
      // rule.
      yield* UploadStream.lock(sql, userId, 1)
      return true
    }).pipe(sql.withTransaction, orStoreError)
