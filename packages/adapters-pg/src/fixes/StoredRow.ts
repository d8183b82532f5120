import type { Fix } from "@place-access/domain/fixes"
import { DeviceId, UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/** The columns of `fixes` that make a `StoredFix`. */
export const StoredRow = Schema.Struct({
  user_id: UserId,
  device_id: DeviceId,
  captured_at: Rows.At,
  lat: Schema.Finite,
  lon: Schema.Finite,
  accuracy_m: Schema.NullOr(Schema.Finite),
  altitude_m: Schema.NullOr(Schema.Finite),
  speed_mps: Schema.NullOr(Schema.Finite),
  course_deg: Schema.NullOr(Schema.Finite),
  received_at: Rows.At,
  left_behind: Schema.Boolean
})

export const toStored = (row: typeof StoredRow.Type): Fix.StoredFix => ({
  userId: row.user_id,
  deviceId: row.device_id,
  capturedAt: row.captured_at,
  lat: row.lat,
  lon: row.lon,
  accuracyM: row.accuracy_m,
  altitudeM: row.altitude_m,
  speedMps: row.speed_mps,
  courseDeg: row.course_deg,
  receivedAt: row.received_at,
  ...(row.left_behind ? { isLeftBehind: true } : {})
})

export const COLUMNS = Rows.columns(StoredRow)

/** A `StoredRow` with the devices of the imported files that contain the same fix (`also_from`). */
export const SharedRow = Schema.Struct({ ...StoredRow.fields, also_from: Schema.NullOr(Schema.Array(DeviceId)) })

export const toShared = (row: typeof SharedRow.Type): Fix.StoredFix =>
  row.also_from === null || row.also_from.length === 0 ? toStored(row) : { ...toStored(row), alsoFrom: row.also_from }

export const SHARED_COLUMNS = Rows.columns(SharedRow)
