import { isLoopbackUrl, Mail, Webhooks, work } from "@place-access/worker/host"
import { Console, Effect } from "effect"
import * as Listener from "./Listener.js"
import * as ServerLive from "./ServerLive.js"
import type { ServerSettings } from "./ServerSettings.js"
import { welcome } from "./welcome.js"

/** Runs the server until it is told to stop; with the embedded database the worker's loops, too. */
export const serve = (settings: ServerSettings) =>
  Effect.gen(function* () {
    yield* warnings(settings)
    const listener = Listener.make(settings.host, settings.port)
    // Before the database: a port that is taken is known at once, and whoever watches sees a process that starts.
    yield* Effect.acquireRelease(listener.listen, () => listener.close)
    const http = ServerLive.serveHttp(listener, settings, announce(settings))
    // The embedded database can be opened by no other process.
    const parts = doesTheWork(settings) ? [http, work(settings)] : [http]
    // Both are interrupted, and drain, at the same time.
    yield* Effect.all(parts, { concurrency: "unbounded", discard: true }).pipe(
      Effect.provide(ServerLive.ports(settings))
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
    if (doesTheWork(settings)) yield* Mail.warnings(settings.mail, settings.addresses)
    if (settings.addresses.baseUrl.startsWith("http:") && !isLoopbackUrl(settings.addresses.baseUrl)) {
      yield* Effect.logWarning(
        `BASE_URL is ${settings.addresses.baseUrl}: passwords, tokens and locations travel unencrypted. Use https.`
      )
    }
  })
