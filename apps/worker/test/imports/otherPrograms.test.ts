import { Import } from "@place-access/domain/imports"
import { gzipSync, strToU8, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { fitFile, tarFile } from "./packed.js"
import { short } from "./short.js"
import { file, read, readWith, text } from "./support.js"

const readings = (bytes: Uint8Array) => {
  const { entries, fault, format } = read(bytes)
  return { format, fault, entries: entries.map(short) }
}
const textOf = (content: string) => readings(Buffer.from(content))

const NOON = "2020-01-01T12:00:00Z"
const LATER = "2020-01-01T12:01:00Z"

describe("GeoJSON [imports-4]", () => {
  const line = (properties: object) => ({
    type: "Feature",
    geometry: {
      type: "LineString",
      coordinates: [
        [4, 52],
        [5, 53]
      ]
    },
    properties
  })
  const point = (lon: number, properties: object) => ({
    type: "Feature",
    geometry: { type: "Point", coordinates: [lon, 52] },
    properties
  })

  it.each([
    ["coordTimes", { time: NOON, coordTimes: [NOON, LATER] }],
    ["coordinateProperties", { time: NOON, coordinateProperties: { times: [NOON, LATER] } }]
  ])("a line has the list of its times, beside the one time of the track: %s", (_, properties) => {
    const { entries } = textOf(JSON.stringify({ features: [line(properties)] }))
    expect(entries).toEqual([`${NOON} 52 4 - - - -`, `${LATER} 53 5 - - - -`])
  })

  it.each([
    [
      "Saved Places.json",
      { date: NOON, google_maps_url: "https://maps.google.com/?cid=1", location: { name: "Café" } }
    ],
    ["Reviews.json", { date: NOON, five_star_rating_published: 4, google_maps_url: "https://maps.google.com/?cid=1" }],
    ["an older Saved Places.json", { Published: NOON, date: NOON, "Google Maps URL": "https://maps.google.com/?cid=1" }]
  ])("a place that a person saved or reviewed in Google Maps is no position of this person: %s", (_, properties) => {
    const content = JSON.stringify({ type: "FeatureCollection", features: [point(1, properties)] })
    expect(textOf(content)).toEqual({ format: "geojson", fault: null, entries: [] })
  })

  it("of Overland: visits are visits, and actions and trips are no positions [devices-8]", () => {
    const locations = [
      point(1, { timestamp: NOON, altitude: 7, vertical_accuracy: -1 }),
      point(2, { timestamp: NOON, altitude: 7, vertical_accuracy: 3, action: null }),
      point(3, { timestamp: LATER, action: "visit", arrival_date: NOON, departure_date: LATER }),
      point(4, {
        timestamp: LATER,
        action: "visit",
        arrival_date: NOON,
        departure_date: "4001-01-01T00:00:00Z"
      }),
      point(5, { timestamp: NOON, action: "paused_location_updates" }),
      point(6, { timestamp: NOON, type: "trip", start: NOON, end: LATER })
    ]
    const { entries, fault, format } = text(JSON.stringify({ locations }))
    const visit = { arrival: Date.parse(NOON), departure: Date.parse(LATER), lat: 52, lon: 3, accuracyM: null }
    expect([format, fault]).toEqual(["geojson", null])
    expect(entries.slice(0, 2).map(short)).toEqual([`${NOON} 52 1 - - - -`, `${NOON} 52 2 - 7 - -`])
    expect(entries.slice(2)).toEqual([
      { _tag: "Visit", visit },
      { _tag: "Visit", visit: { ...visit, lon: 4, departure: null } }
    ])
  })

  it("a file that is one feature is read, with its members in any order", () => {
    const { geometry, properties, type } = line({ coordTimes: [NOON, LATER] })
    const entries = [`${NOON} 52 4 - - - -`, `${LATER} 53 5 - - - -`]
    for (const feature of [
      { type, geometry, properties },
      { bbox: [4, 52, 5, 53], properties, geometry, id: "features", type }
    ]) {
      expect(textOf(JSON.stringify(feature))).toEqual({ format: "geojson", fault: null, entries })
      expect(textOf(JSON.stringify(feature, null, 2))).toEqual({ format: "geojson", fault: null, entries })
    }
    expect(textOf(JSON.stringify({ type, geometry, properties: {} })).format).toBe("geojson")
    const cut = JSON.stringify({ type, geometry, properties }).slice(0, -1)
    expect(textOf(cut)).toEqual({ format: null, fault: "not_ours", entries: [] })
  })

  it("a file with a feature in each line is read; a feature without a geometry has no entry", () => {
    const none = { type: "Feature", geometry: null, properties: { time: NOON } }
    const lines = [point(1, { time: NOON }), none, point(2, { time: LATER })].map((one) => JSON.stringify(one))
    const entries = [`${NOON} 52 1 - - - -`, `${LATER} 52 2 - - - -`]
    const bytes = Buffer.from(lines.join("\n"))
    expect(readings(bytes)).toEqual({ format: "geojson", fault: null, entries })
    for (const lengths of [[1], [7], [lines[0]?.length ?? 0, 2]]) expect(read(bytes, lengths)).toEqual(read(bytes))
    expect(textOf(`${lines.toReversed().join("\r\n")}\n`).entries).toEqual(entries.toReversed())
    expect(readings(bytes.subarray(0, -1))).toEqual({
      format: "geojson",
      fault: "cut_off",
      entries: entries.slice(0, 1)
    })
    for (const rest of ["x", "[]", "}", "{]"]) {
      expect(textOf(`${lines[0]}\n${rest}`)).toEqual({ format: "geojson", fault: "damaged", entries: [entries[0]] })
    }
  })

  it("an object that is no feature is no location history, and nothing may follow a collection", () => {
    const { geometry, properties } = point(1, { time: NOON })
    for (const other of [geometry, { geometry, properties }, { type: "Topology", geometry, properties }]) {
      expect(textOf(JSON.stringify(other))).toEqual({ format: null, fault: "not_ours", entries: [] })
    }
    const collection = JSON.stringify({ type: "FeatureCollection", features: [point(1, { time: NOON })] })
    expect(textOf(`${collection}\n${collection}`)).toEqual({
      format: "geojson",
      fault: "damaged",
      entries: [`${NOON} 52 1 - - - -`]
    })
  })

  it("a file that is one feature of more than 4 MiB is GeoJSON with an entry that cannot be used", () => {
    const { geometry, properties, type } = line({ note: "x".repeat(4_194_304) })
    for (const feature of [
      { type, geometry, properties },
      { type, geometry: { ...geometry, ...properties }, properties: {} }
    ]) {
      const bytes = Buffer.from(JSON.stringify(feature))
      expect(readings(bytes)).toEqual({ format: "geojson", fault: null, entries: ["unusable"] })
      expect(read(bytes, [65_536])).toEqual(read(bytes))
    }
  })

  it("a feature of more than 4 MiB is left out and counted, and the features around it are read", () => {
    const large = line({ note: "x".repeat(4_194_304) })
    const features = [point(1, { time: NOON }), large, point(2, { time: LATER })]
    const bytes = Buffer.from(JSON.stringify({ features }))
    const whole = read(bytes)
    expect([whole.format, whole.fault, whole.entries.map(short)]).toEqual([
      "geojson",
      null,
      [`${NOON} 52 1 - - - -`, "unusable", `${LATER} 52 2 - - - -`]
    ])
    for (const lengths of [[16_384], [150, 4_194_400, 7]]) expect(read(bytes, lengths)).toEqual(whole)
    expect(textOf(JSON.stringify({ features: [large] }))).toEqual({
      format: "geojson",
      fault: null,
      entries: ["unusable"]
    })
  })
})

describe("a table of a GPS logger [imports-10]", () => {
  it("i-Blue 747: the columns N/S and E/W give the sign of the position", () => {
    const rows = [
      "INDEX,RCR,DATE,TIME,VALID,LATITUDE,N/S,LONGITUDE,E/W,HEIGHT(m)",
      "1,T,2020/01/01,12:00:00,SPS,33.5,S,70.5,W,500",
      "2,T,2020/01/01,12:01:00,SPS,33.5,N,70.5,E,500",
      "3,T,2020/01/01,12:01:00,SPS,-33.5,s,-70.5, w ,500"
    ].join("\n")
    expect(textOf(rows)).toEqual({
      format: "csv",
      fault: null,
      entries: [`${NOON} -33.5 -70.5 - 500 - -`, `${LATER} 33.5 70.5 - 500 - -`, `${LATER} -33.5 -70.5 - 500 - -`]
    })
    const chosen = { date: "DATE", time: "TIME", lat: "LATITUDE", lon: "LONGITUDE" }
    expect(readWith(Buffer.from(rows), chosen).entries.map(short)[0]).toBe(`${NOON} -33.5 -70.5 - - - -`)
  })

  it("Qstarz: UTC DATE belongs to UTC TIME, and the local time is not read", () => {
    const rows = [
      "INDEX,UTC DATE,UTC TIME,LOCAL DATE,LOCAL TIME,MS,VALID,LATITUDE,N/S,LONGITUDE,E/W,ALTITUDE",
      "1,2020/01/01,12:00:00,2020/01/01,04:00:00,0,SPS,33.5,S,70.5,W,500"
    ].join("\n")
    expect(textOf(rows).entries).toEqual([`${NOON} -33.5 -70.5 - 500 - -`])
  })
})

describe("plans are no history [imports-4]", () => {
  const track = `<Track><Trackpoint><Time>${NOON}</Time><Position><LatitudeDegrees>52</LatitudeDegrees><LongitudeDegrees>4</LongitudeDegrees></Position></Trackpoint></Track>`
  const activity = `<Activities><Activity><Lap>${track}</Lap></Activity></Activities>`
  const course = `<Courses><Course><Name>x</Name>${track}</Course></Courses>`

  it("TCX: a course is left out, and the activities around it are read", () => {
    const tcx = (content: string) => textOf(`<TrainingCenterDatabase>${content}</TrainingCenterDatabase>`)
    expect(tcx(course)).toEqual({ format: "tcx", fault: null, entries: [] })
    expect(tcx(`${activity}${course}${activity}`).entries).toHaveLength(2)
  })

  it.each([false, true])(
    "FIT: a course is left out, and an activity behind it is read (big end first: %s)",
    (isBig) => {
      expect(readings(fitFile(isBig, 6))).toEqual({ format: "fit", fault: null, entries: [] })
      expect(readings(fitFile(isBig, 4))).toEqual(readings(fitFile(isBig)))
      expect(readings(Buffer.concat([fitFile(isBig, 6), fitFile(isBig)]))).toEqual(readings(fitFile(isBig)))
    }
  )
})

it("KML: the times of a view are no times of the place [imports-4]", () => {
  const view = "<gx:TimeSpan><begin>2019-01-01T00:00:00Z</begin><end>2019-01-02T00:00:00Z</end></gx:TimeSpan>"
  const mark = (own: string) =>
    `<Placemark><LookAt>${view}</LookAt>${own}<Point><coordinates>4,52</coordinates></Point></Placemark>`
  const stamp = `<TimeStamp><when>${NOON}</when></TimeStamp>`
  expect(textOf(`<kml>${mark("")}${mark(stamp)}<Document><Camera>${view}</Camera></Document></kml>`)).toEqual({
    format: "kml",
    fault: null,
    entries: [`${NOON} 52 4 - - - -`]
  })
})

describe("a packed file [imports-9]", () => {
  const GPX = file("track-1.0.gpx")

  it("different names that are no UTF-8 are different, although they look the same", () => {
    const bytes = Buffer.from(zipSync({ "aa.gpx": GPX, "ab.gpx": GPX }))
    // Names in the old encoding CP866: two letters that are not ASCII before ".gpx".
    const named = Buffer.from(
      bytes.toString("latin1").replaceAll("aa.gpx", "\u0080\u0081.gpx").replaceAll("ab.gpx", "\u0080\u0082.gpx"),
      "latin1"
    )
    expect(readings(named)).toEqual({ format: "gpx", fault: null, entries: readings(bytes).entries })
    const sameTwice = Buffer.from(bytes.toString("latin1").replaceAll("ab.gpx", "aa.gpx"), "latin1")
    expect(read(sameTwice).fault).toBe("unsafe_archive")
    const directory = named.indexOf("PK\u0001\u0002", 0, "latin1")
    const otherHere = Buffer.from(named)
    otherHere[directory + 46] = 0x83
    expect(read(otherHere).fault).toBe("damaged")
  })

  it("an archive in it that has no location file is passed over", () => {
    const docs = tarFile([{ name: "readme.txt", content: strToU8("hello") }])
    expect(readings(zipSync({ "a.gpx": GPX, "docs.tar": docs }))).toEqual(readings(GPX))
    expect(readings(zipSync({ "docs.tar": docs })).fault).toBe("nothing_inside")
  })

  it("that is refused in the middle says what is kept [imports-7]", () => {
    const bomb = gzipSync(strToU8(`lat,lon,time\n${"1,2,3\n".repeat(500_000)}`))
    const packed = tarFile([
      { name: "a.gpx", content: GPX },
      { name: "b.csv.gz", content: bomb }
    ])
    const { entries, fault } = read(packed, [1_000])
    expect([entries[0], fault]).toEqual([read(GPX).entries[0], "unsafe_archive"])
    for (const refused of ["unsafe_archive", "damaged_archive"] as const) {
      expect(Import.explain(refused, { stored: 1 })).toMatch(/\. What was read before that is stored\.$/)
      expect(Import.explain(refused, { stored: 0 })).toMatch(/\. Nothing of it was stored\.$/)
    }
  })
})
