import type { SqlClient } from "@effect/sql/SqlClient"
import { type Budget, ZoneQuestions } from "@place-access/domain/limits"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/**
 * The `budget` of a row of `budgets` that has the questions that an app asked about zones of one person. The column
 * `connection_id` has the app's id, because the row must not end with a connection. Programs from before migration 0032
 * store another `budget` under real connection ids.
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
 * Locks the row, and inserts it if it is missing, in one statement, so that a sweep cannot delete the row in between.
 * The lock needs a transaction.
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
