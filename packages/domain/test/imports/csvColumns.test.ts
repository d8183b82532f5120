import { CsvColumns, Import, Months } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"
import { FastCheck as fc } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"

afterEach(() => void vi.restoreAllMocks())

const guessed = (line: string) => {
  const header = CsvColumns.headerOf(line)
  return header === undefined ? undefined : CsvColumns.guess(header)
}

describe("the columns of a table [imports-10]", () => {
  it.each([
    ["lat,lon,time", { time: "time", lat: "lat", lon: "lon" }],
    [
      "\uFEFFLatitude;Longitude;Timestamp (UTC);Speed\r\n1",
      { time: "Timestamp (UTC)", lat: "Latitude", lon: "Longitude", speed: "Speed" }
    ],
    ['"date","time","lat","lng"', { time: "time", date: "date", lat: "lat", lon: "lng" }],
    ["date\tlat\tlon", { time: "date", lat: "lat", lon: "lon" }],
    ["created_at,date,lat,lon", { time: "created_at", lat: "lat", lon: "lon" }],
    ["UTC DATE,UTC TIME,lat,lon", { time: "UTC TIME", date: "UTC DATE", lat: "lat", lon: "lon" }],
    ["date,utc_date,utc_time,lat,lon", { time: "utc_time", date: "utc_date", lat: "lat", lon: "lon" }],
    ["date,utc_time,lat,lon", { time: "utc_time", lat: "lat", lon: "lon" }],
    ["Local time,lat,lon", { lat: "lat", lon: "lon" }],
    [`time,lat${"_".repeat(198)},lon`, { time: "time", lon: "lon" }],
    [`time,lat${"_".repeat(198)},lat,lon`, { time: "time", lat: "lat", lon: "lon" }],
    [`time,lat${"_".repeat(197)},lon`, { time: "time", lat: `lat${"_".repeat(197)}`, lon: "lon" }],
    [
      `utc_date${"_".repeat(200)},utc_time,utc date,lat,lon`,
      { time: "utc_time", date: "utc date", lat: "lat", lon: "lon" }
    ],
    ["time,la\0t,lon", undefined],
    ["a|b|c", {}],
    ["one line of words", undefined],
    ["", undefined]
  ])("%j", (line, expected) => {
    expect(guessed(line)).toEqual(expected)
  })

  it.each([
    ["guess", CsvColumns.guess],
    ["hemispheres", CsvColumns.hemispheres]
  ])("%s looks once at each name of a header, also when the names are many and long [imports-14]", (_, look) => {
    const names = Array.from({ length: 200 }, (_, index) => `${"_".repeat(196)}${index}`)
    const seen = vi.spyOn(String.prototype, "toLowerCase")
    look({ delimiter: ",", names })
    const calls = seen.mock.calls.length
    vi.restoreAllMocks()
    expect(calls).toBeGreaterThan(0)
    expect(calls).toBeLessThanOrEqual(names.length + 1)
  })

  it("of two columns with the same meaning the first one is guessed", () => {
    expect(guessed("Lat,time,lat,lon")).toEqual({ time: "time", lat: "Lat", lon: "lon" })
    expect(guessed("date utc,utc_date,utc_time,lat,lon")).toMatchObject({ date: "date utc" })
    expect(guessed("utc_date,date utc,utc_time,lat,lon")).toMatchObject({ date: "utc_date" })
    expect(CsvColumns.hemispheres({ delimiter: ",", names: ["", "N/S", "ns", "E/W"] })).toEqual({
      latSign: 1,
      lonSign: 3
    })
  })

  it("a first column without a name stays a column, also when tabs are between the columns", () => {
    const names = (text: string) => CsvColumns.headerOf(text)?.names
    expect(names("\ttime\tlat\tlon\n0\t1\t2\t3")).toEqual(["", "time", "lat", "lon"])
    expect(names("\uFEFF\r\n \t\n\ttime\tlat\tlon")).toEqual(["", "time", "lat", "lon"])
    expect(names("\n\uFEFF  time\tlat\tlon")).toEqual(["time", "lat", "lon"])
    expect(names(",time,lat,lon")).toEqual(["", "time", "lat", "lon"])
    expect(names(" \t \n")).toBeUndefined()
  })

  it("a field in quotes may have the delimiter, and two quotes for one", () => {
    expect(CsvColumns.fields('a,"b, ""c""",d', ",")).toEqual(["a", 'b, "c"', "d"])
  })

  it("a quote within a field stands for itself", () => {
    expect(CsvColumns.fields('5" tyre,a"b, "c, d" ,"e', ",")).toEqual(['5" tyre', 'a"b', "c, d ", "e"])
  })

  it("no line makes the reader of headers throw, and no column is guessed twice", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("lat", "lon", "time", "date", ",", ";", '"', " ", "\n", "x")), (parts) => {
        const names = Object.values(guessed(parts.join("")) ?? {})
        expect(new Set(names).size).toBe(names.length)
      })
    )
  })
})

