import { FileKind } from "@place-access/domain/imports"
import { gzipSync, strToU8, zipSync, type Zippable } from "fflate"
import { describe, expect, it } from "vitest"
import { haveTraces, traceFiles, TRACES_NEEDED } from "../../../../packages/domain/test/support/traces.js"
import { fitFile, tarFile } from "./packed.js"
import { short } from "./short.js"
import { file, read, readWith, text } from "./support.js"

const readings = (bytes: Uint8Array) => {
  const { entries, fault, format } = read(bytes)
  return { format, fault, entries: entries.map(short) }
}

describe("what is read of [imports-4]", () => {
  it("a monthly file of a Takeout, with both kinds of times: stays, moves and their paths", () => {
    expect(readings(file("2019_MARCH.json"))).toEqual({
      format: "google_monthly",
      fault: null,
      entries: [
        "2019-03-01T09:00:00Z 52.3702157 4.8951679 - - - -",
        "2019-03-01T09:15:00Z 52.375 4.897 12 - - -",
        "2019-03-01T09:30:00Z 52.38 4.9 - - - -",
        "visit 2019-03-01T09:30:00Z 2019-03-01T17:00:00.250Z 52.38 4.9",
        "visit 2019-03-02T09:30:00Z 2019-03-02T10:00:00Z 52.39 -4.8",
        "unusable",
        "unusable"
      ]
    })
  })

  it("KML: points and lines with times, tracks in both orders; a mark without a time gives nothing", () => {
    expect(readings(file("history.kml"))).toEqual({
      format: "kml",
      fault: null,
      entries: [
        "visit 2019-03-01T09:30:00Z 2019-03-01T17:00:00Z 52.38 4.9",
        "2019-03-01T17:00:00Z 52.38 4.9 - 0 - -",
        "2019-03-01T17:20:00Z 52.39 4.92 - 0 - -",
        "2019-03-02T07:00:00Z 52.4 4.95 - - - -",
        "2019-03-03T10:00:00Z 52.3702157 4.8951679 - 7 - -",
        "2019-03-03T10:01:00Z 52.3703 4.8953 - 0 - -",
        "2019-03-04T10:00:00Z -33.5 -70.5 - 500 - -",
        "unusable"
      ]
    })
  })

  it("the KML in a KMZ is read", () => {
    const kmz = zipSync({ "doc.kml": file("history.kml"), "files/icon.png": strToU8("\u0089PNG") })
    expect(readings(kmz)).toEqual(readings(file("history.kml")))
  })

  it("GeoJSON of Overland is read", () => {
    expect(readings(file("overland.geojson"))).toEqual({
      format: "geojson",
      fault: null,
      entries: ["2015-10-01T15:00:00Z 37.3318 -122.030581 30 10 4 -", "unusable"]
    })
  })

  it("GeoJSON of Dawarich, and lines with a time for each position; areas and marks give nothing", () => {
    expect(readings(file("dawarich.geojson"))).toEqual({
      format: "geojson",
      fault: null,
      entries: [
        "2025-01-01T00:00:00Z 52.520008 13.404954 8 34 1.5 90",
        "2025-01-01T01:00:00Z 52.5 13.4 - 30 - -",
        "2025-01-01T01:00:10Z 52.51 13.41 - 31 - -",
        "2025-01-01T02:53:20Z 52.6 13.5 - 30 - -"
      ]
    })
  })

  it("a log of OwnTracks' recorder: messages of locations, their speed in km/h", () => {
    expect(readings(file("2015-10.rec"))).toEqual({
      format: "owntracks",
      fault: null,
      entries: ["2015-10-01T08:00:00Z 52.37 4.895 12 3 10 181", "unusable", "unusable"]
    })
  })

  it("GPX of Strava with a document type: its entities are never expanded", () => {
    expect(readings(file("strava.gpx"))).toEqual({
      format: "gpx",
      fault: null,
      entries: [
        "2021-05-01T06:00:00Z 47.3769 8.5417 - 408.2 - -",
        "2021-05-01T06:00:01Z 47.377 8.5418 - 408.4 - -",
        "unusable"
      ]
    })
  })

  it("GPX in the shape of Life360's exporters", () => {
    expect(readings(file("life360.gpx")).entries).toEqual(["2023-02-01T12:00:00Z 40.7128 -74.006 35 - 0 -"])
  })

  it("TCX: track points with a position", () => {
    expect(readings(file("run.tcx"))).toEqual({
      format: "tcx",
      fault: null,
      entries: ["2020-07-01T05:00:00Z 48.137154 11.576124 - 520.4 2.5 -", "unusable"]
    })
  })

  it.each([false, true])(
    "FIT: records with a position, also with compressed times (big end first: %s) [imports-11]",
    (isBig) => {
      const { entries, ...rest } = readings(fitFile(isBig))
      expect(rest).toEqual({ format: "fit", fault: null })
      expect(entries.map((one) => one.replaceAll(/(\.\d{5})\d+/g, "$1"))).toEqual([
        "2021-05-01T06:00:00Z 47.37690 8.54169 4 408 5 -",
        "2021-05-01T06:00:31Z -33.86879 151.20930 4 408 - -"
      ])
    }
  )

  it("a table with the names of e-mission's logs, times in seconds with decimals", () => {
    expect(readings(file("emission.csv"))).toEqual({
      format: "csv",
      fault: null,
      entries: ["2015-11-06T08:04:02.283Z 37.39067819779412 -122.0866178513586 65 27.60269355773926 - -", "unusable"]
    })
  })

  const german = { time: "Zeit", date: "Datum", lat: "Breite", lon: "Länge", accuracy: "Genauigkeit" }
  it("a table with semicolons, decimal commas, quotes and two columns of time", () => {
    const { entries, fault, format } = readWith(file("german.csv"), german)
    expect({ format, fault, entries: entries.map(short) }).toEqual({
      format: "csv",
      fault: null,
      entries: ["2022-03-01T08:15:00Z 52.520008 13.404954 5.5 - - -", "2022-03-01T08:16:00Z 52.5201 13.405 - - - -"]
    })
  })

  it.each([
    ["1577836800", "2020-01-01T00:00:00Z"],
    ["1577836800.5", "2020-01-01T00:00:00.500Z"],
    ["1577836800000", "2020-01-01T00:00:00Z"],
    ["2020-01-01T01:00:00+01:00", "2020-01-01T00:00:00Z"],
    ["2020-01-01 00:00:00", "2020-01-01T00:00:00Z"],
    ["2020-01-01 01:00:00 +0100", "2020-01-01T00:00:00Z"],
    ["2020/1/1 0:00:00 UTC", "2020-01-01T00:00:00Z"],
    ["31.12.2020 08:15", "2020-12-31T08:15:00Z"],
    ["1.2.2020 8:15:30", "2020-02-01T08:15:30Z"],
    ['"1.2.2020, 08:15:30"', "2020-02-01T08:15:30Z"],
    ["01.02.2020 08:15:30.5 +0100", "2020-02-01T07:15:30.500Z"]
  ])("a table with the time %j", (time, expected) => {
    expect(text(`lat,lng,timestamp\n1,2,${time}\n`).entries.map(short)).toEqual([`${expected} 1 2 - - - -`])
  })

  it.each(["12.31.2020 08:15", "1/2/2020 08:15", "01.02.20 08:15", "30.2.2020 08:15"])(
    "a table with the time %j: it is no date, or nothing says which number is the day",
    (time) => {
      expect(text(`lat,lng,timestamp\n1,2,${time}\n`).entries.map(short)).toEqual(["unusable"])
    }
  )

  it("a table with columns that nobody said and nobody knows fails, and says so", () => {
    const rows = "a,b,c\n1,2,2020-01-01T00:00:00Z\n"
    expect(text(rows).fault).toBe("not_ours")
    expect(readWith(Buffer.from(rows), { time: "c", lat: "a", lon: "b" }).entries.map(short)).toEqual([
      "2020-01-01T00:00:00Z 1 2 - - - -"
    ])
    expect(readWith(Buffer.from(rows), { time: "d", lat: "a", lon: "b" }).fault).toBe("other_columns")
  })
})

