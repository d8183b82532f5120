import { SqlClient } from "@effect/sql/SqlClient"
import { Lease, LeaseStore } from "@place-access/domain/leases"
import { WorkerId } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"

type Store = typeof LeaseStore.Service

export const layer: Layer.Layer<LeaseStore, never, SqlClient> = Layer.effect(
  LeaseStore,
  Effect.map(SqlClient, (sql) =>
    LeaseStore.of({
      beat: beat(sql),
      survey: survey(sql),
      take: take(sql),
      giveUp: giveUp(sql),
      leave: (worker) => orStoreError(Effect.asVoid(sql`DELETE FROM workers WHERE worker_id = ${worker}`)),
      forgetDead: (before) =>
        orStoreError(Effect.asVoid(sql`DELETE FROM workers WHERE alive_until < ${Rows.at(before)}`))
    })
  )
)

/**
 * Deletes the rows of all workers. Call it only for a database that one process at a time can open: its previous worker
 * must have ended. Without the row of the previous worker, the new worker takes over its work immediately. With the
 * row, the work would wait until `alive_until`, which the last beat of the previous worker set.
 */
export const forgetWorkers = Effect.flatMap(SqlClient, (sql) => orStoreError(Effect.asVoid(sql`DELETE FROM workers`)))

const beat =
  (sql: SqlClient): Store["beat"] =>
  ({ aliveUntil, worker }) =>
    sql`INSERT INTO workers (worker_id, alive_until) VALUES (${worker}, ${Rows.at(aliveUntil)})
        ON CONFLICT (worker_id) DO UPDATE SET alive_until = excluded.alive_until`.pipe(Effect.asVoid, orStoreError)

const WorkerRow = Schema.Struct({ worker_id: WorkerId, alive_until: Rows.At })
const LeaseRow = Schema.Struct({
  kind: Schema.Literal(...Lease.KINDS),
  name: Schema.String,
  owner: Schema.NullOr(WorkerId),
  token: Rows.Bigint
})

const survey =
  (sql: SqlClient): Store["survey"] =>
  (home) =>
    Effect.gen(function* () {
      // Reads the leases before the beats. A worker stores its beat before it takes a lease, so the second statement
      // sees the beat of a worker that has just taken one of these leases.
      const leases = yield* sql`SELECT kind, name, owner, token FROM leases WHERE home = ${home}`.pipe(
        Rows.all(LeaseRow)
      )
      const workers = yield* sql`SELECT worker_id, alive_until FROM workers`.pipe(Rows.all(WorkerRow))
      return {
        leases,
        beats: workers.map((row) => ({ worker: row.worker_id, aliveUntil: row.alive_until }))
      }
    }).pipe(orStoreError)

/** Sorts leases, so that two workers lock the rows in the same order and cannot deadlock. */
const byKey = (leases: ReadonlyArray<Lease.Lease>) => {
  const key = ({ kind, name }: Lease.Lease): string => `${kind} ${name}`
  return leases.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

/**
 * Takes each of the given leases whose stored token has not changed since the caller read it, and raises the token. A
 * lease that was never taken has no row and token 0.
 */
const take =
  (sql: SqlClient): Store["take"] =>
  (home, worker, leases) =>
    leases.length === 0
      ? Effect.succeed([])
      : sql`INSERT INTO leases (home, kind, name, owner, token)
            VALUES ${sql.csv(
              byKey(leases).map(
                ({ kind, name, token }) => sql`(${home}, ${kind}, ${name}, ${worker}, ${token + 1}::bigint)`
              )
            )}
            ON CONFLICT (home, kind, name) DO UPDATE SET owner = excluded.owner, token = excluded.token
              WHERE leases.token = excluded.token - 1
            RETURNING kind, name, owner, token`.pipe(Rows.all(LeaseRow), orStoreError)

const giveUp =
  (sql: SqlClient): Store["giveUp"] =>
  (home, leases) =>
    sql`UPDATE leases l SET owner = NULL
        FROM unnest(${leases.map(({ kind }) => kind)}::text[], ${leases.map(({ name }) => name)}::text[],
                    ${leases.map(({ token }) => token)}::bigint[]) AS given (kind, name, token)
        WHERE l.home = ${home} AND l.kind = given.kind AND l.name = given.name AND l.token = given.token`.pipe(
      Effect.asVoid,
      orStoreError
    )
