import { Effect } from "effect"
import type { Timestamp } from "../shared/Timestamp.js"
import * as VolumeFlag from "./VolumeFlag.js"
import { VolumeFlagStore } from "./VolumeFlagStore.js"

/**
 * Flags what was asked too often in the day up to `now`, and answers how many flags are new (Spec §8: hourly). Can be repeated at
 * any time and by any number of workers: the same calls are flagged once.
 */
export const flagVolumes = Effect.fn("flagVolumes")(function* (now: Timestamp) {
  return yield* (yield* VolumeFlagStore).raise({ ...VolumeFlag.window(now), factor: VolumeFlag.FACTOR })
})
