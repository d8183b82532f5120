import {
  CannotStart,
  ConfigReport,
  Data,
  Logging,
  Mail,
  Misspelt,
  Program,
  Settings,
  SharedClock,
  Stores,
  Telemetry,
  TelemetrySettings,
  VERSION,
  Webhooks,
  work
} from "./index.js"
import { recordFigures } from "@place-access/domain/figures"
import * as WorkerHealth from "./telemetry/WorkerHealth.js"
import { Config, Console, Duration, Effect, identity, Layer } from "effect"

const config = Config.all({
  addresses: Settings.addresses,
  storage: Settings.storage,
  webhooks: Settings.webhooks,
  mail: Settings.mail,
  logging: Settings.logging,
  telemetry: TelemetrySettings.config
})
type WorkerSettings = Config.Config.Success<typeof config>

const ports = (settings: WorkerSettings) =>
  Layer.merge(Stores.layer, Webhooks.layer(settings.webhooks)).pipe(
    // Waits for the database without a limit, as the server does: if the worker ended, a supervisor would only restart
    // it.
    Layer.provideMerge(
      Data.withKeys(settings.storage, "place-access worker", {
        patience: Duration.infinity,
        onMissing: () => undefined
      })
    )
  )

/**
 * Writes a log line immediately when the worker is asked to stop, while the worker still finishes its deliveries in
 * flight.
 */
const farewell = Effect.onInterrupt(Effect.never, () =>
  Effect.logInfo("stopping: deliveries in flight are finished first")
)

const run = (settings: WorkerSettings, shared: SharedClock.SharedClock, health: WorkerHealth.WorkerHealth) =>
  Effect.gen(function* () {
    if (settings.storage._tag === "Embedded") {
      return yield* new CannotStart({
        fault: "settings",
        message: "DATABASE_URL is missing. With the embedded database the server does the worker's work itself."
      })
    }
    const known = [...Object.values(Settings.address), ...Object.values(Settings.shared), ...TelemetrySettings.all]
    yield* Misspelt.warnings(process.env, known)
    yield* Webhooks.warnIfInsecure(settings.webhooks)
    yield* Mail.warnings(settings.mail, settings.addresses)
    const loops = work(settings, { regular: identity, onRead: health.noteRead })
    const working = Effect.withClock(
      shared.whileRight(Effect.scoped(Effect.zipRight(recordFigures(), loops))),
      shared.clock
    )
    yield* shared.compareFirst.pipe(
      Effect.zipRight(shared.untilRight),
      Effect.zipRight(Effect.logInfo("the worker is ready")),
      (ready) =>
        Effect.all([Effect.zipRight(ready, working), farewell, shared.watch], {
          concurrency: "unbounded",
          discard: true
        }),
      Effect.provide(ports(settings))
    )
  })

const serve = Effect.flatMap(ConfigReport.read(config), (settings) => {
  const shared = SharedClock.make()
  const health = WorkerHealth.make(undefined, shared.clock.isRight)
  return Effect.provide(
    run(settings, shared, health),
    Layer.provideMerge(
      Telemetry.layer(settings.telemetry, "place-access-worker", health.answer),
      Logging.layer(settings.logging)
    )
  )
})

const [word, ...more] = process.argv.slice(2)
const isVersion = (word === "--version" || word === "-v" || word === "version") && more.length === 0

Program.run(
  word === undefined
    ? serve
    : isVersion
      ? Console.log(VERSION)
      : new CannotStart({ fault: "usage", message: "The worker takes no arguments, except --version." })
)
