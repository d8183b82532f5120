import { Effect, Option, Schema } from "effect"
import { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Token from "../shared/Token.js"
import { Vault } from "../shared/Vault.js"
import type { Device } from "./Device.js"
import { DeviceStore } from "./DeviceStore.js"

/** A device token that opens nothing: malformed, unknown or of a removed device. Wire: 401 `invalid_token`, one body for all. */
export class InvalidDeviceToken extends Schema.TaggedError<InvalidDeviceToken>()("InvalidDeviceToken", {}) {}

const parseUserId = Schema.decodeOption(UserId)

/** The phone that `token` was given to. */
export const authenticateDevice = (
  token: string
): Effect.Effect<Device, InvalidDeviceToken | StoreError, DeviceStore | Vault> =>
  Effect.gen(function* () {
    const userId = Token.parse(token).pipe(
      Option.filter(({ kind }) => kind === "dv"),
      Option.flatMap(({ route }) => parseUserId(route))
    )
    if (Option.isNone(userId)) return yield* new InvalidDeviceToken()
    const device = yield* (yield* DeviceStore).findByToken(userId.value, (yield* Vault).sha256(token))
    return yield* Effect.mapError(device, () => new InvalidDeviceToken())
  }).pipe(Telemetry.span("authenticateDevice"))
