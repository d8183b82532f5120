import { Effect, Option } from "effect"
import { ConnectionId } from "../shared/Ids.js"
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
  Effect.gen(function* () {
    const parsed = Option.filter(Token.parse(token), ({ kind }) => kind === "at")
    if (Option.isNone(parsed)) return yield* new InvalidToken({ known: null })
    const hash = (yield* Vault).sha256(token)
    const found = yield* (yield* ConnectionStore).findByAccessToken(ConnectionId.make(parsed.value.route), hash)
    if (Option.isNone(found)) return yield* new InvalidToken({ known: null })
    return yield* Caller.admit(found.value, yield* Timestamp.now)
  }).pipe(Telemetry.span("authenticateAccess"))
