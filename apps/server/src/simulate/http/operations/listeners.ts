import { Simulation } from "@place-access/domain/testing"
import { Effect, Option, Stream } from "effect"
import type { Handlers } from "./Handlers.js"

/** The requests of developers who receive the events of their apps on their own machines. */
export const listeners: Handlers<"listen" | "stopListening"> = {
  listen: ({ appId, cookie, endpointId, events, forMs }, { client, registry }) =>
    Effect.gen(function* () {
      const json = { ...(endpointId === null ? {} : { endpoint_id: endpointId }), events }
      const caller = { cookie: registry.secrets.raw(cookie) }
      const { stream } = yield* client.send(caller, "POST", `/v1/developer/apps/${appId}/listen`, { json })
      if (stream === undefined) throw new TypeError("The answer to listen is no stream")
      return yield* Simulation.readStream(registry, forMs, messagesOf(stream))
    }),

  stopListening: ({ listenerId }, { registry }) => Simulation.leave(registry, listenerId)
}

/** Parses server-sent events: each message is a line with the name, a line with JSON and an empty line. */
const messagesOf = (stream: Stream.Stream<Uint8Array, unknown>): Stream.Stream<Simulation.StreamMessage, unknown> =>
  Stream.decodeText(stream).pipe(
    Stream.splitLines,
    Stream.mapAccum("", (name, line): readonly [string, Option.Option<Simulation.StreamMessage>] => {
      if (line.startsWith("event: ")) return [line.slice("event: ".length), Option.none()]
      return [name, line.startsWith("data: ") ? Option.some(message(name, line.slice("data: ".length))) : Option.none()]
    }),
    Stream.filterMap((found) => found)
  )

const message = (name: string, data: string): Simulation.StreamMessage => {
  const fields = JSON.parse(data) as Readonly<Record<string, unknown>>
  switch (name) {
    case "ready":
      return { _tag: "Ready", listenerId: String(fields["listener_id"]), secret: fields["secret"] as string | null }
    case "event": {
      const headers = Object.entries(fields["headers"] as Readonly<Record<string, string>>)
      return { _tag: "Event", headers, body: String(fields["body"]) }
    }
    case "dropped":
      return { _tag: "Dropped", count: Number(fields["count"]) }
    case "end":
      return { _tag: "End", reason: fields["reason"] as Ended["reason"] }
    default:
      throw new TypeError("The stream has a message of a kind that nobody knows")
  }
}

type Ended = Extract<Simulation.StreamMessage, { readonly _tag: "End" }>
