import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import type { Device } from "@place-access/domain/devices"
import { Context, Schema } from "effect"
import { InvalidToken, RateLimited, Unavailable } from "../wire/Errors.js"

/** The phone whose device token came with the request. The phone uploads the locations of the user `userId`. */
export class CallingDevice extends Context.Tag("@place-access/adapters-http/security/CallingDevice")<
  CallingDevice,
  Device.Device
>() {}

/** A guard for `Authorization: Bearer <device token>` (decisions §10). */
export class DeviceAuth extends HttpApiMiddleware.Tag<DeviceAuth>()("@place-access/adapters-http/security/DeviceAuth", {
  failure: Schema.Union(InvalidToken, RateLimited, Unavailable),
  provides: CallingDevice,
  security: {
    deviceToken: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "Token of one phone of a user, shown once when the device is added")
    )
  }
}) {}

/**
 * Like `DeviceAuth`, and also takes the device token in the address, as `api_key` or `token`: some versions and forks
 * of Overland have a setting for an address and no setting for a token.
 */
export class OverlandAuth extends HttpApiMiddleware.Tag<OverlandAuth>()(
  "@place-access/adapters-http/security/OverlandAuth",
  {
    failure: Schema.Union(InvalidToken, RateLimited, Unavailable),
    provides: CallingDevice,
    security: {
      overlandToken: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "The device token. Apps that cannot send a header put it into the address as api_key or token"
        )
      )
    }
  }
) {}

/**
 * Takes HTTP Basic with the device token as password or user name, a bearer token, or the token in the address. A
 * request that OwnTracks may have sent is never answered with 401 or another 4xx: on iPhones, OwnTracks deletes its
 * oldest reading after each 4xx answer. Only a request with Basic credentials that are not encoded gets 401, because
 * OwnTracks always encodes them.
 */
export class OwnTracksAuth extends HttpApiMiddleware.Tag<OwnTracksAuth>()(
  "@place-access/adapters-http/security/OwnTracksAuth",
  {
    failure: Schema.Union(InvalidToken, Unavailable),
    provides: CallingDevice,
    security: {
      devicePassword: HttpApiSecurity.basic.pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "The device token as password, with any user name. Apps that cannot send it put it into the address as api_key or token"
        )
      )
    }
  }
) {}

/**
 * Like `DeviceAuth`, and also takes HTTP Basic with the device token as password or user name. Some phone apps have a
 * setting for an identifier of the phone and no setting for a token. For such phone apps, the device token may also be
 * the identifier (`id`, `deviceid` or `device_id`) in the query, the form or the JSON.
 */
export class OsmAndAuth extends HttpApiMiddleware.Tag<OsmAndAuth>()("@place-access/adapters-http/security/OsmAndAuth", {
  failure: Schema.Union(InvalidToken, RateLimited, Unavailable),
  provides: CallingDevice,
  security: {
    deviceId: HttpApiSecurity.apiKey({ key: "id", in: "query" }).pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "The device token. Apps that can send a header send it as a bearer token or with HTTP Basic instead, and others in their body"
      )
    )
  }
}) {}
