import { Option, Schema } from "effect"

/** What the service says over the stream. */
export const Ready = Schema.Struct({
  endpoint_id: Schema.String,
  secret: Schema.NullOr(Schema.String),
  heartbeat_s: Schema.Number
})
export const Told = Schema.Struct({
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.String
})
const Dropped = Schema.Struct({ count: Schema.Number })
const End = Schema.Struct({ reason: Schema.String })

export type Message =
  | { readonly _tag: "Ready"; readonly data: typeof Ready.Type }
  | { readonly _tag: "Event"; readonly data: typeof Told.Type }
  | { readonly _tag: "Dropped"; readonly data: typeof Dropped.Type }
  | { readonly _tag: "End"; readonly data: typeof End.Type }

/** What has come of a message that is not whole yet, and the messages that are. A kind that is not known is passed over. */
export const read = (before: string, chunk: string): readonly [string, ReadonlyArray<Message>] => {
  const parts = (before + chunk).split("\n\n")
  return [parts.pop() ?? "", parts.flatMap((part) => Option.toArray(parse(part)))]
}

const parse = (part: string): Option.Option<Message> => {
  const [, event, data = ""] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(part) ?? []
  switch (event) {
    case "ready":
      return Option.map(decode(Ready)(data), (data) => ({ _tag: "Ready", data }))
    case "event":
      return Option.map(decode(Told)(data), (data) => ({ _tag: "Event", data }))
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

/** What an event is, for a line of its own. */
export const name = ({ body }: typeof Told.Type): string =>
  Option.match(decode(Named)(body), {
    onNone: () => "an event",
    onSome: ({ event_id, type }) => `${type} ${event_id}`
  })
