import { Event } from "@place-access/domain/events"
import { isLoopback, Setting } from "@place-access/worker"
import { Either, Schema } from "effect"
import { parseArgs } from "node:util"
import { argumentsProblem } from "../cli/argumentsProblem.js"

/**
 * The command that messages show. `.ci/pack.mjs` sets this constant when it builds the file that npx runs. In other
 * builds the constant is not defined.
 */
declare const LISTEN_COMMAND: string | undefined
export const COMMAND = typeof LISTEN_COMMAND === "string" ? LISTEN_COMMAND : "npm run listen --"

export const USAGE = `${COMMAND} --forward http://localhost:3000/webhooks

Forwards an app's events to your machine, signed like real webhooks. You need no public address.

  --forward URL         post each event to this address; without it events are only shown
  --app ID              the app; needed when you have several
  --endpoint ID         only the events of this webhook endpoint, signed with the endpoint's secret
                        Without it: every event of the app, signed with a secret that is shown
  --events A,B          only these events: ${Event.SUBSCRIBABLE.join(", ")}
  --print               show each event's body
  --service URL         the address of the service (http://localhost:8080)
  --email EMAIL         your e-mail; otherwise PLACE_ACCESS_EMAIL, or the command asks you
  --forward-anywhere    allow a --forward address on another machine: events are about people

The command asks for your password, or reads it from PLACE_ACCESS_PASSWORD. With a second factor it also asks for a
code, or reads PLACE_ACCESS_CODE. The service keeps no events for this command: an event that happens while you do not
listen is not forwarded later. Control-C ends the command.`

export interface ListenOptions {
  readonly service: string
  readonly forward: URL | undefined
  readonly app: string | undefined
  readonly endpoint: string | undefined
  readonly events: ReadonlyArray<Event.Subscribable>
  readonly email: string | undefined
  readonly print: boolean
}

export type ListenCommand = { readonly _tag: "Help" } | { readonly _tag: "Listen"; readonly options: ListenOptions }

/** Parses the arguments; a Left says in one sentence what is wrong. */
export const parse = (argv: ReadonlyArray<string>): Either.Either<ListenCommand, string> =>
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
      return yield* Either.left("--events cannot be used with --endpoint: an endpoint has its own list of events.")
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
        ? "A password cannot be an argument: everybody on this machine could read it. Type it when asked, or set PLACE_ACCESS_PASSWORD."
        : argumentsProblem(error)
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
    : Either.left(`--events must be a list of ${Event.SUBSCRIBABLE.join(", ")}, with commas between them.`)
}
