import { Event } from "@place-access/domain/events"
import { isLoopback, Setting } from "@place-access/worker/host"
import { Either, Schema } from "effect"
import { parseArgs } from "node:util"

export const USAGE = `npm run listen -- --forward http://localhost:3000/webhooks

An app's events on this machine, as they happen and signed as they would be, without a public address.

  --forward URL         post each event there; without it they are only shown
  --app ID              the app; may be left out when you have one
  --endpoint ID         what this webhook endpoint is sent, signed with its own secret
                        Without it: every event of the app, signed with a secret that is shown
  --events A,B          only these: ${Event.SUBSCRIBABLE.join(", ")}
  --print               show each event's body
  --service URL         where the service is (http://localhost:8080)
  --email EMAIL         whose app it is; or PLACE_ACCESS_EMAIL, or you are asked
  --forward-anywhere    allow --forward to leave this machine: events are about people

The password is asked for, or read from PLACE_ACCESS_PASSWORD; it is no argument. Nothing is kept for later: what happens while
you do not listen is not sent here. Control-C ends it.`

export interface Options {
  readonly service: string
  readonly forward: URL | undefined
  readonly app: string | undefined
  readonly endpoint: string | undefined
  readonly events: ReadonlyArray<Event.Subscribable>
  readonly email: string | undefined
  readonly print: boolean
}

export type Asked = { readonly _tag: "Help" } | { readonly _tag: "Listen"; readonly options: Options }

/** Left says what is wrong, in a sentence. */
export const parse = (argv: ReadonlyArray<string>): Either.Either<Asked, string> =>
  Either.gen(function* () {
    const given = yield* read(argv)
    if (given.help) return { _tag: "Help" } as const
    const service = yield* Either.mapLeft(
      Setting.httpUrl(given.service),
      (expected) => `--service must be ${expected}.`
    )
    const forward =
      given.forward === undefined ? undefined : yield* forwardUrl(given.forward, given["forward-anywhere"])
    if (given.endpoint !== undefined && given.events !== undefined) {
      return yield* Either.left("--events is not for --endpoint: an endpoint has its own list of events.")
    }
    const events = yield* eventNames(given.events)
    const { app, email, endpoint, print } = given
    return { _tag: "Listen", options: { service, forward, app, endpoint, events, email, print } } as const
  })

const read = (argv: ReadonlyArray<string>) =>
  Either.try({
    try: () =>
      parseArgs({
        args: [...argv],
        strict: true,
        options: {
          forward: { type: "string" },
          "forward-anywhere": { type: "boolean", default: false },
          app: { type: "string" },
          endpoint: { type: "string" },
          events: { type: "string" },
          print: { type: "boolean", default: false },
          service: { type: "string", default: "http://localhost:8080" },
          email: { type: "string" },
          help: { type: "boolean", short: "h", default: false }
        }
      }).values,
    catch: (error) =>
      argv.some((arg) => /^--?p(?:ass(?:word)?)?(?:=|$)/.test(arg))
        ? "A password is no argument: everybody on this machine could read it. Be asked for it, or set PLACE_ACCESS_PASSWORD."
        : `${error instanceof Error ? error.message : String(error)}.`
  })

const forwardUrl = (text: string, anywhere: boolean): Either.Either<URL, string> => {
  const expected = "--forward must be an address such as http://localhost:3000/webhooks, without credentials."
  if (!URL.canParse(text)) return Either.left(expected)
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return Either.left(expected)
  return anywhere || isLoopback(url.hostname)
    ? Either.right(url)
    : Either.left(
        `--forward leads to ${url.hostname}, which is not this machine. If you mean it, add --forward-anywhere.`
      )
}

const isName = Schema.is(Event.Subscribable)

const eventNames = (text: string | undefined): Either.Either<ReadonlyArray<Event.Subscribable>, string> => {
  const names = (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  const known = names.filter((name) => isName(name))
  return known.length === names.length
    ? Either.right(known)
    : Either.left(`--events takes ${Event.SUBSCRIBABLE.join(", ")}, with commas between them.`)
}
