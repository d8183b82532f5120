import { Context } from "effect"
import { type Bounds, BodyBounds } from "../edge/BodyBounds.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"

/**
 * The bounds of an upload. Readings of phone apps are so long that an upload of them reaches the bound of bytes first.
 * Only a body of much shorter entries can reach the bound of entries.
 */
export const BOUNDS: Bounds = { bytes: 8 * 1_048_576, entries: 160_000 }

/** The annotations of every endpoint that phones upload to. */
export const ofUploads = Context.make(BodyBounds, BOUNDS).pipe(
  Context.add(WithoutKey, "readings are known by their times: sent twice they are stored once")
)
