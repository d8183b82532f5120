import { Context, Effect, Option, Schema } from "effect"
import { AppId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import type { App } from "./App.js"
import { AppStore, type Registered } from "./AppStore.js"
import * as ClientSecret from "./ClientSecret.js"
import { InvalidClient } from "./InvalidClient.js"

const decodeId = Schema.decodeUnknownOption(AppId)

/** The app that a client says it is. None when nobody registered an app of that name. It has proved nothing yet: `proveClient`. */
export const findClient = (
  clientId: string | undefined
): Effect.Effect<Option.Option<Registered>, StoreError, AppStore> =>
  Telemetry.program("findClient", (ports: Context.Context<AppStore>) => {
    const id = decodeId(clientId)
    return Option.isNone(id) ? Effect.succeedNone : Context.get(ports, AppStore).findRegistered(id.value)
  })

/** The app, when the secret is its own: the newest one, or one that a registration of the last 24 hours replaced. */
export const proveClient = (
  found: Option.Option<Registered>,
  clientSecret: string
): Effect.Effect<App, InvalidClient, Vault> =>
  Telemetry.program("proveClient", (ports: Context.Context<Vault>) =>
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

/**
 * The app that proves itself with its secret. `InvalidClient` for everything else. An app that an admin revoked still proves itself and
 * gets nothing: its connections are gone (`invalid_grant`), while a 401 would say that its credentials were wrong (Spec §4.3).
 */
export const authenticateClient = (
  clientId: string,
  clientSecret: string
): Effect.Effect<App, InvalidClient | StoreError, AppStore | Vault> =>
  Effect.flatMap(findClient(clientId), (found) => proveClient(found, clientSecret))
