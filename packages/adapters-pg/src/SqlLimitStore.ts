import { SqlClient } from "@effect/sql/SqlClient"
import { LimitStore, type Rate, type Subject } from "@place-access/domain/limits"
import { type StoreError, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import * as Batches from "./Batches.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

const WindowRow = Schema.Struct({ subject: Schema.String, ends_at: Rows.At, used: Schema.Int })

const BudgetRow = Schema.Struct({ calls: Schema.Array(Rows.At) })

interface Call {
  readonly subject: Subject.Subject
  readonly windowMillis: number
  readonly now: Timestamp.Timestamp
}

export const layer: Layer.Layer<LimitStore, never, SqlClient> = Layer.scoped(
  LimitStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient

    /**
     * `Rate.count` for every call, with one row a subject; the moment of the newest call decides for all of them. Rows are
     * locked in the order of their keys, so that no two statements wait for each other in a circle.
     */
    const countAll = (calls: ReadonlyArray<Call>): Effect.Effect<ReadonlyArray<Rate.Window>, StoreError> =>
      Effect.gen(function* () {
        const now = Math.max(...calls.map((call) => call.now))
        const groups = new Map<string, { readonly windowMillis: number; calls: number }>()
        const places = calls.map(({ subject, windowMillis }) => {
          const group = groups.get(subject) ?? { windowMillis, calls: 0 }
          groups.set(subject, group)
          return ++group.calls
        })
        const values = [...groups.values()]
        const rows = yield* sql`
          INSERT INTO rate_windows AS present (subject, ends_at, used)
          SELECT subject, ends_at, calls FROM unnest(
            ${[...groups.keys()]}::text[],
            ${values.map((group) => Rows.at(now + group.windowMillis))}::timestamptz[],
            ${values.map((group) => group.calls)}::integer[]) AS given (subject, ends_at, calls)
          ORDER BY subject COLLATE "C"
          ON CONFLICT (subject) DO UPDATE SET
            ends_at = CASE WHEN present.ends_at > ${Rows.at(now)} THEN present.ends_at ELSE excluded.ends_at END,
            used = CASE WHEN present.ends_at > ${Rows.at(now)} THEN present.used ELSE 0 END + excluded.used
          RETURNING subject, ends_at, used`.pipe(Rows.all(WindowRow))
        const counted = new Map(rows.map((row) => [row.subject, row]))
        return calls.flatMap(({ subject }, index) => {
          const [row, all, place] = [counted.get(subject), groups.get(subject)?.calls ?? 0, places[index] ?? 0]
          return row === undefined ? [] : [{ endsAt: row.ends_at, used: row.used - all + place }]
        })
      }).pipe(orStoreError)

    const count = yield* Batches.make(countAll)

    return LimitStore.of({
      count: (subject, windowMillis, now) => count({ subject, windowMillis, now }),

      spend: ({ connectionId, userId }, { name }, decide) =>
        Effect.gen(function* () {
          // Locks the row that is there, or the one that it makes: a sweep cannot take it away in between.
          const row = yield* sql`INSERT INTO budgets (user_id, connection_id, budget, calls, last_at)
                                 VALUES (${userId}, ${connectionId}, ${name}, '{}', '-infinity')
                                 ON CONFLICT (user_id, connection_id, budget) DO UPDATE SET last_at = budgets.last_at
                                 RETURNING calls`.pipe(Rows.first(BudgetRow))
          const calls = Option.match(row, { onNone: () => [], onSome: (found) => found.calls })
          const spending = decide(calls, yield* Timestamp.now)
          if (spending._tag === "Spent") {
            const last = Math.max(...spending.calls)
            yield* sql`UPDATE budgets SET calls = ${spending.calls.map(Rows.at)}::timestamptz[], last_at = ${Rows.at(last)}
                       WHERE user_id = ${userId} AND connection_id = ${connectionId} AND budget = ${name}`
          }
          return spending
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
