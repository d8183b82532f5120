import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import type { Device } from "@place-access/domain/devices"
import { Context, Schema } from "effect"
import { InvalidToken, Unavailable } from "../wire/Errors.js"

/** The phone whose device token came with the request; its `userId` is whose locations it uploads. */
export class CallingDevice extends Context.Tag("@place-access/adapters-http/security/CallingDevice")<
  CallingDevice,
  Device.Device
>() {}

/** `Authorization: Bearer <device token>` (decisions §10). */
export class DeviceAuth extends HttpApiMiddleware.Tag<DeviceAuth>()("@place-access/adapters-http/security/DeviceAuth", {
  failure: Schema.Union(InvalidToken, Unavailable),
  provides: CallingDevice,
  security: {
    deviceToken: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "Token of one phone of a user, shown once when the device is added")
    )
  }
}) {}
