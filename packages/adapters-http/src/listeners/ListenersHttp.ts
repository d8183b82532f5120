import { HttpServerResponse } from "@effect/platform"
import { listen, openListener } from "@place-access/domain/listeners"
import { Effect, Stream } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Credentials from "../security/Credentials.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import { CONTENT_TYPE } from "./ListenersApi.js"
import * as Messages from "./Messages.js"

/** Forbids proxies to buffer the messages or to compress them. */
const HEADERS = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }

export const layer = Group.group(Api, "listeners", (handlers) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    return handlers.handle(
      "listen",
      ({ path, payload: { endpoint_id: endpointId, events } }) =>
        Effect.gen(function* () {
          const cookie = yield* Credentials.presentSession
          const input = { endpointId: endpointId ?? null, events: events ?? [] }
          const opened = yield* openListener(yield* SignedIn, path.app_id, input)
          const messages = listen({ opened, cookie, stopping: options.stopping ?? Effect.never })
          const body = messages.pipe(Stream.map(Messages.encode), Stream.encodeText)
          // The server reads the stream after this handler has ended. So the handler passes its services on to the
          // stream here.
          const context = yield* Effect.context<Stream.Stream.Context<typeof body>>()
          return HttpServerResponse.stream(Stream.provideContext(body, context), {
            contentType: CONTENT_TYPE,
            headers: HEADERS
          })
        }).pipe(toWire),
      { uninterruptible: true }
    )
  })
)
