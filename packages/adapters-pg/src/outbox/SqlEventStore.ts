import { SqlClient } from "@effect/sql/SqlClient"
import { type EventKey, EventStore } from "@place-access/domain/deliveries"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import * as Batches from "../driver/Batches.js"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import { isDistributed } from "../schema/isDistributed.js"
import { type AuthorisationQuestion, authorisationOf, authorisations } from "./authorisation.js"
import { changing, marking } from "../deliveries/changeWaiting.js"
import { readPending } from "./pendingEvents.js"
import { readWithAhead } from "./readAhead.js"

/** Events whose fan-out has ended, and when it ended. */
interface FannedOut {
  readonly events: ReadonlyArray<EventKey>
  readonly at: Timestamp.Timestamp
}

/**
 * The authorisation of a delivery is read before every attempt and never cached, because it may change at any time.
 * (Only a first attempt that begins immediately uses the authorisation that was read together with its event: decision
 * events-4.) On a single server, while one statement reads authorisations, new questions wait, and the next statement
 * answers all of them. Events are marked as fanned out in the same way, many in one statement, on a cluster too.
 * Otherwise each mark would need a commit of its own.
 */
export const layer: Layer.Layer<EventStore, never, SqlClient> = Layer.scoped(
  EventStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const onCluster = isDistributed(sql)
    const inBatches = yield* Batches.make((questions: ReadonlyArray<AuthorisationQuestion>) =>
      authorisations(sql, questions)
    )
    const mark = yield* Batches.make((all: ReadonlyArray<FannedOut>) => {
      const events = all.flatMap((one) => one.events)
      const at = Timestamp.make(Math.max(...all.map((one) => one.at)))
      return Effect.flatMap(onCluster, (is) => marking(sql, events, at, is)).pipe(Effect.as(all), orStoreError)
    })

    return EventStore.of({
      pending: (buckets, limit, now, except = []) =>
        buckets.length === 0
          ? Effect.succeed({ events: [], ahead: new Map(), unreadable: [] })
          : orStoreError(
              Effect.flatMap(onCluster, (is) =>
                (is ? readPending : readWithAhead)(sql, { buckets, limit, now, except })
              )
            ),

      postpone: (events, until) =>
        Effect.flatMap(onCluster, (is) => changing(sql, events, sql`fan_out_due_at = ${Rows.at(until)}`, is)).pipe(
          Effect.asVoid,
          orStoreError
        ),

      markFannedOut: (events, at) => Effect.asVoid(mark({ events, at })),

      authorisation: (userId, connectionId, ruleId, occurredAt) => {
        const question = { userId, connectionId, ruleId, occurredAt: occurredAt ?? null }
        return Effect.flatMap(orStoreError(onCluster), (is) =>
          is ? authorisationOf(sql, question) : inBatches(question)
        )
      }
    })
  })
)
