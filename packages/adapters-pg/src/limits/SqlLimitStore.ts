import { SqlClient } from "@effect/sql/SqlClient"
import { LimitStore, type Rate, type Subject } from "@place-access/domain/limits"
import { fn, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import * as Batches from "../driver/Batches.js"
import { isDistributed } from "../schema/isDistributed.js"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import * as ZoneQuestionsRow from "./ZoneQuestionsRow.js"

const WindowRow = Schema.Struct({ subject: Schema.String, ends_at: Rows.At, used: Schema.Int })

interface Call {
  readonly subject: Subject.LimitSubject
  readonly windowMillis: number
  readonly now: Timestamp.Timestamp
}

/** How many subjects of a batch are counted at the same time, each on a connection. */
const AT_ONCE = 4

type Groups = ReadonlyMap<string, { readonly windowMillis: number; calls: number }>

/** Counts all subjects in one statement. It locks the rows in the order of their keys, so batches cannot deadlock. */
const together = (sql: SqlClient, groups: Groups, now: number) => {
  const values = [...groups.values()]
  return sql`
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
}

/**
 * Counts each subject in a statement of its own, which locks one row and goes to one node of a cluster. One statement
 * for all of them would be a two-phase commit.
 */
const oneByOne = (sql: SqlClient, groups: Groups, now: number) =>
  Effect.forEach(
    groups,
    ([subject, group]) =>
      sql`INSERT INTO rate_windows AS present (subject, ends_at, used)
          VALUES (${subject}, ${Rows.at(now + group.windowMillis)}, ${group.calls})
          ON CONFLICT (subject) DO UPDATE SET
            ends_at = CASE WHEN present.ends_at > ${Rows.at(now)} THEN present.ends_at ELSE excluded.ends_at END,
            used = CASE WHEN present.ends_at > ${Rows.at(now)} THEN present.used ELSE 0 END + excluded.used
          RETURNING subject, ends_at, used`.pipe(Rows.all(WindowRow)),
    { concurrency: AT_ONCE }
  ).pipe(Effect.map((found) => found.flat()))

export const layer: Layer.Layer<LimitStore, never, SqlClient> = Layer.scoped(
  LimitStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const onCluster = isDistributed(sql)

    /**
     * `Rate.count` for a batch of calls: one row for each subject, and the time of the newest call counts for all of
     * them. The table is unlogged, so that a commit does not wait for the disk.
     */
    const countAll = fn(function* (calls: ReadonlyArray<Call>) {
      const now = Math.max(...calls.map((call) => call.now))
      const groups = new Map<string, { readonly windowMillis: number; calls: number }>()
      const places = calls.map(({ subject, windowMillis }) => {
        const group = groups.get(subject) ?? { windowMillis, calls: 0 }
        groups.set(subject, group)
        return ++group.calls
      })
      const rows = yield* (yield* onCluster) ? oneByOne(sql, groups, now) : together(sql, groups, now)
      const counted = new Map(rows.map((row) => [row.subject, row]))
      return calls.flatMap(({ subject }, index): ReadonlyArray<Rate.RateWindow> => {
        const [row, all, place] = [counted.get(subject), groups.get(subject)?.calls ?? 0, places[index] ?? 0]
        return row === undefined ? [] : [{ endsAt: row.ends_at, used: row.used - all + place }]
      })
    })

    const count = yield* Batches.make((calls: ReadonlyArray<Call>) => orStoreError(countAll(calls)))

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
