import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer } from "effect"
import * as Services from "../engine/Services.js"
import { OsmAndAuth } from "../security/DeviceAuth.js"
import { type DeviceAuthPorts, phoneOf } from "../security/DeviceAuthLive.js"
import * as DeviceCredentials from "../security/DeviceCredentials.js"
import * as OsmAnd from "./OsmAnd.js"
import * as OsmAndRequest from "./OsmAndRequest.js"

/**
 * An app with OsmAnd's protocol may send its token in the body. So this guard reads the body before it knows the phone.
 */
export const layer: Layer.Layer<OsmAndAuth, never, DeviceAuthPorts> = Layer.effect(
  OsmAndAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<DeviceAuthPorts>()
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
