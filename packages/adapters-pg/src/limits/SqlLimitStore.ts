import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { LimitStore, type Rate, type Subject } from "@place-access/domain/limits"
import { fn, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, type ParseResult, Schema } from "effect"
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

type Groups = ReadonlyMap<string, { readonly windowMillis: number; calls: number }>

/**
 * An SQL condition, the same as in `Rate.count`: whether the stored window (`present`) is still open, so that the
 * incoming call counts in it. Otherwise the call opens a new window (`excluded`).
 */
const isOpen = (sql: SqlClient, now: number) =>
  sql`present.ends_at > ${Rows.at(now)}
      AND present.ends_at - excluded.ends_at <= excluded.ends_at - ${Rows.at(now)}::timestamptz`

/**
 * Counts the calls of all subjects in one statement. The statement locks the rows in the order of their keys, so that
 * two batches cannot deadlock.
 */
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
      ends_at = CASE WHEN ${isOpen(sql, now)} THEN present.ends_at ELSE excluded.ends_at END,
      used = CASE WHEN ${isOpen(sql, now)} THEN present.used ELSE 0 END + excluded.used
    RETURNING subject, ends_at, used`.pipe(Rows.all(WindowRow))
}

/** Counts the calls of each subject in a separate statement, which goes to one node of a cluster. */
const oneByOne = (sql: SqlClient, groups: Groups, now: number) =>
  Effect.forEach(groups, ([subject, group]) =>
    sql`INSERT INTO rate_windows AS present (subject, ends_at, used)
          VALUES (${subject}, ${Rows.at(now + group.windowMillis)}, ${group.calls})
          ON CONFLICT (subject) DO UPDATE SET
            ends_at = CASE WHEN ${isOpen(sql, now)} THEN present.ends_at ELSE excluded.ends_at END,
            used = CASE WHEN ${isOpen(sql, now)} THEN present.used ELSE 0 END + excluded.used
          RETURNING subject, ends_at, used`.pipe(Rows.all(WindowRow))
  ).pipe(Effect.map((found) => found.flat()))

const ShardRow = Schema.Struct({ shard: Schema.String })

/** The most subjects whose shards a process caches. At this number it forgets all of them. */
const MOST_SHARDS_KNOWN = 20_000

/**
 * Returns a function that finds the shard that has a subject's row of `rate_windows`; "" while the table is not
 * distributed. After a split, a cached shard may be wrong. That does no harm, because the shard only decides which
 * calls wait for each other.
 */
const shards = (sql: SqlClient) => {
  const known = new Map<string, string>()
  return (subject: string): Effect.Effect<string, SqlError | ParseResult.ParseError> => {
    const shard = known.get(subject)
    if (shard !== undefined) return Effect.succeed(shard)
    return sql`SELECT shardid::text AS shard FROM pg_dist_shard
               WHERE logicalrelid = 'rate_windows'::regclass
                 AND worker_hash(${subject}::text) BETWEEN shardminvalue::integer AND shardmaxvalue::integer`.pipe(
      Rows.first(ShardRow),
      Effect.map((row) => {
        const found = Option.match(row, { onNone: () => "", onSome: ({ shard }) => shard })
        if (known.size >= MOST_SHARDS_KNOWN) known.clear()
        known.set(subject, found)
        return found
      })
    )
  }
}

export const layer: Layer.Layer<LimitStore, never, SqlClient> = Layer.scoped(
  LimitStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const onCluster = isDistributed(sql)

    /**
     * Counts a batch of calls by the rule of `Rate.count`, in one row for each subject. The time of the newest call
     * counts for the whole batch. The table is unlogged, so that a commit does not wait for the disk.
     */
    const countAll = fn(function* (calls: ReadonlyArray<Call>, write: typeof together) {
      const now = Math.max(...calls.map((call) => call.now))
      const groups = new Map<string, { readonly windowMillis: number; calls: number }>()
      const places = calls.map(({ subject, windowMillis }) => {
        const group = groups.get(subject) ?? { windowMillis, calls: 0 }
        groups.set(subject, group)
        return ++group.calls
      })
      const rows = yield* write(sql, groups, now)
      const counted = new Map(rows.map((row) => [row.subject, row]))
      return calls.flatMap(({ subject }, index): ReadonlyArray<Rate.RateWindow> => {
        const [row, all, place] = [counted.get(subject), groups.get(subject)?.calls ?? 0, places[index] ?? 0]
        return row === undefined ? [] : [{ endsAt: row.ends_at, used: row.used - all + place }]
      })
    })

    const count = yield* Batches.make((calls: ReadonlyArray<Call>) => orStoreError(countAll(calls, together)))
    // On a cluster, the row of a subject is on one shard, and calls are batched by shard. So a node that is down, or a
    // shard that is being moved, delays only the calls of its subjects. With a batch for each subject, the waiting
    // subjects could take all connections of the pool.
    const shardOf = shards(sql)
    const countOn = yield* Batches.makeBy(
      ({ shard }: Call & { readonly shard: string }) => shard,
      (calls) => orStoreError(countAll(calls, oneByOne))
    )
    const countOwn = (call: Call) =>
      Effect.flatMap(orStoreError(shardOf(call.subject)), (shard) => countOn({ ...call, shard }))

    return LimitStore.of({
      count: (subject, windowMillis, now) => {
        const call = { subject, windowMillis, now }
        return Effect.flatMap(orStoreError(onCluster), (is) => (is ? countOwn(call) : count(call)))
      },

      ask: (spender, decide) =>
        Effect.gen(function* () {
          const before = yield* ZoneQuestionsRow.lock(sql, spender)
          const asking = decide(before, yield* Timestamp.now)
          if (asking._tag === "Allowed") yield* ZoneQuestionsRow.store(sql, spender, asking.questions)
          return asking
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
