import { HttpServerRequest } from "@effect/platform"
import type { AppStore } from "@place-access/domain/apps"
import type { LimitStore } from "@place-access/domain/limits"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import * as Body from "../edge/Body.js"
import * as Services from "../engine/Services.js"
import type { HttpOptions } from "../HttpOptions.js"
import { toWire } from "../wire/toWire.js"
import { ClientAuth } from "./ClientAuth.js"
import * as ClientCalls from "./ClientCalls.js"
import * as ClientCredentials from "./ClientCredentials.js"

type Ports = AppStore | LimitStore | Vault.Vault | HttpOptions

/**
 * Counts the call against the same limit as calls of the token endpoint (`ClientCalls`). Unlike those calls, a call
 * behind this guard is not listed in the app's log of its calls (decision figures-2).
 */
export const layer: Layer.Layer<ClientAuth, never, Ports> = Layer.effect(
  ClientAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<Ports>()
    return ClientAuth.of({
      clientSecret: () =>
        Effect.gen(function* () {
          const given = ClientCredentials.basic(yield* HttpServerRequest.HttpServerRequest)
          // Waits for the whole body. Otherwise somebody with a leaked secret could hold back the end of a request
          // until the secret has ended, and the request would still succeed.
          if (given !== undefined) yield* Body.arrived
          const found = yield* ClientCalls.counted(given?.clientId)
          return yield* ClientCalls.proved(found, given?.clientSecret ?? "", true)
        }).pipe(toWire, Services.over(context))
    })
  })
)
