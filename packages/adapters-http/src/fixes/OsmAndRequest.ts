import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import type { OsmAndRequest } from "./OsmAnd.js"

/**
 * Reads the query and the body for the guard and the handler. The body is cached by the request, so it is read once.
 */
export const read = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<OsmAndRequest> =>
  Effect.map(request.method === "POST" ? Effect.orDie(request.text) : Effect.succeed(""), (body) => ({
    query: request.url.includes("?") ? request.url.slice(request.url.indexOf("?") + 1) : "",
    body
  }))
