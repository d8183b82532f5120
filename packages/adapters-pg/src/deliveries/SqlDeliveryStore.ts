import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { DeliveryStore } from "@place-access/domain/deliveries"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import * as Batches from "../driver/Batches.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { isDistributed } from "../schema/isDistributed.js"
import { claim } from "./claim.js"
import { nextDue, nextDueOnCluster } from "./endpointsWithWork.js"
import { finishMany } from "./finishMany.js"
import { type FinishedDelivery, mayShare } from "./finishStatement.js"
import { type AttemptedDelivery, insertAttempted } from "./insertAttempted.js"
import { find, list } from "./log.js"
import { insert, recordTest } from "./newDeliveries.js"
import { hurry, recover, replay } from "./replay.js"

type Store = typeof DeliveryStore.Service
type OnCluster = Effect.Effect<boolean, SqlError>

export const layer: Layer.Layer<DeliveryStore, never, SqlClient> = Layer.scoped(
  DeliveryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const onCluster = isDistributed(sql)
    return DeliveryStore.of({
      insert: insert(sql),
      insertAttempted: yield* inserting(sql, onCluster),
      recordTest: recordTest(sql),
      claim: (request) => orStoreError(Effect.flatMap(onCluster, (is) => claim(sql, request, is))),
      finish: yield* finish(sql, onCluster),
      nextDueAt: nextDueAt(sql, onCluster),
      replay: (appId, id, decide) => orStoreError(replay(sql, appId, id, decide)),
      hurry: (appId, id, now) => orStoreError(hurry(sql, appId, id, now)),
      recover: (recovery) => (recovery.ids.length === 0 ? Effect.succeed(0) : orStoreError(recover(sql, recovery))),
      find: (appId, id) => orStoreError(find(sql, appId, id)),
      list: (appId, filter, limit, after) => orStoreError(list(sql, appId, filter, limit, after))
    })
  })
)

/**
 * The longest pause between two statements that store results of one app's deliveries. During the pause more results
 * arrive, and all of them share the next statement. The pause delays no attempt that is in flight: the results are of
 * attempts that have ended.
 */
const REST_MILLIS = 10

/**
 * Many deliveries finish at the same time, and each waits for its commit. The finishes of one app that come at the same
 * time share a statement (`Batches`). A strike, a failure that counts against the endpoint, has a statement of its own
 * (`mayShare`). Two apps never share a statement, so a locked row of one app delays no other app.
 */
const finish = (sql: SqlClient, onCluster: OnCluster) =>
  Effect.gen(function* () {
    const finishing = (finished: ReadonlyArray<FinishedDelivery>) =>
      orStoreError(Effect.flatMap(onCluster, (is) => finishMany(sql, finished, is)))
    const share = yield* Batches.makeBy(({ held }: FinishedDelivery) => held.appId, finishing, REST_MILLIS)
    const finishAlone = (finished: FinishedDelivery) =>
      Effect.map(finishing([finished]), ([isWritten = false]) => isWritten)
    const one: Store["finish"] = (held, how, attempt) =>
      Effect.flatMap(Timestamp.now, (now) => {
        const finished = { held, how, attempt, now }
        return mayShare(how) ? share(finished) : finishAlone(finished)
      })
    return one
  })

/**
 * Stores deliveries after their first attempt. Deliveries of one app that end this attempt at the same time share a
 * statement.
 */
const inserting = (sql: SqlClient, onCluster: OnCluster) =>
  Effect.gen(function* () {
    const insertAll = (all: ReadonlyArray<AttemptedDelivery>) =>
      orStoreError(Effect.flatMap(onCluster, (is) => insertAttempted(sql, all, is)))
    const share = yield* Batches.makeBy(({ row }: AttemptedDelivery) => row.appId, insertAll, REST_MILLIS)
    const one: Store["insertAttempted"] = (row, how, attempt, isOnly) =>
      Effect.flatMap(Timestamp.now, (now) => share({ row, how, attempt, isOnly, now }))
    return one
  })

const DueRow = Schema.Struct({ due_at: Rows.NullableAt })

const nextDueAt =
  (sql: SqlClient, onCluster: OnCluster): Store["nextDueAt"] =>
  (after) =>
    Effect.flatMap(onCluster, (is) => (is ? nextDueOnCluster(sql, after) : nextDue(sql, after))).pipe(
      Rows.first(DueRow),
      Effect.map(Option.flatMap(({ due_at }) => Option.fromNullable(due_at))),
      orStoreError
    )
