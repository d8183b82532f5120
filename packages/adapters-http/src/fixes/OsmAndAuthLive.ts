import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer } from "effect"
import * as Body from "../edge/Body.js"
import * as Services from "../engine/Services.js"
import { OsmAndAuth } from "../security/DeviceAuth.js"
import { type DeviceAuthPorts, phoneOf } from "../security/DeviceAuthLive.js"
import * as DeviceCredentials from "../security/DeviceCredentials.js"
import * as OsmAnd from "./OsmAnd.js"
import * as OsmAndRequest from "./OsmAndRequest.js"

/**
 * At most this number of bytes of a body are read to find the token in the body. Apps that send the token in the body
 * send one reading with it, which has less than a kilobyte. Without this bound, anybody could make the service keep and
 * parse 8 MiB.
 */
const UNKNOWN_PHONE_BYTES = 262_144

/**
 * An app with OsmAnd's protocol may send its token in the body. So when a request has a token neither in its headers
 * nor in its query, this guard reads the body before it knows the phone.
 */
export const layer: Layer.Layer<OsmAndAuth, never, DeviceAuthPorts> = Layer.effect(
  OsmAndAuth,
  Effect.gen(function* () {
    const context = yield* Effect.context<DeviceAuthPorts>()
    return OsmAndAuth.of({
      deviceId: () =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const token = DeviceCredentials.ofHeader(request) ?? ofQuery(request) ?? (yield* ofBody(request))
          return yield* phoneOf(token)
        }).pipe(Services.over(context))
    })
  })
)

/**
 * The device token of the query. Undefined when the identifier in the query is no device token: the token may then be
 * in the body.
 */
const ofQuery = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const id = OsmAnd.deviceId(OsmAnd.requestOf(OsmAndRequest.queryOf(request), "", undefined))
  return id !== undefined && DeviceCredentials.isDeviceToken(id) ? id : undefined
}

const ofBody = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string | undefined> =>
  Effect.zipRight(Body.atMost(UNKNOWN_PHONE_BYTES), Effect.map(OsmAndRequest.read(request), OsmAnd.deviceId))
