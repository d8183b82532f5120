import { Effect, Option } from "effect"
import { type AccessLogEntry, AccessLogStore } from "../access-log/index.js"
import { ruleIdOf } from "../events/Event.js"
import type { Authorisation } from "./Authorisation.js"
import { EventStore } from "./EventStore.js"
import { program, type Program, retryTransient, type StoreError, Timestamp, withPort } from "../shared/index.js"
import type { Delivery } from "./Delivery.js"
import type * as Disclosure from "./Disclosure.js"

/** How many times a read or a write is repeated after transient errors. */
export const REPEATS = 3

/**
 * Reads the data that say whether the event may be sent now (`Authorisation.permits`). None when the event is not about
 * a person, or when its connection does not exist.
 */
export const authorisationOf = program(
  "authorisationOf",
  function* ({
    envelope,
    userId
  }: Pick<Delivery, "userId" | "envelope">): Program<Option.Option<Authorisation>, StoreError, EventStore> {
    const { grantId, occurredAt, payload } = envelope
    if (userId === null || grantId === null) return Option.none()
    return yield* retryTransient(REPEATS)(
      (yield* EventStore).authorisation(userId, grantId, ruleIdOf(payload), occurredAt)
    )
  }
)

export const record = (entry: AccessLogEntry.AccessLogEntry | undefined) =>
  entry === undefined ? Effect.void : withPort(AccessLogStore, (log) => retryTransient(REPEATS)(log.record(entry)))

export const recordUnsent = (unsent: Disclosure.Unsent | undefined) =>
  unsent === undefined
    ? Effect.void
    : withPort(AccessLogStore, (log) => retryTransient(REPEATS)(log.recordUnless(unsent.entry, unsent.unless)))

/**
 * The result of a post whose signing secret or header cannot be decrypted. No request is sent, because receivers must
 * get only signed requests. Such a post does not count as an attempt, because the receiver did not cause the fault.
 */
export const notSigned = (error: { readonly reason: string }) =>
  Effect.gen(function* () {
    yield* Effect.logError("A signing secret or a header cannot be unsealed", error.reason)
    const now = yield* Timestamp.now
    const answer = { _tag: "NotSent", detail: "signing failed" } as const
    return { answer, startedAt: now, endedAt: now, exchange: undefined }
  })
