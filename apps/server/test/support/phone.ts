import { Schema } from "effect"
import { type Point, travel } from "../../../../packages/domain/test/support/geodesic.js"
import type { Client } from "./client.js"

/** One reading as the phone sends it (decisions §10). */
export interface Reading {
  readonly captured_at: string
  readonly lat: number
  readonly lon: number
  readonly accuracy_m?: number | null
  readonly speed_mps?: number | null
  readonly course_deg?: number | null
  readonly altitude_m?: number | null
}

export const Uploaded = Schema.Struct({
  accepted: Schema.Number,
  duplicates: Schema.Number,
  quarantined: Schema.Number
})

export const upload = (
  phone: Client,
  token: string,
  locations: ReadonlyArray<Reading>
): Promise<typeof Uploaded.Type> =>
  phone.expect("POST", "/v1/phone/locations", { status: 200, as: Uploaded, token, json: { locations } })

/** Uploads the readings. Returns the counts of the answer; undefined when no answer arrived, or when it was a 503. */
export const tryUpload = async (
  phone: Client,
  token: string,
  locations: ReadonlyArray<Reading>
): Promise<typeof Uploaded.Type | undefined> => {
  try {
    const answer = await phone.call("POST", "/v1/phone/locations", { token, json: { locations } })
    if (answer.status === 503) return undefined
    if (answer.status !== 200) throw new Error(`an upload was answered ${answer.status}: ${answer.text}`)
    return Schema.decodeUnknownSync(Uploaded)(answer.json)
  } catch (error) {
    // `fetch` throws this when the connection ends.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

export const reading = (at: number, where: Point, accuracyM = 12): Reading => ({
  captured_at: new Date(at).toISOString(),
  lat: where.lat,
  lon: where.lon,
  accuracy_m: accuracyM
})

const SECOND = 1_000
const MINUTE = 60 * SECOND

/**
 * A ride past a place that begins now: from 1.5 km south of it to the centre, a short stop, and away to the east. The
 * ride is twelve minutes long, but its readings have times within two seconds: a fix that is older than a rule does not
 * fire it (decision M5), and a test cannot wait for twelve minutes. When the ride is uploaded immediately, the service
 * sees a phone whose clock is two seconds ahead.
 */
export const ridePast = (place: Point, startsAt = Date.now()): ReadonlyArray<Reading> =>
  Array.from({ length: 37 }, (_, index) => {
    const elapsed = index * 20 * SECOND
    const metres =
      Math.abs(elapsed - 6 * MINUTE) <= MINUTE ? 0 : ((Math.abs(elapsed - 6 * MINUTE) - MINUTE) / SECOND) * 5
    const where = metres === 0 ? place : travel(place, elapsed < 6 * MINUTE ? 180 : 90, metres)
    return reading(startsAt + elapsed / 400, where)
  })
