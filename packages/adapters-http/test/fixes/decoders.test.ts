import { Fix } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as OsmAnd from "@place-access/adapters-http/fixes/OsmAnd"
import * as Overland from "@place-access/adapters-http/fixes/Overland"
import * as OwnTracks from "@place-access/adapters-http/fixes/OwnTracks"
import { anyBody } from "./anyBody.js"
import * as Recorded from "./recorded.js"

const AT = Timestamp.make(Date.UTC(2026, 2, 1, 12))
const NOW = Timestamp.plus(AT, 5_000)
const PLACE = { lat: 52.37, lon: 4.89 }

/** A request of OsmAnd's protocol, as `OsmAndRequest` reads it. */
const osmAnd = ({ body, query }: { readonly body: string; readonly query: string }) => {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    json = undefined
  }
  const sent = OsmAnd.requestOf(query, body, json)
  return {
    deviceId: OsmAnd.deviceId(sent),
    readings: OsmAnd.entries(sent).flatMap(OsmAnd.decode(sent.query, NOW))
  }
}
const query = (fields: Readonly<Record<string, string>>) =>
  osmAnd({ query: new URLSearchParams(fields).toString(), body: "" }).readings
const json = (value: unknown) => osmAnd({ query: "", body: JSON.stringify(value) }).readings
const ownTracks = (body: unknown) => OwnTracks.messages(body).flatMap(OwnTracks.decode)
const overland = (body: unknown) => {
  const features = Overland.features(body)
  return features === undefined ? undefined : Overland.upload(features.map(Overland.decode))
}
const judged = (reading: Fix.Reading | undefined) => (reading === undefined ? undefined : Fix.judge(reading, NOW))

describe("Overland", () => {
  it("a fix: times in whole seconds, metres, metres a second", () => {
    expect(overland({ locations: [Recorded.overlandFix(AT)] })).toEqual({
      readings: [{ capturedAt: AT, ...PLACE, accuracyM: 8, altitudeM: 12, speedMps: 4, courseDeg: 271 }],
      visits: []
    })
  })

  it("what iOS does not know is -1: an altitude without accuracy is none", () => {
    const body = { locations: [Recorded.overlandFix(AT, { vertical_accuracy: -1, speed: -1, course: -1 })] }
    expect(judged(overland(body)?.readings[0])).toMatchObject({
      fix: { altitudeM: null, speedMps: null, courseDeg: null, accuracyM: 8 }
    })
  })

  it("a visit is no fix: open, closed, departure only; distantPast and distantFuture are unknown times [devices-8]", () => {
    const [from, to] = [AT - 60_000, AT - 1_000]
    const distant = Recorded.overlandVisit(AT, null, null)
    const locations = [
      Recorded.overlandVisit(AT, from, null),
      Recorded.overlandVisit(AT, from, to),
      Recorded.overlandVisit(AT, null, to),
      {
        ...distant,
        properties: {
          ...distant.properties,
          arrival_date: "0001-01-01T00:00:00Z",
          departure_date: "4001-01-01T00:00:00Z"
        }
      }
    ]
    const decoded = overland({ locations })
    expect(decoded?.readings).toEqual([])
    expect(decoded?.visits).toEqual(
      [
        [from, null],
        [from, to],
        [null, to],
        [null, null]
      ].map(([arrival, departure]) => ({ arrival, departure, ...PLACE, accuracyM: 30 }))
    )
  })

  it("actions with or without a place, trips, and what is no feature hold nothing to store", () => {
    const locations = [
      Recorded.overlandAction(AT),
      Recorded.overlandAction(AT, { type: "Point", coordinates: [4.89, 52.37] }),
      Recorded.overlandTrip(AT),
      { type: "Feature", properties: { timestamp: "2026-03-01T12:00:00Z" } },
      null,
      "text",
      []
    ]
    expect(overland({ locations })).toEqual({ readings: [], visits: [] })
  })

  it("`current` waits for its turn, the trip in progress is no place", () => {
    const body = {
      locations: [],
      current: Recorded.overlandFix(AT),
      trip: { current_location: Recorded.overlandFix(AT) }
    }
    expect(overland(body)).toEqual({ readings: [], visits: [] })
  })

  it("a body that is no batch and an empty batch get different answers", () => {
    for (const body of [undefined, null, [], {}, { locations: {} }, Recorded.owntracksIos(AT)]) {
      expect(overland(body)).toBeUndefined()
    }
    expect(overland({ locations: [] })).toEqual({ readings: [], visits: [] })
  })

  it("a time or a place that cannot be read is kept, and put aside by the domain [devices-12]", () => {
    const [noTime, noPlace] = [
      Recorded.overlandFix(AT, { timestamp: "yesterday" }),
      { ...Recorded.overlandFix(AT), geometry: { type: "Point", coordinates: [null, "north"] } }
    ]
    const readings = overland({ locations: [noTime, noPlace] })?.readings ?? []
    expect(readings.map((reading) => judged(reading))).toMatchObject([
      { _tag: "Quarantined", reason: "unreadable", reading: PLACE },
      { _tag: "Quarantined", reason: "unreadable" }
    ])
  })
})

