import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import type { OsmAndRequest } from "./OsmAnd.js"

/** Reads the query and the body. Guard and handler both call this; the request caches its body, so it is read once. */
export const read = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<OsmAndRequest> =>
  Effect.map(request.method === "POST" ? Effect.orDie(request.text) : Effect.succeed(""), (body) => ({
    query: request.url.includes("?") ? request.url.slice(request.url.indexOf("?") + 1) : "",
    body
  }))
