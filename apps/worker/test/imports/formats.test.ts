import { describe, expect, it } from "vitest"
import { short } from "./short.js"
import { file, read, text } from "./support.js"

const at = (iso: string): number => Date.parse(iso)

const readings = (name: string) => {
  const { entries, fault, format } = read(file(name))
  expect(fault).toBeNull()
  return { format, entries: entries.map(short) }
}

/** A table and a log with one position each. */
const TABLE = "lat,lon,time\n1,2,2020-01-01T00:00:00Z\n"
const RECORDED = `2020-01-01T00:00:00Z\t*                 \t{"_type":"location","lat":1,"lon":2,"tst":1577836800}\n`

describe("what is read of", () => {
  it("GPX 1.1: points of tracks with their extensions; no waypoint, no route [imports-4]", () => {
    expect(readings("track-1.1.gpx")).toEqual({
      format: "gpx",
      entries: [
        "2024-11-03T09:30:11.331Z 52.3702157 4.8951679 6.25 17.5 2.8 91",
        "2024-11-03T09:31:00Z 52.3703 4.8953 - - - -",
        "unusable",
        "unusable",
        "2024-11-03T09:33:00Z -33.8688 151.2093 - - - -"
      ]
    })
  })

  it("GPX 1.0: speed and course stand in the point itself", () => {
    expect(readings("track-1.0.gpx")).toEqual({
      format: "gpx",
      entries: ["2015-06-01T10:00:00Z 47.5 8.5 - 400 1.5 270.5"]
    })
  })

  it("the export of an Android phone: paths, what it measured, and outermost visits [imports-4]", () => {
    expect(readings("timeline-android.json")).toEqual({
      format: "google_android",
      entries: [
        "2024-04-03T06:14:00Z 50.0506312 14.3439906 - - - -",
        "2024-04-03T06:46:00Z 50.051 14.345 - - - -",
        "unusable",
        "visit 2024-04-03T06:13:57Z 2024-04-03T18:10:18Z 50.0506312 14.3439906",
        "2024-04-03T18:10:18Z 50.0506312 14.3439906 - - - -",
        "2024-04-03T18:40:00Z 50.1 14.4 - - - -",
        "2024-04-26T18:55:00Z 48.8566 2.3522 15 35.5 0.5 -",
        "unusable"
      ]
    })
  })

  it("the export of an iPhone: visits, and paths in minutes since their start [imports-4]", () => {
    expect(readings("timeline-ios.json")).toEqual({
      format: "google_ios",
      entries: [
        "visit 2023-08-27T20:48:56Z 2023-08-27T22:04:26.999Z 27.720022 -97.347951",
        "2023-08-27T20:49:00Z 27.720007 -97.348044 - - - -",
        "2023-08-27T21:48:00Z 27.701123 -97.362988 - - - -",
        "unusable",
        "2023-08-28T09:00:00Z 27.7 -97.3 - - - -",
        "2023-08-28T10:00:00Z 27.8 -97.4 - - - -"
      ]
    })
  })

  it("a Takeout's Records.json, of whatever year [imports-4]", () => {
    expect(readings("Records.json")).toEqual({
      format: "google_takeout",
      entries: [
        "2012-12-15T14:21:29.460Z 53.369055 83.695001 150 - - -",
        "2013-03-01T05:15:39.849Z -33.8688 151.2093 22 30 3 181",
        "2013-03-01T05:17:40Z -29.4967296 -50 - - - -",
        "unusable"
      ]
    })
  })
})

const POINT = '<trkpt lat="1" lon="2"><time>2020-01-01T00:00:00Z</time></trkpt>'

