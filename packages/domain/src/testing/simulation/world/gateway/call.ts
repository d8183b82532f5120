import { Cause, Effect, Either } from "effect"
import { recordAccess } from "../../../../access-log/recordAccess.js"
import { authenticateAccess } from "../../../../connection/authenticateAccess.js"
import * as Caller from "../../../../connection/Caller.js"
import type { Owner } from "../../../../connection/Connection.js"
import * as Rate from "../../../../limits/Rate.js"
import * as Subject from "../../../../limits/Subject.js"
import { takeCall } from "../../../../limits/takeCall.js"
import { usePurpose } from "../../../../purposes/usePurpose.js"
import * as Scope from "../../../../shared/Scope.js"
import { StoreError } from "../../../../shared/StoreError.js"
import type { Answered, Call } from "../../Operations.js"
import type { Ports } from "../../ports/Ports.js"
import type { Registry } from "../Registry.js"
import { answer } from "./questions.js"
import * as Refusal from "./Refusal.js"
import { REQUIREMENTS } from "./requirements.js"
import type { Told } from "./Told.js"

const RATE = Rate.perMinute(600)

/** What is known of a request so far, for the access log. */
interface Cell {
  owner: Owner | undefined
  purpose: string | null
}

/**
 * What HTTP does around a program: who calls, whether they may, with which purpose; then the program; and exactly one entry in the
 * user's access log, committed before the answer leaves (Spec §1.7). A request that cannot be answered now fails with
 * the store's error.
 */
export const call = (
  request: Call,
  { sabotageAnswers, secrets }: Registry
): Effect.Effect<Answered, StoreError, Ports> =>
  Effect.gen(function* () {
    const cell: Cell = { owner: undefined, purpose: null }
    const exit = yield* Effect.exit(handle(request, secrets.raw(request.token), cell))
    const value = exit._tag === "Success" ? exit.value : undefined
    const told = value === undefined ? undefined : (sabotageAnswers?.(request.request, value) ?? value)
    const refused = exit._tag === "Failure" ? Refusal.ofCall(exit.cause) : undefined
    const answered: Answered = {
      status: refused?.status ?? told?.status ?? 200,
      error: refused?.error ?? null,
      body: refused?.body ?? told?.body ?? {}
    }
    if (cell.owner !== undefined) {
      yield* recordAccess({
        owner: cell.owner,
        endpoint: request.request.endpoint,
        purpose: cell.purpose,
        status: answered.status,
        error: answered.error,
        disclosed: told?.disclosed ?? null
      }).pipe(
        // Nothing may be disclosed that the user cannot see was disclosed.
        Effect.catchAllCause((cause) => Effect.fail(StoreError.unavailable(Cause.squash(cause))))
      )
    }
    return answered.status === 503 ? yield* StoreError.unavailable("answered 503") : answered
  })

const handle = ({ purpose, request }: Call, token: string, cell: Cell): Effect.Effect<Told, unknown, Ports> =>
  Effect.gen(function* () {
    const caller = yield* Effect.tapError(authenticateAccess(token), (error) =>
      Effect.sync(() => {
        if (error._tag === "InvalidToken") cell.owner = error.known ?? undefined
      })
    )
    cell.owner = Caller.owner(caller)
    const { isAdmitted } = yield* takeCall(Subject.connection(caller.connection.id), RATE)
    if (!isAdmitted) return yield* Effect.fail({ _tag: "RateLimited" })
    const requirement = REQUIREMENTS[request.endpoint]
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
