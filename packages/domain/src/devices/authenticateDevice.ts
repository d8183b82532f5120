import { Context, Effect, Option, Schema } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Token from "../shared/Token.js"
import { Vault } from "../shared/Vault.js"
import type { Device } from "./Device.js"
import { DeviceStore } from "./DeviceStore.js"

/** A device token that opens nothing: malformed, unknown or of a removed device. Wire: 401 `invalid_token`, one body for all. */
export class InvalidDeviceToken extends Schema.TaggedError<InvalidDeviceToken>()("InvalidDeviceToken", {}) {}

/** The phone that `token` was given to. */
export const authenticateDevice = (
  token: string
): Effect.Effect<Device, InvalidDeviceToken | StoreError, DeviceStore | Vault> =>
  Telemetry.program("authenticateDevice", (ports: Context.Context<DeviceStore | Vault>) => {
    const parsed = Option.getOrUndefined(Token.parse(token))
    if (parsed?.kind !== "dv") return new InvalidDeviceToken()
    const hash = Context.get(ports, Vault).sha256(token)
    return Effect.flatMap(Context.get(ports, DeviceStore).findByToken(parsed.route as UserId, hash), (found) =>
      Option.isSome(found) ? Effect.succeed(found.value) : new InvalidDeviceToken()
    )
  })
