import { type AccountStore, authenticateSession } from "@place-access/domain/accounts"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import * as Errors from "../wire/Errors.js"

/** The answer to a request whose session ended while the request waited. */
export const ENDED = Errors.notSignedIn()

/**
 * Checks the session of the present request again, for a request that has waited since its guard checked the session.
 * Dies with `ENDED` when the session has ended. The refusal is a defect and not an error, so that a service whose
 * methods do not fail can check the session too. A request without a session passes.
 */
export const stillSignedIn: Effect.Effect<void, never, AccountStore | Vault.Vault> = CurrentRequest.cellWith(
  ({ session }) =>
    session === undefined
      ? Effect.void
      : Effect.flatMap(Effect.orDie(authenticateSession(session)), (found) =>
          Option.isSome(found) ? Effect.void : Effect.die(ENDED)
        )
)
