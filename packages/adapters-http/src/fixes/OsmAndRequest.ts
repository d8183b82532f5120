import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import * as Body from "../edge/Body.js"
import * as OsmAnd from "./OsmAnd.js"
import { BOUNDS } from "./UploadAnnotations.js"

/**
 * Reads the query and the body. The guard and the handler both call this function. The request keeps its body after the
 * first reading, so the body is read once.
 */
export const read = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<OsmAnd.OsmAndRequest> =>
  Effect.gen(function* () {
    const body = request.method === "POST" ? yield* Effect.orDie(request.text) : ""
    const json = yield* Body.lenientJson(body)
    const isForm = typeof json !== "object" || json === null
    if (isForm && Body.hasMoreFields(body, BOUNDS.entries)) return yield* Body.tooManyEntries(BOUNDS.entries)
    return OsmAnd.requestOf(queryOf(request), body, json)
  })

/** The request's query without the question mark. */
export const queryOf = ({ url }: HttpServerRequest.HttpServerRequest): string =>
  url.includes("?") ? url.slice(url.indexOf("?") + 1) : ""
