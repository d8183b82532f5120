import { isLoopbackUrl, Mail, Misspelt, Program, SharedClock, Webhooks, work } from "@place-access/worker"
import { recordFigures } from "@place-access/domain/figures"
import { Console, Effect, Logger, LogLevel } from "effect"
import * as Listener from "./http/Listener.js"
import { serveHttp } from "./http/serveHttp.js"
import { factsOf } from "./operator/perform.js"
import * as OperatorSocket from "./operator/socket.js"
import * as Ports from "./Ports.js"
import * as Settings from "./ServerSettings.js"
import * as Mark from "./virtual/Mark.js"
import { welcome } from "./welcome.js"

/** Runs the server until it is asked to stop. With the embedded database it also runs the worker's loops. */
export const serve = (settings: Settings.ServerSettings) =>
  Effect.gen(function* () {
    yield* Mark.refuseIn(settings.storage)
    Program.drainsFor(settings.drainSeconds)
    yield* warnings(settings)
    const listener = Listener.make(settings.host, settings.port, settings.addresses.baseUrl)
    // Listens before it opens the database. So a port that is in use makes the start fail immediately, and supervisors
    // see a process that starts.
    yield* Effect.acquireRelease(listener.listen, () => listener.close)
    const shared = SharedClock.make()
    const http = Effect.withClock(serveHttp(listener, settings, announce(settings)), shared.clock)
    const { storage } = settings
    // With the embedded database, the socket for operators' commands listens before the log says "ready", because a
    // command may follow directly. Only this process can open the embedded database, so the process need not compare
    // its clock with the clocks of other processes.
    const parts =
      storage._tag === "Embedded"
        ? [Effect.scoped(Effect.zipRight(OperatorSocket.listen(factsOf(storage, settings)), http)), work(settings)]
        : [Effect.zipRight(shared.compareFirst, http), shared.watch]
    // An interruption reaches the server and the worker at the same time, so both drain at the same time.
    yield* Effect.zipRight(recordFigures(), Effect.all(parts, { concurrency: "unbounded", discard: true })).pipe(
      Effect.scoped,
      Effect.provide(Ports.layer(settings, Ports.ofServer(listener)))
    )
  }).pipe(Effect.scoped)

const doesTheWork = ({ storage }: Pick<Settings.ServerSettings, "storage">): boolean => storage._tag === "Embedded"

const announce = (settings: Settings.ServerSettings): Effect.Effect<void> =>
  settings.logging.format === "json"
    ? Effect.logInfo(`ready at ${settings.addresses.baseUrl}`)
    : Console.log(welcome(settings))

const warnings = (settings: Settings.ServerSettings) =>
  Effect.gen(function* () {
    yield* Misspelt.warnings(process.env, Settings.all)
    yield* Webhooks.warnIfInsecure(settings.webhooks)
    const silenced = Settings.silencedRequests(settings)
    // The warning must also appear with LOG_LEVEL=error, so it is logged at the level Warning in any case.
    if (silenced !== undefined) {
      yield* Logger.withMinimumLogLevel(Effect.logWarning(silenced), LogLevel.Warning)
    }
    if (doesTheWork(settings)) yield* Mail.warnings(settings.mail, settings.addresses, settings.host)
    const unknown = Settings.unknownClients(settings)
    if (unknown !== undefined) yield* Effect.logWarning(unknown)
    if (settings.addresses.baseUrl.startsWith("http:") && !isLoopbackUrl(settings.addresses.baseUrl)) {
      yield* Effect.logWarning(
        `BASE_URL is ${settings.addresses.baseUrl}: passwords, tokens and locations travel unencrypted. Use https.`
      )
    }
  })
