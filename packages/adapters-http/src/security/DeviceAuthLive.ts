import { HttpServerRequest } from "@effect/platform"
import { authenticateDevice, type DeviceStore } from "@place-access/domain/devices"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import * as Credentials from "./Credentials.js"
import { DeviceAuth } from "./DeviceAuth.js"

export const layer: Layer.Layer<DeviceAuth, never, DeviceStore | Vault.Vault> = Layer.effect(
  DeviceAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<DeviceStore | Vault.Vault>()
    return DeviceAuth.of({
      deviceToken: () =>
        Effect.gen(function* () {
          const token = Credentials.bearerToken(yield* HttpServerRequest.HttpServerRequest)
          if (token === undefined) return yield* Effect.fail(Errors.invalidToken)
          return yield* authenticateDevice(token).pipe(
            Effect.catchTag("InvalidDeviceToken", () => Effect.fail(Errors.invalidToken)),
            toWire
          )
        }).pipe(Effect.provide(context))
    })
  })
)
