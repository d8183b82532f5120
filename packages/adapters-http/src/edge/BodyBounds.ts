import type { HttpApi } from "@effect/platform"
import { Context } from "effect"
import { byRoute } from "../engine/byRoute.js"

const MIB = 1_048_576

/** The largest body that a route reads (decisions §5). */
export interface Bounds {
  readonly bytes: number
  /**
   * All lists of a JSON body together may have at most this number of entries. The members of an object beyond the
   * first 64 count as entries, too, and so do the fields of a form. Checking a wrong entry takes about a hundred times
   * as much memory as the entry has bytes. Without this bound, a body with three million wrong entries would end the
   * process.
   */
  readonly entries: number
}

export const ORDINARY: Bounds = { bytes: MIB, entries: 20_000 }

/**
 * Annotation of an endpoint or a group whose bodies may be larger than `ORDINARY`:
 * `.annotate(BodyBounds, { bytes, entries })`.
 */
export class BodyBounds extends Context.Tag("@place-access/adapters-http/edge/BodyBounds")<BodyBounds, Bounds>() {}

/**
 * The bounds of the endpoints that have the annotation, by `Routes.label`. Endpoints without an entry have `ORDINARY`
 * bounds.
 */
export const ofRoutes = (api: HttpApi.HttpApi.Any): ReadonlyMap<string, Bounds> => byRoute(api, BodyBounds)
