import type { Entry } from "@place-access/domain/imports"
import { id, instant, number } from "./Values.js"
import type { XmlDialect } from "./XmlDialect.js"

/** A track point (`trkpt`) whose end tag has not been read yet. */
interface TrackPoint {
  readonly lat: string | undefined
  readonly lon: string | undefined
  readonly origin: string | undefined
  readonly depth: number
  readonly texts: Map<Field, string>
}

type Field = "time" | "ele" | "speed" | "course" | "accuracy"

/** The direct child elements of a point that are read, with the field that each element fills. */
const OWN: Readonly<Record<string, Field>> = { time: "time", ele: "ele", speed: "speed", course: "course" }
/** The elements in a point's extensions that are read, in any namespace, with the field that each element fills. */
const EXTENDED: Readonly<Record<string, Field>> = {
  speed: "speed",
  course: "course",
  bearing: "course",
  accuracy: "accuracy",
  // Apple Health
  hAcc: "accuracy"
}
/** The element in the extensions of a track that names the device of the track, in a GPX file of this service. */
const DEVICE = "device_id"

/**
 * Reads the points of tracks in GPX 1.0 and 1.1. A route is a plan and a waypoint is a mark on a map, so neither is
 * history.
 */
export const open = (onEntry: (entry: Entry.ImportEntry) => void): XmlDialect => {
  let track: TrackPoint | undefined
  let origin: string | undefined
  let field: Field | undefined
  return {
    open: (name, attributes, depth) => {
      if (track === undefined) {
        if (name === "trk") origin = undefined
        if (name === "trkpt")
          track = { lat: attributes["lat"], lon: attributes["lon"], origin, depth, texts: new Map() }
        return name === DEVICE
      }
      field = (depth === track.depth + 1 ? OWN : EXTENDED)[name]
      return field !== undefined
    },
    close: (name, text, depth) => {
      if (name === DEVICE && track === undefined) origin = id(text)
      if (track === undefined) return
      if (field !== undefined && text !== undefined && !track.texts.has(field)) track.texts.set(field, text)
      field = undefined
      if (track.depth !== depth) return
      onEntry(entry(track))
      track = undefined
    }
  }
}

const entry = ({ lat, lon, origin, texts }: TrackPoint): Entry.ImportEntry => {
  const capturedAt = instant(texts.get("time"))
  const [north, east] = [number(lat), number(lon)]
  if (capturedAt === undefined || north === undefined || east === undefined) return { _tag: "Unusable" }
  const reading = {
    capturedAt,
    lat: north,
    lon: east,
    accuracyM: number(texts.get("accuracy")),
    altitudeM: number(texts.get("ele")),
    speedMps: number(texts.get("speed")),
    courseDeg: number(texts.get("course"))
  }
  return { _tag: "Reading", reading, origin }
}