describe("OwnTracks", () => {
  it("a location: seconds, metres, kilometres an hour [devices-9]", () => {
    expect(ownTracks(Recorded.owntracksIos(AT))).toEqual([
      { capturedAt: AT, ...PLACE, accuracyM: 14, altitudeM: 12, speedMps: 10, courseDeg: 271 }
    ])
  })

  it("an accuracy of 0 is unknown (decision L3), -1 likewise [devices-9]", () => {
    for (const acc of [0, -1]) {
      const [reading] = ownTracks(Recorded.owntracksAndroid(AT, { acc }))
      expect(judged(reading)).toMatchObject({ _tag: "Fix", fix: { accuracyM: null } })
    }
    const [reading] = ownTracks(Recorded.owntracksIos(AT, { vel: -1, cog: -1, vac: -1 }))
    expect(judged(reading)).toMatchObject({ fix: { speedMps: null, courseDeg: null, altitudeM: null } })
  })

  it("times that were counted from 2001 are repaired (decision L3); clocks that were never set are not", () => {
    const since2001 = AT / 1_000 - 978_307_200
    expect(ownTracks(Recorded.owntracksIos(AT, { tst: since2001 }))).toMatchObject([{ capturedAt: AT }])
    expect(ownTracks(Recorded.owntracksIos(AT, { tst: since2001 + 0.25 }))).toMatchObject([{ capturedAt: AT + 250 }])
    // Clocks that are wrong: 1970, the beginning of GPS time, and a week number of GPS that rolled over (1,024 weeks
    // too early).
    for (const tst of [0, 315_964_800, AT / 1_000 - 1_024 * 7 * 86_400]) {
      const [reading] = ownTracks(Recorded.owntracksIos(AT, { tst }))
      expect([tst, judged(reading)?._tag]).toEqual([tst, "Quarantined"])
    }
  })

  it("every other message, and no message, holds nothing to store", () => {
    for (const [, message] of Recorded.owntracksOthers(AT)) expect(ownTracks(message)).toEqual([])
    for (const body of [undefined, null, [], {}, "location", { _type: "location" }]) {
      expect(ownTracks(body)).toEqual([])
    }
  })
})

