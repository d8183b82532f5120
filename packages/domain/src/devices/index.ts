/**
 * Devices: the phones that upload fixes, each with a name, an upload format and a token. `Movement` and `Carried`
 * decide which of a person's devices the person carries, because a tablet left at home says nothing about its owner.
 * The user's pages add, list and remove devices; every upload calls `authenticateDevice`.
 *
 * @module
 */

export {
  addDevice,
  type Added,
  authenticateDevice,
  InvalidDeviceToken,
  keepAtHome,
  listDevices,
  removeDevice,
  wantsVisits
} from "./manageDevices.js"
export * as Carried from "./Carried.js"
export * as Device from "./Device.js"
export * as DeviceStatus from "./DeviceStatus.js"
export { DeviceStore } from "./DeviceStore.js"
export * as Movement from "./Movement.js"
export { QuarantineReason } from "./QuarantineReason.js"
export * as Sending from "./Sending.js"
export { openSetupLink } from "./setupLink.js"
export * as Silence from "./Silence.js"
