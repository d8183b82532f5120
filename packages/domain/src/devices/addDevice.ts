import { Effect } from "effect"
import * as Entropy from "../shared/Entropy.js"
import { DeviceId, type UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Token from "../shared/Token.js"
import { Vault } from "../shared/Vault.js"
import { type Device, type Format, INITIAL, type Name } from "./Device.js"
import * as DeviceSetup from "./DeviceSetup.js"
import { DeviceStore } from "./DeviceStore.js"

export interface Added {
  readonly device: Device
  /** `pa_dv.<user id>.<secret>`; cannot be shown again. */
  readonly token: string
  readonly setup: DeviceSetup.DeviceSetup
}

/** Lets one more phone upload for the user. */
export const addDevice = (
  userId: UserId,
  draft: { readonly name: Name; readonly format: Format },
  baseUrl: string
): Effect.Effect<Added, StoreError, DeviceStore | Entropy.Entropy | Vault> =>
  Effect.gen(function* () {
    const token = yield* Token.fresh("dv", userId)
    const device: Device = {
      userId,
      id: DeviceId.make(yield* Entropy.id("dev")),
      name: draft.name,
      format: draft.format,
      tokenHash: (yield* Vault).sha256(token),
      createdAt: yield* Timestamp.now,
      ...INITIAL
    }
    yield* (yield* DeviceStore).create(device)
    return { device, token, setup: DeviceSetup.make(device, token, baseUrl) }
  }).pipe(Effect.withSpan("addDevice"))
