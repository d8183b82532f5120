import { Effect, Option } from "effect"
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
export const authorisationOf = Effect.fnUntraced(function* ({
  userId,
  envelope
}: Pick<Delivery, "userId" | "envelope">) {
  if (userId === null || envelope.grantId === null) return Option.none()
  const events = yield* EventStore
  return yield* retryTransient(REPEATS)(events.authorisation(userId, envelope.grantId, ruleIdOf(envelope.payload)))
}, Telemetry.span("authorisationOf"))

export const record = (entry: AccessLogEntry | undefined) =>
  Effect.gen(function* () {
    if (entry === undefined) return
    const log = yield* AccessLogStore
    yield* retryTransient(REPEATS)(log.record(entry))
  })

export const recordUnsent = (unsent: Disclosure.Unsent | undefined) =>
  Effect.gen(function* () {
    if (unsent === undefined) return
    const log = yield* AccessLogStore
    yield* retryTransient(REPEATS)(log.recordUnless(unsent.entry, unsent.unless))
  })

/** A secret that cannot be read is our fault, and nothing may go out unsigned. */
export const notSigned = (error: { readonly reason: string }) =>
  Effect.gen(function* () {
    yield* Effect.logError("A signing secret cannot be unsealed", error.reason)
    const now = yield* Timestamp.now
    return { answer: { _tag: "NotSent", detail: "signing failed" } as const, startedAt: now, endedAt: now }
  })
