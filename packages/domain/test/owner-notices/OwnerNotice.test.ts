import type { NoticeKind } from "@place-access/domain/accounts"
import { LocalDays } from "@place-access/domain/fixes"
import { NamedMail } from "@place-access/domain/mail"
import { OwnerNotice } from "@place-access/domain/owner-notices"
import { AppId, Timestamp, UserId } from "@place-access/domain/shared"
import { Today } from "@place-access/domain/timeline"
import { FastCheck as fc, Option } from "effect"
import { describe, expect, it } from "vitest"

const { DAY, HOUR } = Timestamp
/** A Thursday, 09:00 UTC. */
const NOW = Timestamp.make(Date.UTC(2026, 2, 5, 9))
const zoneOf = (name: string) => Option.getOrThrow(LocalDays.zone(name))
const BERLIN = zoneOf("Europe/Berlin")
const ALL: ReadonlyArray<NoticeKind> = ["asked_often", "phone_silent", "ends", "weekly"]

const QUIET: OwnerNotice.Facts = {
  userId: UserId.make("usr_1"),
  zone: BERLIN,
  activity: [],
  phone: null,
  ending: [],
  connections: 1
}

const app = (name: string, ...requests: ReadonlyArray<number>): Today.AppActivity => ({
  appId: AppId.make(`app_${name.replaceAll(" ", "_")}`),
  name,
  // Each app also gets 500 events a day. They must never count as requests.
  counts: Array.from({ length: Today.DAYS }, () => 500),
  requests: [...Array.from({ length: Today.DAYS - requests.length }, () => 0), ...requests]
})

const silentSince = (at: Timestamp.Timestamp, now: Timestamp.Timestamp) =>
  Today.phone([{ name: "Pixel", format: "overland", lastSeenAt: at } as never], now)

const endsAt = (at: Timestamp.Timestamp): Today.EndingSoon => ({
  connection: { app: { name: "Coffee Finder" } } as never,
  what: "connection",
  at
})

const subjects = (facts: Partial<OwnerNotice.Facts>, now = NOW, kinds = ALL) =>
  OwnerNotice.due(kinds, { ...QUIET, ...facts }, now).map(({ subject }) => subject)

