import { Carried } from "@place-access/domain/devices"
import { DeviceId } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"
import { NOON, time } from "../support/rules.js"

const [phone, tablet] = [DeviceId.make("dev_phone"), DeviceId.make("dev_tablet")]
const one = (id: DeviceId, staysAtHome = false, hasSent = true): Carried.Companion => ({
  id,
  staysAtHome,
  lastSeenAt: hasSent ? time(NOON) : null
})

describe("a device that was left behind (decision M14)", () => {
  it("is one that its owner says stays at home, while another one is carried and has sent something", () => {
    expect(Carried.isLeftBehind(tablet, [one(phone), one(tablet, true)])).toBe(true)
    expect(Carried.isLeftBehind(phone, [one(phone), one(tablet, true)])).toBe(false)
    expect(Carried.isLeftBehind(tablet, [one(phone), one(tablet)])).toBe(false)
  })

  it("is never the only one, nor one of those that all stay, nor one beside a phone that sent nothing yet", () => {
    expect(Carried.isLeftBehind(tablet, [one(tablet, true)])).toBe(false)
    expect(Carried.isLeftBehind(tablet, [one(phone, true), one(tablet, true)])).toBe(false)
    expect(Carried.isLeftBehind(tablet, [one(phone, false, false), one(tablet, true)])).toBe(false)
    expect(Carried.isLeftBehind(tablet, [])).toBe(false)
  })

  it("is far from every place, for stays", () => {
    expect(Carried.elsewhere({ lat: 52, lon: 4, accuracyM: 5 })).toEqual({ lat: -52, lon: -176, accuracyM: null })
    expect(Carried.elsewhere({ lat: -52, lon: -4, accuracyM: 5 })).toEqual({ lat: 52, lon: 176, accuracyM: null })
  })
})
