import { CannotStart, isLoopbackUrl, Program } from "@place-access/worker"
import { Console, Effect, Either } from "effect"
import * as credentials from "./listen/credentials.js"
import { follow, say } from "./listen/follow.js"
import { forward } from "./listen/forward.js"
import type { EventMessage } from "./listen/Messages.js"
import { COMMAND, type ListenOptions, parse, USAGE } from "./listen/options.js"
import { type Service, signIn } from "./listen/Service.js"
import * as words from "./listen/words.js"

/** The most posts in flight to the local program. The service has the same limit for the deliveries to one endpoint. */
const AT_ONCE = 8

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

    const pass = (event: typeof EventMessage.Type) =>
      Effect.gen(function* () {
        const answer = options.forward === undefined ? undefined : yield* forward(options.forward, event)
        yield* say(words.eventLine(event, answer))
        if (options.print) yield* Console.log(words.body(event))
      }).pipe(turns.withPermits(1))

    return yield* follow(service.events(app.id, options), {
      begun: (ready) => words.begun({ app: `${app.name} (${app.id})`, options, ready }),
      // The POST to the developer's server runs in `scope`, so a lost connection does not interrupt the POST.
      pass: (event) => Effect.asVoid(Effect.forkIn(pass(event), scope))
    })
  }).pipe(
    Effect.catchTag("Lost", ({ why }) => new CannotStart({ message: `${options.service} cannot be reached: ${why}.` })),
    Effect.scoped,
    Effect.onInterrupt(() => Console.log("\nStopped."))
  )

Program.run(
  Either.match(parse(process.argv.slice(2)), {
    onLeft: (problem) => new CannotStart({ fault: "usage", message: `${problem} Try: ${COMMAND} --help` }),
    onRight: (command): Effect.Effect<void, CannotStart> =>
      command._tag === "Help" ? Console.log(USAGE) : listen(command.options)
  })
)
