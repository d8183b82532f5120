import { LocalDays } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { FastCheck, Option } from "effect"
import { describe, expect, it } from "vitest"

const zone = (name: string): LocalDays.TimeZone => Option.getOrThrow(LocalDays.zone(name))
const at = (iso: string) => Timestamp.make(Date.parse(iso))
const days = (name: string, from: string, until: string) =>
  LocalDays.between(zone(name), at(from), at(until)).map(({ date, from }) => [date, Timestamp.toIso(from)])

describe("days of a calendar", () => {
  it("UTC: from midnight to midnight; the first and the last are cut where the stretch ends", () => {
    expect(days("UTC", "2026-02-27T13:00:00Z", "2026-03-02T00:00:00Z")).toEqual([
      ["2026-02-27", "2026-02-27T13:00:00.000Z"],
      ["2026-02-28", "2026-02-28T00:00:00.000Z"],
      ["2026-03-01", "2026-03-01T00:00:00.000Z"]
    ])
  })

  it("Amsterdam: the day on which clocks go forward has 23 hours, the one on which they go back 25", () => {
    expect(days("Europe/Amsterdam", "2026-03-28T23:00:00Z", "2026-03-30T22:00:00Z")).toEqual([
      ["2026-03-29", "2026-03-28T23:00:00.000Z"],
      ["2026-03-30", "2026-03-29T22:00:00.000Z"]
    ])
    expect(days("Europe/Amsterdam", "2026-10-24T22:00:00Z", "2026-10-26T23:00:00Z")).toEqual([
      ["2026-10-25", "2026-10-24T22:00:00.000Z"],
      ["2026-10-26", "2026-10-25T23:00:00.000Z"]
    ])
  })

  it("São Paulo, 2018: midnight was skipped, the day began at one", () => {
    expect(days("America/Sao_Paulo", "2018-11-03T03:00:00Z", "2018-11-05T02:00:00Z")).toEqual([
      ["2018-11-03", "2018-11-03T03:00:00.000Z"],
      ["2018-11-04", "2018-11-04T03:00:00.000Z"]
    ])
  })

  it("Samoa, 2011: a date that was left out is not there", () => {
    expect(days("Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-31T10:00:01Z")).toEqual([
      ["2011-12-29", "2011-12-29T10:00:00.000Z"],
      ["2011-12-31", "2011-12-30T10:00:00.000Z"],
      ["2012-01-01", "2011-12-31T10:00:00.000Z"]
    ])
  })

  it("Newfoundland, 2010: clocks went back over midnight; every moment has one day and no day is endless", () => {
    const calendarDays = days("America/St_Johns", "2010-11-06T02:30:00Z", "2010-11-08T03:30:00Z")
    expect(calendarDays.map(([date]) => date)).toEqual(["2010-11-06", "2010-11-07"])
  })

  it("a name that is no IANA zone is refused; offsets are not names", () => {
    for (const name of [
      "",
      "Nowhere",
      "+01:00",
      "UTC+1",
      "-05",
      "Europe/Amsterdam ",
      "../etc/passwd",
      "x".repeat(80)
    ]) {
      expect(LocalDays.zone(name)).toEqual(Option.none())
    }
    for (const name of ["UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires"]) {
      expect(Option.isSome(LocalDays.zone(name))).toBe(true)
    }
  })

  it("every moment lies in the day that its zone's calendar says, whatever the zone and the stretch [§4.4-days, answers-7]", () => {
    const ZONES = [
      "UTC",
      "Europe/Amsterdam",
      "America/New_York",
      "Asia/Kathmandu",
      "Australia/Lord_Howe",
      "Pacific/Apia",
      "Pacific/Kiritimati",
      "America/Sao_Paulo",
      "Africa/Casablanca",
      "Asia/Beirut"
    ]
    const property = FastCheck.property(
      FastCheck.constantFrom(...ZONES),
      FastCheck.integer({ min: at("2011-12-01T00:00:00Z"), max: at("2027-01-01T00:00:00Z") }),
      FastCheck.integer({ min: 1, max: 10 * Timestamp.DAY }),
      FastCheck.array(FastCheck.nat({ max: 1_000 }), { maxLength: 5 }),
      (name, start, length, permille) => {
        const from = Timestamp.make(start)
        const until = Timestamp.plus(from, length)
        const calendarDays = LocalDays.between(zone(name), from, until)
        expect(calendarDays[0]?.from).toBe(from)
        const edges = calendarDays.map((day) => day.from)
        expect(edges).toEqual([...new Set(edges)].toSorted((a, b) => a - b))
        const calendar = new Intl.DateTimeFormat("en-CA", { timeZone: name, dateStyle: "short" })
        // The beginning of every day, the millisecond before it, and some times in between.
        const moments = [
          ...edges,
          ...edges.slice(1).map((edge) => edge - 1),
          until - 1,
          ...permille.map((part) => from + Math.floor(((length - 1) * part) / 1_000))
        ]
        for (const moment of moments) {
          const day = calendarDays.findLast((candidate) => candidate.from <= moment)
          expect([moment, day?.date]).toEqual([moment, calendar.format(moment)])
        }
      }
    )
    FastCheck.assert(property, { numRuns: 150 })
  })
})

