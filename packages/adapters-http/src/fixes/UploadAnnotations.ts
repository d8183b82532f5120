import { Context } from "effect"
import { type Bounds, BodyBounds } from "../edge/BodyBounds.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"

/**
 * The bounds of an upload. The readings of phone apps are so long that their uploads reach the bound of bytes before
 * the bound of entries. Only a body with much shorter entries can reach the bound of entries.
 */
export const BOUNDS: Bounds = { bytes: 8 * 1_048_576, entries: 160_000 }

/** The annotations that all endpoints for uploads of phones have. */
export const ofUploads = Context.make(BodyBounds, BOUNDS).pipe(
  Context.add(WithoutKey, "readings are known by their times: sent twice they are stored once")
)
