import {
  addDevice,
  authenticateDevice,
  Device,
  listDevices,
  openSetupLink,
  removeDevice
} from "@place-access/domain/devices"
import { DeviceId, Token, UserId } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { UploadStores } from "../support/uploads.js"

const ADA = UserId.make("usr_ada")
const BOB = UserId.make("usr_bob")
const PIXEL = { name: Device.DeviceName.make("Pixel"), format: "json" as const }

const add = (userId: UserId) => addDevice(userId, PIXEL)

describe("devices", () => {
  it.effect("a new phone gets a token that is shown once and kept as a hash [devices-1]", () =>
    Effect.gen(function* () {
      const { device, token } = yield* add(ADA)
      expect(token).toMatch(/^pa_dv\.usr_ada\.[a-z0-9]{52}$/)
      expect(yield* authenticateDevice(token)).toEqual(device)
      const { devices } = yield* MemoryDatabase
      expect(JSON.stringify([...devices.values()])).not.toContain(token.split(".")[2])
      expect(yield* listDevices(ADA)).toEqual([device])
    }).pipe(Effect.provide(UploadStores))
  )

  it.effect(
    "a set-up link gives the device's token out once; neither its key nor the token is stored [devices-14]",
    () =>
      Effect.gen(function* () {
        const { device, setupKey, token } = yield* addDevice(ADA, { ...PIXEL, format: "gpslogger" })
        const key = setupKey ?? ""
        const stored = JSON.stringify([...(yield* MemoryDatabase).devices.values()])
        for (const secret of [key, token]) expect(stored).not.toContain(secret.split(".")[2])
        expect(yield* openSetupLink(key)).toEqual({ device: { ...device, setupLink: null }, token })
        expect((yield* Effect.flip(openSetupLink(key)))._tag).toBe("NotFound")
        expect((yield* authenticateDevice(token)).id).toBe(device.id)
        expect((yield* Effect.flip(authenticateDevice(key)))._tag).toBe("InvalidDeviceToken")
        expect((yield* add(ADA)).setupKey).toBeNull()
      }).pipe(Effect.provide(UploadStores))
  )

  it.effect(
    "a token of another kind, user or secret, or none at all, opens nothing: one error for all [devices-1]",
    () =>
      Effect.gen(function* () {
        const { token } = yield* add(ADA)
        const secret = token.split(".")[2] ?? ""
        const bad = [
          "",
          "nonsense",
          Token.format("at", ADA, secret),
          Token.format("dv", BOB, secret),
          Token.format(
            "dv",
            ADA,
            secret.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
          ),
          `${token} `,
          token.toUpperCase()
        ]
        for (const one of bad) {
          expect((yield* Effect.flip(authenticateDevice(one)))._tag).toBe("InvalidDeviceToken")
        }
      }).pipe(Effect.provide(UploadStores))
  )

  it.effect("a removed phone is out at once; removing it again, or another user's, finds nothing", () =>
    Effect.gen(function* () {
      const [gone, stays] = [yield* add(ADA), yield* add(ADA)]
      expect((yield* Effect.flip(removeDevice(BOB, gone.device.id)))._tag).toBe("NotFound")
      yield* removeDevice(ADA, gone.device.id)
      expect((yield* Effect.flip(removeDevice(ADA, gone.device.id)))._tag).toBe("NotFound")
      expect((yield* Effect.flip(removeDevice(ADA, DeviceId.make("dev_none"))))._tag).toBe("NotFound")
      expect((yield* Effect.flip(authenticateDevice(gone.token)))._tag).toBe("InvalidDeviceToken")
      expect(yield* authenticateDevice(stays.token)).toEqual(stays.device)
      expect(yield* listDevices(ADA)).toEqual([stays.device])
    }).pipe(Effect.provide(UploadStores))
  )
})
