import { HttpServerRequest } from "@effect/platform"
import { authenticateDevice, type DeviceStore } from "@place-access/domain/devices"
import { type LimitStore, Rate, Subject } from "@place-access/domain/limits"
import type { Vault } from "@place-access/domain/shared"
import { Context, Effect, Layer } from "effect"
import * as RateLimit from "../edge/RateLimit.js"
import * as Services from "../edge/Services.js"
import * as OsmAnd from "../fixes/OsmAnd.js"
import * as OsmAndRequest from "../fixes/OsmAndRequest.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import * as Credentials from "./Credentials.js"
import * as DeviceCredentials from "./DeviceCredentials.js"
import { DeviceAuth, OsmAndAuth, OverlandAuth, OwnTracksAuth } from "./DeviceAuth.js"
import { guard } from "./guard.js"

type Needs = DeviceStore | LimitStore | Vault.Vault

/** The phone that `token` was given to; counts its upload. */
const phoneOf = (token: string | undefined) =>
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
    const context = yield* Effect.context<Needs>()
    return DeviceAuth.of({
      deviceToken: () =>
        guard(context, (own) => phoneOf(Credentials.bearerToken(Context.get(own, HttpServerRequest.HttpServerRequest))))
    })
  })
)

const overland = Layer.effect(
  OverlandAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return OverlandAuth.of({
      overlandToken: () =>
        guard(context, (own) => {
          const request = Context.get(own, HttpServerRequest.HttpServerRequest)
          return phoneOf(Credentials.bearerToken(request) ?? DeviceCredentials.ofAddress(request))
        })
    })
  })
)

const ownTracks = Layer.effect(
  OwnTracksAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return OwnTracksAuth.of({
      devicePassword: () =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const token = DeviceCredentials.ofHeader(request) ?? DeviceCredentials.ofAddress(request)
          const isOwnTracks = DeviceCredentials.basic(request)?.isEncoded ?? true
          return yield* Effect.mapError(phoneOf(token), (error) =>
            error.error === "invalid_token" && !isOwnTracks ? error : Errors.keptByThePhone(error)
          )
        }).pipe(Services.over(context))
    })
  })
)

const osmAnd = Layer.effect(
  OsmAndAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return OsmAndAuth.of({
      deviceId: () =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const token = DeviceCredentials.ofHeader(request) ?? OsmAnd.deviceId(yield* OsmAndRequest.read(request))
          return yield* phoneOf(token)
        }).pipe(Services.over(context))
    })
  })
)

export const layer: Layer.Layer<DeviceAuth | OverlandAuth | OwnTracksAuth | OsmAndAuth, never, Needs> = Layer.mergeAll(
  device,
  overland,
  ownTracks,
  osmAnd
)
