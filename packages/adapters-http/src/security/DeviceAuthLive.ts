import { HttpServerRequest } from "@effect/platform"
import { authenticateDevice, type Device, type DeviceStore } from "@place-access/domain/devices"
import { type LimitStore, Rate, Subject } from "@place-access/domain/limits"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { withPort } from "@place-access/domain/shared"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import * as RateLimit from "../limits/RateLimit.js"
import * as Services from "../engine/Services.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import * as Credentials from "./Credentials.js"
import * as DeviceCredentials from "./DeviceCredentials.js"
import { DeviceAuth, OverlandAuth, OwnTracksAuth } from "./DeviceAuth.js"

// Only phones may send a token in the URL (decision devices-11): in some apps for phones, the URL is the only setting
// that can contain a token.

export type DeviceAuthPorts = DeviceStore | LimitStore | Vault.Vault

/** The phone that `token` belongs to. Counts the upload against the phone's rate limit. */
export const phoneOf = (
  token: string | undefined
): Effect.Effect<
  Device.Device,
  Effect.Effect.Error<ReturnType<typeof RateLimit.take>> | typeof Errors.InvalidToken.Type,
  DeviceAuthPorts
> =>
  token === undefined
    ? Effect.fail(Errors.invalidToken)
    : authenticateDevice(token).pipe(
        Effect.catchTag("InvalidDeviceToken", () => Effect.fail(Errors.invalidToken)),
        toWire,
        Effect.flatMap((phone) => Effect.as(RateLimit.take(Subject.device(phone.id), Rate.UPLOADS), phone))
      )

const device = Layer.effect(
  DeviceAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<DeviceAuthPorts>()
    return DeviceAuth.of({
      deviceToken: () =>
        withPort(HttpServerRequest.HttpServerRequest, (request) => phoneOf(Credentials.bearerToken(request))).pipe(
          Services.over(context)
        )
    })
  })
)

const overland = Layer.effect(
  OverlandAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<DeviceAuthPorts>()
    return OverlandAuth.of({
      overlandToken: () =>
        withPort(HttpServerRequest.HttpServerRequest, (request) =>
          phoneOf(Credentials.bearerToken(request) ?? DeviceCredentials.ofAddress(request))
        ).pipe(Services.over(context))
    })
  })
)

const ownTracks = Layer.effect(
  OwnTracksAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<DeviceAuthPorts>()
    return OwnTracksAuth.of({
      devicePassword: () =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const token = DeviceCredentials.ofHeader(request) ?? DeviceCredentials.ofAddress(request)
          const isOwnTracks = DeviceCredentials.basic(request)?.isEncoded ?? true
          // Logs and metrics get the true error code of the refusal. The phone gets 503, which would look like a fault
          // of the service in logs and metrics.
          const found = Effect.tapError(phoneOf(token), (error) => CurrentRequest.refusedWith(error.error))
          return yield* Effect.mapError(found, (error) =>
            error.error === "invalid_token" && !isOwnTracks ? error : Errors.keptByThePhone(error)
          )
        }).pipe(Services.over(context))
    })
  })
)

export const layer: Layer.Layer<DeviceAuth | OverlandAuth | OwnTracksAuth, never, DeviceAuthPorts> = Layer.mergeAll(
  device,
  overland,
  ownTracks
)
