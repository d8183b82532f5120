import { Effect, Layer, Option } from "effect"
import type { Device } from "../../../src/devices/Device.js"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import { AccountLimits } from "../../../src/quotas/index.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

export const layer: Layer.Layer<DeviceStore, never, MemoryDatabase> = Layer.effect(
  DeviceStore,
  Effect.map(MemoryDatabase, ({ devices, importDevices, visitTellers }) => {
    const present = (userId: string): ReadonlyArray<Device> =>
      [...devices.values()].filter(
        (device) => device.userId === userId && device.removedAt === null && !importDevices.has(device.id)
      )

    return DeviceStore.of({
      create: (device) =>
        Effect.sync(() => {
          if (present(device.userId).length >= AccountLimits.DEVICES.most) return false
          devices.set(device.id, device)
          return true
        }),
      list: (userId) =>
        Effect.sync(() =>
          [...present(userId)].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
        ),
      findByToken: (userId, hash) =>
        Effect.sync(() => Option.fromNullable(present(userId).find((device) => device.tokenHash === hash))),
      takeSetupLink: (userId, hash, now) =>
        Effect.sync(() => {
          const device = present(userId).find(({ setupLink }) => setupLink?.hash === hash && now < setupLink.until)
          if (device === undefined) return Option.none()
          const taken = { ...device, setupLink: null }
          devices.set(device.id, taken)
          return Option.some(taken)
        }),
      sendsVisits: (userId, id) => Effect.sync(() => visitTellers.get(id) === userId),
      keepAtHome: (userId, id, staysAtHome) =>
        Effect.sync(() => {
          const device = present(userId).find((one) => one.id === id)
          if (device === undefined) return false
          devices.set(id, { ...device, staysAtHome })
          return true
        }),
      remove: (userId, id, at) =>
        Effect.sync(() => {
          const device = present(userId).find((one) => one.id === id)
          if (device === undefined) return false
          devices.set(id, { ...device, removedAt: at })
          return true
        })
    })
  })
)
