import { Effect, Stream } from "effect"
import { listen } from "../../../../src/listeners/listen.js"
import { openListener } from "../../../../src/listeners/manageListeners.js"
import { AppId, EndpointId } from "../../../../src/shared/Ids.js"
import type { ListenerMessage } from "../../../../src/listeners/Listener.js"
import { leave, read } from "../listening.js"
import type { StreamMessage } from "../Registry.js"
import { Events, type Handlers, signedIn, valid } from "./Handlers.js"

/** What developers do to receive events on their own machine. */
export const listeners: Handlers<"listen" | "stopListening"> = {
  listen: ({ appId, cookie, endpointId, events, forMs }, registry) =>
    Effect.gen(function* () {
      const raw = registry.secrets.raw(cookie)
      const opened = yield* openListener(yield* signedIn(raw), AppId.make(appId), {
        endpointId: endpointId === null ? null : EndpointId.make(endpointId),
        events: yield* valid(Events, "events", events)
      })
      const messages = listen({ opened, cookie: raw, stopping: Effect.never })
      return yield* read(registry, forMs, Stream.map(messages, toStreamMessage))
    }),

  stopListening: ({ listenerId }, registry) => leave(registry, listenerId)
}

const toStreamMessage = (message: ListenerMessage): StreamMessage =>
  message._tag === "Ready" ? { _tag: "Ready", listenerId: message.listener.id, secret: message.secret } : message
