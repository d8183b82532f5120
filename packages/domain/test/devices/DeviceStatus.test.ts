import { Device, DeviceStatus } from "@place-access/domain/devices"
import { DeviceId, UserId, type Vault } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"
import { NOON, time } from "../support/rules.js"

const status = (parts: Partial<Device.Device>) =>
  DeviceStatus.of({
    userId: UserId.make("usr_1"),
    id: DeviceId.make("dev_1"),
    name: Device.DeviceName.make("Pixel"),
    format: "json",
    tokenHash: "" as Vault.Hash,
    createdAt: time(NOON),
    ...Device.INITIAL,
    ...parts
  })

const future = { reason: "future", count: 1, lastAt: time(NOON) } as const

describe("what a phone's page says of it", () => {
  it("a phone of whose last upload nothing could be taken is not sending: the reason is said [devices-3]", () => {
    const seen = { lastSeenAt: time(NOON), putAside: [future] }
    expect(status(seen)).toEqual({ state: "put_aside", reason: "future" })
    expect(status({ ...seen, lastKeptAt: time(NOON - 1) })).toEqual({ state: "put_aside", reason: "future" })
    const latest = { reason: "null_island", count: 1, lastAt: time(NOON + 1) } as const
    expect(status({ ...seen, putAside: [latest, future] })).toEqual({ state: "put_aside", reason: "null_island" })
  })

  it("one bad reading among good ones, or before them, does not hide that the phone is sending", () => {
    const seen = { lastSeenAt: time(NOON), putAside: [future] }
    expect(status({ ...seen, lastKeptAt: time(NOON) })).toEqual({ state: "sending" })
    expect(status({ ...seen, lastKeptAt: time(NOON + 1) })).toEqual({ state: "sending" })
    expect(status({ lastSeenAt: time(NOON) })).toEqual({ state: "sending" })
    expect(status({})).toEqual({ state: "nothing_sent" })
  })
})