describe("a whole day of a date", () => {
  const zone = (name: string) => Option.getOrThrow(LocalDays.zone(name))
  const hours = (name: string, date: string) =>
    Option.getOrNull(Option.map(LocalDays.dayOf(zone(name), date), ({ from, until }) => (until - from) / 3_600_000))

  it("has 23, 24 or 25 hours, begins at its own date, and a skipped date is none", () => {
    expect(hours("Europe/Berlin", "2026-03-29")).toBe(23)
    expect(hours("Europe/Berlin", "2026-03-30")).toBe(24)
    expect(hours("Europe/Berlin", "2026-10-25")).toBe(25)
    expect(hours("Pacific/Apia", "2011-12-30")).toBeNull()
    expect(hours("Europe/Berlin", "2026-02-30")).toBeNull()
    for (const name of ["Pacific/Kiritimati", "Pacific/Niue", "Asia/Kathmandu", "UTC"]) {
      const day = Option.getOrThrow(LocalDays.dayOf(zone(name), "2026-11-22"))
      expect(LocalDays.dateOf(zone(name), day.from)).toBe("2026-11-22")
      expect(LocalDays.dateOf(zone(name), Timestamp.plus(day.from, -1))).toBe("2026-11-21")
      expect(LocalDays.dateOf(zone(name), day.until)).toBe("2026-11-23")
    }
  })
})

describe("a time of a day [retention-choice-4]", () => {
  const instant = (name: string, date: string, time: string, which?: "last") => {
    const day = Option.getOrThrow(LocalDays.dayOf(zone(name), date))
    return Option.getOrUndefined(Option.map(LocalDays.instantOf(zone(name), day, time, which), Timestamp.toIso))
  }

  it.each([
    ["Europe/Berlin", "2026-03-01", "00:00", "2026-02-28T23:00:00.000Z"],
    ["Europe/Berlin", "2026-03-01", "13:05", "2026-03-01T12:05:00.000Z"],
    ["Europe/Berlin", "2026-03-01", "24:00", "2026-03-01T23:00:00.000Z"],
    // In Berlin, clocks go forward from 02:00 to 03:00 on 29 March 2026, and back from 03:00 to 02:00 on 25 October
    // 2026.
    ["Europe/Berlin", "2026-03-29", "02:30", "2026-03-29T01:30:00.000Z"],
    ["Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T00:30:00.000Z"],
    ["Europe/Berlin", "2026-03-01", "24:01", undefined],
    ["Europe/Berlin", "2026-03-01", "9:00", undefined],
    ["Europe/Berlin", "2026-03-01", "", undefined]
  ])("%s, %s %s: %s", (name, date, time, expected) => {
    expect(instant(name, date, time)).toBe(expected)
  })

  it.each([
    // In Nuuk, clocks go forward from 23:00 on 28 March 2026 to 00:00 on 29 March.
    ["America/Nuuk", "2026-03-28", "22:59", "2026-03-29T00:59:00.000Z", "2026-03-29T00:59:00.000Z"],
    ["America/Nuuk", "2026-03-28", "23:30", "2026-03-29T01:00:00.000Z", "2026-03-29T01:00:00.000Z"],
    ["America/Nuuk", "2026-03-28", "24:00", "2026-03-29T01:00:00.000Z", "2026-03-29T01:00:00.000Z"],
    // In St. John's, clocks went back from 00:01 on 7 November 2010 to 23:01 on 6 November.
    ["America/St_Johns", "2010-11-06", "23:30", "2010-11-07T02:00:00.000Z", "2010-11-07T02:30:00.000Z"]
  ])("is in its day, or at the end of the day: %s, %s %s: %s, as an end %s", (name, date, time, first, last) => {
    expect([instant(name, date, time), instant(name, date, time, "last")]).toEqual([first, last])
  })

  it.each([
    ["Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T01:30:00.000Z"],
    ["Europe/Berlin", "2026-10-25", "03:00", "2026-10-25T02:00:00.000Z"],
    ["Europe/Berlin", "2026-10-25", "24:00", "2026-10-25T23:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29", "02:30", "2026-03-29T01:30:00.000Z"],
    // In Havana, clocks go back from 01:00 to 00:00 on 1 November 2026.
    ["America/Havana", "2026-11-01", "00:30", "2026-11-01T05:30:00.000Z"]
  ])(
    "as the end of a stretch, a time that occurs twice is its last instant: %s, %s %s: %s",
    (name, date, time, expected) => {
      expect(instant(name, date, time, "last")).toBe(expected)
    }
  )
})
