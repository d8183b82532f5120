import { HttpServerRequest } from "@effect/platform"
import { type AppStore, findClient, proveClient } from "@place-access/domain/apps"
import { type LimitStore, Rate, Subject } from "@place-access/domain/limits"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Layer, Option } from "effect"
import { clientAddress } from "../edge/ClientAddress.js"
import * as Services from "../engine/Services.js"
import type { HttpOptions } from "../HttpOptions.js"
import * as RateLimit from "../limits/RateLimit.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { ClientAuth } from "./ClientAuth.js"
import * as ClientCredentials from "./ClientCredentials.js"

type Ports = AppStore | LimitStore | Vault.Vault | HttpOptions

/**
 * Counts the call against the limit of the app at this network address, the same limit as for calls of the token
 * endpoint. The call is counted before the secret is checked, so that wrong guesses count too (decision limits-3).
 */
export const layer: Layer.Layer<ClientAuth, never, Ports> = Layer.effect(
  ClientAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<Ports>()
    return ClientAuth.of({
      clientSecret: () =>
        Effect.gen(function* () {
          const given = ClientCredentials.basic(yield* HttpServerRequest.HttpServerRequest)
          const found = yield* toWire(findClient(given?.clientId))
          const id = Option.map(found, ({ app }) => app.id)
          yield* RateLimit.take(Subject.client(id, yield* clientAddress), Rate.OAUTH)
          return yield* proveClient(found, given?.clientSecret ?? "").pipe(
            Effect.mapError(() => Errors.invalidClient(true))
          )
        }).pipe(Services.over(context))
    })
  })
)