describe("the months of a file [imports-12]", () => {
  it("every entry is in exactly one month, whatever their order", () => {
    const moment = fc.integer({ min: Date.UTC(2019, 0), max: Date.UTC(2021, 0) })
    fc.assert(
      fc.property(fc.array(fc.option(moment, { nil: undefined })), (times) => {
        const tally = Months.tally()
        for (const at of times) tally.add(at === undefined ? undefined : Timestamp.make(at), undefined)
        const expected = new Map<string | null, number>()
        for (const at of times) {
          const month = at === undefined ? null : new Date(at).toISOString().slice(0, 7)
          expected.set(month, (expected.get(month) ?? 0) + 1)
        }
        expect(new Map(tally.months().map(({ month, read }) => [month, read]))).toEqual(expected)
      }),
      { examples: [[[Date.UTC(2020, 0, 31, 23, 59, 59, 999), Date.UTC(2020, 1, 1), undefined, Date.UTC(2020, 0)]]] }
    )
  })

  it("the store counts between the first and the last month of which it got entries", () => {
    const tally = Months.tally()
    const add = (iso: string, why?: "tooOld" | "quarantined") => tally.add(Timestamp.make(Date.parse(iso)), why)
    expect(Months.spanStored(tally.months())).toBeUndefined()
    add("1970-01-01T00:00:00Z", "tooOld")
    add("2031-01-01T00:00:00Z", "quarantined")
    tally.add(undefined, undefined)
    expect(Months.spanStored(tally.months())).toBeUndefined()
    add("2024-11-30T23:59:59Z")
    add("2024-12-02T00:00:00Z")
    const span = { from: Date.UTC(2024, 10), until: Date.UTC(2025, 0) }
    expect(Months.spanStored(tally.months())).toEqual(span)
    add("9999-12-31T00:00:00Z")
    expect(Months.spanStored(tally.months())).toEqual({ ...span, until: Date.UTC(10_000, 0) })
  })

  it("a made-up file with a million months keeps no more than the bound", () => {
    const tally = Months.tally()
    for (let year = 1_000; year < 3_000; year++) tally.add(Timestamp.make(Date.UTC(year, 5)), "quarantined")
    const months = tally.months()
    expect(months.length).toBeLessThanOrEqual(Months.MAX_MONTHS)
    expect(months.reduce((sum, { quarantined }) => sum + quarantined, 0)).toBe(2_000)
  })
})

it("speed: entries a second since the first attempt, and the time that the rest of the bytes takes", () => {
  const at = Timestamp.make(1_000_000)
  const one = {
    bytesDone: 25,
    bytesTotal: 100,
    counts: { ...Import.NOTHING_READ, read: 500 },
    startedAt: at,
    finishedAt: null
  } as unknown as Import.Import
  expect(Import.speed(one, Timestamp.plus(at, 10_000))).toEqual({ entriesPerS: 50, leftS: 30 })
  expect(Import.speed({ ...one, startedAt: null }, at)).toBeNull()
})
