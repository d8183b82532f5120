import { CannotStart, isLoopbackUrl, Program } from "@place-access/worker"
import { Clock, Console, Effect, Either, Stream } from "effect"
import * as credentials from "./listen/credentials.js"
import { forward } from "./listen/forward.js"
import type { ListenMessage, EventMessage } from "./listen/Messages.js"
import { type ListenOptions, parse, USAGE } from "./listen/options.js"
import { Lost, type Service, signIn, SIGNED_OUT } from "./listen/Service.js"
import * as words from "./listen/words.js"

/** The most posts in flight to the local program. The service has the same limit for the deliveries to one endpoint. */
const AT_ONCE = 8
const FIRST_WAIT_MILLIS = 1_000
const LONGEST_WAIT_MILLIS = 30_000

const say = (line: string) => Effect.flatMap(Clock.currentTimeMillis, (now) => Console.log(`${words.at(now)} ${line}`))

/** The app with the given id, or the developer's only app. */
const choose = ({ apps }: Service, named: string | undefined) =>
  Effect.gen(function* () {
    const all = yield* apps
    const found = named === undefined ? (all.length === 1 ? all[0] : undefined) : all.find(({ id }) => id === named)
    if (found !== undefined) return found
    if (all.length === 0)
      return yield* new CannotStart({ message: "You have no app yet: make one on the service's pages for developers." })
    const list = all.map(({ id, name }) => `  --app ${id}   ${name}`).join("\n")
    const why = named === undefined ? "You have several apps. Say which one:" : `You have no app ${named}. Yours are:`
    return yield* new CannotStart({ fault: "usage", message: `${why}\n${list}` })
  })

const listen = (options: ListenOptions) =>
  Effect.gen(function* () {
    const { service: base } = options
    if (base.startsWith("http:") && !isLoopbackUrl(base)) {
      yield* Console.error(`${base} is not encrypted: your password and people's events can be read on the way.`)
    }
    const service = yield* signIn(base, yield* credentials.find(options.email))
    const app = yield* choose(service, options.app)
    const turns = yield* Effect.makeSemaphore(AT_ONCE)
    const scope = yield* Effect.scope
    let isFirst = true
    let waitMillis = FIRST_WAIT_MILLIS

    const pass = (event: typeof EventMessage.Type) =>
      Effect.gen(function* () {
        const answer = options.forward === undefined ? undefined : yield* forward(options.forward, event)
        yield* say(words.eventLine(event, answer))
        if (options.print) yield* Console.log(words.body(event))
      }).pipe(turns.withPermits(1))

    const hear = (message: ListenMessage): Effect.Effect<void, CannotStart | Lost> => {
      switch (message._tag) {
        case "Ready":
          waitMillis = FIRST_WAIT_MILLIS
          if (!isFirst) return say(words.listeningAgain)
          isFirst = false
          return Console.log(words.begun({ app: `${app.name} (${app.id})`, options, ready: message.data }))
        case "Event":
          // The POST to the developer's server runs in `scope`, so a lost connection does not interrupt the POST.
          return Effect.asVoid(Effect.forkIn(pass(message.data), scope))
        case "Dropped":
          return say(words.dropped(message.data.count))
        case "End":
          return ended(message.data.reason)
      }
    }

    const waited = ({ why }: Lost) =>
      Effect.suspend(() => {
        const millis = waitMillis
        waitMillis = Math.min(2 * waitMillis, LONGEST_WAIT_MILLIS)
        return Effect.zipRight(say(words.lost(why, millis)), Effect.sleep(millis))
      })

    return yield* Stream.runForEach(service.events(app.id, options), hear).pipe(
      Effect.catchTag("Lost", waited),
      Effect.forever
    )
  }).pipe(
    Effect.catchTag("Lost", ({ why }) => new CannotStart({ message: `${options.service} cannot be reached: ${why}.` })),
    Effect.scoped,
    Effect.onInterrupt(() => Console.log("\nStopped."))
  )

/** Fails with the reason why the stream ended: with `Lost` when a new connection may help, else with `CannotStart`. */
const ended = (reason: string): Effect.Effect<never, CannotStart | Lost> => {
  switch (reason) {
    case "signed_out":
      return new CannotStart({ message: SIGNED_OUT })
    case "app_gone":
      return new CannotStart({
        message: "The app was revoked or deleted, or you may no longer develop it. So no more events come."
      })
    case "endpoint_gone":
      return new CannotStart({ message: "The endpoint was removed." })
    case "stopping":
      return new Lost({ why: "the service is being restarted" })
    default:
      return new Lost({ why: "the service has ended the stream" })
  }
}

Program.run(
  Either.match(parse(process.argv.slice(2)), {
    onLeft: (problem) => new CannotStart({ fault: "usage", message: `${problem}\n\n${USAGE}` }),
    onRight: (command): Effect.Effect<void, CannotStart> =>
      command._tag === "Help" ? Console.log(USAGE) : listen(command.options)
  })
)
