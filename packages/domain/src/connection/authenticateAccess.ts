import { Context, Effect, Option } from "effect"
import type { ConnectionId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Token from "../shared/Token.js"
import { Vault } from "../shared/Vault.js"
import * as Caller from "./Caller.js"
import { ConnectionStore } from "./ConnectionStore.js"
import { InvalidToken } from "./Errors.js"

/** Who a bearer token speaks for (Spec §5). `InvalidToken.known` names the connection of a token that was once good. */
export const authenticateAccess = (
  token: string
): Effect.Effect<Caller.Caller, InvalidToken | StoreError, ConnectionStore | Vault> =>
  Telemetry.program("authenticateAccess", (ports: Context.Context<ConnectionStore | Vault>) => {
    const parsed = Option.getOrUndefined(Token.parse(token))
    if (parsed?.kind !== "at") return new InvalidToken({ known: null })
    const hash = Context.get(ports, Vault).sha256(token)
    const finding = Context.get(ports, ConnectionStore).findByAccessToken(parsed.route as ConnectionId, hash)
    return Effect.flatMap(finding, (found) =>
      Option.isNone(found)
        ? new InvalidToken({ known: null })
        : Timestamp.nowWith((now) => Caller.admit(found.value, now))
    )
  })