describe("OsmAnd and Traccar Client", () => {
  const READING = { capturedAt: AT, ...PLACE, accuracyM: 14, altitudeM: 12, courseDeg: 271 }

  it("a query: knots, and an accuracy of 0.0 is unknown", () => {
    const [reading] = query(Recorded.traccarQuery("dev", AT))
    expect(reading).toMatchObject({ ...READING, accuracyM: 0 })
    expect(reading?.speedMps).toBeCloseTo(10, 6)
    expect(judged(reading)).toMatchObject({ fix: { accuracyM: null } })
  })

  it("the JSON of Traccar Client: metres a second, -1 unknown; also several in one", () => {
    expect(json(Recorded.traccarClient("dev", AT))).toEqual([{ ...READING, speedMps: 10 }])
    const { location } = Recorded.traccarClient("dev", AT)
    expect(json({ device_id: "dev", location: [location, location] })).toHaveLength(2)
    const unknown = { coords: { ...location.coords, speed: -1, heading: -1 } }
    expect(judged(json(Recorded.traccarClient("dev", AT, unknown))[0])).toMatchObject({
      fix: { speedMps: null, courseDeg: null }
    })
  })

  it("the flat JSON and the form of its SDK: knots", () => {
    const message = Recorded.traccarSdk("dev", AT)
    for (const readings of [json(message), json([message, message])]) {
      expect(readings[0]).toMatchObject(READING)
      expect(readings[0]?.speedMps).toBeCloseTo(10, 2)
    }
    const form = Recorded.form(message).toString()
    expect(osmAnd({ query: "", body: form }).readings).toMatchObject([READING])
  })

  it.each([
    ["seconds", String(AT / 1_000)],
    ["milliseconds", String(AT)],
    ["ISO 8601", "2026-03-01T12:00:00Z"],
    ["ISO 8601 with a zone", "2026-03-01T13:00:00.000+01:00"],
    ["ISO 8601 with a zone without a colon", "2026-03-01T13:00:00+0100"],
    ["ISO 8601 without seconds", "2026-03-01T13:00+01"],
    ["yyyy-MM-dd HH:mm:ss, which is UTC", "2026-03-01 12:00:00"],
    ["ISO 8601 without a zone, which is UTC", "2026-03-01T12:00:00"],
    ["ISO 8601 without a zone, with milliseconds", "2026-03-01T12:00:00.000"]
  ])("a time in %s [devices-10]", (_, timestamp) => {
    const fields = { ...Recorded.traccarQuery("dev", AT), timestamp }
    expect(query(fields)).toMatchObject([{ capturedAt: AT }])
    // People who type an address into a browser do not encode the plus sign in the zone of a time (`+01:00`), so it
    // arrives as a blank.
    const asTyped = {
      query: Object.entries(fields)
        .map((pair) => pair.join("="))
        .join("&"),
      body: ""
    }
    expect(osmAnd(asTyped).readings).toMatchObject([{ capturedAt: AT }])
  })

  it("without a time it is the time of receipt; a time that cannot be read is put aside [devices-12]", () => {
    const { timestamp: _, ...timeless } = Recorded.traccarQuery("dev", AT)
    expect(query(timeless)).toMatchObject([{ capturedAt: NOW }])
    expect(judged(query({ ...timeless, timestamp: "noon" })[0])).toMatchObject({ reason: "unreadable" })
  })

  it("the other names: deviceid, location=lat,lon, heading, and metres a second of ours", () => {
    expect(query({ deviceid: "dev", location: "52.37,4.89", heading: "271", speed_mps: "10" })).toMatchObject([
      { ...PLACE, courseDeg: 271, speedMps: 10 }
    ])
  })

  it("heartbeats, and places that the app itself calls invalid, hold nothing to store", () => {
    const { coords: _, ...heartbeat } = Recorded.traccarClient("dev", AT).location
    expect(json({ device_id: "dev", location: heartbeat })).toEqual([])
    expect(json({ id: "dev", timestamp: AT / 1_000, batt: 80 })).toEqual([])
    expect(query({ id: "dev", timestamp: "1", lat: "", lon: "" })).toEqual([])
    const called = (valid: string) => query({ ...Recorded.traccarQuery("dev", AT), valid }).length
    // A program in Python writes `False` with a capital letter.
    expect(["false", "False", "FALSE", "0"].map(called)).toEqual([0, 0, 0, 0])
    expect(["true", "True", "1", ""].map(called)).toEqual([1, 1, 1, 1])
  })

  it("JSON that is broken is read by what Traccar Client hides in it", () => {
    const text = JSON.stringify(Recorded.traccarClient("dev", AT)).replace('"altitude":12', '"altitude":')
    const { deviceId, readings } = osmAnd({ query: "", body: text })
    expect(deviceId).toBe("dev")
    expect(readings).toMatchObject([{ capturedAt: AT, ...PLACE }])
  })

  it("the identifier is found wherever an app puts it", () => {
    const bodies = [
      { query: "id=dev", body: "" },
      { query: "deviceid=dev", body: "" },
      { query: "", body: "lat=1&id=dev" },
      { query: "", body: JSON.stringify(Recorded.traccarClient("dev", AT)) },
      { query: "", body: JSON.stringify([Recorded.traccarSdk("dev", AT)]) },
      { query: "", body: JSON.stringify([1, null, Recorded.traccarSdk("dev", AT)]) },
      { query: "id=dev", body: JSON.stringify([Recorded.traccarSdk("", AT), {}]) }
    ]
    expect(bodies.map((sent) => osmAnd(sent).deviceId)).toEqual(bodies.map(() => "dev"))
    expect(osmAnd({ query: "id=", body: "[]" }).deviceId).toBeUndefined()
  })

  it("an element that is no message holds nothing to store, whatever the query says", () => {
    for (const body of [[1, 1, null, "1,2", []], [{ location: [1, null, "1,2"] }]]) {
      expect(osmAnd({ query: "id=dev&lat=1&lon=2", body: JSON.stringify(body) }).readings).toEqual([])
    }
  })
})

describe("OsmAnd, before it is known who sends", () => {
  it("a query of thousands of fields beside hundreds of thousands of messages is taken apart all the same", () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `${index.toString(36)}=`).join("&")
    const sent = { query: names, body: `[${Array.from({ length: 500_000 }, () => "{}").join(",")}]` }
    expect(osmAnd(sent)).toEqual({ deviceId: undefined, readings: [] })
  })
})

describe("any JSON at all", () => {
  it("is taken apart without a fault, into instants and numbers that the domain can judge", () => {
    fc.assert(
      fc.property(anyBody(AT), (body) => {
        const text = JSON.stringify(body)
        const batch = overland(body)
        const readings = [
          ...(batch?.readings ?? []),
          ...ownTracks(body),
          ...osmAnd({ query: text, body: text }).readings
        ]
        for (const reading of readings) {
          expect(Number.isInteger(reading.capturedAt)).toBe(true)
          expect(Timestamp.toIso(reading.capturedAt)).toMatch(/^\d{4}-/)
          const numbers = [
            reading.lat,
            reading.lon,
            reading.accuracyM,
            reading.altitudeM,
            reading.speedMps,
            reading.courseDeg
          ]
          expect(numbers.every((one) => one === undefined || typeof one === "number")).toBe(true)
          Fix.judge(reading, NOW)
        }
      }),
      { numRuns: 500 }
    )
  })
})
