import { Effect, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { WorkSignal } from "../deliveries/WorkSignal.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import * as Entropy from "../shared/Entropy.js"
import { ConnectionId, type ConsentRequestId, EventId, Sub } from "../shared/Ids.js"
import { Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import { Vault, type VaultError } from "../shared/Vault.js"
import { ConnectionStore } from "./ConnectionStore.js"
import type { ConsentChoices } from "./ConsentChoices.js"
import * as ConsentDecision from "./ConsentDecision.js"
import { ConsentRefused } from "./Errors.js"

/**
 * The signed-in user's answer to a consent page; gives the address to send the browser to. `Invalid` names the form's fields
 * (`decision`, `scope`, `place`, `standard_days`, `sensitive_days`): show the page again with the problems. Idempotent: the same
 * form gets the same code (Spec §3.1, §4.1; decisions O3, O8).
 */
export const decideConsent = (
  id: ConsentRequestId,
  account: Account,
  choices: ConsentChoices,
  issuer: string
): Effect.Effect<
  { readonly redirectTo: string },
  ConsentRefused | Invalid | StoreError | VaultError,
  ConnectionStore | PlaceStore | PurposeStore | WorkSignal | Entropy.Entropy | Vault
> =>
  Effect.gen(function* () {
    const connections = yield* ConnectionStore
    const vault = yield* Vault
    const request = yield* connections.findRequest(id)
    if (Option.isNone(request)) return yield* new ConsentRefused({ reason: "unknown" })
    const input: ConsentDecision.Input = {
      userId: account.id,
      choices,
      places: yield* (yield* PlaceStore).list(account.id),
      purposes: yield* (yield* PurposeStore).list(request.value.appId),
      issuer,
      fresh: {
        connectionId: ConnectionId.make(yield* Entropy.id("con")),
        sub: Sub.make(yield* Entropy.id("sub"))
      },
      eventId: EventId.make(yield* Entropy.id("evt")),
      codeSecrets: new Map(
        yield* Effect.forEach(vault.keys, (key) =>
          Effect.map(vault.derive("authorization-code", key, id), (secret) => [key, secret] as const)
        )
      ),
      currentKey: vault.currentKey,
      hash: vault.sha256
    }
    const outcome = yield* connections.decideRequest(id, account.id, (state, now) =>
      ConsentDecision.decide(input, state, now)
    )
    if (Option.isNone(outcome)) return yield* new ConsentRefused({ reason: "unknown" })
    switch (outcome.value._tag) {
      case "Redirect":
        // There may be an event.
        yield* (yield* WorkSignal).raise
        return { redirectTo: outcome.value.to }
      case "Refused":
        return yield* new ConsentRefused({ reason: outcome.value.reason })
      case "Invalid":
        return yield* new Invalid({ problems: [...outcome.value.problems] })
    }
  }).pipe(Effect.withSpan("decideConsent"))
