import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { createHash } from "node:crypto"

/**
 * Answers with a text that is the same for everybody as long as this server runs. The first request makes the text. A
 * client must ask before each use whether its copy is current, so that nobody reads an old text after an update of the
 * service.
 */
export const handler = (
  contentType: string,
  make: () => string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> => {
  let made: Made | undefined
  return Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    made ??= tagged(make())
    const all = { ...headers, "cache-control": "public, no-cache", etag: made.etag }
    return isKnown(request.headers["if-none-match"], made.etag)
      ? HttpServerResponse.empty({ status: 304, headers: all })
      : HttpServerResponse.text(made.text, { contentType, headers: all })
  })
}

interface Made {
  readonly text: string
  readonly etag: string
}

const tagged = (text: string): Made => ({
  text,
  etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`
})

/**
 * Whether the client has this text already (RFC 9110 §13.1.2): `If-None-Match` is `*` or lists `etag`, with or without
 * the mark of a weak tag (`W/`).
 */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//, "") === etag))
