import { Listener } from "@place-access/domain/listeners"
import { Timestamp } from "@place-access/domain/shared"

/**
 * Encodes the messages of the stream as server-sent events. `JSON.stringify` writes no line breaks, so the data of a
 * message is one line.
 */

const message = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

export const encode = (one: Listener.ListenerMessage): string => {
  switch (one._tag) {
    case "Ready":
      return message("ready", {
        listener_id: one.listener.id,
        app_id: one.listener.appId,
        endpoint_id: Listener.receiverId(one.listener),
        events: one.listener.events,
        secret: one.secret,
        heartbeat_s: Listener.HEARTBEAT / Timestamp.SECOND
      })
    case "Event":
      return message("event", {
        headers: Object.fromEntries(one.headers.map(([name, value]) => [name.toLowerCase(), value])),
        body: one.body
      })
    case "Dropped":
      return message("dropped", { count: one.count })
    case "Beat":
      return ": still here\n\n"
    case "End":
      return message("end", { reason: one.reason })
  }
}
