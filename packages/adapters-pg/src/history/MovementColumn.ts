import type { Movement } from "@place-access/domain/devices"
import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

const Spot = Schema.Struct({ lat: Schema.Finite, lon: Schema.Finite, band_m: Schema.Finite })

const Rest = Schema.Struct({ ...Spot.fields, moved_at: Schema.NullOr(Timestamp.Timestamp) })

/**
 * The column `devices.movement`: the spot where the device rests (does not move), the time since which it rests there,
 * and the device's newest position. When the newest position has just ended a rest, the column also has the rest that
 * ended.
 */
export const MovementColumn = Schema.NullOr(
  Schema.Struct({ ...Rest.fields, heard_at: Timestamp.Timestamp, last: Spot, before: Schema.NullOr(Rest) })
)

const toSpot = ({ band_m: bandM, lat, lon }: typeof Spot.Type): Movement.Spot => ({ lat, lon, bandM })

const fromSpot = ({ bandM, lat, lon }: Movement.Spot): typeof Spot.Type => ({ lat, lon, band_m: bandM })

const toRest = (rest: typeof Rest.Type): Movement.RestingPhone => ({ spot: toSpot(rest), movedAt: rest.moved_at })

const fromRest = ({ movedAt, spot }: Movement.RestingPhone): typeof Rest.Type => ({
  ...fromSpot(spot),
  moved_at: movedAt
})

export const decode = (column: typeof MovementColumn.Type): Movement.Movement | null =>
  column === null
    ? null
    : {
        ...toRest(column),
        heardAt: column.heard_at,
        last: toSpot(column.last),
        before: column.before === null ? null : toRest(column.before)
      }

export const encode = (movement: Movement.Movement): string => {
  const { before, heardAt, last } = movement
  return Rows.json({
    ...fromRest(movement),
    heard_at: heardAt,
    last: fromSpot(last),
    before: before === null ? null : fromRest(before)
  })
}
