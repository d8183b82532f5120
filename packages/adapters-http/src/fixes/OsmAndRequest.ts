import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import type { Sent } from "./OsmAnd.js"

/** What the guard and the handler look at. The body is read once. */
export const read = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Sent> =>
  Effect.map(request.method === "POST" ? Effect.orDie(request.text) : Effect.succeed(""), (body) => ({
    query: request.url.includes("?") ? request.url.slice(request.url.indexOf("?") + 1) : "",
    body
  }))