describe("GPX as it also comes", () => {
  const gpx = `<gpx><trk><trkseg>${POINT}</trkseg></trk></gpx>`
  const utf16 = Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${gpx}`, "utf16le")
  it.each([
    ["without a declaration or a namespace", Buffer.from(gpx)],
    ["with a byte order mark and blank lines before it", Buffer.from(`\ufeff\r\n<?xml version="1.0"?>${gpx}`)],
    ["with a prefix on every name", Buffer.from(gpx.replaceAll(/<(\/?)(?=\w)/g, "<$1g:"))],
    ["with a prefix that nobody declared", Buffer.from(gpx.replace("</time>", "</time><x:y/>"))],
    ["in UTF-16, little end first", utf16],
    ["in UTF-16, big end first", Buffer.from(utf16).swap16()],
    [
      "in Latin-1",
      Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${gpx.replace("<trk>", "<trk><name>é</name>")}`, "latin1")
    ]
  ])("%s", (_, bytes) => {
    const { entries, fault, format } = read(bytes)
    expect({ format, fault, entries: entries.map(short) }).toEqual({
      format: "gpx",
      fault: null,
      entries: ["2020-01-01T00:00:00Z 1 2 - - - -"]
    })
  })

  it.each([
    ["2020-01-01T02:00:00+02", "2020-01-01T00:00:00Z"],
    ["2020-01-01T02:00:00+0200", "2020-01-01T00:00:00Z"],
    ["2020-01-01T02:00:00+02:00", "2020-01-01T00:00:00Z"],
    [" 2020-01-01T00:00:00.25Z\n", "2020-01-01T00:00:00.250Z"],
    ["2020-01-01T00:00:00", "2020-01-01T00:00:00Z"]
  ])("the time %j", (time, expected) => {
    const { entries } = text(gpx.replace("2020-01-01T00:00:00Z", time))
    expect(entries.map(short)).toEqual([`${expected} 1 2 - - - -`])
  })

  it.each(["yesterday", "2020", "2020-01-01", "", "1577836800", "2020-13-01T00:00:00Z"])("%j is no time", (time) => {
    expect(text(gpx.replace("2020-01-01T00:00:00Z", time)).entries.map(short)).toEqual(["unusable"])
  })
})

describe("a file that is something else, or broken", () => {
  const android = file("timeline-android.json").toString()
  const gpx = file("track-1.1.gpx").toString()
  it.each([
    ["nothing", "", null, "not_ours", 0],
    ["blanks", " \n ".repeat(1_000), null, "not_ours", 0],
    ["a web page", "<!doctype html><html></html>", null, "not_ours", 0],
    [
      "KML without a time",
      "<kml><Placemark><Point><coordinates>1,2</coordinates></Point></Placemark></kml>",
      "kml",
      null,
      0
    ],
    ["XML of another kind", "<rss><channel/></rss>", null, "not_ours", 0],
    ["a root that JavaScript knows", "<constructor/>", null, "not_ours", 0],
    ["GeoJSON without a place", '{"type":"FeatureCollection","features":[{"geometry":null}]}', null, "not_ours", 0],
    ["an array of numbers", "[1,2,3]", null, "not_ours", 0],
    ["text", "lat,lon,notes", null, "not_ours", 0],
    ["a table without a line", "lat,lon,time", "csv", null, 0],
    ["a table without a last line break", `${TABLE}1,2,2020-01-01T00:00:00Z`, "csv", null, 2],
    ["a table that ends within a line", `${TABLE}1,2`, "csv", "cut_off", 1],
    ["a table with a short line within", `${TABLE}1,2\n`, "csv", null, 2],
    ["a table that ends within quotes", `${TABLE}1,2,"2020-01`, "csv", "cut_off", 1],
    ["a log without a last line break", RECORDED.repeat(2).trimEnd(), "owntracks", null, 2],
    ["a log that ends within a message", `${RECORDED}${RECORDED.slice(0, -9)}`, "owntracks", "cut_off", 1],
    ["a log that ends before a message", `${RECORDED}2020-01-01T00:00:01Z`, "owntracks", "cut_off", 1],
    ["an unfinished GPX file", gpx.slice(0, gpx.indexOf("<trkseg />")), "gpx", "cut_off", 4],
    ["GPX with tags that do not match", gpx.replace("</trkseg>", "</trk>"), "gpx", "damaged", 4],
    ["an unfinished JSON file", android.slice(0, android.indexOf('"rawSignals"')), "google_android", "cut_off", 6],
    ["broken JSON", android.replace('"rawSignals": [', '"rawSignals": [!'), "google_android", "damaged", 6],
    ["JSON with something after it", `${android}{}`, "google_android", "damaged", 8],
    ["an entity nobody declared", `<gpx><trk>${POINT}&lol;${POINT}</trk></gpx>`, "gpx", "damaged", 1],
    ["an encoding nobody knows", '<?xml version="1.0" encoding="klingon"?><gpx/>', null, "not_ours", 0],
    ["GPX without a track", '<gpx><wpt lat="1" lon="2"/></gpx>', "gpx", null, 0]
  ])("%s", (_, content, format, fault, entries) => {
    const found = text(content)
    expect([found.format, found.fault, found.entries.length]).toEqual([format, fault, entries])
  })
})

