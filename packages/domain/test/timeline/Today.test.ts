import type { CurrentPlace } from "@place-access/domain/answers"
import type { Device } from "@place-access/domain/devices"
import type { Place } from "@place-access/domain/places"
import { AppId, PlaceId, Timestamp } from "@place-access/domain/shared"
import { Today } from "@place-access/domain/timeline"
import { LocalDays } from "@place-access/domain/fixes"
import { Option } from "effect"
import { describe, expect, it } from "vitest"

const { DAY, HOUR, MINUTE } = Timestamp
const NOW = Timestamp.make(Date.UTC(2026, 2, 30, 9))
const ago = (millis: number) => Timestamp.plus(NOW, -millis)
const place = (id: string): Place.PlaceRef => ({ id: PlaceId.make(id), label: id, kind: "home" })

describe("the first page [timeline-1]", () => {
  it("a phone is late after an hour and silent after a day; the one that was heard last counts", () => {
    const phone = (...silences: ReadonlyArray<number | null>) =>
      Today.phone(
        silences.map((one) => ({ format: "overland", lastSeenAt: one === null ? null : ago(one) }) as never),
        NOW
      )?.state
    expect([phone(3 * MINUTE), phone(HOUR - 1), phone(HOUR), phone(DAY - 1), phone(DAY), phone(null)]).toEqual([
      "fresh",
      "fresh",
      "late",
      "late",
      "silent",
      "never"
    ])
    expect(phone(null, 2 * DAY, MINUTE)).toBe("fresh")
    expect(phone()).toBeUndefined()
  })

  it("a device that stays at home counts only when no other has sent [devices-4]", () => {
    const device = (id: string, silence: number | null, over: Partial<Device.Device> = {}) =>
      ({
        id,
        format: "overland",
        staysAtHome: false,
        lastSeenAt: silence === null ? null : ago(silence),
        ...over
      }) as never
    const chosen = (...devices: ReadonlyArray<never>) => Today.phone(devices, NOW)?.device.id
    const tablet = device("tablet", MINUTE, { staysAtHome: true })
    expect(chosen(tablet, device("phone", 3 * DAY))).toBe("phone")
    expect(chosen(tablet, device("phone", null))).toBe("tablet")
    expect(chosen(device("kiosk", HOUR, { staysAtHome: true }), tablet)).toBe("tablet")
  })

  it("a browser counts while it sends; afterwards a phone that has sent, however long ago [devices-15]", () => {
    const device = (id: string, format: Device.PhoneFormat, silence: number) =>
      ({ id, format, staysAtHome: false, lastSeenAt: ago(silence) }) as never
    const chosen = (...devices: ReadonlyArray<never>) => Today.phone(devices, NOW)?.device.id
    const phone = device("phone", "overland", 3 * DAY)
    expect(chosen(device("browser", "browser", HOUR - 1), phone)).toBe("browser")
    expect(chosen(device("browser", "browser", HOUR), phone)).toBe("phone")
    expect(chosen(device("browser", "browser", DAY))).toBe("browser")
  })

  it("an old reading says where the person was last [timeline-4]", () => {
    const by = (asOf: Timestamp.Timestamp) => Today.isPast({ state: "elsewhere", place: null, asOf }, NOW)
    expect([by(ago(70 * MINUTE - 1)), by(ago(70 * MINUTE))]).toEqual([false, true])
    expect(Today.isPast({ state: "unknown", place: null, asOf: null }, NOW)).toBe(false)
  })

  it("since when: the open visit at that place; elsewhere the last departure; nothing when visits contradict or are missing", () => {
    const at = (id: string | null): CurrentPlace.CurrentPlace =>
      id === null ? { state: "elsewhere", place: null, asOf: NOW } : { state: "at_place", place: place(id), asOf: NOW }
    const home = { arrival: ago(3 * HOUR), departure: null, isUncertain: false, place: place("plc_home") }
    const past = { arrival: ago(9 * HOUR), departure: ago(5 * HOUR), isUncertain: false, place: place("plc_work") }
    const since = (where: CurrentPlace.CurrentPlace, ...visits: ReadonlyArray<typeof home | typeof past>) =>
      Today.since(where, { visits, complete: true })
    expect(since(at("plc_home"), home, past)).toBe(ago(3 * HOUR))
    expect(since(at("plc_work"), home, past)).toBeNull()
    expect(since(at(null), past)).toBe(ago(5 * HOUR))
    expect(since(at(null), home, past)).toBeNull()
    expect(since({ state: "unknown", place: null, asOf: null }, home)).toBeNull()
    // With `complete: false` some stays are not derived yet, so the newest visits may be missing.
    expect(Today.since(at(null), { visits: [past], complete: false })).toBeNull()
  })

  it("elsewhere after an uncertain visit: nobody knows since when [timeline-1, visits-11]", () => {
    const elsewhere: CurrentPlace.CurrentPlace = { state: "elsewhere", place: null, asOf: NOW }
    const work = { arrival: ago(9 * HOUR), departure: ago(5 * HOUR), isUncertain: true, place: place("plc_work") }
    const gym = { arrival: ago(2 * HOUR), departure: ago(HOUR), isUncertain: false, place: place("plc_gym") }
    expect(Today.since(elsewhere, { visits: [work], complete: true })).toBeNull()
    expect(Today.since(elsewhere, { visits: [work, gym], complete: true })).toBe(ago(HOUR))
  })

  it("has the last 14 days of the zone, also over a change of the clocks", () => {
    const zone = Option.getOrThrow(LocalDays.zone("Europe/Berlin"))
    const days = Today.days(zone, NOW)
    expect([days.length, days[0]?.date, days.at(-1)?.date]).toEqual([14, "2026-03-17", "2026-03-30"])
  })

  it("apps of today come first, then by how much they asked", () => {
    const [one, two, three] = ["app_1", "app_2", "app_3"].map((id) => AppId.make(id)) as [AppId, AppId, AppId]
    const tallies = [
      { appId: one, edge: 0, count: 50, requests: 2 },
      { appId: two, edge: 1, count: 1, requests: 1 },
      { appId: three, edge: 0, count: 60, requests: 0 }
    ]
    const activity = Today.appActivity(tallies, new Map([[two, "Two"]]), 2)
    expect(activity.map(({ counts, name }) => [name, ...counts])).toEqual([
      ["Two", 0, 1],
      ["app_3", 60, 0],
      ["app_1", 50, 0]
    ])
    expect(activity.map(({ requests }) => requests)).toEqual([
      [0, 1],
      [0, 0],
      [2, 0]
    ])
  })

  it("what ends within seven days; exact location only where it ends before its connection", () => {
    const connection = (grant: number | null, exact: number | null, live = true) =>
      ({
        live,
        grantExpiresAt: grant === null ? null : Timestamp.plus(NOW, grant),
        sensitiveExpiresAt: exact === null ? null : Timestamp.plus(NOW, exact)
      }) as never
    const ends = (...all: ReadonlyArray<never>) =>
      Today.ending(all, NOW).map(({ at, what }) => [what, (at - NOW) / DAY])
    expect(ends(connection(7 * DAY, null), connection(null, 2 * DAY))).toEqual([
      ["exact_location", 2],
      ["connection", 7]
    ])
    expect(ends(connection(DAY, DAY))).toEqual([["connection", 1]])
    expect(ends(connection(7 * DAY + 1, null), connection(-DAY, null), connection(DAY, null, false))).toEqual([])
  })
})
