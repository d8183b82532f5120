import { Effect } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import * as Disclosure from "../deliveries/Disclosure.js"
import { retryTransient } from "../shared/StoreError.js"
import type { Listener, Waiting } from "./Listener.js"
import { ListenerStore } from "./ListenerStore.js"

/** How often what failed for a passing reason is repeated. */
const REPEATS = 3

/** The stream is over, or nobody speaks for it any more. Idempotent. */
export const closeListener = Effect.fn("closeListener")(function* ({ appId, id }: Pick<Listener, "appId" | "id">) {
  yield* recordLost(yield* retryTransient(REPEATS)((yield* ListenerStore).close(appId, id)))
})

/** Every firing of a rule is in the user's access log, told or not. */
export const recordLost = (lost: ReadonlyArray<Waiting>) =>
  Effect.gen(function* () {
    const log = yield* AccessLogStore
    const entries = lost.flatMap(({ appId, envelope: { eventId, grantId, occurredAt, payload }, userId }) =>
      grantId === null
        ? []
        : (Disclosure.toNobody({ userId, appId, connectionId: grantId, id: eventId, payload, occurredAt }) ?? [])
    )
    yield* Effect.forEach(entries, (entry) => retryTransient(REPEATS)(log.record(entry)), { discard: true })
  })
