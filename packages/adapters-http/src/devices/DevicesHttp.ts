import {
  addDevice,
  type Device,
  DeviceStatus,
  keepAtHome,
  listDevices,
  removeDevice
} from "@place-access/domain/devices"
import { listPlaces } from "@place-access/domain/places"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import type { DeviceBody } from "./DevicesApi.js"
import * as DeviceSetup from "./DeviceSetup.js"
import { quarantineWords } from "./QuarantineWords.js"

export const layer = Group.group(Api, "devices", (handlers) =>
  handlers
    .handle("list", () =>
      Effect.gen(function* () {
        const devices = yield* listDevices((yield* SignedIn).id)
        return { devices: devices.map(encode), nextCursor: null }
      }).pipe(toWire)
    )
    .handle(
      "add",
      ({ payload }) =>
        Effect.gen(function* () {
          const { baseUrl } = yield* HttpOptions
          const { id } = yield* SignedIn
          const { device, setupKey, token } = yield* addDevice(id, payload)
          const places = (yield* listPlaces(id)).filter(({ archivedAt }) => archivedAt === null)
          const setup = DeviceSetup.make(device, { token, baseUrl, places, setupKey })
          return {
            ...encode(device),
            token,
            setup: {
              address: setup.address,
              qr_text: setup.qrText,
              link: setup.link,
              settings: setup.settings.map(({ name, value }) => ({ name, value })),
              steps: setup.steps,
              tuning: setup.tuning.map(({ effect, name, value }) => ({ name, value, effect }))
            }
          }
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "change",
      ({ path, payload }) =>
        Effect.gen(function* () {
          return encode(yield* keepAtHome((yield* SignedIn).id, path.id, payload.stays_at_home))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "remove",
      ({ path }) =>
        Effect.gen(function* () {
          yield* removeDevice((yield* SignedIn).id, path.id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
)

const encode = (device: Device.Device): typeof DeviceBody.Type => ({
  id: device.id,
  name: device.name,
  format: device.format,
  created_at: device.createdAt,
  last_seen_at: device.lastSeenAt,
  status: DeviceStatus.of(device).state,
  stays_at_home: device.staysAtHome,
  put_aside: device.putAside.map(({ count, lastAt, reason }) => ({
    reason,
    count,
    last_at: lastAt,
    explanation: quarantineWords[reason].explanation
  }))
})
