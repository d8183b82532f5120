import { ingestFixes } from "@place-access/domain/fixes"
import type { Geometry } from "@place-access/domain/places"
import { Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import type { Person, World } from "./World.js"

/** A phone of a test. Each upload arrives at the service without delay. */
export interface Phone {
  /** Uploads readings of one point. `agesMs`: how long ago each reading was captured. The default accuracy is 10 m. */
  readonly at: (point: Geometry.Point, agesMs: ReadonlyArray<number>, accuracyM?: number | null) => Promise<void>
}

export const phone = async (world: World, { account }: Person): Promise<Phone> => {
  const device = await world.run(RuleSamples.device(account.id))
  return {
    at: async ({ lat, lon }, agesMs, accuracyM = 10) => {
      const now = world.clock.now()
      const readings = agesMs.map((age) => ({ capturedAt: Timestamp.make(now - age), lat, lon, accuracyM }))
      await world.run(ingestFixes(device, readings, []))
    }
  }
}

const METRES_PER_DEGREE = 111_320

/**
 * A point `metres` north of another point. The distance is wrong by up to 0.7 %, so tests of the exact edge of a circle
 * must not use this function.
 */
export const north = ({ lat, lon }: Geometry.Point, metres: number): Geometry.Point => ({
  lat: lat + metres / METRES_PER_DEGREE,
  lon
})
