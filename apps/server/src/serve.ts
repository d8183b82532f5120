import { isLoopbackUrl, Mail, Program, SharedClock, Webhooks, work } from "@place-access/worker/host"
import { Console, Duration, Effect } from "effect"
import * as Listener from "./Listener.js"
import * as ServerLive from "./ServerLive.js"
import type { ServerSettings } from "./ServerSettings.js"
import { welcome } from "./welcome.js"

/** Runs the server until it is told to stop; with the embedded database the worker's loops, too. */
export const serve = (settings: ServerSettings) =>
  Effect.gen(function* () {
    Program.drainsFor(settings.drainSeconds)
    yield* warnings(settings)
    const listener = Listener.make(settings.host, settings.port)
    // Before the database: a port that is taken is known at once, and whoever watches sees a process that starts.
    yield* Effect.acquireRelease(listener.listen, () => listener.close)
    const shared = SharedClock.make()
    const http = Effect.withClock(ServerLive.serveHttp(listener, settings, announce(settings)), shared.clock)
    // The embedded database can be opened by no other process, and has the same clock.
    const parts = doesTheWork(settings) ? [http, work(settings)] : [Effect.zipRight(shared.compare, http), shared.watch]
    // Both are interrupted, and drain, at the same time.
    yield* Effect.all(parts, { concurrency: "unbounded", discard: true }).pipe(
      // A server that ended because its database is away would be started again by its supervisor, to wait again.
      Effect.provide(ServerLive.ports(settings, { patience: Duration.infinity, onMissing: listener.onMissing }))
    )
  }).pipe(Effect.scoped)

const doesTheWork = ({ storage }: Pick<ServerSettings, "storage">): boolean => storage._tag === "Embedded"

const announce = (settings: ServerSettings): Effect.Effect<void> =>
  settings.logging.format === "json"
    ? Effect.logInfo(`ready at ${settings.addresses.baseUrl}`)
    : Console.log(welcome(settings))

const warnings = (settings: ServerSettings) =>
  Effect.gen(function* () {
    yield* Webhooks.warnIfInsecure(settings.webhooks)
    if (doesTheWork(settings)) yield* Mail.warnings(settings.mail, settings.addresses, settings.host)
    if (settings.addresses.baseUrl.startsWith("http:") && !isLoopbackUrl(settings.addresses.baseUrl)) {
      yield* Effect.logWarning(
        `BASE_URL is ${settings.addresses.baseUrl}: passwords, tokens and locations travel unencrypted. Use https.`
      )
    }
  })
