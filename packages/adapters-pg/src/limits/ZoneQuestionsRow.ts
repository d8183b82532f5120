import type { SqlClient } from "@effect/sql/SqlClient"
import { type Budget, ZoneQuestions } from "@place-access/domain/limits"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/**
 * The value of the column `budget` in rows that store which zones an app asked about for one person. In these rows the
 * column `connection_id` contains the app's id. The questions of an app about a person count together for all their
 * connections, and the row must stay when one of these connections ends. Programs from before migration 0032 store rows
 * of another `budget` under real connection ids.
 */
const NAME = "zone_questions"

const Circle = Schema.Struct({
  lat: Schema.Finite,
  lon: Schema.Finite,
  radiusM: Schema.Finite,
  askedAt: Timestamp.Timestamp
})

const Row = Schema.Struct({ calls: Schema.Array(Rows.At), circles: Schema.Array(Circle) })

/**
 * Locks the row, in one statement that also inserts a missing row, so that a sweep cannot delete the row in between.
 * Call it in a transaction, which keeps the lock.
 */
export const lock = (sql: SqlClient, { appId, userId }: Budget.Spender) =>
  sql`INSERT INTO budgets (user_id, connection_id, budget, calls, last_at)
      VALUES (${userId}, ${appId}, ${NAME}, '{}', '-infinity')
      ON CONFLICT (user_id, connection_id, budget) DO UPDATE SET last_at = budgets.last_at
      RETURNING calls, circles`.pipe(Rows.first(Row), Effect.map(Option.getOrElse(() => ZoneQuestions.none)))

/** Writes the row that `lock` locked. */
export const store = (sql: SqlClient, { appId, userId }: Budget.Spender, questions: ZoneQuestions.ZoneQuestions) =>
  sql`UPDATE budgets SET calls = ${questions.calls.map(Rows.at)}::timestamptz[],
                         circles = ${Rows.json(questions.circles)}::jsonb,
                         last_at = ${Rows.at(ZoneQuestions.lastAt(questions) ?? 0)}
      WHERE user_id = ${userId} AND connection_id = ${appId} AND budget = ${NAME}`
