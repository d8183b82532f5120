import { Effect } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import type { AccessLogEntry } from "../access-log/AccessLogEntry.js"
import { ruleIdOf } from "../events/Event.js"
import { EventStore } from "../events/EventStore.js"
import { retryTransient } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Delivery } from "./Delivery.js"
import type * as Disclosure from "./Disclosure.js"

/** How often a read or write that failed for a passing reason is repeated. */
export const REPEATS = 3

/** What may be sent, asked now; none for what is about nobody. */
export const authorisationOf = ({ envelope, userId }: Pick<Delivery, "userId" | "envelope">) => {
  const { grantId, payload } = envelope
  return Telemetry.span("authorisationOf")(
    userId === null || grantId === null
      ? Effect.succeedNone
      : Effect.flatMap(EventStore, (events) =>
          retryTransient(REPEATS)(events.authorisation(userId, grantId, ruleIdOf(payload)))
        )
  )
}

export const record = (entry: AccessLogEntry | undefined) =>
  entry === undefined
    ? Effect.void
    : Effect.flatMap(AccessLogStore, (log) => retryTransient(REPEATS)(log.record(entry)))

export const recordUnsent = (unsent: Disclosure.Unsent | undefined) =>
  unsent === undefined
    ? Effect.void
    : Effect.flatMap(AccessLogStore, (log) => retryTransient(REPEATS)(log.recordUnless(unsent.entry, unsent.unless)))

/** A secret that cannot be read is our fault, and nothing may go out unsigned. */
export const notSigned = (error: { readonly reason: string }) =>
  Effect.gen(function* () {
    yield* Effect.logError("A signing secret cannot be unsealed", error.reason)
    const now = yield* Timestamp.now
    return { answer: { _tag: "NotSent", detail: "signing failed" } as const, startedAt: now, endedAt: now }
  })
