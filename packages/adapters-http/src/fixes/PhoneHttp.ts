import { ingestFixes } from "@place-access/domain/fixes"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../edge/Group.js"
import { CallingDevice } from "../security/DeviceAuth.js"
import { toWire } from "../wire/toWire.js"
import type { Upload } from "./PhoneApi.js"

export const layer = Group.group(Api, "phone", (handlers) =>
  handlers.handle(
    "upload",
    ({ payload }) =>
      Effect.flatMap(CallingDevice, (device) =>
        toWire(ingestFixes(device, payload.locations.map(reading), payload.visits?.map(visit) ?? []))
      ),
    { uninterruptible: true }
  )
)

const reading = (location: (typeof Upload.Type)["locations"][number]) => ({
  capturedAt: location.captured_at,
  lat: location.lat,
  lon: location.lon,
  accuracyM: location.accuracy_m,
  altitudeM: location.altitude_m,
  speedMps: location.speed_mps,
  courseDeg: location.course_deg
})

const visit = (report: NonNullable<(typeof Upload.Type)["visits"]>[number]) => ({
  arrival: report.arrival ?? null,
  departure: report.departure ?? null,
  lat: report.lat,
  lon: report.lon,
  accuracyM: report.accuracy_m ?? null
})
