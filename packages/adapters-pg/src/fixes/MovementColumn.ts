import type { Movement } from "@place-access/domain/devices"
import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../Rows.js"

const Rest = Schema.Struct({
  lat: Schema.Finite,
  lon: Schema.Finite,
  band_m: Schema.Finite,
  moved_at: Schema.NullOr(Timestamp.Timestamp)
})

/** `devices.movement`: where the device rests, since when, and the rest before when its newest reading ended one. */
export const MovementColumn = Schema.NullOr(
  Schema.Struct({ ...Rest.fields, heard_at: Timestamp.Timestamp, before: Schema.NullOr(Rest) })
)

const toRest = ({ band_m: bandM, lat, lon, moved_at: movedAt }: typeof Rest.Type): Movement.Rest => ({
  spot: { lat, lon, bandM },
  movedAt
})

const fromRest = ({ movedAt, spot: { bandM, lat, lon } }: Movement.Rest): typeof Rest.Type => ({
  lat,
  lon,
  band_m: bandM,
  moved_at: movedAt
})

export const decode = (column: typeof MovementColumn.Type): Movement.Movement | null =>
  column === null
    ? null
    : { ...toRest(column), heardAt: column.heard_at, before: column.before === null ? null : toRest(column.before) }

export const encode = (movement: Movement.Movement): string => {
  const { before, heardAt } = movement
  return Rows.json({ ...fromRest(movement), heard_at: heardAt, before: before === null ? null : fromRest(before) })
}
