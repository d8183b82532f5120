import { Effect, Layer, Option } from "effect"
import * as Carried from "../../../src/devices/Carried.js"
import type { Device } from "../../../src/devices/Device.js"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import { AccountLimits } from "../../../src/quotas/index.js"
import { PROPERTIES } from "../../../src/rules/Rule.js"
import type { UserId } from "../../../src/shared/Ids.js"
import type * as Timestamp from "../../../src/shared/Timestamp.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"

/**
 * Clears the unsettled dwell of each of the user's dwell rules whose wait (`silenceS`) continues after the time `at`. A
 * rule whose wait has ended by the time `at` keeps its dwell, because the rule must fire (decision rules-14).
 */
const forgetDwells = ({ ruleStates, rules }: Tables, userId: UserId, at: Timestamp.Timestamp): void => {
  for (const [ruleId, state] of ruleStates) {
    const rule = rules.get(ruleId)
    if (rule?.userId !== userId || !PROPERTIES[rule.type].hasDwellTime) continue
    if (state.unsettled !== null && state.unsettled.until > at) ruleStates.set(ruleId, { ...state, unsettled: null })
  }
}

export const layer: Layer.Layer<DeviceStore, never, MemoryDatabase> = Layer.effect(
  DeviceStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { devices, importDevices, visitTellers } = tables
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
          tables.streamVersions.set(userId, (tables.streamVersions.get(userId) ?? 0) + 1)
          if (!present(userId).some(Carried.mayShowMovement)) forgetDwells(tables, userId, at)
          return true
        })
    })
  })
)