const GPX = file("track-1.0.gpx")
const ONE = "2015-06-01T10:00:00Z 47.5 8.5 - 400 1.5 270.5"

describe("a packed file [imports-9]", () => {
  it("a gzip of any format is read", () => {
    expect(readings(gzipSync(GPX))).toEqual(readings(GPX))
    expect(readings(gzipSync(fitFile(false)))).toEqual(readings(fitFile(false)))
    expect(readings(gzipSync(file("emission.csv")))).toEqual(readings(file("emission.csv")))
  })

  /** Bytes that cannot be packed, like the bytes of a photo. */
  const photo = Uint8Array.from({ length: 300_000 }, (_, index) =>
    index < 3 ? [0xff, 0xd8, 0xff][index]! : (index * index * 31) >> 7
  )
  const takeout: Zippable = {
    "Takeout/archive_browser.html": strToU8("<!DOCTYPE html><html></html>"),
    "Takeout/Google Photos/2019/IMG.jpg": photo,
    "Takeout/Google Photos/2019/IMG.json": strToU8('{"geoData":{"latitude":1,"longitude":2}}'),
    "Takeout/Location History/Settings.json": strToU8("{}"),
    "Takeout/Location History/Records.json": file("Records.json"),
    "Takeout/Location History/Semantic Location History/2019/2019_MARCH.json": file("2019_MARCH.json")
  }
  const all = [...readings(file("Records.json")).entries, ...readings(file("2019_MARCH.json")).entries]

  it("a Takeout as ZIP: location files in folders are read, photos and lists are passed over", () => {
    expect(readings(zipSync(takeout))).toEqual({ format: "google_takeout", fault: null, entries: all })
  })

  it("a Takeout as TGZ is read", () => {
    const files = Object.entries(takeout).map(([name, content]) => ({ name, content: content as Uint8Array }))
    expect(readings(gzipSync(tarFile(files)))).toEqual({ format: "google_takeout", fault: null, entries: all })
  })

  it("activities that are packed one by one, as sports services export them", () => {
    const activities = zipSync({
      "activities/1.gpx": GPX,
      "activities/2.fit.gz": gzipSync(fitFile(false)),
      "activities.csv": strToU8("Activity ID,Activity Date,Name\n1,today,Ride\n")
    })
    expect(readings(activities).entries).toHaveLength(3)
  })

  it("the same entries come wherever the bytes are cut [imports-5-cut]", () => {
    for (const bytes of [
      zipSync(takeout),
      gzipSync(tarFile([{ name: "a.gpx", content: GPX }])),
      fitFile(true),
      file("emission.csv"),
      file("2015-10.rec")
    ]) {
      for (const lengths of [[1, 2, 3, 997], [30], [511], [4_095, 1]]) expect(read(bytes, lengths)).toEqual(read(bytes))
    }
  })

  it("a damaged file in it: the files around it are read, and the import says that it is damaged", () => {
    const broken = zipSync({ "1.gpx": GPX, "2.gpx": strToU8("<gpx><trk></gpx>"), "3.gpx": GPX })
    expect(readings(broken)).toEqual({ format: "gpx", fault: "damaged", entries: [ONE, ONE] })
  })

  it.each([
    ["without a location file", zipSync({ "a/photo.jpg": strToU8("\u00ff") }), "nothing_inside"],
    ["that leads out of its folder", zipSync({ "../a.gpx": GPX }), "unsafe_archive"],
    ["deep in folders", zipSync({ [`${"a/".repeat(40)}b.gpx`]: GPX }), "unsafe_archive"],
    ["cut off", zipSync({ "a.gpx": GPX }).subarray(0, 200), "cut_off"],
    ["gzip, cut off", gzipSync(GPX).subarray(0, 150), "cut_off"],
    ["gzip of zeros", gzipSync(new Uint8Array(64_000_000)), "unsafe_archive"],
    [
      "a table that expands a thousand times",
      gzipSync(strToU8(`lat,lon,time\n${"1,2,3\n".repeat(9_000_000)}`)),
      "unsafe_archive"
    ],
    [
      "a zip file with that",
      zipSync({ "a.csv": strToU8(`lat,lon,time\n${"1,2,3\n".repeat(9_000_000)}`) }),
      "unsafe_archive"
    ],
    ["in itself, again and again", gzipSync(gzipSync(gzipSync(gzipSync(GPX)))), "not_ours"],
    ["of a photo", gzipSync(new Uint8Array([0xff, 0xd8, 0xff, 0xe0])), "not_ours"],
    ["zip in zip", zipSync({ "b.zip": zipSync({ "a.gpx": GPX }) }), "nothing_inside"]
  ])("%s: refused with a reason", (_, bytes, fault) => {
    expect(read(bytes).fault).toBe(fault)
    expect(read(bytes, [131_072]).fault).toBe(fault)
  })
})