describe("a file made to do harm", () => {
  it("billion laughs: no entity is ever expanded, and the points around them are read", () => {
    const entities = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`)
    const laughs = `<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY l0 "lol">${entities.join("")}]><gpx><trk>&l9;${POINT}</trk></gpx>`
    const { entries, fault } = text(laughs)
    expect([entries.map(short), fault]).toEqual([["2020-01-01T00:00:00Z 1 2 - - - -"], null])
  })

  it("an external entity is never fetched: its name stays text, which is no time", () => {
    const external = `<!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]><gpx><trk>${POINT.replace("2020-01-01T00:00:00Z", "&x;")}</trk></gpx>`
    const { entries, fault } = text(external)
    expect([entries.map(short), fault]).toEqual([["unusable"], null])
  })

  const MIB = 1_048_576
  it.each([
    ["tags in tags", "<gpx>" + "<a>".repeat(MIB / 3), "damaged"],
    ["brackets in brackets", `{"locations":[${"[".repeat(MIB)}`, "not_ours"],
    ["one endless text", `{"locations":[{"a":"${"x".repeat(2 * MIB)}`, "not_ours"],
    ["one endless number", `[${"1".repeat(2 * MIB)}`, "not_ours"],
    ["an element without end", `{"locations":[{"a":[${"1,".repeat(MIB)}`, "not_ours"],
    ["much that is nobody's", `{"other":[${"1,".repeat(MIB)}`, "not_ours"],
    ["one endless comment", `<gpx><!--${"x".repeat(2 * MIB)}`, "damaged"],
    ["one endless document type", `<!DOCTYPE ${"x".repeat(2 * MIB)}`, "not_ours"],
    [
      "attributes without end",
      `<gpx ${Array.from({ length: MIB / 8 }, (_, index) => `a${index}="1"`).join(" ")}`,
      "not_ours"
    ]
  ])("%s: refused long before it is in memory [imports-5]", (_, content, fault) => {
    expect(text(content).fault).toBe(fault)
  })

  it("names that mean something to JavaScript mean nothing", () => {
    const { entries, fault } = text(
      '{"locations":[{"__proto__":{"latitudeE7":1,"longitudeE7":1,"timestampMs":"1"}}],"constructor":[{}]}'
    )
    expect([entries.map(short), fault]).toEqual([["unusable"], null])
  })
})

it("a time that Google's file has twice is taken from the point", () => {
  const step = '{"point":"1°, 2°","time":"2020-01-01T00:00:00Z","durationMinutesOffsetFromStartTime":"7"}'
  const { entries } = text(`[{"startTime":"2019-01-01T00:00:00Z","timelinePath":[${step}]}]`)
  expect(entries).toEqual([{ _tag: "Reading", reading: { capturedAt: at("2020-01-01T00:00:00Z"), lat: 1, lon: 2 } }])
})
