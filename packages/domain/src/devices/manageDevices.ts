import { Option, Schema } from "effect"
import { ConnectionStore, EffectiveScopes } from "../connection/index.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import {
  Conflict,
  DeviceId,
  Entropy,
  NotFound,
  Timestamp,
  Token,
  type UserId,
  Vault,
  program
} from "../shared/index.js"
import { type Device, type PhoneFormat, INITIAL, type DeviceName, PROPERTIES } from "./Device.js"
import { DeviceStore } from "./DeviceStore.js"
import { withLink } from "./setupLink.js"

/** The phones that may upload for the user, oldest first. */
export const listDevices = program("listDevices", function* (userId: UserId) {
  return yield* (yield* DeviceStore).list(userId)
})

/** A device token is malformed, unknown or of a removed device. Wire: 401 `invalid_token`, always the same body. */
export class InvalidDeviceToken extends Schema.TaggedError<InvalidDeviceToken>()("InvalidDeviceToken", {}) {
  override get message(): string {
    return "The device token is not valid"
  }
}

/** The device that has this token. Fails with `InvalidDeviceToken` for any other text. */
export const authenticateDevice = program("authenticateDevice", function* (token: string) {
  const parsed = Option.getOrUndefined(Token.parse(token))
  if (parsed?.kind !== "dv") return yield* new InvalidDeviceToken()
  const hash = (yield* Vault.Vault).sha256(token)
  const found = yield* (yield* DeviceStore).findByToken(parsed.route as UserId, hash)
  return Option.isSome(found) ? found.value : yield* new InvalidDeviceToken()
})

/**
 * Whether to ask the phone to report visits: an app may read the user's visits, and the phone never reported a visit.
 * Asking changes a setting of the phone's app, so the service does not ask when no app may read visits.
 */
export const wantsVisits = program("wantsVisits", function* ({ id, userId }: Pick<Device, "userId" | "id">) {
  if (yield* (yield* DeviceStore).sendsVisits(userId, id)) return false
  const connections = yield* (yield* ConnectionStore).listOfUser(userId)
  const now = yield* Timestamp.now
  return connections.some(({ app, connection }) =>
    EffectiveScopes.effective(connection, app, now).includes("location.visits.read")
  )
})

export interface Added {
  readonly device: Device
  /** The token `pa_dv.<user id>.<secret>`. Later, only `openSetupLink` can return the token, once. */
  readonly token: string
  /** The key of a link at which GPSLogger fetches its settings once (decision devices-14); null for other formats. */
  readonly setupKey: string | null
}

/**
 * Adds a phone that may upload for the user. Fails with `Conflict` when the user has `AccountLimits.DEVICES` devices
 * already.
 */
export const addDevice = program(
  "addDevice",
  function* (userId: UserId, draft: { readonly name: DeviceName; readonly format: PhoneFormat }) {
    const createdAt = yield* Timestamp.now
    const { key, setupLink, token } = PROPERTIES[draft.format].hasSetupLink
      ? yield* withLink(userId, createdAt)
      : { key: null, setupLink: null, token: yield* Token.fresh("dv", userId) }
    const device: Device = {
      userId,
      id: DeviceId.make(yield* Entropy.id("dev")),
      name: draft.name,
      format: draft.format,
      tokenHash: (yield* Vault.Vault).sha256(token),
      createdAt,
      ...INITIAL,
      setupLink
    }
    if (!(yield* (yield* DeviceStore).create(device))) {
      return yield* new Conflict({ reason: AccountLimits.DEVICES.refusal })
    }
    const added: Added = { device, token, setupKey: key }
    return added
  }
)

/**
 * Sets or removes the owner's mark that a device stays at home, and returns the device. The mark has an effect on
 * readings that arrive from now on. Fails with `NotFound` when the user has no such device.
 */
export const keepAtHome = program("keepAtHome", function* (userId: UserId, id: DeviceId, staysAtHome: boolean) {
  const devices = yield* DeviceStore
  const isDone = yield* devices.keepAtHome(userId, id, staysAtHome)
  const device = isDone ? (yield* devices.list(userId)).find((one) => one.id === id) : undefined
  return device ?? (yield* new NotFound({ what: "device" }))
})

/**
 * Removes a device: its token stops working, and its readings stay. When each device that is left stays at home or has
 * never sent anything, the store drops the firings of dwell rules that would follow from silence: the removal itself
 * causes this silence, so the silence does not show that the person stays (decision rules-14). Fails with `NotFound`
 * when the user has no such device, or it was removed already.
 */
export const removeDevice = program("removeDevice", function* (userId: UserId, id: DeviceId) {
  const removed = yield* (yield* DeviceStore).remove(userId, id, yield* Timestamp.now)
  if (!removed) return yield* new NotFound({ what: "device" })
})