describe("notices that a person chose [owner-notices-2]", () => {
  it("nothing happens: no mail; nothing chosen: no mail", () => {
    expect(subjects({})).toEqual([])
    expect(subjects({ activity: [app("Spy", 900)] }, NOW, [])).toEqual([])
  })

  it("unusually often: at least 50 today, and more than three times the busiest day before", () => {
    const often = (...counts: ReadonlyArray<number>) => subjects({ activity: [app("Spy", ...counts)] }).length
    expect([often(49), often(50), often(17, 51), often(17, 52), often(1000, 0, 52), often(52, 0)]).toEqual([
      0, 1, 0, 1, 0, 0
    ])
  })

  it("unusually often: one app's mail does not keep back the mail about another app on the same day", () => {
    const written = (...activity: ReadonlyArray<Today.AppActivity>) =>
      OwnerNotice.due(["asked_often"], { ...QUIET, activity }, NOW).map(({ dedupeKey, subject }) => [
        subject,
        dedupeKey
      ])
    const [spy] = written(app("Spy", 60))
    const [other] = written(app("Spy two", 70))
    expect(spy?.[0]).toBe("Spy asked unusually often today")
    expect(written(app("Spy", 61), app("Spy two", 70))).toEqual([spy, other])
    expect(spy?.[1]).not.toBe(other?.[1])
  })

  it("a notice that names an app is put as one that the person chose, so that it leaves places for receipts [mail-2]", () => {
    const MONDAY = Timestamp.make(Date.UTC(2026, 2, 9, 9))
    const facts = { ...QUIET, activity: [app("Spy", 60, 0, 600)], ending: [endsAt(Timestamp.plus(MONDAY, 2 * DAY))] }
    const due = OwnerNotice.due(ALL, facts, MONDAY)
    expect(due.map(({ naming }) => naming)).toEqual([NamedMail.chosen, NamedMail.chosen, NamedMail.chosen])
  })

  it("a silent phone: from a day until seven days after its last location", () => {
    const silent = (millis: number) => {
      const at = Timestamp.plus(NOW, -millis)
      return subjects({ phone: silentSince(at, NOW) }).length
    }
    expect([silent(DAY - 1), silent(DAY), silent(7 * DAY - 1), silent(7 * DAY)]).toEqual([0, 1, 1, 0])
    expect(
      subjects({ phone: Today.phone([{ name: "Pixel", format: "overland", lastSeenAt: null } as never], NOW) })
    ).toEqual([])
  })

  it("a silent phone: a tablet that stays at home and goes on sending changes nothing [devices-4]", () => {
    const at = Timestamp.plus(NOW, -3 * DAY)
    const devices = [
      { name: "Pixel", format: "overland", lastSeenAt: at, staysAtHome: false },
      { name: "Tablet", format: "overland", lastSeenAt: NOW, staysAtHome: true }
    ]
    expect(subjects({ phone: Today.phone(devices as never, NOW) })).toEqual(["Your phone has sent nothing for a day"])
  })

  it("a browser sends only while its page is open: its silence is no notice [devices-15]", () => {
    const browser = { name: "Firefox", format: "browser", lastSeenAt: Timestamp.plus(NOW, -2 * DAY) } as never
    expect(subjects({ phone: Today.phone([browser], NOW) })).toEqual([])
  })

  it("what ends on the local day after tomorrow, also late in the evening", () => {
    // In Berlin, the 7th of March lasts from 23:00 UTC on the 6th until 23:00 UTC on the 7th.
    const start = Timestamp.make(Date.UTC(2026, 2, 6, 23))
    const ends = (at: Timestamp.Timestamp) => subjects({ ending: [endsAt(at)] }).length
    expect([
      ends(Timestamp.plus(start, -1)),
      ends(start),
      ends(Timestamp.plus(start, DAY - 1)),
      ends(Timestamp.plus(start, DAY))
    ]).toEqual([0, 1, 1, 0])
  })

  it("the summary: on Monday from seven o'clock on, with the seven days before", () => {
    // In Berlin, 7:00 on this Monday is 6:00 UTC.
    const monday = Timestamp.make(Date.UTC(2026, 2, 9, 6))
    const activity = [app("Weather", 100, 1, 1, 1, 1, 1, 1, 1, 99)]
    const weekly = (at: Timestamp.Timestamp) => subjects({ activity }, at, ["weekly"]).length
    expect([
      weekly(Timestamp.plus(monday, -1)),
      weekly(monday),
      weekly(Timestamp.plus(monday, 17 * HOUR - 1)),
      weekly(Timestamp.plus(monday, 17 * HOUR))
    ]).toEqual([0, 1, 1, 0])
    const [message] = OwnerNotice.due(["weekly"], { ...QUIET, activity }, monday)
    expect(message?.body).toContain("- Weather: 7 requests")
    expect(subjects({ connections: 0 }, monday)).toEqual([])
    expect(subjects({}, monday)).toEqual(["Your week: which apps asked"])
  })

  it("over any two weeks of sweeps at any times: of each kind one new key a local day at most, and no end twice", () => {
    const zones = fc.constantFrom("Europe/Berlin", "America/New_York", "Pacific/Auckland", "UTC").map(zoneOf)
    const hours = fc.array(fc.integer({ min: 0, max: 14 * 24 * 60 }), { minLength: 1, maxLength: 200 })
    const at = fc.integer({ min: 0, max: 16 * 24 * 60 })
    fc.assert(
      fc.property(zones, hours, fc.array(at, { maxLength: 4 }), at, (zone, minutes, ends, heard) => {
        const moment = (minute: number) => Timestamp.plus(NOW, minute * 60_000)
        const first = new Map<string, { readonly day: string; readonly body: string }>()
        for (const minute of [...minutes].sort((a, b) => a - b)) {
          const now = moment(minute)
          const ending = ends.map(moment).filter((end) => end > now && end - now <= 7 * DAY)
          const phone = silentSince(moment(heard - 2 * 24 * 60), now)
          const facts = { ...QUIET, zone, activity: [app("Spy", 200)], ending: ending.map(endsAt), phone }
          for (const { body, dedupeKey } of OwnerNotice.due(ALL, facts, now)) {
            if (!first.has(dedupeKey)) first.set(dedupeKey, { day: LocalDays.dateOf(zone, now), body })
          }
        }
        const days = [...first].map(([key, { day }]) => `${key.split(" ")[1]} ${day}`)
        expect(new Set(days).size).toBe(days.length)
        const lines = [...first].flatMap(([key, { body }]) =>
          key.startsWith("owner_notice ends") ? [...new Set(body.match(/^- .*$/gm))] : []
        )
        expect(new Set(lines).size).toBe(lines.length)
      })
    )
  })
})
