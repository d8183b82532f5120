import { Context, Effect, Option, Schema } from "effect"
import { AppId } from "../shared/Ids.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import { AppStore } from "./AppStore.js"
import * as ClientSecret from "./ClientSecret.js"
import { InvalidClient } from "./InvalidClient.js"

const decodeId = Schema.decodeOption(AppId)

/**
 * The app that proves itself with its secret: the newest one, or one that a registration of the last 24 hours replaced.
 * `InvalidClient` for everything else. An app that an admin revoked still proves itself and gets nothing: its connections are gone
 * (`invalid_grant`), while a 401 would say that its credentials were wrong (Spec §4.3).
 */
export const authenticateClient = (clientId: string, clientSecret: string) =>
  Telemetry.program("authenticateClient", (ports: Context.Context<AppStore | Vault>) => {
    const id = decodeId(clientId)
    if (Option.isNone(id)) return new InvalidClient()
    return Effect.flatMap(Context.get(ports, AppStore).findRegistered(id.value), (found) =>
      Option.isNone(found)
        ? new InvalidClient()
        : Timestamp.nowWith((now) => {
            const vault = Context.get(ports, Vault)
            const presented = vault.sha256(clientSecret)
            // All of them are compared, so that the time does not tell which one was near.
            let matches = 0
            for (const secret of found.value.secrets) {
              if (vault.equal(secret.hash, presented) && ClientSecret.isLive(secret, now)) matches++
            }
            return matches === 0 ? new InvalidClient() : Effect.succeed(found.value.app)
          })
    )
  })
