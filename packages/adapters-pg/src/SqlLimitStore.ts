import { SqlClient } from "@effect/sql/SqlClient"
import { LimitStore, type Rate, type Subject } from "@place-access/domain/limits"
import { type StoreError, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import * as Batches from "./Batches.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"
import * as ZoneQuestionsRow from "./ZoneQuestionsRow.js"

const WindowRow = Schema.Struct({ subject: Schema.String, ends_at: Rows.At, used: Schema.Int })

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

      ask: (spender, decide) =>
        Effect.gen(function* () {
          const before = yield* ZoneQuestionsRow.lock(sql, spender)
          const asking = decide(before, yield* Timestamp.now)
          if (asking._tag === "Asked") yield* ZoneQuestionsRow.store(sql, spender, asking.questions)
          return asking
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
