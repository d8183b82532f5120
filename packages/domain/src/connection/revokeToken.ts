import { Effect, Option } from "effect"
import type { App } from "../apps/App.js"
import { ConnectionId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Token from "../shared/Token.js"
import { Vault } from "../shared/Vault.js"
import { ConnectionStore } from "./ConnectionStore.js"
import * as Revocation from "./Revocation.js"

/**
 * `POST /v1/oauth/revoke` of an authenticated client: ends the whole connection. Succeeds for any text; a token that is
 * unknown, revoked or another app's has no effect (Spec §4.3, RFC 7009 §2.2). Idempotent.
 */
export const revokeToken = (client: App, presented: string): Effect.Effect<void, StoreError, ConnectionStore | Vault> =>
  Effect.gen(function* () {
    const token = Token.parse(presented)
    if (Option.isNone(token) || (token.value.kind !== "at" && token.value.kind !== "rt")) return
    const hash = (yield* Vault).sha256(presented)
    yield* (yield* ConnectionStore).change(
      ConnectionId.make(token.value.route),
      token.value.kind === "at" ? { access: hash } : { refresh: hash },
      (state, now) => Revocation.decide(client.id, state, now)
    )
  }).pipe(Effect.withSpan("revokeToken"))
