import { CannotStart, Logging, Program, work } from "@place-access/worker"
import { recordFigures } from "@place-access/domain/figures"
import { Clock, Console, Deferred, Effect, Fiber, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { choosePlace } from "./demo/choosePlace.js"
import * as options from "./demo/options.js"
import * as PhoneLog from "./demo/PhoneLog.js"
import * as Receiver from "./demo/Receiver.js"
import * as say from "./demo/say.js"
import { settings } from "./demo/settings.js"
import * as Tour from "./demo/tour.js"
import * as TravelClock from "./demo/TravelClock.js"
import * as Listener from "./http/Listener.js"
import { serveHttp } from "./http/serveHttp.js"
import * as Ports from "./Ports.js"
import type * as ServerSettings from "./ServerSettings.js"

/**
 * The relative path is right for this file and for its bundle, because both are in a folder directly below
 * `apps/server`.
 */
const WALK = fileURLToPath(new URL("../demo/walk.csv", import.meta.url))
/** The demo sends readings that the phone stored within this time in one upload, as phones do. */
const UPLOAD_GAP_MILLIS = 30_000
/** How long before the first reading the demo makes its accounts and rules. */
const LEAD_MILLIS = 60_000

const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "place-access-demo-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/**
 * Starts the server and the worker in this process, on the given clock. Waits until the server answers, and returns the
 * fiber that runs both.
 */
const startServer = (server: ServerSettings.ServerSettings, clock: Clock.Clock) =>
  Effect.gen(function* () {
    const listener = Listener.make(server.host, server.port, server.addresses.baseUrl)
    yield* Effect.acquireRelease(listener.listen, () => listener.close)
    const ready = yield* Deferred.make<void>()
    const http = serveHttp(listener, server, Effect.asVoid(Deferred.succeed(ready, undefined)))
    const parts = Effect.all([http, work(server)], { concurrency: "unbounded", discard: true })
    const running = yield* Effect.scoped(Effect.zipRight(recordFigures(), parts)).pipe(
      Effect.provide(Ports.layer(server, Ports.ofServer(listener))),
      Effect.withClock(clock),
      Effect.forkScoped
    )
    yield* Effect.raceFirst(Deferred.await(ready), Fiber.join(running))
    return running
  })

const demo = Effect.gen(function* () {
  const parsed = yield* options.parse(process.argv.slice(2), WALK)
  if (parsed === "help") return yield* Console.log(options.USAGE)
  const { exit, paceMillis, trace } = parsed
  const readings = yield* options.readLog(trace, yield* Clock.currentTimeMillis)
  const uploads = PhoneLog.uploads(readings, UPLOAD_GAP_MILLIS)
  const place = choosePlace(uploads)
  if (place === undefined) {
    return yield* new CannotStart({ message: "Nobody arrives or leaves anywhere in this phone log: try another." })
  }
  const server = yield* settings(yield* temporaryFolder, process.env)
  const clock = TravelClock.startingAt(PhoneLog.span(readings).from - LEAD_MILLIS)
  const { baseUrl } = server.addresses

  say.line(say.bold("\nThe Place-Aware Access Service, from a sign-up to a verified webhook."))
  say.line("Everything happens over HTTP on this machine; the clock of the service starts when the log does.")
  yield* Effect.provide(
    Effect.gen(function* () {
      const running = yield* startServer(server, clock.clock)
      const receiver = yield* Receiver.start(clock.now, Tour.showArrival)
      const person = { email: "robin@example.com", password: randomBytes(12).toString("base64url") }
      yield* Tour.run({ baseUrl, person, place, uploads, receiver, clock, pauseMillis: paceMillis }).pipe(
        Effect.mapError(({ message }) => new CannotStart({ message: `\nThe tour stopped: ${message}` }))
      )
      if (exit) return
      say.line(farewell(server.addresses, person))
      yield* Fiber.join(running)
    }),
    Logging.layer(server.logging)
  )
}).pipe(Effect.scoped)

const farewell = (
  { baseUrl, userPortalUrl }: ServerSettings.ServerSettings["addresses"],
  { email, password }: Tour.Person
): string => `
${say.bold("Now look around.")} The server goes on running, on real time.

     What Robin sees as a user    ${userPortalUrl}
     What Robin sees as a         ${baseUrl}
     developer
     Sign in with                 ${email}
     and the password             ${password}

     Control-C ends the demo and throws its data away. To keep data:  npm start
`

Program.run(demo)
