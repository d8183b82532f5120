import { Context } from "effect"
import { type Bounds, BodyBounds } from "../edge/BodyBounds.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"

/** 8 MiB, and more locations than fit into 8 MiB: the shortest location has 54 bytes. */
export const BOUNDS: Bounds = { bytes: 8 * 1_048_576, entries: 160_000 }

/** The annotations of every endpoint that phones upload to. */
export const ofUploads = Context.make(BodyBounds, BOUNDS).pipe(
  Context.add(WithoutKey, "readings are known by their times: sent twice they are stored once")
)
