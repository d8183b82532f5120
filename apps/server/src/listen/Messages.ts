import { Option, Schema } from "effect"

// The messages that the service sends to a listener over the stream. Each kind of message has a schema of its `data`.

export const Ready = Schema.Struct({
  endpoint_id: Schema.String,
  secret: Schema.NullOr(Schema.String),
  heartbeat_s: Schema.Number
})
export const EventMessage = Schema.Struct({
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.String
})
const Dropped = Schema.Struct({ count: Schema.Number })
const End = Schema.Struct({ reason: Schema.String })

export type ListenMessage =
  | { readonly _tag: "Ready"; readonly data: typeof Ready.Type }
  | { readonly _tag: "Event"; readonly data: typeof EventMessage.Type }
  | { readonly _tag: "Dropped"; readonly data: typeof Dropped.Type }
  | { readonly _tag: "End"; readonly data: typeof End.Type }

/**
 * Splits the text `before + chunk` into messages; `before` is the incomplete message that the previous call returned.
 * Returns the text of the message that is still incomplete, and the complete messages. Skips everything else, such as
 * heartbeats and messages of an unknown kind.
 */
export const read = (before: string, chunk: string): readonly [string, ReadonlyArray<ListenMessage>] => {
  const parts = (before + chunk).split("\n\n")
  return [parts.pop() ?? "", parts.flatMap((part) => Option.toArray(parse(part)))]
}

const parse = (part: string): Option.Option<ListenMessage> => {
  const [, event, data = ""] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(part) ?? []
  switch (event) {
    case "ready":
      return Option.map(decode(Ready)(data), (data) => ({ _tag: "Ready", data }))
    case "event":
      return Option.map(decode(EventMessage)(data), (data) => ({ _tag: "Event", data }))
    case "dropped":
      return Option.map(decode(Dropped)(data), (data) => ({ _tag: "Dropped", data }))
    case "end":
      return Option.map(decode(End)(data), (data) => ({ _tag: "End", data }))
    default:
      return Option.none()
  }
}

const decode = <A, I>(schema: Schema.Schema<A, I>) => Schema.decodeUnknownOption(Schema.parseJson(schema))

const Named = Schema.Struct({ type: Schema.String, event_id: Schema.String })

/** The event's type and id, to show the event in one line of output. */
export const name = ({ body }: typeof EventMessage.Type): string =>
  Option.match(decode(Named)(body), {
    onNone: () => "an event",
    onSome: ({ event_id, type }) => `${type} ${event_id}`
  })
