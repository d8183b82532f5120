import { Cause, Effect, Either, Option } from "effect"
import { countDeadCall, recordAccess, type Repeat } from "../../../../src/access-log/recordAccess.js"
import { authenticateAccess } from "../../../../src/tokens/manageTokens.js"
import * as Caller from "../../../../src/tokens/Caller.js"
import type { ConnectionOwner } from "../../../../src/connection/Connection.js"
import * as Rate from "../../../../src/limits/Rate.js"
import * as Subject from "../../../../src/limits/Subject.js"
import { takeCall } from "../../../../src/limits/spendLimits.js"
import { usePurpose } from "../../../../src/purposes/managePurposes.js"
import * as Scope from "../../../../src/shared/Scope.js"
import { StoreError } from "../../../../src/shared/Errors.js"
import type { Answered, Call } from "../../Operations.js"
import type { Ports } from "../../ports/Ports.js"
import type { Registry } from "../Registry.js"
import { answer } from "./questions.js"
import * as Refusal from "./Refusal.js"
import { REQUIRED } from "../../Specification.js"
import type { GatewayAnswer } from "./GatewayAnswer.js"

const RATE = Rate.perMinute(600)

/** What `call` has found out about a request so far. `call` writes these values into the access log. */
interface EntryDraft {
  owner: ConnectionOwner | undefined
  purpose: string | null
  /** The log entry in which this call and earlier calls are counted, if the call's token has stopped working. */
  repeat: Repeat | undefined
}

/**
 * Answers a call of an app without the HTTP adapter, by the same steps: authenticates the caller, checks scope and
 * purpose, runs the program, and writes an entry to the user's access log before the answer is returned (Spec §1.7). A
 * call has no entry when its token belongs to no connection, or when its token has stopped working and the call is
 * beyond the rate limit. When the answer is 503, the Effect fails with a `StoreError`.
 */
export const call = (
  request: Call,
  { sabotageAnswers, secrets }: Registry
): Effect.Effect<Answered, StoreError, Ports> =>
  Effect.gen(function* () {
    const cell: EntryDraft = { owner: undefined, purpose: null, repeat: undefined }
    const exit = yield* Effect.exit(handle(request, secrets.raw(request.token), cell))
    const value = exit._tag === "Success" ? exit.value : undefined
    const sent = value === undefined ? undefined : (sabotageAnswers?.(request.request, value) ?? value)
    const refused = exit._tag === "Failure" ? Refusal.ofCall(exit.cause) : undefined
    const answered: Answered = {
      status: refused?.status ?? sent?.status ?? 200,
      error: refused?.error ?? null,
      body: refused?.body ?? sent?.body ?? {}
    }
    if (cell.owner !== undefined) {
      yield* recordAccess({
        owner: cell.owner,
        endpoint: request.request.endpoint,
        purpose: cell.purpose,
        status: answered.status,
        error: answered.error,
        disclosed: sent?.disclosed ?? null,
        repeat: cell.repeat
      }).pipe(
        // When the entry cannot be stored, the app must not get the answer, because the user could never see what the
        // app learned.
        Effect.catchAllCause((cause) => Effect.fail(StoreError.unavailable(Cause.squash(cause))))
      )
    }
    return answered.status === 503 ? yield* StoreError.unavailable("answered 503") : answered
  })

const handle = (
  { purpose, request }: Call,
  token: string,
  cell: EntryDraft
): Effect.Effect<GatewayAnswer, unknown, Ports> =>
  Effect.gen(function* () {
    const caller = yield* Effect.tapError(authenticateAccess(token), (error) =>
      error._tag === "InvalidToken" ? dead(error.known ?? undefined, request, cell) : Effect.void
    )
    cell.owner = Caller.owner(caller)
    const { isAdmitted } = yield* takeCall(Subject.connection(caller.connection.id), RATE)
    if (!isAdmitted) return yield* Effect.fail({ _tag: "RateLimited" })
    const requirement = REQUIRED[request.endpoint]
    yield* requirement === "none"
      ? Either.void
      : requirement === "any_standard"
        ? Caller.requireAnyStandard(caller, caller.at)
        : Caller.requireScope(caller, requirement, caller.at)
    if (requirement !== "none" && requirement !== "any_standard" && Scope.isSensitive(requirement)) {
      cell.purpose = yield* Effect.tapError(usePurpose(caller.app, purpose, requirement), (error) =>
        Effect.sync(() => {
          if (error._tag === "PurposeRefused") cell.purpose = error.key
        })
      )
    }
    return yield* answer(request, caller)
  })

/** Finds the entry of the access log for a call with a token that has stopped working (decision limits-10). */
const dead = (owner: ConnectionOwner | undefined, { endpoint }: Call["request"], cell: EntryDraft) =>
  owner === undefined
    ? Effect.void
    : Effect.map(countDeadCall(owner.connectionId, endpoint, RATE), (repeat) => {
        if (Option.isNone(repeat)) return
        cell.owner = owner
        cell.repeat = repeat.value
      })