describe("a file that is not read says what it is, and repeats nothing of it", () => {
  it.each([
    ["\u00ff\u00d8\u00ff\u00e0SECRET", "is a photo (JPEG): choose GPX, KML"],
    ["%PDF-1.7 SECRET", "is a PDF document: choose GPX"],
    ["<!DOCTYPE html><title>SECRET", "is a web page: choose"],
    ["Dear diary, SECRET", "is a text without columns for latitude, longitude and time: choose"],
    ["\u0001\u0002\u0000SECRET", "is of a kind that is not read here: choose"]
  ])("%j", (content, expected) => {
    const problem = FileKind.problem(FileKind.of(Uint8Array.from(content, (one) => one.charCodeAt(0))))
    expect(problem).toContain(expected)
    expect(problem).not.toContain("SECRET")
  })
})

describe.skipIf(!haveTraces)(`recorded logs${TRACES_NEEDED}`, () => {
  it.each(traceFiles())("$name: every line is a reading", ({ bytes }) => {
    const lines = new TextDecoder().decode(bytes).trim().split("\n").length - 1
    const { entries, fault, format } = read(bytes, [16_384])
    expect([format, fault, entries.length]).toEqual(["csv", null, lines])
    expect(entries.filter(({ _tag }) => _tag !== "Reading")).toEqual([])
  })
})
