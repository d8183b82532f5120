import { Context } from "effect"
import { type Bounds, BodyBounds } from "../edge/BodyBounds.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"

/**
 * An upload has at most 8 MiB and 160,000 locations. A body of 8 MiB cannot have more locations, because the shortest
 * location has 54 bytes.
 */
export const BOUNDS: Bounds = { bytes: 8 * 1_048_576, entries: 160_000 }

/** The annotations of every endpoint that phones upload to. */
export const ofUploads = Context.make(BodyBounds, BOUNDS).pipe(
  Context.add(WithoutKey, "readings are known by their times: sent twice they are stored once")
)
