import { Import } from "@place-access/domain/imports"
import { gzipSync, strToU8, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { tarFile } from "./packed.js"
import { short } from "./short.js"
import { read, text } from "./support.js"

const NOON = "2024-02-17T12:00:00Z"
const LATER = "2024-02-17T12:00:30Z"

/** The entries in short, each with the origin of its device. */
const found = (bytes: Uint8Array) => {
  const { entries, fault, format } = read(bytes)
  const origins = entries.map((entry) => (entry._tag === "Reading" ? entry.origin : undefined))
  return { format, fault, entries: entries.map((entry, index) => `${origins[index] ?? "import"}: ${short(entry)}`) }
}
const foundIn = (content: string) => found(Buffer.from(content))

describe("readings of several devices in one file are kept apart [imports-1]", () => {
  it("a Takeout's Records.json: by the tag of the device", () => {
    const record = { latitudeE7: 521_000_000, longitudeE7: 42_000_000, timestamp: NOON }
    const locations = [
      { ...record, deviceTag: -97 },
      { ...record, deviceTag: 55, timestamp: LATER },
      { ...record, deviceTag: "-97" },
      record,
      { ...record, deviceTag: "x".repeat(129) }
    ]
    expect(foundIn(JSON.stringify({ locations }))).toEqual({
      format: "google_takeout",
      fault: null,
      entries: [
        `-97: ${NOON} 52.1 4.2 - - - -`,
        `55: ${LATER} 52.1 4.2 - - - -`,
        `-97: ${NOON} 52.1 4.2 - - - -`,
        `import: ${NOON} 52.1 4.2 - - - -`,
        `import: ${NOON} 52.1 4.2 - - - -`
      ]
    })
  })

  it("a GPX file of this service: by the device that a track names, and tracks of other programs are of one device", () => {
    const point = `<trkpt lat="1" lon="2"><time>${NOON}</time></trkpt>`
    const track = (before: string) => `<trk>${before}<trkseg>${point}</trkseg></trk>`
    const named = (id: string) => track(`<extensions><device_id>${id}</device_id></extensions>`)
    const { entries } = foundIn(`<gpx>${named("dev_1")}${named("dev_2")}${track("<name>Run</name>")}</gpx>`)
    const entry = `${NOON} 1 2 - - - -`
    expect(entries).toEqual([`dev_1: ${entry}`, `dev_2: ${entry}`, `import: ${entry}`])
  })

  const log = (lat: number) =>
    strToU8(`${NOON}\t*                 \t{"_type":"location","lat":${lat},"lon":2,"tst":1708171200}\n`)
  const store = { "rec/jane/phone/2024-02.rec": log(1), "rec/jane/tablet/2024-02.rec": log(2), "2024-02.rec": log(3) }
  const entries = [1, 2, 3].map((lat) => `${NOON} ${lat} 2 - - - -`)
  const apart = [`rec/jane/phone: ${entries[0]}`, `rec/jane/tablet: ${entries[1]}`, `import: ${entries[2]}`]

  it("the packed store of OwnTracks' recorder: by the folder of a log", () => {
    expect(found(zipSync(store))).toEqual({ format: "owntracks", fault: null, entries: apart })
    const files = Object.entries(store).map(([name, content]) => ({ name, content }))
    expect(found(gzipSync(tarFile(files)))).toEqual({ format: "owntracks", fault: null, entries: apart })
    const packed = zipSync({ "rec/jane/phone/2024-02.rec.gz": gzipSync(log(1)) })
    expect(found(packed).entries).toEqual(apart.slice(0, 1))
  })

  it("the folders of other files do not tell devices apart", () => {
    const gpx = strToU8(`<gpx><trk><trkpt lat="1" lon="2"><time>${NOON}</time></trkpt></trk></gpx>`)
    const { entries } = found(zipSync({ "2023/a.gpx": gpx, "2024/b.gpx": gpx }))
    expect(entries).toEqual(Array.from({ length: 2 }, () => `import: ${NOON} 1 2 - - - -`))
  })
})

describe("a Takeout since 2024 [imports-4]", () => {
  const position = {
    point: { latE7: 426_974_802, lngE7: -778_539_156 },
    accuracyMm: 100_500,
    altitudeMeters: 224,
    source: "WIFI",
    speedMetersPerSecond: 0.5,
    timestamp: NOON
  }
  const edit = (signal: object, deviceId = "-538926953") => ({ deviceId, rawSignal: { signal } })
  const aggregates = { deviceId: "0", placeAggregates: { placeAggregateInfo: [{ point: position.point }] } }
  const others = [edit({ activityRecord: { timestamp: NOON } }), edit({ wifiScan: {} }), aggregates]

  it("the measured positions of Timeline Edits.json are read, with the accuracy in metres", () => {
    const { point: _, ...without } = position
    const timelineEdits = [...others, edit({ position }), edit({ position }, "7"), edit({ position: without })]
    expect(foundIn(JSON.stringify({ timelineEdits }))).toEqual({
      format: "google_takeout",
      fault: null,
      entries: [
        `-538926953: ${NOON} 42.6974802 -77.8539156 100.5 224 0.5 -`,
        `7: ${NOON} 42.6974802 -77.8539156 100.5 224 0.5 -`,
        "import: unusable"
      ]
    })
  })

  it("without a measured position, the archive has no location history", () => {
    const takeout = zipSync({
      "Takeout/Timeline/Settings.json": strToU8('{"createdTime":"2014-01-01T00:00:00Z"}'),
      "Takeout/Timeline/Timeline Edits.json": strToU8(JSON.stringify({ timelineEdits: others })),
      "Takeout/Timeline/Tombstones.csv": strToU8("Device Tag,Start Time,End Time\n"),
      "Takeout/Timeline/Encrypted Backups.txt": strToU8("You have an encrypted backup of your Timeline.\n")
    })
    expect(found(takeout)).toEqual({ format: null, fault: "nothing_inside", entries: [] })
    expect(Import.explain("nothing_inside", { stored: 0 })).toContain("export the Timeline on your phone")
  })
})

describe("OwnTracks [imports-4]", () => {
  const message = { _type: "location", lat: 52, lon: 4, tst: 1_708_171_200, acc: 10, alt: 7, vac: 3 }
  const log = (message: object) => text(`${NOON}\t*                 \t${JSON.stringify(message)}\n`).entries.map(short)

  it("a time that was counted from 2001 is repaired, as in an upload; the time of a wrong clock is not (decision L3)", () => {
    expect(log({ ...message, tst: 1_708_171_200 - 978_307_200 })).toEqual([`${NOON} 52 4 10 7 - -`])
    expect(log({ ...message, tst: 315_964_800 })).toEqual(["1980-01-06T00:00:00Z 52 4 10 7 - -"])
  })

  it("an altitude with a negative accuracy has no meaning, as in an upload", () => {
    expect(log({ ...message, vac: -1 })).toEqual([`${NOON} 52 4 10 - - -`])
  })

  it("the list of locations that the recorder's API answers is read, and a list `data` of something else is not", () => {
    const answer = (data: ReadonlyArray<unknown>) => foundIn(JSON.stringify({ count: 2, data, status: 200 }))
    expect(answer([message, { _type: "transition", tst: 1_708_171_200 }])).toEqual({
      format: "owntracks",
      fault: null,
      entries: [`import: ${NOON} 52 4 10 7 - -`]
    })
    expect(answer([{ lat: 52, lon: 4, tst: 1_708_171_200 }])).toEqual({ format: null, fault: "not_ours", entries: [] })
  })
})

it("GPX of Apple Health: the accuracy is in hAcc, and vAcc is that of the altitude [imports-4]", () => {
  const extensions = "<extensions><speed>1.2</speed><course>90</course><hAcc>165.3</hAcc><vAcc>2</vAcc></extensions>"
  const point = `<trkpt lon="4.2" lat="52.1"><ele>1.5</ele><time>${NOON}</time>${extensions}</trkpt>`
  expect(foundIn(`<gpx><trk><trkseg>${point}</trkseg></trk></gpx>`).entries).toEqual([
    `import: ${NOON} 52.1 4.2 165.3 1.5 1.2 90`
  ])
})
